#pragma once

#include <cstdint>
#include <limits>

#include "core/geometry/aabb.h"
#include "core/geometry/hit_list.inl"
#include "core/parallel/reduce.h"
#include "core/parallel/select.h"
#include "core/parallel/sort.h"

namespace touchstone {

/// Facts about a box besides its extent. Boxes of different groups never meet, and boxes of one
/// cluster (a body) are not paired with each other. This default has one group and no clusters.
struct NoOwner {
  bool isGrouped() const { return false; }
  TS_HD int group(int) const { return 0; }
  TS_HD int cluster(int) const { return -1; }
  TS_HD Vec3 clusterCentre(int) const { return Vec3(0, 0, 0); }
};

/// Sort key of a box: first its group, then its cluster along a Morton curve, then the box along another
/// Morton curve.
struct BoxCode {
  std::uint64_t clusterCode, code;
  int group, cluster, box;
};

/// The longest edge of a box [m]; 0 of an empty one.
TS_HD inline double lengthOf(const Aabb& box) {
  double longest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double edge = box.high[axis] - box.low[axis];
    if (edge > longest) longest = edge;
  }
  return longest;
}

/// A BoxTree as pointers.
struct BoxTreeView {
  int leafCount = 0, boxCount = 0;
  const Aabb* nodes = nullptr;
  const double* longest = nullptr;  ///< lengthOf() the longest box below the node
  const BoxCode* order = nullptr;
  const int *lowestGroup = nullptr, *highestGroup = nullptr;  ///< null: one group
  const int* onlyCluster = nullptr;                           ///< cluster of all boxes below a node if there
                                                              ///< is only one, else −1

  /// Calls visit(box) for each box of the group that overlaps `box` and is not of the same cluster. Stops
  /// when visit(box) returns false.
  /// @param least  smallest length of the boxes to visit; some shorter ones may be visited too
  template <class Visit>
  TS_HD void forEachOverlap(const Aabb& box, int group, int cluster, const Visit& visit,
                            double least = 0) const {
    if (boxCount == 0) return;
    int stack[64];
    int top = 0;
    stack[top++] = 1;
    while (top > 0) {
      const int node = stack[--top];
      if (lowestGroup && (group < lowestGroup[node] || group > highestGroup[node])) continue;
      if (cluster >= 0 && onlyCluster[node] == cluster) continue;
      if (longest[node] < least) continue;
      if (!overlap(box, nodes[node])) continue;
      if (node >= leafCount) {
        if (!visit(order[node - leafCount].box)) return;
        continue;
      }
      stack[top++] = 2 * node;
      stack[top++] = 2 * node + 1;
    }
  }
};

namespace detail {

// Spreads the bits of x, 0 … 2²¹ − 1, to every third position.
TS_HD inline std::uint64_t spread(std::uint64_t x) {
  x = (x | (x << 32)) & 0x001f00000000ffffull;
  x = (x | (x << 16)) & 0x001f0000ff0000ffull;
  x = (x | (x << 8)) & 0x100f00f00f00f00full;
  x = (x | (x << 4)) & 0x10c30c30c30c30c3ull;
  return (x | (x << 2)) & 0x1249249249249249ull;
}

TS_HD inline std::uint64_t mortonCode(const Vec3& point, const Aabb& bounds) {
  // 2²¹ per axis. More do not fit into a 64-bit code; fewer put close boxes into one cell, and the tree gets
  // worse.
  constexpr double kCells = 2097152;
  std::uint64_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = bounds.high[axis] - bounds.low[axis];
    const double cell = extent > 0 ? kCells * ((point[axis] - bounds.low[axis]) / extent) : 0;
    const bool inside = cell > 0;  // NaN falls to 0
    code |= spread(!inside ? 0 : cell < kCells - 1 ? static_cast<std::uint64_t>(cell) : 2097151u) << axis;
  }
  return code;
}

struct CentreBox {  // the centre of each box as a box. Empty boxes stay empty, because they must not stretch
                    // the curve
  const Aabb* boxes;
  Aabb* out;
  TS_HD void operator()(int box) const {
    Aabb centre;
    if (isSome(boxes[box])) centre.add(Vec3(0.5 * (boxes[box].low + boxes[box].high)));
    out[box] = centre;
  }
};

struct UniteBoxes {
  TS_HD Aabb operator()(Aabb a, const Aabb& b) const {
    a.add(b);
    return a;
  }
};

template <class Owner>
struct EncodeBox {
  const Aabb* boxes;
  const Aabb* bounds;  // [1] of all centres
  Owner owner;
  BoxCode* out;
  TS_HD void operator()(int box) const {
    const Aabb& bound = *bounds;
    out[box].code = mortonCode(0.5 * (boxes[box].low + boxes[box].high), bound);
    out[box].clusterCode = mortonCode(owner.clusterCentre(box), bound);
    out[box].group = owner.group(box);
    out[box].cluster = owner.cluster(box);
    out[box].box = box;
  }
};

struct CodeLess {
  TS_HD bool operator()(const BoxCode& a, const BoxCode& b) const {
    if (a.group != b.group) return a.group < b.group;
    if (a.clusterCode != b.clusterCode) return a.clusterCode < b.clusterCode;
    return a.cluster != b.cluster ? a.cluster < b.cluster : a.code < b.code;
  }
};

// Tree levels that one loop builds. A larger value leaves fewer indices to work in parallel; a smaller one
// costs more launches.
constexpr int kLevelsAtOnce = 4;
constexpr int kNoBoxes = -2;  // cluster of a node without boxes

/// The arrays of a BoxTreeView for writing: [2 leafCount].
struct TreeNodes {
  Aabb* nodes;
  double* longest;
  int *only, *lowest, *highest;  // the last two are null without groups
};

struct PlaceLeaf : TreeNodes {  // one leaf per index, empty ones included
  const Aabb* boxes;
  const BoxCode* order;
  int boxCount, leafCount;
  TS_HD void operator()(int leaf) const {
    const bool used = leaf < boxCount;
    // An empty or NaN box meets no box and must not spoil the union with its sibling.
    const Aabb box = used && isSome(boxes[order[leaf].box]) ? boxes[order[leaf].box] : Aabb();
    only[leafCount + leaf] = used ? order[leaf].cluster : kNoBoxes;
    nodes[leafCount + leaf] = box;
    longest[leafCount + leaf] = lengthOf(box);
    if (!lowest) return;
    lowest[leafCount + leaf] = used ? order[leaf].group : 2147483647;
    highest[leafCount + leaf] = used ? order[leaf].group : -1;
  }
};

struct UniteChildren : TreeNodes {  // one node per index
  TS_HD void operator()(int node) const {
    const int first = 2 * node, second = first + 1;
    Aabb box = nodes[first];
    box.add(nodes[second]);
    nodes[node] = box;
    longest[node] = longest[first] > longest[second] ? longest[first] : longest[second];
    only[node] = only[first] == only[second] || only[second] == kNoBoxes ? only[first]
                 : only[first] == kNoBoxes                               ? only[second]
                                                                         : -1;
    if (!lowest) return;
    lowest[node] = lowest[first] < lowest[second] ? lowest[first] : lowest[second];
    highest[node] = highest[first] > highest[second] ? highest[first] : highest[second];
  }
};

struct UniteLevels {  // one node of a level per index, and `depth` levels of nodes below it
  UniteChildren unite;
  int first, depth;
  TS_HD void operator()(int index) const {
    for (int level = depth; level >= 0; --level) {
      const int leftmost = (first + index) << level;
      for (int node = leftmost; node < leftmost + (1 << level); ++node) unite(node);
    }
  }
};

struct BuildTree {  // builds the whole tree in one group
  PlaceLeaf place;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    group.forEach(place.leafCount, place);
    for (int first = place.leafCount / 2; first >= 1; first /= 2)
      group.forEach(first, FromFirst<UniteChildren>{first, {place}});
  }
};

template <class Accept, class Owner>
struct TreeHits {
  BoxTreeView tree;
  const Aabb* queries;
  Owner owner;
  Accept accept;
  template <class Visit>
  TS_HD void operator()(int query, const Visit& visit) const {
    tree.forEachOverlap(queries[query], owner.group(query), owner.cluster(query),
                        [&](int box) { return !accept(query, box) || visit(box); });
  }
};

/// The shorter one of two boxes that meet finds the longer one. A box that meets very many (the ground) is
/// then found by each of them and has none to find itself.
template <class Accept, class Owner>
struct LongerHits {
  BoxTreeView tree;
  const Aabb* boxes;
  Owner owner;
  Accept accept;
  template <class Visit>
  TS_HD void operator()(int query, const Visit& visit) const {
    const double length = lengthOf(boxes[query]);
    tree.forEachOverlap(
        boxes[query], owner.group(query), owner.cluster(query),
        [&](int box) {
          const double boxLength = lengthOf(boxes[box]);
          const bool isLonger = length != boxLength ? length < boxLength : query < box;
          return !isLonger || !accept(query, box) || visit(box);
        },
        length);
  }
};

struct PutLowerFirst {
  IndexPair* pairs;
  TS_HD void operator()(int index) const {
    const auto [a, b] = pairs[index];
    if (a > b) pairs[index] = {b, a};
  }
};

struct LowerPair {
  TS_HD static IndexPair last() { return {2147483647, 2147483647}; }
  TS_HD bool operator()(const IndexPair& a, const IndexPair& b) const {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  }
};

}  // namespace detail

/// Bounding volume hierarchy over boxes that change every step. Boxes are sorted by group, cluster and a
/// Morton curve; an implicit balanced binary tree covers the sorted order (node k has children 2k and 2k +
/// 1). Build O(n log n), query O(log n + hits) for scattered boxes. The same boxes give the same tree on any
/// number of threads. A query meets only boxes of its own group.
template <class Backend>
class BoxTree {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  template <class Owner = NoOwner>
  void build(const Backend& backend, const Aabb* boxes, int count, const Owner& owner = Owner()) {
    m_view = BoxTreeView();
    m_view.boxCount = count;
    m_view.leafCount = 1;
    if (count == 0) return;
    while (m_view.leafCount < count) m_view.leafCount *= 2;
    const int leafCount = m_view.leafCount;
    m_nodes.resize(2 * static_cast<std::size_t>(leafCount));
    const bool grouped = owner.isGrouped();
    m_longest.resize(m_nodes.size());
    m_only.resize(m_nodes.size());
    m_lowest.resize(grouped ? m_nodes.size() : 0);
    m_highest.resize(m_lowest.size());
    int *lowest = grouped ? m_lowest.data() : nullptr, *highest = grouped ? m_highest.data() : nullptr;
    m_order.resize(count);

    forEach(backend, count, detail::CentreBox{boxes, m_nodes.data()});
    const Aabb* bounds = reducedOnDevice(backend, m_nodes.data(), count, detail::UniteBoxes{});
    forEach(backend, count, detail::EncodeBox<Owner>{boxes, bounds, owner, m_order.data()});
    stableSort(backend, m_order.data(), count, detail::CodeLess{});
    buildLevels(backend, {{m_nodes.data(), m_longest.data(), m_only.data(), lowest, highest},
                          boxes,
                          m_order.data(),
                          count,
                          leafCount});
    m_view.nodes = m_nodes.data();
    m_view.longest = m_longest.data();
    m_view.order = m_order.data();
    m_view.onlyCluster = m_only.data();
    m_view.lowestGroup = lowest;
    m_view.highestGroup = highest;
  }

  /// Finds all pairs (query, box) of one group and different clusters that overlap and pass `accept(query,
  /// box)`, sorted. One thread lists all boxes that a query meets, however many.
  /// @param maxHits  see HitList::find()
  template <class Accept, class Owner = NoOwner>
  void findOverlaps(const Backend& backend, const Aabb* queries, int count, const Accept& accept,
                    List<Backend, IndexPair>& pairs, const Owner& owner = Owner(),
                    int maxHits = std::numeric_limits<int>::max()) {
    m_hits.find(backend, count, detail::TreeHits<Accept, Owner>{m_view, queries, owner, accept}, pairs,
                maxHits);
  }
  /// Finds all pairs of the tree's boxes of one group and different clusters that overlap and pass the
  /// symmetric test `accept(a, b)`. The pairs are ascending, the lower index first.
  template <class Accept, class Owner = NoOwner>
  void findPairs(const Backend& backend, const Aabb* boxes, const Accept& accept,
                 List<Backend, IndexPair>& pairs, const Owner& owner = Owner()) {
    m_hits.find(backend, m_view.boxCount, detail::LongerHits<Accept, Owner>{m_view, boxes, owner, accept},
                pairs);
    forEach(backend, pairs.extent(), detail::PutLowerFirst{pairs.data()});
    stableSort(backend, pairs.data(), pairs.extent(), detail::LowerPair());
  }
  /// Offsets of the pairs that findOverlaps() found last; see HitList.
  const int* offsets() const { return m_hits.offsets(); }
  const BoxTreeView& view() const { return m_view; }

 private:
  void buildLevels(const Backend& backend, const detail::PlaceLeaf& place) const {
    const int leafCount = place.leafCount;
    const auto together = [&](const auto& device) {
      device.runGroups(1, leafCount, detail::BuildTree{place});
    };
    if (runAsOneGroup(backend, leafCount, 0, together)) return;
    forEach(backend, leafCount, place);
    for (int lowestLevel = leafCount / 2; lowestLevel >= 1;) {
      int first = lowestLevel, depth = 0;
      while (depth + 1 < detail::kLevelsAtOnce && first > 1) {
        first /= 2;
        ++depth;
      }
      forEach(backend, first, detail::UniteLevels{{place}, first, depth},
              depth > 1 ? Work::Heavy : Work::Light);
      lowestLevel = first / 2;
    }
  }

  BoxTreeView m_view;
  Array<BoxCode> m_order;  ///< [boxCount] sorted
  Array<Aabb> m_nodes;     ///< [2 leafCount], node 1 is the root; leaves start at leafCount
  Array<double> m_longest;
  Array<int> m_only, m_lowest, m_highest;
  HitList<Backend> m_hits;
};

}  // namespace touchstone
