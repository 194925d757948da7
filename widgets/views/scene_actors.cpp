#include "widgets/views/scene_actors.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkIdList.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/geometry/aabb.h"
#include "core/math/count.h"
#include "core/scene/joint_rows.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/shown_actors.h"

namespace touchstone {

namespace {

// cos 20°: flatter edges clutter smooth surfaces. A larger value draws more of them; a smaller one hides real
// edges.
constexpr double kFeatureCosine = 0.94;

void addLine(vtkPoints* points, vtkCellArray* lines, const Vec3& start, const Vec3& end) {
  const vtkIdType ids[2] = {points->InsertNextPoint(start.data()), points->InsertNextPoint(end.data())};
  lines->InsertNextCell(2, ids);
}

vtkSmartPointer<vtkUnsignedCharArray> cellColours() {
  vtkSmartPointer<vtkUnsignedCharArray> colours = vtkSmartPointer<vtkUnsignedCharArray>::New();
  colours->SetName("colour");
  colours->SetNumberOfComponents(4);
  return colours;
}

void addColour(vtkUnsignedCharArray* colours, const DepthScale& scale, double depth) {
  const auto [red, green, blue] = componentsOf(depthColour(scale.at(depth)));
  const unsigned char components[4] = {
      red, green, blue, static_cast<unsigned char>(std::lround(255 * overlapOpacity(scale, depth)))};
  colours->InsertNextTypedTuple(components);
}

/// Edges of an overlap volume that are bent or open. Its triangles need not share their vertices.
std::vector<std::pair<Vec3, Vec3>> outlineOf(const Overlap& overlap) {
  Aabb box;
  for (const Vec3& vertex : overlap.vertices) box.add(vertex);
  // Relative to the volume: vertices that are nearer than this are one. A larger value takes edges away; a
  // smaller one leaves rounding between triangles that meet.
  constexpr double kSame = 1e-6;
  const double cell = kSame * (box.high - box.low).norm();
  std::map<std::array<long long, 3>, int> known;
  std::vector<int> same;
  for (const Vec3& vertex : overlap.vertices) {
    std::array<long long, 3> place{};
    for (int axis = 0; axis < 3; ++axis)
      place[axis] = cell > 0 ? std::llround((vertex[axis] - box.low[axis]) / cell) : 0;
    same.push_back(known.emplace(place, countOf(same)).first->second);
  }
  struct Sides {
    int count = 0;
    Vec3 normal = Vec3::Zero();
    bool isBent = false;
  };
  std::map<std::pair<int, int>, Sides> edges;
  for (const auto& triangle : overlap.triangles) {
    const Vec3 area = (overlap.vertices[triangle[1]] - overlap.vertices[triangle[0]])
                          .cross(overlap.vertices[triangle[2]] - overlap.vertices[triangle[0]]);
    if (!(area.norm() > 0)) continue;
    for (int corner = 0; corner < 3; ++corner) {
      const int one = same[triangle[corner]], other = same[triangle[(corner + 1) % 3]];
      if (one == other) continue;
      Sides& sides = edges[{std::min(one, other), std::max(one, other)}];
      sides.isBent =
          sides.isBent || (sides.count > 0 && sides.normal.dot(area.normalized()) < kFeatureCosine);
      sides.normal = area.normalized();
      ++sides.count;
    }
  }
  std::vector<std::pair<Vec3, Vec3>> outline;
  for (const auto& [ends, sides] : edges)
    if (sides.count == 1 || sides.isBent)
      outline.emplace_back(overlap.vertices[ends.first], overlap.vertices[ends.second]);
  return outline;
}

}  // namespace

vtkSmartPointer<vtkPolyData> surfaceOf(const Shape& shape) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> polygons;
  for (const TriangleMesh& mesh : shape.surfaces) {
    const vtkIdType first = points->GetNumberOfPoints();
    for (const Vec3& vertex : mesh.vertices) points->InsertNextPoint(vertex.data());
    for (const auto& triangle : mesh.triangles) {
      const vtkIdType ids[3] = {first + triangle[0], first + triangle[1], first + triangle[2]};
      polygons->InsertNextCell(3, ids);
    }
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(polygons);
  return data;
}

vtkSmartPointer<vtkPolyData> featureEdgesOf(const Shape& shape) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> lines;
  for (const TriangleMesh& mesh : shape.surfaces)
    for (const TriangleMesh::Edge& edge : mesh.edges)
      if (edge.right < 0 || edge.turn < kFeatureCosine)
        addLine(points, lines, mesh.vertices[edge.tail], mesh.vertices[edge.head]);
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetLines(lines);
  return data;
}

vtkSmartPointer<vtkPolyData> refinedSurfaceOf(const Shape& shape, double longest) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> polygons;
  for (const TriangleMesh& mesh : shape.surfaces) {
    std::vector<std::array<Vec3, 3>> open;
    std::map<std::array<double, 3>, vtkIdType> known;
    for (const auto& triangle : mesh.triangles)
      open.push_back({mesh.vertices[triangle[0]], mesh.vertices[triangle[1]], mesh.vertices[triangle[2]]});
    while (!open.empty()) {
      const std::array<Vec3, 3> corners = open.back();
      open.pop_back();
      // An edge is divided by its own length alone, so that the triangles on both sides still meet.
      int split = -1;
      double length = longest;
      for (int edge = 0; edge < 3; ++edge) {
        const double edgeLength = (corners[(edge + 1) % 3] - corners[edge]).norm();
        if (edgeLength > length) split = edge;
        length = std::max(length, edgeLength);
      }
      if (split >= 0) {
        const Vec3 &start = corners[split], &end = corners[(split + 1) % 3], &tip = corners[(split + 2) % 3];
        const Vec3 middle = 0.5 * (start + end);
        open.push_back({start, middle, tip});
        open.push_back({middle, end, tip});
        continue;
      }
      vtkIdType ids[3];
      for (int corner = 0; corner < 3; ++corner) {
        const Vec3& point = corners[corner];
        const auto [place, isNew] = known.try_emplace({point.x(), point.y(), point.z()}, 0);
        if (isNew) place->second = points->InsertNextPoint(point.data());
        ids[corner] = place->second;
      }
      polygons->InsertNextCell(3, ids);
    }
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(polygons);
  return data;
}

vtkSmartPointer<vtkPolyData> overlapSurface(const StepRecord& record, const DepthScale& scale) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> polygons;
  const vtkSmartPointer<vtkUnsignedCharArray> colours = cellColours();
  for (const Overlap& overlap : record.overlaps) {
    if (!(overlap.depth > scale.threshold)) continue;
    const vtkIdType first = points->GetNumberOfPoints();
    for (const Vec3& vertex : overlap.vertices) points->InsertNextPoint(vertex.data());
    for (const auto& triangle : overlap.triangles) {
      const vtkIdType ids[3] = {first + triangle[0], first + triangle[1], first + triangle[2]};
      polygons->InsertNextCell(3, ids);
      addColour(colours, scale, overlap.depth);
    }
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(polygons);
  data->GetCellData()->SetScalars(colours);
  return data;
}

vtkSmartPointer<vtkPolyData> overlapOutline(const StepRecord& record, const DepthScale& scale) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> lines;
  const vtkSmartPointer<vtkUnsignedCharArray> colours = cellColours();
  for (const Overlap& overlap : record.overlaps) {
    if (!(overlap.depth > scale.threshold)) continue;
    for (const auto& [from, to] : outlineOf(overlap)) {
      addLine(points, lines, from, to);
      addColour(colours, scale, overlap.depth);
    }
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetLines(lines);
  data->GetCellData()->SetScalars(colours);
  return data;
}

vtkSmartPointer<vtkPolyData> contactPoints(const StepRecord& record) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkUnsignedCharArray> colours;
  colours->SetName("colour");
  colours->SetNumberOfComponents(3);
  for (const Contact& contact : record.contacts) {
    // Contacts of a set without impulse are alternatives that the model considered; only those of I and X are
    // drawn.
    if (contact.type == ConstraintType::U && !(contact.normalImpulse > 0)) continue;
    points->InsertNextPoint(contact.pointB.data());
    const ContactGlyph glyph = contact.trap                              ? ContactGlyph::Trap
                               : contact.type == ConstraintType::Penalty ? ContactGlyph::Plain
                               : contact.type == ConstraintType::U       ? ContactGlyph::U
                               : contact.type == ConstraintType::I       ? ContactGlyph::I
                                                                         : ContactGlyph::X;
    colours->InsertNextTypedTuple(componentsOf(contactColour(glyph)).data());
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->GetPointData()->SetScalars(colours);
  return data;
}

vtkSmartPointer<vtkPolyData> forceVectors(const Scene& scene, const StepRecord& record,
                                          const ViewSettings& settings, double sceneSize, double forceRange) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkDoubleArray> vectors;
  vectors->SetName("force");
  vectors->SetNumberOfComponents(3);
  const auto add = [&](const Vec3& point, const Vec3& force) {
    const double magnitude = force.norm();
    if (!(magnitude > 1e-9 * forceRange)) return;
    const Vec3 arrow = force / magnitude * arrowLength(magnitude, settings, sceneSize, forceRange);
    points->InsertNextPoint(point.data());
    vectors->InsertNextTypedTuple(arrow.data());
  };
  if (settings.forces)
    for (const Contact& contact : record.contacts) add(contact.pointB, contactForce(contact, record.dt));
  if (settings.jointForces)
    for (std::size_t index = 0; index < std::min(record.joints.size(), scene.joints.size()); ++index) {
      const Joint& joint = scene.joints[index];
      const auto pose = [&record](int body) { return body < 0 ? BodyState() : record.bodies[body]; };
      const BodyState a = pose(joint.bodyA), b = pose(joint.bodyB);
      add(b.position + b.orientation * joint.frames.anchorB,
          product(a.orientation, joint.frames.frameA) * record.joints[index].force);
    }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->GetPointData()->SetVectors(vectors);
  return data;
}

vtkSmartPointer<vtkPolyData> normalLines(const StepRecord& record, double length) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> lines;
  for (const Contact& contact : record.contacts)
    addLine(points, lines, contact.pointA, contact.pointA + length * contact.normal);
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetLines(lines);
  return data;
}

vtkSmartPointer<vtkPolyData> ringOf(double inner, double outer) {
  constexpr int kSides = 32;
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> polygons;
  for (int side = 0; side < kSides; ++side) {
    const double angle = 2 * EIGEN_PI * side / kSides;
    for (double radius : {inner, outer})
      points->InsertNextPoint(radius * std::cos(angle), radius * std::sin(angle), 0);
    const vtkIdType first = 2 * side, next = 2 * ((side + 1) % kSides),
                    ids[4] = {first, first + 1, next + 1, next};
    polygons->InsertNextCell(4, ids);
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(polygons);
  return data;
}

vtkSmartPointer<vtkPolyData> segment(const Vec3& start, const Vec3& end) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> lines;
  addLine(points, lines, start, end);
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetLines(lines);
  return data;
}

vtkSmartPointer<vtkPolyData> jointLines(const Scene& scene, const std::vector<BodyState>& poses,
                                        double length) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> lines;
  const auto poseOf = [&poses](int body) {
    if (body < 0) return BodyPose();
    const BodyState& state = poses[body];
    return BodyPose{state.position, state.orientation};
  };
  for (const Joint& joint : scene.joints) {
    if (!poses[joint.bodyB].active) continue;
    const BodyPose a = poseOf(joint.bodyA), b = poseOf(joint.bodyB);
    const Vec3 onA = a.position + a.orientation * joint.frames.anchorA,
               onB = b.position + b.orientation * joint.frames.anchorB;
    if (joint.kind == JointKind::Distance || joint.kind == JointKind::Rope) {
      addLine(points, lines, onA, onB);
      continue;
    }
    const Quaternion frame = product(a.orientation, joint.frames.frameA);
    const Vec3 axes[] = {frame * Vec3(1, 0, 0), frame * Vec3(0, 1, 0), frame * Vec3(0, 0, 1)};
    for (const Vec3& axis : axes)
      addLine(points, lines, onA - 0.12 * length * axis, onA + 0.12 * length * axis);
    if (!joint.hasCoordinate()) continue;
    addLine(points, lines, onA - 0.5 * length * axes[0], onA + 0.5 * length * axes[0]);
    const bool isLimited = std::isfinite(joint.lower) && std::isfinite(joint.upper);
    if (joint.kind == JointKind::Prismatic) {
      if (isLimited) addLine(points, lines, onA + joint.lower * axes[0], onA + joint.upper * axes[0]);
      continue;
    }
    const auto spoke = [&](double angle) {
      return Vec3(onA + 0.4 * length * (std::cos(angle) * axes[1] + std::sin(angle) * axes[2]));
    };
    addLine(points, lines, onA, spoke(jointTwist(joint.frames, a, b).value));
    if (!isLimited) continue;
    constexpr int kPieces = 24;
    const double piece = (joint.upper - joint.lower) / kPieces;
    for (int k = 0; k < kPieces; ++k)
      addLine(points, lines, spoke(joint.lower + k * piece), spoke(joint.lower + (k + 1) * piece));
    addLine(points, lines, onA, spoke(joint.lower));
    addLine(points, lines, onA, spoke(joint.upper));
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetLines(lines);
  return data;
}

vtkSmartPointer<vtkPolyData> featureShapes(const std::vector<std::vector<Vec3>>& features) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> vertices, lines, polygons;
  for (const std::vector<Vec3>& feature : features) {
    vtkNew<vtkIdList> ids;
    for (const Vec3& point : feature) ids->InsertNextId(points->InsertNextPoint(point.data()));
    (feature.size() == 1 ? vertices : feature.size() == 2 ? lines : polygons)->InsertNextCell(ids);
    if (feature.size() < 3) continue;
    ids->InsertNextId(ids->GetId(0));
    lines->InsertNextCell(ids);
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetVerts(vertices);
  data->SetLines(lines);
  data->SetPolys(polygons);
  return data;
}

vtkSmartPointer<vtkPolyData> trailLines(const std::vector<RecordPtr>& past, const StepRecord* now,
                                        const Scene& scene) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> lines;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (scene.bodies[body].motion == Motion::Static) continue;
    vtkNew<vtkIdList> ids;
    const auto add = [&](const StepRecord& record) {
      if (body < record.bodies.size() && record.bodies[body].active)
        ids->InsertNextId(points->InsertNextPoint(record.bodies[body].position.data()));
    };
    for (const RecordPtr& record : past) add(*record);
    if (now) add(*now);
    if (ids->GetNumberOfIds() > 1) lines->InsertNextCell(ids);
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetLines(lines);
  return data;
}

vtkSmartPointer<vtkPolyData> gridLines(double size, double spacing) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> lines;
  const int count = static_cast<int>(size / spacing);
  for (int k = -count; k <= count; ++k) {
    addLine(points, lines, Vec3(k * spacing, 0, -count * spacing), Vec3(k * spacing, 0, count * spacing));
    addLine(points, lines, Vec3(-count * spacing, 0, k * spacing), Vec3(count * spacing, 0, k * spacing));
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetLines(lines);
  return data;
}

}  // namespace touchstone
