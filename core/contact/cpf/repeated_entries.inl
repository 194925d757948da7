#pragma once

#include "core/contact/penalty/penalty_contact.h"
#include "core/parallel/copy.h"
#include "core/parallel/search.h"
#include "core/parallel/select.h"
#include "core/parallel/sort.h"

namespace touchstone {

namespace detail {

constexpr double kSameInstant = 1e-9;  // of the step; entries closer than this are one event

/// An interval in which a vertex penetrates a surface. Sorted with those from memory first, then by time.
struct VertexInterval {
  int vertex, surface;
  double start, end;
  bool entered;
  int triangle, pair, interval;

  TS_HD bool sameContact(const VertexInterval& o) const { return vertex == o.vertex && surface == o.surface; }
  TS_HD bool covers(double time) const { return start <= time + kSameInstant && end > time + kSameInstant; }
  TS_HD bool operator<(const VertexInterval& o) const {
    if (!sameContact(o)) return vertex != o.vertex ? vertex < o.vertex : surface < o.surface;
    if (entered != o.entered) return !entered;
    // Events are sorted by rounded time, so that those of one instant follow each other by triangle.
    const double time = std::floor(start / kSameInstant), otherTime = std::floor(o.start / kSameInstant);
    return time != otherTime ? time < otherTime : triangle < o.triangle;
  }
};

struct IntervalLess {
  TS_HD bool operator()(const VertexInterval& a, const VertexInterval& b) const { return a < b; }
  TS_HD static VertexInterval last() { return {2147483647, 0, 0, 0, false, 0, 0, 0}; }
};

/// The pairs of a step that touch, and what their evaluation gave.
struct BatchView {
  Extent extent;
  const FeaturePair* pairs = nullptr;  ///< of the step
  const int* touching = nullptr;       ///< [extent] of them, ascending
  PairImpulse* results = nullptr;      ///< [extent]
  TS_HD const FeaturePair& pairAt(int index) const { return pairs[touching[index]]; }
};

struct CountIntervals {  // over the capacity of the batch; a surface may touch itself in many places
  WorldView world;
  BatchView batch;
  int* counts;
  TS_HD void operator()(int pair) const {
    const bool counted = pair < batch.extent.size() &&
                         batch.pairAt(pair).kind == FeaturePairKind::VertexFace &&
                         !isOwn(world, batch.pairAt(pair));
    counts[pair] = counted ? batch.results[pair].intervalCount : 0;
  }
};

struct ListIntervals {
  WorldView world;
  BatchView batch;
  const int* offsets;
  Extent list;
  VertexInterval* out;
  TS_HD void operator()(int pair) const {
    if (!fits(list, offsets[pair + 1])) return;
    const FeaturePair& key = batch.pairAt(pair);
    for (int k = 0; k < offsets[pair + 1] - offsets[pair]; ++k) {
      const PenetrationInterval& interval = batch.results[pair].intervals[k];
      out[offsets[pair] + k] = {
          key.a, world.triangleSurface[key.b], interval.start, interval.end, interval.entered, key.b, pair,
          k};
    }
  }
};

struct MarkRepeatedVertices {  // one interval per index; the first of a contact marks all of it
  const VertexInterval* intervals;
  Extent extent;
  unsigned char* kept;     // [extent] out
  unsigned char* dropped;  // [2 pairCount] out: interval k of pair p at 2 p + k
  TS_HD void operator()(int first) const {
    if (first > 0 && intervals[first].sameContact(intervals[first - 1])) return;
    const int count = extent.size();
    for (int index = first; index < count && intervals[index].sameContact(intervals[first]); ++index) {
      bool repeated = false;
      if (intervals[index].entered)
        for (int other = first; other < index && !repeated; ++other)
          repeated = kept[other] && intervals[other].covers(intervals[index].start);
      kept[index] = !repeated;
      if (repeated) dropped[2 * intervals[index].pair + intervals[index].interval] = 1;
    }
  }
};

struct MarkRepeatedEdges {  // one pair per index
  WorldView world;
  BatchView batch;
  const VertexInterval* intervals;
  const unsigned char* kept;
  Extent extent;
  unsigned char* dropped;
  TS_HD void operator()(int pair) const {
    constexpr double kAtEnd = 1e-9;
    const FeaturePair& key = batch.pairAt(pair);
    if (key.kind != FeaturePairKind::EdgeEdge) return;
    for (int k = 0; k < batch.results[pair].intervalCount; ++k) {
      const PenetrationInterval& interval = batch.results[pair].intervals[k];
      bool repeated = false;
      for (int end = 0; end < 2 && interval.entered && !repeated; ++end)
        repeated = (interval.weights[end] >= 1 - kAtEnd &&
                    entersAt(world.edges[key.a][end], world.edgeSurface[key.b], interval.start)) ||
                   (interval.weights[2 + end] >= 1 - kAtEnd &&
                    entersAt(world.edges[key.b][end], world.edgeSurface[key.a], interval.start));
      if (repeated) dropped[2 * pair + k] = 1;
    }
  }
  TS_HD bool entersAt(int vertex, int surface, double time) const {
    const VertexInterval key{vertex, surface, -1, 0, false, -1, -1, -1};
    const int count = extent.size();
    const int firstIndex = firstNotBefore(count, [&](int index) { return intervals[index] < key; });
    for (int k = firstIndex; k < count && intervals[k].sameContact(key); ++k)
      if (kept[k] && intervals[k].entered && std::fabs(intervals[k].start - time) <= kSameInstant)
        return true;
    return false;
  }
};

struct DropMarked {  // one pair per index
  BatchView batch;
  const unsigned char* dropped;
  TS_HD void operator()(int pair) const {
    PairImpulse& result = batch.results[pair];
    for (int k = result.intervalCount - 1; k >= 0; --k) {  // later ones first, so that numbers stay valid
      if (!dropped[2 * pair + k]) continue;
      if (result.activeAtEnd && k == result.intervalCount - 1) {
        result.activeAtEnd = false;
        result.endDepth = 0;
      }
      for (int next = k; next + 1 < result.intervalCount; ++next)
        result.intervals[next] = result.intervals[next + 1];
      --result.intervalCount;
    }
  }
};

}  // namespace detail

/// Drops entries of a vertex into a surface that are none:
/// - A vertex that hits a shared edge or corner passes the inside test of several triangles: of entries at
///   the same instant the lowest triangle counts.
/// - A vertex that already penetrates the surface cannot enter it: what has sunk through a thin body and
///   comes back meets the far side from outside, and would be held there.
/// Edge pairs that enter at an end point of an edge at the instant of such a vertex are that contact again.
template <class Backend>
class RepeatedEntries {
 public:
  void drop(const Backend& backend, const WorldView& world, const detail::BatchView& batch) {
    const int capacity = batch.extent.capacity;
    m_offsets.resize(capacity + 1);
    forEach(backend, capacity, detail::CountIntervals{world, batch, m_offsets.data()});
    m_intervals.layOut(backend, capacity, m_offsets.data());
    const Extent& extent = m_intervals.extent();
    if (extent.capacity == 0) return;
    m_kept.resize(extent.capacity);
    m_dropped.resize(2 * static_cast<std::size_t>(capacity));
    detail::VertexInterval* intervals = m_intervals.data();
    forEach(backend, batch.extent, detail::ListIntervals{world, batch, m_offsets.data(), extent, intervals});
    stableSort(backend, intervals, extent, detail::IntervalLess{});
    fill(backend, m_dropped.data(), 2 * capacity, static_cast<unsigned char>(0));
    forEach(backend, extent,
            detail::MarkRepeatedVertices{intervals, extent, m_kept.data(), m_dropped.data()});
    forEach(backend, batch.extent,
            detail::MarkRepeatedEdges{world, batch, intervals, m_kept.data(), extent, m_dropped.data()});
    forEach(backend, batch.extent, detail::DropMarked{batch, m_dropped.data()});
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  Array<int> m_offsets;
  List<Backend, detail::VertexInterval> m_intervals;
  Array<unsigned char> m_kept, m_dropped;
};

}  // namespace touchstone
