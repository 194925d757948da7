#pragma once

#include <memory>
#include <vector>

#include "core/constraints/joint_step.h"
#include "core/solver/dense/constraint_row.h"

namespace touchstone {

/// The rows of all joints as models at velocity level ask for them, linearised where the step starts:
///     bilateral    J ν⁺ + c / (h s) + E / (h² s) p = 0,   s = 1 + τ/h
///     unilateral   0 ≤ p ⊥ J ν⁺ + c / h + E / h² p ≥ 0
///     drives       J ν⁺ + (e/h) (k (θ − θ*) − d θ̇*) + e/h² p = 0,   e = h / (k h + d),   |p| ≤ h τ_max
struct JointVelocityRows {
  /// Origin of a row.
  struct Source {
    int joint;
    JointConstraint constraint;
  };
  std::vector<ConstraintRow> rows;
  std::vector<Source> sources;  ///< [rows]
  std::vector<BodyPose> start;  ///< [bodies] where they are linearised
  BodyPose poseOf(int body) const { return body < 0 ? BodyPose() : start[body]; }
};
/// @param start  [bodies] poses where the step starts   @param h  length of the step [s]
JointVelocityRows jointVelocityRows(const World& world, std::vector<BodyPose> start, double h);
std::vector<BodyPose> placedAt(const std::vector<Vec3>& positions,
                               const std::vector<Quaternion>& orientations);

/// Sums over the answer of these rows. @param impulses  [rows]   @param without  replicas that do not count,
/// or empty
JointTotals totalsOf(const JointVelocityRows& rows, const std::vector<double>& impulses, const World& world,
                     const ReplicaSet& without);

}  // namespace touchstone
