#pragma once

#include <algorithm>

#include "core/geometry/box_forest.h"
#include "core/parallel/for_each.h"
#include "core/parallel/thread_group.h"

namespace touchstone {

namespace detail {

template <class BoxOf>
struct PlaceForestLeaf {
  ForestLayoutView layout;
  BoxOf boxOf;
  Aabb* nodes;
  TS_HD void operator()(int leaf) const {
    const int item = layout.leafItem[leaf];
    nodes[leaf] = item < 0 ? Aabb() : boxOf(item);
  }
};

struct UniteBranches {  // one node of level `above` per index, and its descendants above level `below`
  BoxForestView forest;
  int below, above;
  Aabb* nodes;
  TS_HD void operator()(int index) const {
    for (int level = below + 1; level <= above; ++level) {
      const int count = 1 << (above - level);
      for (int node = count * index; node < count * (index + 1); ++node) {
        const Aabb* children = nodes + forest.firstOf(level - 1) + 2 * node;
        Aabb box = children[0];
        box.add(children[1]);
        nodes[forest.firstOf(level) + node] = box;
      }
    }
  }
};

template <class BoxOf>
struct PlaceForest {  // by one group
  PlaceForestLeaf<BoxOf> leaf;
  BoxForestView forest;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    const ForestLayoutView& layout = leaf.layout;
    group.forEach(layout.leafCount, leaf);
    for (int level = 1; level <= layout.height; ++level)
      group.forEach(layout.leafCount >> level, UniteBranches{forest, level - 1, level, leaf.nodes});
  }
};

}  // namespace detail

/// Trees of moving boxes, one per owner, over a fixed layout. Update O(n), query O(log n + hits) within one
/// tree. Keeps its arrays between calls.
template <class Backend>
class BoxForest {
 public:
  /// Sets the boxes to their present places.
  /// @param layout  on the backend   @param boxOf  Aabb(item)
  template <class BoxOf>
  void place(const Backend& backend, const ForestLayoutView& layout, const BoxOf& boxOf) {
    m_nodes.resize(2 * static_cast<std::size_t>(layout.leafCount));
    m_view = {layout, m_nodes.data()};
    const detail::PlaceForestLeaf<BoxOf> leaf{layout, boxOf, m_nodes.data()};
    const auto together = [&](const auto& device) {
      if (layout.leafCount > 0)
        device.runGroups(1, layout.leafCount, detail::PlaceForest<BoxOf>{leaf, m_view});
    };
    if (runAsOneGroup(backend, layout.leafCount, 0, together)) return;
    forEach(backend, layout.leafCount, leaf);
    for (int below = 0, above = 0; below < layout.height; below = above) {
      above = std::min(below + kLevelsAtOnce, layout.height);
      forEach(backend, layout.leafCount >> above, detail::UniteBranches{m_view, below, above, m_nodes.data()},
              Work::Heavy);
    }
  }
  const BoxForestView& view() const { return m_view; }

 private:
  // Tree levels that one loop builds. A larger value leaves fewer indices to work in parallel; a smaller one
  // costs more launches.
  static constexpr int kLevelsAtOnce = 4;

  BoxForestView m_view;
  typename Backend::template Array<Aabb> m_nodes;
};

}  // namespace touchstone
