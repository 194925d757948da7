#include "widgets/views/section.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkPoints.h>

#include <Eigen/Geometry>

#include "core/math/count.h"
#include "core/record/placed_surface.h"

namespace touchstone {

namespace {

Eigen::AlignedBox3d boxAtStart(const Scene& scene) {
  Eigen::AlignedBox3d box;
  for (int body = 0; body < countOf(scene.bodies); ++body) {
    const Shape& shape = *scene.bodies[body].shape;
    if (shape.kind == Shape::Kind::Plane) continue;
    for (int surface = 0; surface < countOf(shape.surfaces); ++surface)
      for (const Vec3& vertex : placedSurface(scene, StepRecord(), body, surface)) box.extend(vertex);
  }
  if (box.isEmpty()) box.extend(Vec3(0, 0, 0));
  return box;
}

/// Corners of the polygon in which the plane cuts a tetrahedron, around it; 0, 3 or 4.
/// @param heights  [4] of the corners over the plane [m]
int cutCorners(const Vec3 x[4], const double heights[4], Vec3 corners[4]) {
  int front[4], behind[4], fronts = 0, behinds = 0;
  for (int corner = 0; corner < 4; ++corner) {
    if (heights[corner] >= 0)
      front[fronts++] = corner;
    else
      behind[behinds++] = corner;
  }
  const auto between = [&](int a, int b) {
    return Vec3(x[a] + heights[a] / (heights[a] - heights[b]) * (x[b] - x[a]));
  };
  int count = 0;
  if (fronts == 2) {
    for (const int k : {0, 1, 3, 2}) corners[count++] = between(front[k / 2], behind[k % 2]);  // around it
  } else {
    for (int a = 0; a < fronts; ++a)
      for (int b = 0; b < behinds; ++b) corners[count++] = between(front[a], behind[b]);
  }
  return count;
}

}  // namespace

SectionPlane sectionPlane(const Scene& scene, Section section, double offset) {
  const int axis = static_cast<int>(section) - static_cast<int>(Section::X);
  const Eigen::AlignedBox3d box = boxAtStart(scene);
  SectionPlane plane;
  plane.origin = box.center();
  const bool isSeenFromAhead = scene.view.eye[axis] >= plane.origin[axis];
  plane.origin[axis] += 0.5 * offset * box.sizes()[axis];
  plane.normal = Vec3::Zero();
  plane.normal[axis] = isSeenFromAhead ? -1 : 1;
  return plane;
}

vtkSmartPointer<vtkPolyData> cutTetrahedra(const Deformable& deformable, const std::vector<Vec3>& particles,
                                           const SectionPlane& plane, const std::vector<double>& values) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> polygons;
  vtkNew<vtkDoubleArray> colours;
  for (std::size_t tetrahedron = 0; tetrahedron < deformable.tetrahedra.size(); ++tetrahedron) {
    Vec3 x[4], corners[4];
    double heights[4];
    for (std::size_t corner = 0; corner < 4; ++corner) {
      x[corner] = particles[deformable.tetrahedra[tetrahedron][corner]];
      heights[corner] = plane.normal.dot(x[corner] - plane.origin);
    }
    const int count = cutCorners(x, heights, corners);
    if (count == 0) continue;
    vtkIdType ids[4];
    for (int corner = 0; corner < count; ++corner)
      ids[corner] = points->InsertNextPoint(corners[corner].data());
    polygons->InsertNextCell(count, ids);
    if (!values.empty()) colours->InsertNextValue(values[tetrahedron]);
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(polygons);
  if (!values.empty()) data->GetCellData()->SetScalars(colours);
  return data;
}

}  // namespace touchstone
