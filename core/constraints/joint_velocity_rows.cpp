#include "core/constraints/joint_velocity_rows.h"

#include "core/constraints/moving_carriers.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

Row rowOf(const JointConstraint& constraint, double h) {
  Row row{};
  row.length = 1;
  if (constraint.kind == JointConstraint::Kind::Drive) {
    const double e = constraint.driveCompliance(h);
    row.constant = e / h * (constraint.stiffness * constraint.c - constraint.damping * constraint.rate);
    row.compliance = e / (h * h);
    row.bound = constraint.bound * h;
    row.law = std::isfinite(row.bound) ? RowLaw::Symmetric : RowLaw::Free;
    return row;
  }
  if (constraint.kind == JointConstraint::Kind::Force) {
    row.bound = constraint.bound * h;
    row.law = RowLaw::Fixed;
    return row;
  }
  const double share = constraint.compliance > 0 ? 1 + constraint.dampingTime / h : 1;
  row.constant = constraint.c / (h * share);
  row.compliance = constraint.compliance / (h * h * share);
  row.law = constraint.kind == JointConstraint::Kind::Unilateral ? RowLaw::Unilateral : RowLaw::Free;
  return row;
}

/// The bodies of a joint, and of the one that it follows, that move.
MovingCarriers movingBodies(const World& world, const Joint& joint) {
  MovingCarriers bodies(world, {joint.bodyA, joint.bodyB});
  if (joint.mimic.joint < 0) return bodies;
  const Joint& led = world.scene->joints[joint.mimic.joint];
  bodies.add(world, led.bodyA);
  bodies.add(world, led.bodyB);
  return bodies;
}

/// Adds a body's part of a gradient to the terms of a row, or, of a body that does not move, to its constant.
void addTerm(const MovingCarriers& carriers, int body, const Vec3& linear, const Vec3& angular,
             const CarrierVelocities& velocities, RowTerm* terms, Row& row) {
  if (body < 0) return;
  const int place = carriers.placeOf(body);
  if (place < 0) {
    row.constant += linear.dot(velocities.linear[body]) + angular.dot(velocities.angular[body]);
    return;
  }
  terms[place].linear += linear;
  terms[place].angular += angular;
}

}  // namespace

std::vector<BodyPose> placedAt(const std::vector<Vec3>& positions,
                               const std::vector<Quaternion>& orientations) {
  std::vector<BodyPose> poses;
  for (std::size_t body = 0; body < positions.size(); ++body)
    poses.push_back({positions[body], orientations[body]});
  return poses;
}

namespace {

/// Adds the rows of all joints for which row(constraint, out) is true.
template <class RowOf>
void addRows(const World& world, double time, const CarrierVelocities& velocities, const RowOf& rowOf,
             JointVelocityRows& result) {
  const std::vector<Joint>& joints = world.scene->joints;
  for (int index = 0; index < countOf(joints); ++index) {
    const Joint& joint = joints[index];
    const MovingCarriers carriers = movingBodies(world, joint);
    if (carriers.isEmpty()) continue;
    result.rows.addBlock({kJointBlock, index, 0}, RowForm::General, carriers.list());
    const auto add = [&](const Joint& of, const JacobianRow& gradient, RowTerm* terms, Row& row) {
      addTerm(carriers, of.bodyA, gradient.linearA, gradient.angularA, velocities, terms, row);
      addTerm(carriers, of.bodyB, gradient.linearB, gradient.angularB, velocities, terms, row);
    };
    const auto keep = [&](const JointConstraint& constraint) {
      Row row;
      if (!rowOf(constraint, row)) return;
      RowTerm* const terms = result.rows.addRow(row);
      add(joint, constraint.row, terms, result.rows.rows.back());
      if (constraint.hasLed) add(joints[joint.mimic.joint], constraint.led, terms, result.rows.rows.back());
      result.sources.push_back({index, constraint});
    };
    eachJointConstraint(
        world, index, time, [&result](int body) { return result.poseOf(body); }, keep);
  }
}

}  // namespace

JointVelocityRows jointVelocityRows(const World& world, std::vector<BodyPose> start,
                                    const CarrierVelocities& velocities, double h) {
  JointVelocityRows result;
  result.start = std::move(start);
  const auto asked = [h](const JointConstraint& constraint, Row& row) {
    row = rowOf(constraint, h);
    return true;
  };
  addRows(world, world.time + h, velocities, asked, result);
  return result;
}

bool isProjected(const JointConstraint& constraint) {
  using Kind = JointConstraint::Kind;
  if (constraint.kind == Kind::Drive || constraint.kind == Kind::Force || constraint.compliance > 0)
    return false;
  return constraint.kind != Kind::Unilateral || constraint.c < 0;
}

JointVelocityRows jointProjectionRows(const World& world) {
  JointVelocityRows result;
  result.start = placedAt(world.position, world.orientation);
  std::vector<Vec3> still(world.position.size(), Vec3(0, 0, 0));
  const auto asked = [](const JointConstraint& constraint, Row& row) {
    if (!isProjected(constraint)) return false;
    row = Row{};
    row.length = 1;
    row.constant = constraint.c;
    row.law = constraint.kind == JointConstraint::Kind::Unilateral ? RowLaw::Unilateral : RowLaw::Free;
    return true;
  };
  addRows(world, world.time, {still.data(), still.data()}, asked, result);
  return result;
}

JointTotals totalsOf(const JointVelocityRows& rows, const std::vector<double>& impulses, const World& world,
                     const ReplicaSet& without) {
  JointTotals totals;
  for (int k = 0; k < countOf(rows.sources); ++k) {
    const JointVelocityRows::Source& source = rows.sources[k];
    const Joint& joint = world.scene->joints[source.joint];
    const int replica = world.scene->bodies[joint.bodyB].replica;
    if (!without.empty() && without[replica]) continue;
    totals.add(world, source.joint, source.constraint, impulses[k],
               [&rows](int body) { return rows.poseOf(body); });
  }
  return totals;
}

}  // namespace touchstone
