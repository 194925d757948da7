#pragma once

#include <limits>

#include "core/parallel/list.h"

namespace touchstone {

struct IndexPair {
  int first, second;
  TS_HD bool operator==(const IndexPair& o) const { return first == o.first && second == o.second; }
};

namespace detail {

// Hits kept by the counting pass, so that few queries look for theirs twice.
constexpr int kKeptHits = 8;

template <class Hits>
struct CountHits {  // one query per index
  Hits hits;
  int most;
  int *counts, *kept;  // [queryCount], [kKeptHits queryCount] out
  TS_HD void operator()(int query) const {
    int count = 0;
    int* own = kept + kKeptHits * query;
    hits(query, [&](int item) {
      if (count < kKeptHits) own[count] = item;
      ++count;
      return count <= most;
    });
    counts[query] = count;
  }
};

template <class Hits>
struct WriteHits {  // one query per index
  Hits hits;
  int most;
  const int *offsets, *kept;
  Extent list;
  IndexPair* pairs;  // out, sorted
  TS_HD void operator()(int query) const {
    if (!fits(list, offsets[query + 1])) return;
    const int first = offsets[query], count = offsets[query + 1] - first;
    if (count > most) return;
    IndexPair* own = pairs + first;
    if (count <= kKeptHits) {
      for (int k = 0; k < count; ++k) own[k] = {query, kept[kKeptHits * query + k]};
    } else {
      int k = 0;
      hits(query, [&](int item) {
        own[k++] = {query, item};
        return k < count;
      });
    }
    for (int stride = count > 8 ? count / 2 : 1; stride > 0; stride /= 2)  // Shell's sort
      for (int k = stride; k < count; ++k) {
        const IndexPair moved = own[k];
        int at = k;
        for (; at >= stride && own[at - stride].second > moved.second; at -= stride)
          own[at] = own[at - stride];
        own[at] = moved;
      }
  }
};

}  // namespace detail

/// Lists what queries hit. Keeps its arrays.
template <class Backend>
class HitList {
 public:
  /// All pairs of a query, 0 … count − 1, and an item that it hits, sorted.
  /// @param hits  hits(query, visit) calls visit(item) for each of them, in any order that is always the same
  /// @param most  a query with more hits gets most + 1 places and nothing in them, and hits() stops where
  /// visit(item) is false
  template <class Hits>
  void find(const Backend& backend, int count, const Hits& hits, List<Backend, IndexPair>& pairs,
            int most = std::numeric_limits<int>::max()) {
    m_offsets.resize(static_cast<std::size_t>(count) + 1);
    m_kept.resize(static_cast<std::size_t>(detail::kKeptHits) * count);
    forEach(backend, count, detail::CountHits<Hits>{hits, most, m_offsets.data(), m_kept.data()},
            Work::Heavy);
    pairs.layOut(backend, count, m_offsets.data());
    if (pairs.extent().capacity > 0)
      forEach(
          backend, count,
          detail::WriteHits<Hits>{hits, most, m_offsets.data(), m_kept.data(), pairs.extent(), pairs.data()});
  }
  /// Where the pairs of each query begin in the last list, where that has capacity for them; [count + 1].
  const int* offsets() const { return m_offsets.data(); }

 private:
  typename Backend::template Array<int> m_offsets, m_kept;
};

}  // namespace touchstone
