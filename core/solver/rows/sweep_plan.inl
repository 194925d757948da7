#pragma once

#include <vector>

#include "core/solver/rows/island_reduction.inl"
#include "core/solver/rows/pair_colours.inl"
#include "core/solver/rows/pair_islands.inl"

namespace touchstone {

/// The most pairs of an island that a group of threads takes by itself: more are better spread over all.
constexpr int kPairsOfGroup = 128;
static_assert(kPairsOfGroup <= kTermsPerSum * kTermsPerSum, "as IslandJoin asks");

namespace detail {

struct FlagOtherBodies {  // one pair per index
  const IndexPair *moving, *before;
  int* flags;
  TS_HD void operator()(int pair) const { flags[pair] = moving[pair] == before[pair] ? 0 : 1; }
};

struct ColourOfPair {
  const int* colour;
  TS_HD int operator()(int pair) const { return colour[pair]; }
};

struct IslandOfPair {  // one place of the order per index
  const IndexPair* moving;
  const GroupedItem* order;
  const int* islandOfBody;
  int* out;
  TS_HD void operator()(int place) const { out[place] = islandOfBody[anyBodyOf(moving[order[place].item])]; }
};

struct IslandOfBody {
  const int* island;
  TS_HD int operator()(int body) const { return island[body]; }
};

struct FlagLarge {        // one island per index: more pairs than a group of threads takes
  const int* firstPlace;  // [islandCount + 1]
  int* flags;
  TS_HD void operator()(int island) const {
    flags[island] = firstPlace[island + 1] - firstPlace[island] > kPairsOfGroup ? 1 : 0;
  }
};

struct MovingAtPlace {  // one place of the order per index
  const IndexPair* moving;
  const GroupedItem* order;
  IndexPair* out;
  TS_HD void operator()(int place) const { out[place] = moving[order[place].item]; }
};

}  // namespace detail

/// The order in which sweeps of projected Gauss–Seidel take pairs of touching bodies, on a backend. Pairs of
/// one colour share no moving body, so that all may be taken at once, and the result is that of any order
/// among them. What a pair gets depends on its own island alone.
template <class Backend>
class SweepPlan {
 public:
  /// Waits, if other bodies touch than the last time.
  /// @param moving  [pairCount] the bodies of each pair, −1 in the place of a static one: at most one
  void make(const Backend& backend, int bodyCount, const IndexPair* moving, int pairCount) {
    if (isMade(backend, bodyCount, moving, pairCount)) return;
    ++m_number;
    m_bodyCount = bodyCount;
    m_pairCount = pairCount;
    m_moving.resize(pairCount);
    copyWithin(backend, moving, pairCount, m_moving.data());
    const detail::CarrierIncidence sides = grouped(backend, m_moving.data(), m_sides);
    m_colours.find(backend, sides, bodyCount, pairCount);
    m_islands.find(backend, sides, bodyCount, pairCount);
    m_order.make(backend, pairCount, m_colours.count(), detail::ColourOfPair{m_colours.colours()});
    m_firstOfColour.resize(m_colours.count() + 1);
    backend.download(m_order.first(), m_firstOfColour.size(), m_firstOfColour.data());
    m_island.resize(m_moving.size());
    forEach(backend, pairCount,
            detail::IslandOfPair{m_moving.data(), order(), islandOfBody(), m_island.data()});
    m_tree.make(backend, pairCount, m_island.data(), islandCount());
    m_bodies.make(backend, bodyCount, islandCount(), detail::IslandOfBody{islandOfBody()});
    m_isLarge.resize(islandCount());
    forEach(backend, islandCount(), detail::FlagLarge{m_tree.firstPlaces().first, m_isLarge.data()});
    m_largeCount =
        reduced(backend, static_cast<const int*>(m_isLarge.data()), islandCount(), 0, Together{}, m_partials);
  }

  int pairCount() const { return m_pairCount; }
  int islandCount() const { return m_islands.count(); }
  /// Number of the plan; each plan has another one.
  int number() const { return m_number; }
  /// [pairCount] pairs by colour, ascending within.
  const GroupedItem* order() const { return m_order.items(); }
  /// [colours + 1] into order().
  const std::vector<int>& firstOfColour() const { return m_firstOfColour; }
  /// [pairCount] of each place of order().
  const int* island() const { return m_island.data(); }
  /// [bodyCount] −1: in no pair, or static
  const int* islandOfBody() const { return m_islands.ofBodies(); }
  /// The bodies of each island.
  const Grouping<Backend>& bodies() const { return m_bodies; }
  /// [islandCount] 1: more than kPairsOfGroup pairs
  const int* isLarge() const { return m_isLarge.data(); }
  /// Number of large islands.
  int largeCount() const { return m_largeCount; }
  /// Reduction of the places of order().
  const IslandReduction<Backend>& tree() const { return m_tree; }

  /// The sides of each body's pairs in the order of the sweeps: places of order() in the place of pairs.
  detail::CarrierIncidence placesOfBodies(const Backend& backend) {
    m_ordered.resize(m_moving.size());
    forEach(backend, m_pairCount, detail::MovingAtPlace{m_moving.data(), order(), m_ordered.data()});
    return grouped(backend, m_ordered.data(), m_orderedSides);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  bool isMade(const Backend& backend, int bodyCount, const IndexPair* moving, int pairCount) {
    if (m_number == 0 || bodyCount != m_bodyCount || pairCount != m_pairCount) return false;
    m_flags.resize(pairCount);
    forEach(backend, pairCount, detail::FlagOtherBodies{moving, m_moving.data(), m_flags.data()});
    return reduced(backend, static_cast<const int*>(m_flags.data()), pairCount, 0, Larger{}, m_partials) == 0;
  }

  detail::CarrierIncidence grouped(const Backend& backend, const IndexPair* moving,
                                   Grouping<Backend>& sides) const {
    sides.make(backend, 2 * m_pairCount, m_bodyCount, detail::BodyOfSide{moving});
    return {moving, sides.items(), sides.first()};
  }

  int m_number = 0, m_bodyCount = 0, m_pairCount = 0;
  Array<IndexPair> m_moving, m_ordered;
  Array<int> m_flags, m_island, m_isLarge, m_partials;
  int m_largeCount = 0;
  Grouping<Backend> m_sides, m_orderedSides, m_order, m_bodies;
  PairColours<Backend> m_colours;
  PairIslands<Backend> m_islands;
  std::vector<int> m_firstOfColour;
  IslandReduction<Backend> m_tree;
};

}  // namespace touchstone
