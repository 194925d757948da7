#include "widgets/views/scene_actors.h"

#include <vtkCellArray.h>
#include <vtkDoubleArray.h>
#include <vtkIdList.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkUnsignedCharArray.h>

#include <cmath>

#include "core/scene/joint_rows.h"
#include "widgets/views/scalar_scaling.h"

namespace touchstone {

namespace {

// cos 20°: flatter edges clutter smooth surfaces. A larger value draws more of them; a smaller one hides real
// edges.
constexpr double kFeatureCosine = 0.94;

void addLine(vtkPoints* points, vtkCellArray* lines, const Vec3& from, const Vec3& to) {
  const vtkIdType ids[2] = {points->InsertNextPoint(from.data()), points->InsertNextPoint(to.data())};
  lines->InsertNextCell(2, ids);
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

vtkSmartPointer<vtkPolyData> overlapSurface(const StepRecord& record) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> polygons;
  for (const Overlap& overlap : record.overlaps) {
    if (overlap.depth < kVisibleDepth) continue;
    const vtkIdType first = points->GetNumberOfPoints();
    for (const Vec3& vertex : overlap.vertices) points->InsertNextPoint(vertex.data());
    for (const auto& triangle : overlap.triangles) {
      const vtkIdType ids[3] = {first + triangle[0], first + triangle[1], first + triangle[2]};
      polygons->InsertNextCell(3, ids);
    }
  }
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(polygons);
  return data;
}

vtkSmartPointer<vtkPolyData> contactPoints(const StepRecord& record) {
  static const unsigned char kColours[5][3] = {
      {0xF0, 0xF0, 0xF0}, {0x33, 0x99, 0xFF}, {0xFF, 0xB0, 0x00}, {0x00, 0xC0, 0x90}, {0xE6, 0x2E, 0x6B}};
  vtkNew<vtkPoints> points;
  vtkNew<vtkUnsignedCharArray> colours;
  colours->SetName("colour");
  colours->SetNumberOfComponents(3);
  for (const Contact& contact : record.contacts) {
    // Contacts of a set without impulse are alternatives that the model considered; only those of I and X are
    // drawn.
    if (contact.type == ConstraintType::U && !(contact.normalImpulse > 0)) continue;
    points->InsertNextPoint(contact.pointB.data());
    const int type = contact.trap                              ? 4
                     : contact.type == ConstraintType::Penalty ? 0
                     : contact.type == ConstraintType::U       ? 1
                     : contact.type == ConstraintType::I       ? 2
                                                               : 3;
    colours->InsertNextTypedTuple(kColours[type]);
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
  const auto add = [&](const Vec3& at, const Vec3& force) {
    const double magnitude = force.norm();
    if (!(magnitude > 1e-9 * forceRange)) return;
    const Vec3 arrow = force / magnitude * arrowLength(magnitude, settings, sceneSize, forceRange);
    points->InsertNextPoint(at.data());
    vectors->InsertNextTypedTuple(arrow.data());
  };
  if (settings.forces)
    for (const Contact& contact : record.contacts) add(contact.pointB, contactForce(contact, record.dt));
  if (settings.jointForces)
    for (std::size_t index = 0; index < std::min(record.joints.size(), scene.joints.size()); ++index) {
      const Joint& joint = scene.joints[index];
      const auto pose = [&record](int body) {
        return body < 0 ? BodyState() : record.bodies[static_cast<std::size_t>(body)];
      };
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

vtkSmartPointer<vtkPolyData> segment(const Vec3& from, const Vec3& to) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> lines;
  addLine(points, lines, from, to);
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
    const BodyState& state = poses[static_cast<std::size_t>(body)];
    return BodyPose{state.position, state.orientation};
  };
  for (const Joint& joint : scene.joints) {
    if (!poses[static_cast<std::size_t>(joint.bodyB)].active) continue;
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
