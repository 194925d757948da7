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

}  // namespace touchstone
