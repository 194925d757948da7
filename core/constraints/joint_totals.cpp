#include "core/constraints/joint_totals.h"

#include <cmath>

#include "core/world/body_pose.h"

namespace touchstone {

void JointTotals::addWrench(const World& world, int index, const BodyPose& a, const BodyPose& b,
                            const JacobianRow& impulse) {
  joints.resize(world.scene->joints.size());
  const JointFrames& frames = world.scene->joints[index].frames;
  const Quaternion intoA = product(a.orientation, frames.frameA).conjugate();
  const Vec3 arm = b.orientation * frames.anchorB;
  JointState& state = joints[index];
  state.force += intoA * impulse.linearB;
  state.torque += intoA * Vec3(impulse.angularB - arm.cross(impulse.linearB));
}

void JointTotals::addGround(const World& world, int index, const JacobianRow& impulse,
                            const PoseOfBody& poseOfBody) {
  const Joint& joint = world.scene->joints[index];
  const bool isOnB = canMove(world, joint.bodyB);
  if (canMove(world, joint.bodyA) == isOnB) return;
  const Vec3 &linear = isOnB ? impulse.linearB : impulse.linearA,
             &angular = isOnB ? impulse.angularB : impulse.angularA;
  groundImpulse += linear;
  groundAngularImpulse += poseOfBody(isOnB ? joint.bodyB : joint.bodyA).position.cross(linear) + angular;
}

void JointTotals::addSlot(const World& world, int index, int slot, double impulse) {
  joints.resize(world.scene->joints.size());
  JointState& state = joints[index];
  const Joint& joint = world.scene->joints[index];
  if (slot == JointConstraint::Given || slot == JointConstraint::Driven) {
    constexpr double kRounding = 1e-9;
    state.drive += impulse;
    if (slot == JointConstraint::Driven &&
        std::abs(impulse) >= (1 - kRounding) * joint.drive.mostForce * world.dt)
      state.isLargest = true;
  } else if (slot == JointConstraint::DryFriction) {
    state.friction += impulse;
  } else if (impulse != 0) {
    if (slot == JointConstraint::Lower) state.limit = -1;
    if (slot == JointConstraint::Upper || joint.kind == JointKind::Rope) state.limit = 1;
  }
}

void JointTotals::addTo(StepRecord& record) const {
  if (!joints.empty()) record.joints.resize(joints.size());
  for (std::size_t joint = 0; joint < joints.size(); ++joint) {
    JointState& sum = record.joints[joint];
    const JointState& state = joints[joint];
    sum.force += state.force;
    sum.torque += state.torque;
    sum.drive += state.drive;
    sum.friction += state.friction;
    if (state.limit != 0) sum.limit = state.limit;
    sum.isLargest = sum.isLargest || state.isLargest;
  }
  record.groundImpulse += groundImpulse;
  record.groundAngularImpulse += groundAngularImpulse;
  if (missedIslands == 0) return;
  record.warnings.push_back("the joints of " + std::to_string(missedIslands) +
                            (missedIslands == 1 ? " island" : " islands") +
                            " were not brought together within the step; a shorter step, or more substeps, "
                            "holds them");
}

}  // namespace touchstone
