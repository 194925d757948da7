#pragma once

#include <vector>

#include "core/solver/rows/host_islands.h"
#include "core/world/world.h"

namespace touchstone {

/// What the joints of a scene couple, as pairs for islandsOfPairs(): both bodies of each joint that has one
/// that moves, and a body of each joint that follows another with a body of that one.
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

}  // namespace touchstone
