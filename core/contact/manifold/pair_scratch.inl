#pragma once

#include "core/contact/manifold/constraint_sets.h"
#include "core/detect/exposed_separation.inl"
#include "core/parallel/bounded_list.h"

namespace touchstone {

/// Scratch memory for one pair of pieces: what was found, and what the search needs.
struct PairScratch {
  BoundedList<PieceContact> contacts;  ///< distinct
  BoundedList<SetRange> sets;
  BoundedList<int> members;                ///< of all sets, into `contacts`
  BoundedList<CrossSet> crossSets;         ///< X sets that are no rows
  BoundedList<FeatureIds> corners;         ///< vertex–vertex pairs that became a set
  BoundedList<FeatureIds> vertexEdges[2];  ///< [vertex on A] vertex, edge of the other piece
  int* numbers = nullptr;                  ///< [scratchForNumbers()]
  PatchScratch patch{nullptr, nullptr};
  TS_HD bool isFull() const {
    return contacts.isFull || sets.isFull || members.isFull || crossSets.isFull || corners.isFull ||
           vertexEdges[0].isFull || vertexEdges[1].isFull;
  }
};

/// Vertices and edges near the other piece, the sides of an edge, separation()'s.
TS_HD inline int scratchForNumbers(const PolytopeView& a, const PolytopeView& b) {
  return a.vertexCount + b.vertexCount + 2 * (a.edgeCount + b.edgeCount) + 2 + separationScratch(a, b);
}

/// Moves one member of a set to its front, the others keep their order.
TS_HD inline void moveToFront(int* members, int index) {
  const int front = members[index];
  for (int k = index; k > 0; --k) members[k] = members[k - 1];
  members[0] = front;
}

}  // namespace touchstone
