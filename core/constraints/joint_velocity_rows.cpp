#include "core/constraints/joint_velocity_rows.h"

namespace touchstone {

namespace {

PairJacobian columnsOf(const Joint& joint, const JacobianRow& row) {
  PairJacobian columns;
  columns.bodyA = joint.bodyA;
  columns.bodyB = joint.bodyB;
  columns.a << row.linearA, row.angularA;
  columns.b << row.linearB, row.angularB;
  return columns;
}

/// A constraint with the columns of its joints' bodies.
ConstraintRow rowOf(const JointConstraint& constraint, double h) {
  ConstraintRow row;
  if (constraint.kind == JointConstraint::Kind::Drive) {
    const double e = constraint.driveCompliance(h);
    row.constant = e / h * (constraint.stiffness * constraint.c - constraint.damping * constraint.rate);
    row.softness = e / (h * h);
    row.bound = constraint.bound * h;
    return row;
  }
  if (constraint.kind == JointConstraint::Kind::Force) {
    row.bound = constraint.bound * h;
    row.isPrescribed = true;
    return row;
  }
  const double share = constraint.compliance > 0 ? 1 + constraint.dampingTime / h : 1;
  row.constant = constraint.c / (h * share);
  row.softness = constraint.compliance / (h * h * share);
  row.isUnilateral = constraint.kind == JointConstraint::Kind::Unilateral;
  return row;
}

}  // namespace

std::vector<BodyPose> placedAt(const std::vector<Vec3>& positions,
                               const std::vector<Quaternion>& orientations) {
  std::vector<BodyPose> poses;
  for (std::size_t body = 0; body < positions.size(); ++body)
    poses.push_back({positions[body], orientations[body]});
  return poses;
}

JointVelocityRows jointVelocityRows(const World& world, std::vector<BodyPose> start, double h) {
  JointVelocityRows result;
  result.start = std::move(start);
  const std::vector<Joint>& joints = world.scene->joints;
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = joints[index];
    if (!canMove(world, joint.bodyA) && !canMove(world, joint.bodyB)) continue;
    const auto keep = [&](const JointConstraint& constraint) {
      ConstraintRow row = rowOf(constraint, h);
      row.jacobian = columnsOf(joint, constraint.row);
      if (constraint.hasLed) row.led = columnsOf(joints[joint.mimic.joint], constraint.led);
      result.rows.push_back(row);
      result.sources.push_back({static_cast<int>(index), constraint});
    };
    eachJointConstraint(
        world, static_cast<int>(index), world.time + h, [&result](int body) { return result.poseOf(body); },
        keep);
  }
  return result;
}

JointTotals totalsOf(const JointVelocityRows& rows, const std::vector<double>& impulses, const World& world,
                     const ReplicaSet& without) {
  JointTotals totals;
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
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
