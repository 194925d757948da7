#pragma once

#include <functional>
#include <vector>

#include "core/constraints/joint_constraints.h"
#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// Sums over the joints of a step, for its record.
struct JointTotals {
  /// Impulses of bodies that do not move on others [N·s], and about the world's origin [N·m·s].
  Vec3 groundImpulse = Vec3(0, 0, 0), groundAngularImpulse = Vec3(0, 0, 0);
  int missedIslands = 0;  ///< whose joints do not hold; they become a warning
  /// [joints] of the scene, or none: impulses in the place of forces.
  std::vector<JointState> joints;

  using PoseOfBody = std::function<BodyPose(int body)>;
  /// Counts the impulse of one of a joint's rows. @param row, poseOfBody  where the step starts
  void add(const World& world, int joint, const JointConstraint& row, double impulse,
           const PoseOfBody& poseOfBody);
  /// The force and the torque of a joint. @param impulse  Σ p J of its rows [N·s, N·m·s]   @param a, b  poses
  /// where they act
  void addWrench(const World& world, int joint, const BodyPose& a, const BodyPose& b,
                 const JacobianRow& impulse);
  /// Adds the impulse of a body that does not move by a joint. @param impulse  as in addWrench()   @param
  /// poseOfBody where the step starts
  void addGround(const World& world, int joint, const JacobianRow& impulse, const PoseOfBody& poseOfBody);
  /// Adds the impulse of a row to the state of its joint. @param slot  JointConstraint::Slot
  void addSlot(const World& world, int joint, int slot, double impulse);
  void addTo(StepRecord& record) const;
};

/// Joints of methods whose contacts are forces: after all other impulses of a step, the velocities become
///     u⁺ = u* + M⁻¹ J(q⁻)ᵀ p     with c(q⁺(u⁺)) + (E/h) p = 0
/// for the rows of all joints, by a few Newton iterations with the matrix h J(q⁺) M⁻¹ J(q⁻)ᵀ + E/h. The force
/// acts where the step starts and the joint holds where it ends, which keeps energy far better than a force
/// at the end. Limits and saturated drives by an active set. If Newton diverges, the first iterate
/// is kept, that of rows linearised at the start, and the island counts as missed: projectJoints() follows.
/// @param world  on the host, with the velocities of the running step; those that hold the joints, out
JointTotals holdJoints(World& world);

}  // namespace touchstone
