#pragma once

#include <limits>
#include "core/geometry/index_pair.h"

#include "core/parallel/list.h"

namespace touchstone {

namespace detail {

// Hits per query that the counting pass keeps, so that only queries with more hits search twice. A larger
// value takes more memory per query; a smaller one makes more queries search twice.
constexpr int kKeptHits = 8;

template <class Hits>
struct CountHits {  // one query per index
  Hits hits;
  int maxHits;
  int *counts, *kept;  // [queryCount], [kKeptHits queryCount] out
  TS_HD void operator()(int query) const {
    int count = 0;
    int* items = kept + kKeptHits * query;
    hits(query, [&](int item) {
      if (count < kKeptHits) items[count] = item;
      ++count;
      return count <= maxHits;
    });
    counts[query] = count;
  }
};

template <class Hits>
struct WriteHits {  // one query per index
  Hits hits;
  int maxHits;
  const int *offsets, *kept;
  Extent list;
  IndexPair* pairs;  // out, sorted
  TS_HD void operator()(int query) const {
    if (!fits(list, offsets[query + 1])) return;
    const int first = offsets[query], count = offsets[query + 1] - first;
    if (count > maxHits) return;
    IndexPair* row = pairs + first;
    if (count <= kKeptHits) {
      for (int k = 0; k < count; ++k) row[k] = {query, kept[kKeptHits * query + k]};
    } else {
      int k = 0;
      hits(query, [&](int item) {
        row[k++] = {query, item};
        return k < count;
      });
    }
    for (int stride = count > 8 ? count / 2 : 1; stride > 0; stride /= 2)  // Shell sort
      for (int k = stride; k < count; ++k) {
        const IndexPair moved = row[k];
        int place = k;
        for (; place >= stride && row[place - stride].second > moved.second; place -= stride)
          row[place] = row[place - stride];
        row[place] = moved;
      }
  }
};

}  // namespace detail

/// Lists the hits of queries. Keeps its arrays between calls.
template <class Backend>
class HitList {
 public:
  /// Lists all pairs of a query, 0 … count − 1, and an item that it hits, sorted.
  /// @param hits  hits(query, visit) calls visit(item) for each hit, in any order that is the same in each
  /// call, and stops when visit(item) returns false
  /// @param maxHits  a query with more hits gets maxHits + 1 places, which stay unwritten
  template <class Hits>
  void find(const Backend& backend, int count, const Hits& hits, List<Backend, IndexPair>& pairs,
            int maxHits = std::numeric_limits<int>::max()) {
    m_offsets.resize(count + 1);
    m_kept.resize(static_cast<std::size_t>(detail::kKeptHits) * count);
    forEach(backend, count, detail::CountHits<Hits>{hits, maxHits, m_offsets.data(), m_kept.data()},
            Work::Heavy);
    pairs.layOut(backend, count, m_offsets.data());
    if (pairs.extent().capacity > 0)
      forEach(backend, count,
              detail::WriteHits<Hits>{hits, maxHits, m_offsets.data(), m_kept.data(), pairs.extent(),
                                      pairs.data()});
  }
  /// [count + 1] start of the pairs of each query in the last list, if the list has capacity for them.
  const int* offsets() const { return m_offsets.data(); }

 private:
  typename Backend::template Array<int> m_offsets, m_kept;
};

}  // namespace touchstone
