#pragma once

#include <vector>

#include "core/record/step_record.h"
#include "core/scene/joint_rows.h"
#include "core/world/world.h"

namespace touchstone {

/// What the joints of a step add to its record.
struct JointTotals {
  /// Of bodies that do not move, on others [N·s], and about the world's origin [N·m·s].
  Vec3 groundImpulse = Vec3(0, 0, 0), groundAngularImpulse = Vec3(0, 0, 0);
  int missedIslands = 0;  ///< whose joints do not hold; they become a warning
  /// [joints] of the scene, or none: impulses in the place of forces.
  std::vector<JointState> joints;

  /// Counts the impulse of one of a joint's rows. @param a, b  poses where it acts
  void add(const World& world, int joint, int slot, const JacobianRow& row, double impulse, const BodyPose& a,
           const BodyPose& b);
  /// The same for all rows together, with their impulse on B [N·s] and its moment about the centre of mass.
  void addWrench(const World& world, int joint, const BodyPose& a, const BodyPose& b, const Vec3& onB,
                 const Vec3& momentOnB);
  /// What a row means for the state of its joint. @param slot  JointConstraint::Slot
  void addSlot(const World& world, int joint, int slot, double impulse);
  void addTo(StepRecord& record) const;
};

/// Joints of methods whose contacts are forces: after all other impulses of a step, the velocities become
///     u⁺ = u* + M⁻¹ J(q⁻)ᵀ p     with c(q⁺(u⁺)) + (E/h) p = 0
/// for the rows of all joints, by a few Newton iterations with the matrix h J(q⁺) M⁻¹ J(q⁻)ᵀ + E/h. The force
/// acts where the step starts and the joint holds where it ends, which keeps energy far better than a force
/// at the end. Limits and saturated drives by an active set. Where the iteration does not come nearer, the
/// first iterate is kept, that of rows linearised at the start, and the island counts as missed:
/// projectJoints() is to follow.
/// @param world  on the host, with the velocities of the running step; those that hold the joints, out
JointTotals holdJoints(World& world);

}  // namespace touchstone
