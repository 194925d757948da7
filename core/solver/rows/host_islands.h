#pragma once

#include <vector>

#include "core/geometry/index_pair.h"

namespace touchstone {

/// PairIslands on the host: the pairs of each island, ascending; islands in the order of their first pair.
/// @param moving  bodies of each pair, −1 in the place of one that does not move; a pair has one that does
std::vector<std::vector<int>> islandsOfPairs(const std::vector<IndexPair>& moving, int bodyCount);

/// The bodies of islands.
struct IslandBodies {
  std::vector<std::vector<int>> ofIsland;  ///< in the order in which its pairs name them
  std::vector<int> place;                  ///< [bodyCount] of a body in its island; −1: in none
};
/// @param islands  of islandsOfPairs() with the same pairs
IslandBodies bodiesOfIslands(const std::vector<std::vector<int>>& islands,
                             const std::vector<IndexPair>& moving, int bodyCount);

}  // namespace touchstone
