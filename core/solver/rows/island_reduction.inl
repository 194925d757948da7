#pragma once

#include <vector>

#include "core/parallel/grouping.h"
#include "core/parallel/list.h"
#include "core/parallel/sum.h"
#include "core/parallel/thread_group.h"

namespace touchstone {

namespace detail {

struct IslandOfPlace {
  const int* island;
  TS_HD int operator()(int place) const { return island[place]; }
};

struct CountGroups {     // one island per index
  const int* firstItem;  // [islandCount + 1]
  int* counts;
  TS_HD void operator()(int island) const {
    counts[island] = sumsOf(firstItem[island + 1] - firstItem[island]);
  }
};

struct LayOutGroup {  // one group per index, and the end of the last
  int islandCount, groupCount;
  const int *firstItem, *firstGroup;  // [islandCount + 1] of each island
  int* out;                           // [groupCount + 1] the first item of each group
  TS_HD void operator()(int group) const {
    if (group == groupCount) {
      out[group] = firstItem[islandCount];
      return;
    }
    const int island = rangeOf(firstGroup, islandCount, group);
    out[group] = firstItem[island] + kTermsPerSum * (group - firstGroup[island]);
  }
};

template <class Extremes>
struct ReduceGroup {          // one group of kTermsPerSum items per index
  const GroupedItem* places;  // of the items, or null: each is its own
  const int* first;
  const Extremes* extremes;
  Extremes* out;
  TS_HD void operator()(int group) const {
    Extremes groupExtremes;
    for (int item = first[group]; item < first[group + 1]; ++item)
      groupExtremes.add(extremes[places ? places[item].item : item]);
    out[group] = groupExtremes;
  }
};

/// A place of each island: the lowest.
struct FirstPlaces {
  const GroupedItem* places;  // by island
  const int* first;           // [islandCount + 1]
  TS_HD int of(int island) const { return places[first[island]].item; }
};

/// Reduction of an island by itself, of at most kTermsPerSum² places: the same as IslandReduction::reduce()
/// of its places.
struct IslandPartials {
  const GroupedItem* places;  // by island
  const int* firstGroup;      // [islandCount + 1] groups of kTermsPerSum places
  const int* first;           // [groups + 1] the first place of each
  int ofIslands;              // where in the partials each island has its own; 0: its only group is that

  /// @param extremes  [placeCount]   @param partials  as in IslandReduction::reduce()   @return of all
  /// islands
  TS_NO_SPACE_CHECK
  template <class Group, class Extremes>
  TS_HD Extremes* reduce(const Group& group, int island, const Extremes* extremes, Extremes* partials) const {
    const int begin = firstGroup[island], end = firstGroup[island + 1];
    using Reduce = ReduceGroup<Extremes>;
    group.forEach(end - begin, FromFirst<Reduce>{begin, {places, first, extremes, partials}});
    Extremes* const islands = partials + ofIslands;
    if (ofIslands > 0) group.forEach(1, FromFirst<Reduce>{island, {nullptr, firstGroup, partials, islands}});
    return islands;
  }
};

}  // namespace detail

/// Joins the figures of all places of each island, however many these are: a few at a time, then as many of
/// what these gave, until each island has one. The order depends on the places of the island alone.
template <class Backend>
class IslandReduction {
 public:
  /// @param island  [placeCount] of each place; none of them is without. Waits.
  void make(const Backend& backend, int placeCount, const int* island, int islandCount) {
    m_islandCount = islandCount;
    m_places.make(backend, placeCount, islandCount, detail::IslandOfPlace{island});
    m_depth = m_capacity = 0;
    const int* firstItem = m_places.first();
    for (int groups = -1; groups != islandCount;) {
      if (m_depth == m_levels.size()) m_levels.emplace_back();
      Level& level = m_levels[m_depth++];
      level.firstOfIsland.resize(islandCount + 1);
      forEach(backend, islandCount, detail::CountGroups{firstItem, level.firstOfIsland.data()});
      level.groups = groups = offsetsOf(backend, islandCount, level.firstOfIsland.data());
      level.first.resize(groups + 1);
      forEach(backend, groups + 1,
              detail::LayOutGroup{islandCount, groups, firstItem, level.firstOfIsland.data(),
                                  level.first.data()});
      m_capacity += groups;
      firstItem = level.firstOfIsland.data();
    }
  }

  /// For an island by itself.
  detail::IslandPartials one() const {
    if (m_depth == 0) return {};
    const Level& level = m_levels.front();
    return {m_places.items(), level.firstOfIsland.data(), level.first.data(),
            static_cast<int>(m_capacity) - m_islandCount};
  }
  detail::FirstPlaces firstPlaces() const { return {m_places.items(), m_places.first()}; }
  /// Items that an array needs for reduce().
  std::size_t capacity() const { return m_capacity; }
  /// @param extremes  [placeCount], with add()   @param partials  [capacity()]   @return ofIslands(partials)
  template <class Extremes>
  Extremes* reduce(const Backend& backend, const Extremes* extremes, Extremes* partials) const {
    Extremes* const islands = ofIslands(partials);
    for (std::size_t depth = 0; depth < m_depth; ++depth) {
      const Level& level = m_levels[depth];
      forEach(backend, level.groups,
              detail::ReduceGroup<Extremes>{depth == 0 ? m_places.items() : nullptr, level.first.data(),
                                            extremes, partials});
      extremes = partials;
      partials += level.groups;
    }
    return islands;
  }
  /// [islandCount] what each island has, in the array of reduce().
  template <class Extremes>
  Extremes* ofIslands(Extremes* partials) const {
    return partials + m_capacity - m_islandCount;
  }

 private:
  struct Level {
    typename Backend::template Array<int> firstOfIsland;  ///< [islandCount + 1] groups
    typename Backend::template Array<int> first;          ///< [groups + 1] items: groups of the level before
    int groups = 0;
  };
  Grouping<Backend> m_places;  ///< by island
  std::vector<Level> m_levels;
  std::size_t m_depth = 0, m_capacity = 0;
  int m_islandCount = 0;
};

}  // namespace touchstone
