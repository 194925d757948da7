#pragma once

#include <vector>

#include "core/constraints/joint_projection_limits.h"
#include "core/world/world.h"

namespace touchstone {

/// Largest gaps of joints.
struct JointGaps {
  double distance = 0, angle = 0;  ///< largest |c| of rigid rows [m], [rad]
  double largest() const { return distance > angle ? distance : angle; }
};

/// Brings the bodies of joints together, by steps of Gauss and Newton on positions in each island:
///     x ← x ⊕ M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ (−c)
/// for the rigid rows that hold joints, for coordinates that follow others, and for limits and ropes that are
/// violated. Velocities stay as they are. A step follows another one while gaps of more than 1e-6 m or rad
/// halve.
/// @param world  on the host, between steps   @return before it
JointGaps projectJoints(World& world);
/// The same equations by sweeps of projected Gauss–Seidel, which may end before the joints are together.
/// @param sweeps  [replicaCount] limits
JointGaps projectJoints(World& world, const std::vector<SweepLimits>& sweeps);
/// The same gaps without a change of the world, for instance after projectJoints().
JointGaps measureJoints(World& world);

}  // namespace touchstone
