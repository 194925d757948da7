#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "core/contact/manifold/constraint_sets.inl"
#include "core/math/count.h"

// What a step's narrow phase finds of constraint sets, for one pair.

namespace touchstone::test {

/// True if a point on a feature of piece A (or B) is buried in a sibling piece of the same body.
using Buried = std::function<bool(bool onA, const Vec3& point)>;

/// Two pieces alone, but for what is buried.
struct Alone {
  const PolytopeView &a, &b;
  const Buried& buried;
  bool isBuried(bool onA, const Vec3& point) const { return buried(onA, point); }
  bool isExposed(const PieceContact&) const { return true; }
  double separation(int* numbers, const PatchScratch&, SeparatingFeature* feature) const {
    return touchstone::separation(a, b, numbers, nullptr, feature);
  }
  bool separateByFaces(int* numbers, const PatchScratch&, SeparatingFeature* feature, double* gap) const {
    touchstone::detail::SeparationSearch search(a, b, numbers, nullptr);
    search.searchFaces();
    *gap = search.gap;
    *feature = search.feature;
    return true;
  }
  double tolerance() const { return 1e-9 * (boxOf(a).high - boxOf(a).low).norm(); }
  FirstContact meets(const SeparatingFeature& feature) const { return {0, feature}; }
};

/// Constraint sets of a pair of convex pieces (Williams 2017, section 3, in the reference form): each near
/// feature pair by its most specific configuration.
///   vertex–vertex: one I set over all strictly applicable contacts of the two corners;
///   vertex–edge:   sides S1, S2 of the edge, each a list of applicable contacts; I or X for every pair of S1
///   × S2; where one side is empty, the feasible contacts of the other as U;
///   vertex–face, edge–edge: U.
/// Edges at a corner whose common perpendicular is farther than one length beyond their ends count as
/// parallel: published are lines without ends, whose feet run off as they become parallel.
/// Polygons: vertex–vertex by the sides {(v_a, edge out of v_b), (v_b, edge out of v_a)} and {(v_a, edge into
/// v_b), (v_b, edge into v_a)}; vertex–edge: U.
/// The same body as a step's narrow phase runs (SetBuilder), for one pair.
/// @param wasFlush  in the last step
inline PairConstraints findConstraints(const PolytopeView& a, const PolytopeView& b,
                                       const ConstraintSettings& settings, const Buried& buried,
                                       bool wasFlush = false) {
  std::vector<int> numbers(scratchForNumbers(a, b));
  std::size_t largestLoop = 0;
  for (const PolytopeView* piece : {&a, &b})
    for (int face = 0; face < piece->faceCount; ++face)
      largestLoop = std::max(largestLoop, static_cast<std::size_t>(piece->faceVertices[face].size()));
  std::vector<PatchCorner> corners(2 * largestLoop);
  std::vector<detail::CutCorner> spare(4 * largestLoop);
  for (std::size_t capacity = 64;; capacity *= 2) {
    std::vector<PieceContact> contacts(capacity);
    std::vector<SetRange> sets(capacity);
    std::vector<int> members(4 * capacity);
    std::vector<CrossSet> crossSets(capacity);
    std::vector<FeatureIds> cornerIds(capacity), vertexEdges[2] = {cornerIds, cornerIds};
    PairScratch scratch;
    const auto lend = [](auto& items, auto& list) {
      list.items = items.data();
      list.capacity = countOf(items);
    };
    lend(contacts, scratch.contacts);
    lend(sets, scratch.sets);
    lend(members, scratch.members);
    lend(crossSets, scratch.crossSets);
    lend(cornerIds, scratch.corners);
    for (int side = 0; side < 2; ++side) lend(vertexEdges[side], scratch.vertexEdges[side]);
    scratch.numbers = numbers.data();
    scratch.patch = {corners.data(), spare.data()};
    SetBuilder<Alone>(a, b, settings, Alone{a, b, buried}, scratch, wasFlush).build();
    if (scratch.isFull()) continue;
    PairConstraints found;
    found.contacts.assign(contacts.begin(), contacts.begin() + scratch.contacts.count);
    for (int set = 0; set < scratch.sets.count; ++set) {
      const int* first = members.data() + sets[set].first;
      found.sets.push_back({sets[set].type, {first, first + sets[set].count}});
    }
    found.crossSets.assign(crossSets.begin(), crossSets.begin() + scratch.crossSets.count);
    return found;
  }
}

}  // namespace touchstone::test
