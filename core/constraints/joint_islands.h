#pragma once

#include <vector>

#include "core/constraints/mobility.h"
#include "core/solver/rows/host_islands.h"
#include "core/world/world.h"

namespace touchstone {

/// Bodies that the joints of a scene couple, as pairs for islandsOfPairs(): both bodies of each joint that
/// has one that moves, and a body of each joint that follows another with a body of that one.
struct JointPairs {
  std::vector<IndexPair> moving;
  std::vector<int> joint;  ///< of the scene; −1 where a pair couples a joint to the one that it follows
};
JointPairs jointPairs(const World& world);

/// The islands that the joints of a scene make, without contacts.
struct JointIslands {
  std::vector<std::vector<int>> joints;  ///< [islands] of the scene
  IslandBodies bodies;
};
JointIslands jointIslands(const World& world);

/// Mobility of bodies that joints hold, where a step starts:
///     W = M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ + E/h²)⁻¹ J M⁻¹
/// for the rows of joints that always hold. Limits, ropes and drives count as free: they give way.
struct JointMobilities {
  std::vector<int> islandOf;     ///< [bodies] −1: no joint holds it
  std::vector<int> first;        ///< [bodies + 1] of each island's bodies; islands beyond the last are empty
  std::vector<int> bodies;       ///< [bodies] by islands
  std::vector<Mobility> ofBody;  ///< [bodies] the block of W of the body; of one without joints 0
};
/// @param world  at the start of a step of length World::dt
JointMobilities jointMobilities(const World& world);

}  // namespace touchstone
