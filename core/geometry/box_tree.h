#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/geometry/aabb.h"
#include "core/parallel/parallel_for.h"

namespace touchstone {

/// Bounding volume hierarchy over boxes that change every step: boxes sorted along a Morton curve, then an
/// implicit balanced binary tree over the sorted order (node k has children 2k and 2k + 1). Build O(n log n),
/// query O(log n + hits) for scattered boxes; the same boxes give the same tree on any number of threads.
class BoxTree {
 public:
  void build(const std::vector<Aabb>& boxes);

  /// All pairs (query, box) that overlap and pass `accept(query, box)`, sorted.
  template <class Accept>
  void findOverlaps(const std::vector<Aabb>& queries, const Accept& accept,
                    std::vector<std::pair<int, int>>& pairs) const;

 private:
  template <class Accept>
  void visit(int query, const Aabb& box, const Accept& accept, std::vector<int>& hits) const;

  int m_leafCount = 0;        ///< power of two ≥ number of boxes
  std::vector<int> m_order;   ///< [boxCount] box at each leaf
  std::vector<Aabb> m_nodes;  ///< [2 leafCount], node 1 is the root; leaves start at leafCount
};

template <class Accept>
void BoxTree::visit(int query, const Aabb& box, const Accept& accept, std::vector<int>& hits) const {
  if (m_order.empty()) return;
  int stack[64];
  int top = 0;
  stack[top++] = 1;
  while (top > 0) {
    const int node = stack[--top];
    if (!overlap(box, m_nodes[node])) continue;
    if (node < m_leafCount) {
      stack[top++] = 2 * node;
      stack[top++] = 2 * node + 1;
    } else if (accept(query, m_order[node - m_leafCount])) {
      hits.push_back(m_order[node - m_leafCount]);
    }
  }
}

template <class Accept>
void BoxTree::findOverlaps(const std::vector<Aabb>& queries, const Accept& accept,
                           std::vector<std::pair<int, int>>& pairs) const {
  pairs.clear();
  std::vector<std::vector<int>> hits(queries.size());
  parallelFor(static_cast<int>(queries.size()),
              [&](int query) { visit(query, queries[query], accept, hits[query]); });
  for (std::size_t query = 0; query < hits.size(); ++query) {
    std::sort(hits[query].begin(), hits[query].end());
    for (int box : hits[query]) pairs.emplace_back(static_cast<int>(query), box);
  }
}

}  // namespace touchstone
