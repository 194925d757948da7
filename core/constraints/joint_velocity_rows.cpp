#include "core/constraints/joint_velocity_rows.h"

#include "core/world/joint_coordinates.h"

namespace touchstone {

namespace {

PairJacobian columnsOf(const Joint& joint, const JacobianRow& row) {
  PairJacobian own;
  own.bodyA = joint.bodyA;
  own.bodyB = joint.bodyB;
  own.a << row.linearA, row.angularA;
  own.b << row.linearB, row.angularB;
  return own;
}

/// A constraint with the columns of its joints' bodies.
ConstraintRow rowOf(const JointConstraint& own, double h) {
  ConstraintRow row;
  if (own.kind == JointConstraint::Kind::Drive) {
    const double e = own.driveCompliance(h);
    row.constant = e / h * (own.stiffness * own.c - own.damping * own.rate);
    row.softness = e / (h * h);
    row.most = own.most * h;
    return row;
  }
  if (own.kind == JointConstraint::Kind::Force) {
    row.most = own.most * h;
    row.isPrescribed = true;
    return row;
  }
  const double share = own.compliance > 0 ? 1 + own.dampingTime / h : 1;
  row.constant = own.c / (h * share);
  row.softness = own.compliance / (h * h * share);
  row.isUnilateral = own.kind == JointConstraint::Kind::Unilateral;
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
  JointVelocityRows all;
  const std::vector<Joint>& joints = world.scene->joints;
  const auto moves = [&world](int body) { return body >= 0 && isDynamic(world, body); };
  const auto placed = [&](const Joint& joint) {
    const auto at = [&start](int body) {
      return body < 0 ? BodyPose() : start[static_cast<std::size_t>(body)];
    };
    const std::size_t index = static_cast<std::size_t>(&joint - joints.data());
    return PlacedConstraints{&joint,
                             at(joint.bodyA),
                             at(joint.bodyB),
                             world.jointCoordinate[index],
                             driveAim(world, index, world.time + h),
                             nullptr};
  };
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = joints[index];
    if (!moves(joint.bodyA) && !moves(joint.bodyB)) continue;
    PlacedConstraints own = placed(joint), led;
    if (joint.mimic.joint >= 0) {
      led = placed(joints[static_cast<std::size_t>(joint.mimic.joint)]);
      own.led = &led;
    }
    eachJointConstraint(own, [&](const JointConstraint& constraint) {
      ConstraintRow row = rowOf(constraint, h);
      row.own = columnsOf(joint, constraint.row);
      if (constraint.hasLed) row.led = columnsOf(*led.joint, constraint.led);
      all.rows.push_back(row);
      all.sources.push_back({static_cast<int>(index), constraint.slot, constraint.row});
    });
  }
  all.start = std::move(start);
  return all;
}

JointTotals totalsOf(const JointVelocityRows& rows, const std::vector<double>& impulses, const World& world,
                     const ReplicaSet& without) {
  JointTotals totals;
  const auto moves = [&world](int body) { return body >= 0 && isDynamic(world, body); };
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    const JointVelocityRows::Source& source = rows.sources[k];
    const Joint& joint = world.scene->joints[static_cast<std::size_t>(source.joint)];
    const int replica = world.scene->bodies[static_cast<std::size_t>(joint.bodyB)].replica;
    if (!without.empty() && without[static_cast<std::size_t>(replica)]) continue;
    const auto at = [&rows](int body) {
      return body < 0 ? BodyPose() : rows.start[static_cast<std::size_t>(body)];
    };
    totals.add(world, source.joint, source.slot, source.row, impulses[k], at(joint.bodyA), at(joint.bodyB));
    if (moves(joint.bodyA) == moves(joint.bodyB)) continue;
    const bool isB = moves(joint.bodyB);
    const Vec3 force = impulses[k] * (isB ? source.row.linearB : source.row.linearA),
               moment = impulses[k] * (isB ? source.row.angularB : source.row.angularA);
    const int body = isB ? joint.bodyB : joint.bodyA;
    totals.groundImpulse += force;
    totals.groundAngularImpulse += rows.start[static_cast<std::size_t>(body)].position.cross(force) + moment;
  }
  return totals;
}

}  // namespace touchstone
