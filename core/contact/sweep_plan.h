#pragma once

#include <array>
#include <vector>

#include "core/world/world.h"

namespace touchstone {

/// The order in which sweeps of projected Gauss–Seidel take pairs of touching bodies. Pairs of one colour
/// share no dynamic body, so that all may be taken at once, and the result is that of any order among them.
struct SweepPlan {
  std::vector<int> order;          ///< [pairCount] pairs by colour, ascending within
  std::vector<int> firstOfColour;  ///< [colourCount + 1] into `order`
  std::vector<int> island;         ///< [pairCount] of each place of `order`
  std::vector<int> islandOfBody;   ///< [bodyCount] −1: none, or static
  int islandCount = 0;
  /// Places of `order` by island, in chunks: chunk c has chunkPlaces[firstOfChunk[c]] to that of c + 1,
  /// island i the chunks firstChunk[i] to firstChunk[i + 1].
  std::vector<int> chunkPlaces, firstOfChunk, firstChunk;
};

/// Each pair takes the lowest colour that no pair before it has with which it shares a dynamic body; islands
/// are numbered in the order of their first pair. What a pair gets depends on its own island alone.
/// @param pairs  bodies, at least one of each pair dynamic
SweepPlan planSweeps(const World& world, const std::vector<std::array<int, 2>>& pairs);

}  // namespace touchstone
