#pragma once

#include <vector>

#include "core/record/step_record.h"
#include "core/trajectory/near_pairs.h"

namespace touchstone {

/// Impulse that must have acted on a group of bodies in an interval, from any source. A group is linked by
/// pairs with gap ≤ ε at either end of the interval, and by joints.
struct NeededImpulse {
  std::vector<int> bodies;      ///< dynamic, ascending
  std::vector<int> statics;     ///< that it touches, ascending
  bool isHeld = false;          ///< by a joint to the world: what acts on it is not contact alone
  Vec3 centre = Vec3::Zero();   ///< of mass, at the start
  Vec3 impulse = Vec3::Zero();  ///< ΔP − m g Δt [N·s]
  Vec3 couple = Vec3::Zero();   ///< change of the angular momentum about the group's centre of mass [N·m·s]
  /// For a group that touches one plane only and that no joint holds, else not a number: how far the impulse
  /// is outside the friction cone, max(0, |J_t| − μ J_n) [N·s], and how far its foot, where it acts on the
  /// plane without a tilting couple, is outside the hull of the contact points [m]; not a number where the
  /// impulse along the normal is at most 1e-6 of the largest of the scene.
  double outsideCone = 0, outsideHull = 0;
};
/// @param before  states at the start   @param pairsBefore  pairs there   @param world  at the end of the
/// interval h [s]   @param pairs  pairs there
std::vector<NeededImpulse> neededImpulses(const World& world, const std::vector<BodyState>& before,
                                          const std::vector<NearPair>& pairsBefore,
                                          const std::vector<NearPair>& pairs, double h);

/// The largest of all groups; not a number without a group that it applies to.
struct WorstNeeded {
  double free = 0,
         freeCouple = 0;  ///< of groups that nothing static touches or holds: 0 if nothing was made up
  double outsideCone = 0, outsideHull = 0;
};
WorstNeeded worstOf(const std::vector<NeededImpulse>& groups);

}  // namespace touchstone
