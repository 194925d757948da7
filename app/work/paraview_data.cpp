#include "app/work/paraview_data.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkIntArray.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <vector>

#include "core/math/count.h"
#include "core/math/not_a_number.h"
#include "core/record/contact_pressure.h"
#include "core/record/deformation.h"
#include "core/record/placed_surface.h"

namespace touchstone {

namespace {

vtkSmartPointer<vtkDoubleArray> arrayOf(const char* name, int components) {
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name);
  array->SetNumberOfComponents(components);
  return array;
}

vtkSmartPointer<vtkIntArray> integersOf(const char* name) {
  auto array = vtkSmartPointer<vtkIntArray>::New();
  array->SetName(name);
  return array;
}

SurfaceDeformation surfaceDeformation(const StepRecord& record, const Scene& scene, int body) {
  const Deformable& deformable = *scene.bodies[body].deformable;
  return onSurface(deformable, deformationOf(deformable, placedParticles(scene, record, body)));
}

}  // namespace

vtkSmartPointer<vtkPolyData> paraviewBodies(const StepRecord& record, const Scene& scene,
                                            const ContactFeatures& features) {
  const std::vector<std::vector<double>> pressures = contactPressures(features, scene, record);
  std::vector<double> depth(scene.bodies.size(), 0);
  for (const Overlap& overlap : record.overlaps)
    for (int body : {overlap.bodyA, overlap.bodyB}) depth[body] = std::max(depth[body], overlap.depth);
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  vtkNew<vtkCellArray> polygons;
  const auto ids = integersOf("body");
  const auto depths = arrayOf("depth_m", 1), velocities = arrayOf("velocity_m_per_s", 3),
             volumeChanges = arrayOf("volume_change", 1), strains = arrayOf("strain", 1),
             ofContacts = arrayOf("contact_pressure_Pa", 1);
  for (int body = 0; body < countOf(scene.bodies); ++body) {
    const BodyState& state = record.bodies[body];
    if (!state.active) continue;
    const std::vector<TriangleMesh>& surfaces = scene.bodies[body].shape->surfaces;
    SurfaceDeformation deformation;
    if (scene.bodies[body].deformable) deformation = surfaceDeformation(record, scene, body);
    for (int surface = 0; surface < countOf(surfaces); ++surface) {
      const vtkIdType first = points->GetNumberOfPoints();
      const std::vector<Vec3> vertices = placedSurface(scene, record, body, surface);
      for (std::size_t vertex = 0; vertex < vertices.size(); ++vertex) {
        points->InsertNextPoint(vertices[vertex].data());
        const bool isRigid = deformation.strain.empty();
        volumeChanges->InsertNextValue(isRigid ? kNaN : deformation.volumeChange[vertex]);
        strains->InsertNextValue(isRigid ? kNaN : deformation.strain[vertex]);
        ofContacts->InsertNextValue(isRigid ? kNaN : pressures[body][vertex]);
      }
      for (const auto& triangle : surfaces[surface].triangles) {
        const vtkIdType corners[3] = {first + triangle[0], first + triangle[1], first + triangle[2]};
        polygons->InsertNextCell(3, corners);
        ids->InsertNextValue(body);
        depths->InsertNextValue(depth[body]);
        velocities->InsertNextTuple(state.linearVelocity.data());
      }
    }
  }
  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(polygons);
  data->GetCellData()->AddArray(ids);
  data->GetCellData()->AddArray(depths);
  data->GetCellData()->AddArray(velocities);
  if (particleCount(scene) > 0) {
    data->GetPointData()->AddArray(volumeChanges);
    data->GetPointData()->AddArray(strains);
    data->GetPointData()->AddArray(ofContacts);
  }
  return data;
}

vtkSmartPointer<vtkPolyData> paraviewContacts(const StepRecord& record) {
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  vtkNew<vtkCellArray> vertices;
  const auto gaps = arrayOf("gap_m", 1), normals = arrayOf("normal", 3), forces = arrayOf("force_N", 3);
  const auto traps = integersOf("trap");
  for (const Contact& contact : record.contacts) {
    const vtkIdType id = points->InsertNextPoint(contact.pointB.data());
    vertices->InsertNextCell(1, &id);
    const Vec3 impulse = contact.normalImpulse * contact.normal + contact.frictionImpulse;
    const Vec3 force = record.dt > 0 ? Vec3(impulse / record.dt) : Vec3(Vec3::Zero());
    gaps->InsertNextValue(contact.gap);
    normals->InsertNextTuple(contact.normal.data());
    forces->InsertNextTuple(force.data());
    traps->InsertNextValue(contact.trap);
  }
  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetVerts(vertices);
  for (vtkDataArray* array :
       {static_cast<vtkDataArray*>(gaps.Get()), static_cast<vtkDataArray*>(normals.Get()),
        static_cast<vtkDataArray*>(forces.Get()), static_cast<vtkDataArray*>(traps.Get())})
    data->GetPointData()->AddArray(array);
  return data;
}

bool hasTetrahedra(const Scene& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) {
    return body.deformable && !body.deformable->tetrahedra.empty();
  });
}

vtkSmartPointer<vtkUnstructuredGrid> paraviewTetrahedra(const StepRecord& record, const Scene& scene) {
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  vtkNew<vtkCellArray> cells;
  const auto ids = integersOf("body");
  const auto volumeChanges = arrayOf("volume_change", 1), strains = arrayOf("strain", 1);
  for (int body = 0; body < countOf(scene.bodies); ++body) {
    const Deformable* deformable = scene.bodies[body].deformable.get();
    if (!deformable || deformable->tetrahedra.empty() || !record.bodies[body].active) continue;
    const vtkIdType first = points->GetNumberOfPoints();
    const std::vector<Vec3> particles = placedParticles(scene, record, body);
    for (const Vec3& particle : particles) points->InsertNextPoint(particle.data());
    for (const auto& tetrahedron : deformable->tetrahedra) {
      const vtkIdType corners[4] = {first + tetrahedron[0], first + tetrahedron[1], first + tetrahedron[2],
                                    first + tetrahedron[3]};
      cells->InsertNextCell(4, corners);
      ids->InsertNextValue(body);
    }
    const Deformation deformation = deformationOf(*deformable, particles);
    for (double change : deformation.volumeChange) volumeChanges->InsertNextValue(change);
    for (double strain : deformation.strain) strains->InsertNextValue(strain);
  }
  auto data = vtkSmartPointer<vtkUnstructuredGrid>::New();
  data->SetPoints(points);
  data->SetCells(VTK_TETRA, cells);
  data->GetCellData()->AddArray(ids);
  data->GetCellData()->AddArray(volumeChanges);
  data->GetCellData()->AddArray(strains);
  return data;
}

}  // namespace touchstone
