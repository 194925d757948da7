#pragma once

#include <memory>
#include <vector>

#include "core/constraints/joint_totals.h"
#include "core/solver/rows/row_buffer.h"

namespace touchstone {

/// The rows of all joints as models at velocity level ask for them, linearised where the step starts:
///     bilateral    J ν⁺ + c / (h s) + E / (h² s) p = 0,   s = 1 + τ/h
///     unilateral   0 ≤ p ⊥ J ν⁺ + c / h + E / h² p ≥ 0
///     drives       J ν⁺ + (e/h) (k (θ − θ*) − d θ̇*) + e/h² p = 0,   e = h / (k h + d),   |p| ≤ h τ_max
///     forces       p = h f
struct JointVelocityRows {
  /// Origin of a row.
  struct Source {
    int joint;
    JointConstraint constraint;
  };
  RowBuffer rows;               ///< a block for each joint of which a body moves
  std::vector<Source> sources;  ///< [rows]
  std::vector<BodyPose> start;  ///< [bodies] where they are linearised
  BodyPose poseOf(int body) const { return body < 0 ? BodyPose() : start[body]; }
};
/// @param start  [bodies] poses where the step starts   @param velocities  of bodies that do not move by
/// impulses, whose part of J ν is in the constants   @param h  length of the step [s]
JointVelocityRows jointVelocityRows(const World& world, std::vector<BodyPose> start,
                                    const CarrierVelocities& velocities, double h);
/// The rows of joints that a projection on positions is about, where the bodies are: J x + c = 0 for rigid
/// rows that hold joints and for coordinates that follow others, 0 ≤ p ⊥ J x + c ≥ 0 for limits and ropes
/// that are violated [m, rad].
JointVelocityRows jointProjectionRows(const World& world);
/// True for those rows.
bool isProjected(const JointConstraint& constraint);
std::vector<BodyPose> placedAt(const std::vector<Vec3>& positions,
                               const std::vector<Quaternion>& orientations);

/// Sums over the answer of these rows. @param impulses  [rows]   @param without  replicas that do not count,
/// or empty
JointTotals totalsOf(const JointVelocityRows& rows, const std::vector<double>& impulses, const World& world,
                     const ReplicaSet& without);

}  // namespace touchstone
