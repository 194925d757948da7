#include <algorithm>

#include "core/contact/complementarity/constraint_sets.inl"
#include "core/math/count.h"

namespace touchstone {

namespace {

/// Two pieces alone, but for what is buried.
struct Alone {
  const PolytopeView &a, &b;
  const Buried& buried;
  bool isBuried(bool onA, const Vec3& point) const { return buried(onA, point); }
  bool isExposed(const PieceContact&) const { return true; }
  double separation(int* numbers, const PatchScratch&, SeparatingFeature* feature) const {
    return touchstone::separation(a, b, numbers, nullptr, feature);
  }
  double tolerance() const { return 1e-9 * (boxOf(a).high - boxOf(a).low).norm(); }
  FirstContact meets(const SeparatingFeature& feature) const { return {0, feature}; }
};

}  // namespace

PairConstraints findConstraints(const PolytopeView& a, const PolytopeView& b,
                                const ConstraintSettings& settings, const Buried& buried) {
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
    SetBuilder<Alone>(a, b, settings, Alone{a, b, buried}, scratch).build();
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

}  // namespace touchstone
