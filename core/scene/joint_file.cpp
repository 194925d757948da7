#include "core/scene/joint_file.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/files/text_forms.h"
#include "core/files/time_path_file.h"
#include "core/scene/joint_rows.h"

namespace touchstone {

namespace {

// A larger value accepts scenes that need too much memory and time; a smaller one refuses usable ones.
constexpr std::size_t kMostJoints = 100'000;
/// Largest error of a joint at the start [m, rad]: a larger value lets a run begin with a jolt, a smaller one
/// refuses files with rounded numbers.
constexpr double kFits = 1e-6;
constexpr int kProjections = 20;

const std::pair<const char*, JointKind> kKinds[] = {
    {"ball", JointKind::Ball},   {"revolute", JointKind::Revolute}, {"prismatic", JointKind::Prismatic},
    {"fixed", JointKind::Fixed}, {"beam", JointKind::Beam},         {"distance", JointKind::Distance},
    {"rope", JointKind::Rope}};

JointKind kindOf(const JsonView& view) {
  std::vector<std::string> words;
  for (const auto& [word, kind] : kKinds) words.push_back(word);
  const std::string chosen = view.oneOf(words);
  for (const auto& [word, kind] : kKinds)
    if (chosen == word) return kind;
  return JointKind::Ball;
}

int bodyNamed(const JsonView& view, const Scene& scene) {
  const std::string name = view.text();
  std::vector<std::string> known;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (scene.bodies[body].name == name) return static_cast<int>(body);
    known.push_back(scene.bodies[body].name);
  }
  const std::string nearest = nearestName(name, known);
  view.fail("names the body '" + name + "', which is not in bodies",
            nearest.empty() ? "add it there or correct the name" : "did you mean '" + nearest + "'?");
}

BodyPose poseOf(const Scene& scene, int body) {
  if (body < 0) return {};
  const Body& placed = scene.bodies[body];
  return {placed.position, placed.orientation};
}

Vec3 toBody(const Scene& scene, int body, const Vec3& point) {
  const BodyPose pose = poseOf(scene, body);
  return pose.orientation.conjugate() * Vec3(point - pose.position);
}

void readPlaces(const JsonView& view, const Scene& scene, Joint& joint) {
  const bool isPlaced = view.has("position"), hasAnchors = view.has("anchor_a") || view.has("anchor_b");
  if (isPlaced == hasAnchors)
    view.fail(isPlaced ? "has both a position and anchors" : "says not where it is",
              "give position (world, at the start), or anchor_a and anchor_b in the frames of the bodies");
  if (isPlaced) {
    const Vec3 position = view.at("position").vector();
    joint.frames.anchorA = toBody(scene, joint.bodyA, position);
    joint.frames.anchorB = toBody(scene, joint.bodyB, position);
  } else {
    const auto anchor = [&](const char* key, int body) {
      const Vec3 centre = body < 0 ? Vec3(0, 0, 0) : scene.bodies[body].centre;
      return Vec3(view.vectorOr(key, Vec3::Zero()) - centre);
    };
    joint.frames.anchorA = anchor("anchor_a", joint.bodyA);
    joint.frames.anchorB = anchor("anchor_b", joint.bodyB);
  }
  const bool hasFrames = view.has("frame_a") || view.has("frame_b");
  if (view.has("axis") && hasFrames)
    view.at("axis").fail("is given with frames", "give axis (world, at the start), or frame_a and frame_b");
  if (hasFrames) {
    joint.frames.frameA = view.rotationOr("frame_a");
    joint.frames.frameB = view.rotationOr("frame_b");
    return;
  }
  if (joint.hasCoordinate() && !view.has("axis"))
    view.fail("has no axis", "give the axis of the joint, for example [0, 0, 1]");
  const Vec3 axis = view.vectorOr("axis", Vec3(1, 0, 0));
  if (!(axis.norm() > 0)) view.at("axis").fail("has no length", "give a direction");
  const Quaternion frame = rotationFromXTo(axis.normalized());
  joint.frames.frameA = product(poseOf(scene, joint.bodyA).orientation.conjugate(), frame);
  joint.frames.frameB = product(poseOf(scene, joint.bodyB).orientation.conjugate(), frame);
}

/// A force that is given: constant, from each time on, or at random.
void readForce(const JsonView& view, JointDrive& drive) {
  std::vector<const char*> given;
  for (const char* key : {"force", "forces", "random_force"})
    if (view.has(key)) given.push_back(key);
  if (given.size() > 1) view.at(given[1]).fail(std::string("is given with ") + given[0], "give one of them");
  if (view.has("force")) drive.force = view.at("force").number();
  if (view.has("forces")) drive.forces = readNumberPath(view.at("forces"), "N or N·m");
  if (!view.has("random_force")) return;
  const JsonView random = view.at("random_force");
  random.allowOnly({"most", "hold", "seed"});
  drive.random = {random.at("most").positive(), random.at("hold").positive(),
                  random.has("seed") ? random.at("seed").integer(0, 1'000'000'000) : 0};
}

void readDrive(const JsonView& view, Joint& joint) {
  view.allowOnly(
      {"stiffness", "damping", "target", "rate", "targets", "most_force", "force", "forces", "random_force"});
  if (!joint.hasCoordinate())
    view.fail("belongs to a joint without a coordinate", "use a revolute or a prismatic joint");
  if (view.has("stiffness")) joint.drive.stiffness = view.at("stiffness").nonNegative();
  if (view.has("damping")) joint.drive.damping = view.at("damping").nonNegative();
  if (view.has("target")) joint.drive.target = view.at("target").number();
  if (view.has("rate")) joint.drive.rate = view.at("rate").number();
  if (view.has("targets")) {
    if (view.has("target") || view.has("rate"))
      view.at("targets").fail("is given with target or rate", "give one of them");
    joint.drive.targets = readNumberPath(view.at("targets"), "m or rad");
  }
  if (view.has("most_force")) joint.drive.mostForce = view.at("most_force").positive();
  readForce(view, joint.drive);
  if (!joint.drive.isOn() && !joint.drive.hasForce())
    view.fail("has neither stiffness nor damping nor a force", "give one of them");
  if (joint.drive.isOn()) return;
  for (const char* key : {"target", "targets", "rate", "most_force"})
    if (view.has(key)) view.at(key).fail("belongs to a drive with stiffness or damping", "give one of them");
}

Joint readJoint(const JsonView& view, const Scene& scene) {
  view.allowOnly({"name",
                  "type",
                  "body_a",
                  "body_b",
                  "position",
                  "anchor_a",
                  "anchor_b",
                  "axis",
                  "frame_a",
                  "frame_b",
                  "length",
                  "compliance",
                  "angular_compliance",
                  "damping_time",
                  "limits",
                  "drive",
                  "dry_friction",
                  "armature",
                  "mimic",
                  "collide"});
  Joint joint;
  joint.name = view.at("name").text();
  if (joint.name.empty()) view.at("name").fail("is empty", "give each joint a name");
  joint.kind = kindOf(view.at("type"));
  if (view.has("body_a")) joint.bodyA = bodyNamed(view.at("body_a"), scene);
  joint.bodyB = bodyNamed(view.at("body_b"), scene);
  for (const auto& [key, body] : {std::pair("body_a", joint.bodyA), std::pair("body_b", joint.bodyB)})
    if (body >= 0 && scene.bodies[body].deformable)
      view.at(key).fail("is a body that deforms, which the joint '" + joint.name + "' cannot hold",
                        "attach its particles to a rigid body (attach in deformable), and join that");
  if (joint.bodyA == joint.bodyB) view.at("body_b").fail("is body_a as well", "name two bodies");
  const auto moves = [&scene](int body) { return body >= 0 && scene.bodies[body].motion == Motion::Dynamic; };
  if (!moves(joint.bodyA) && !moves(joint.bodyB))
    view.fail("joins two bodies that never move", "make one of them dynamic");
  const auto releaseOf = [&scene](int body) { return body < 0 ? 0.0 : scene.bodies[body].releaseTime; };
  if (releaseOf(joint.bodyA) != releaseOf(joint.bodyB) && moves(joint.bodyA) && moves(joint.bodyB))
    view.fail("joins bodies with different release times", "release both at the same time");
  readPlaces(view, scene, joint);

  const bool hasLength = joint.kind == JointKind::Distance || joint.kind == JointKind::Rope;
  if (hasLength) joint.length = view.at("length").positive();
  if (!hasLength && view.has("length"))
    view.at("length").fail("belongs to distance and rope", "remove it, or change the type");
  if (view.has("compliance")) joint.compliance = view.at("compliance").nonNegative();
  if (view.has("angular_compliance")) joint.angularCompliance = view.at("angular_compliance").nonNegative();
  if (joint.angularCompliance > 0 && joint.kind == JointKind::Fixed)
    view.at("angular_compliance")
        .fail("belongs to a joint whose angles are those of the rotation vector", "use the type beam");
  if (view.has("damping_time")) {
    joint.dampingTime = view.at("damping_time").nonNegative();
    if (joint.dampingTime > 0 && joint.compliance == 0 && joint.angularCompliance == 0)
      view.at("damping_time").fail("damps a rigid joint", "give a compliance, or remove it");
  }
  if (view.has("limits")) {
    if (!joint.hasCoordinate())
      view.at("limits").fail("belong to a joint without a coordinate", "use a revolute or a prismatic joint");
    const std::vector<double> limits = view.at("limits").numbers(2);
    if (limits.size() != 2 || !(limits[0] <= limits[1]))
      view.at("limits").fail("must be two ascending numbers", "give [least, most] in rad or m");
    joint.lower = limits[0];
    joint.upper = limits[1];
  }
  if (view.has("drive")) readDrive(view.at("drive"), joint);
  if (view.has("dry_friction")) {
    if (!joint.hasCoordinate())
      view.at("dry_friction")
          .fail("belongs to a joint without a coordinate", "use a revolute or a prismatic joint");
    joint.dryFriction = view.at("dry_friction").nonNegative();
  }
  if (view.has("armature") && joint.kind != JointKind::Revolute)
    view.at("armature").fail("belongs to a revolute joint", "remove it, or add it to the mass of the body");
  if (view.has("collide")) joint.collide = view.at("collide").boolean();
  return joint;
}

/// A rotor turns with B about the axis: I += a e eᵀ.
void addArmature(const JsonView& view, const Joint& joint, Scene& scene) {
  Body& body = scene.bodies[joint.bodyB];
  if (body.motion != Motion::Dynamic)
    view.fail("belongs to a body that never moves", "swap body_a and body_b");
  const Vec3 axis = joint.frames.frameB * Vec3(1, 0, 0);
  body.inertia += view.nonNegative() * axis * axis.transpose();
}

void readMimics(const std::vector<JsonView>& views, Scene& scene) {
  for (std::size_t index = 0; index < views.size(); ++index) {
    if (!views[index].has("mimic")) continue;
    const JsonView view = views[index].at("mimic");
    view.allowOnly({"joint", "ratio", "offset"});
    Joint& joint = scene.joints[index];
    const std::string name = view.at("joint").text();
    for (std::size_t other = 0; other < scene.joints.size(); ++other)
      if (scene.joints[other].name == name) joint.mimic.joint = static_cast<int>(other);
    if (joint.mimic.joint < 0)
      view.at("joint").fail("names the joint '" + name + "', which is not in joints", "correct the name");
    if (joint.mimic.joint == static_cast<int>(index))
      view.at("joint").fail("is the joint itself", "name another one");
    const Joint& other = scene.joints[joint.mimic.joint];
    if (!joint.hasCoordinate() || !other.hasCoordinate())
      view.fail("couples joints without a coordinate", "use revolute or prismatic joints");
    if (view.has("ratio")) joint.mimic.ratio = view.at("ratio").number();
    if (view.has("offset")) joint.mimic.offset = view.at("offset").number();
  }
}

JointRows rowsOf(const Scene& scene, const Joint& joint) {
  return jointRows(joint.kind, joint.frames, joint.length, poseOf(scene, joint.bodyA),
                   poseOf(scene, joint.bodyB));
}

/// Moves the bodies of all joints by M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ (−c), a few times.
void assemble(Scene& scene) {
  const std::size_t bodies = scene.bodies.size();
  for (int pass = 0; pass < kProjections; ++pass) {
    std::vector<std::pair<const Joint*, JacobianRow>> rows;
    std::vector<double> errors;
    double largest = 0;
    for (const Joint& joint : scene.joints) {
      const JointRows jointRows = rowsOf(scene, joint);
      for (int row = 0; row < jointRows.count; ++row) {
        if (joint.kind == JointKind::Rope && jointRows.error[row] >= 0) continue;
        rows.push_back({&joint, jointRows.row[row]});
        errors.push_back(jointRows.error[row]);
        largest = std::max(largest, std::abs(jointRows.error[row]));
      }
    }
    if (largest <= 1e-3 * kFits) return;
    const Eigen::Index n = static_cast<Eigen::Index>(rows.size()), m = static_cast<Eigen::Index>(6 * bodies);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, m), inverseTimes = Eigen::MatrixXd::Zero(m, n);
    for (Eigen::Index row = 0; row < n; ++row) {
      const auto& [joint, jointRow] = rows[row];
      const auto put = [&](int body, const Vec3& linear, const Vec3& angular) {
        if (body < 0 || scene.bodies[body].motion != Motion::Dynamic) return;
        const Body& placed = scene.bodies[body];
        const Mat3 R = placed.orientation.toRotationMatrix();
        J.block<1, 3>(row, 6 * body) += linear.transpose();
        J.block<1, 3>(row, 6 * body + 3) += angular.transpose();
        inverseTimes.block<3, 1>(6 * body, row) += linear / placed.mass;
        inverseTimes.block<3, 1>(6 * body + 3, row) += R * placed.inertia.inverse() * R.transpose() * angular;
      };
      put(joint->bodyA, jointRow.linearA, jointRow.angularA);
      put(joint->bodyB, jointRow.linearB, jointRow.angularB);
    }
    const Eigen::VectorXd c = Eigen::Map<const Eigen::VectorXd>(errors.data(), n);
    const Eigen::MatrixXd A = J * inverseTimes;
    const Eigen::VectorXd move = -(inverseTimes * A.completeOrthogonalDecomposition().solve(c));
    for (std::size_t body = 0; body < bodies; ++body) {
      const Eigen::Index firstRow = static_cast<Eigen::Index>(6 * body);
      scene.bodies[body].position += Vec3(move.segment<3>(firstRow));
      const Vec3 half = 0.5 * Vec3(move.segment<3>(firstRow + 3));
      Quaternion& q = scene.bodies[body].orientation;
      q = product(Quaternion(1, half.x(), half.y(), half.z()), q);
      q.normalize();
    }
  }
}

void check(const JsonView& view, const Scene& scene, const Joint& joint) {
  const BodyPose a = poseOf(scene, joint.bodyA), b = poseOf(scene, joint.bodyB);
  eachJointError(joint, a, b, [&](double c, bool isAngle) {
    if (joint.complianceOf(isAngle) == 0 && !(std::abs(c) <= kFits))
      view.fail("does not fit at the start: '" + joint.name + "' is off by " + fourDigits(std::abs(c)) +
                    (isAngle ? " rad" : " m"),
                "move the bodies, or add \"assemble\": true to the scene");
  });
  const detail::PlacedJoint placed(joint.frames, a, b);
  if (joint.kind == JointKind::Revolute && placed.e[0].dot(placed.b1) < 0)
    view.fail("has axes that point against each other, where its rows hold as well",
              "turn one of the frames by 180 degrees");
  if (!joint.hasCoordinate()) return;
  const double value = jointCoordinate(joint.kind, joint.frames, a, b).value;
  if (value < joint.lower - kFits || value > joint.upper + kFits)
    view.at("limits").fail("do not hold at the start, where the coordinate is " + fourDigits(value),
                           "move the body, or widen the limits");
}

}  // namespace

void readJoints(const JsonView& root, Scene& scene) {
  if (!root.has("joints")) {
    if (root.has("assemble")) root.at("assemble").fail("has no joints to assemble", "remove it");
    return;
  }
  if (scene.planar) root.at("joints").fail("are in a scene of polygons", "use solids");
  const std::vector<JsonView> views = root.at("joints").items(kMostJoints);
  std::set<std::string> names;
  for (const JsonView& view : views) {
    scene.joints.push_back(readJoint(view, scene));
    if (view.has("armature")) addArmature(view.at("armature"), scene.joints.back(), scene);
    if (!names.insert(scene.joints.back().name).second)
      view.at("name").fail("is used twice", "rename one of the joints");
  }
  readMimics(views, scene);
  if (root.has("assemble") && root.at("assemble").boolean()) assemble(scene);
  for (std::size_t joint = 0; joint < views.size(); ++joint) check(views[joint], scene, scene.joints[joint]);
}

}  // namespace touchstone
