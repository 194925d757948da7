#include "core/contact/repeated_entries.h"

#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

constexpr double kSameInstant = 1e-9;  // of the step; entries closer than this are one event

/// An interval in which a vertex penetrates a surface. Sorted with those from memory first, then by time.
struct VertexInterval {
  int vertex, surface;
  double start, end;
  bool entered;
  int triangle, pair, interval;

  bool sameContact(const VertexInterval& o) const { return vertex == o.vertex && surface == o.surface; }
  bool covers(double time) const { return start <= time + kSameInstant && end > time + kSameInstant; }
  bool operator<(const VertexInterval& o) const {
    if (!sameContact(o)) return vertex != o.vertex ? vertex < o.vertex : surface < o.surface;
    if (entered != o.entered) return !entered;
    // Events are sorted by rounded time, so that those of one instant follow each other by triangle.
    const double time = std::floor(start / kSameInstant), otherTime = std::floor(o.start / kSameInstant);
    return time != otherTime ? time < otherTime : triangle < o.triangle;
  }
};

void dropInterval(PairResult& result, int index) {
  if (result.activeAtEnd && index == result.intervalCount - 1) {
    result.activeAtEnd = false;
    result.endDepth = 0;
  }
  for (int k = index; k + 1 < result.intervalCount; ++k) result.intervals[k] = result.intervals[k + 1];
  --result.intervalCount;
}

void addRepeatedEdges(const SurfaceTopology& surface, const PairBatch& batch,
                      const std::vector<VertexInterval>& kept, std::vector<std::pair<int, int>>& dropped) {
  constexpr double kAtEnd = 1e-9;
  const auto entersAt = [&kept](int vertex, int id, double time) {
    const VertexInterval key{vertex, id, -1, 0, false, -1, -1, -1};
    for (auto at = std::lower_bound(kept.begin(), kept.end(), key); at != kept.end() && at->sameContact(key);
         ++at)
      if (at->entered && std::abs(at->start - time) <= kSameInstant) return true;
    return false;
  };
  for (std::size_t pair = 0; pair < batch.pairs.size(); ++pair) {
    const FeaturePair& key = batch.pairs[pair];
    if (key.kind != FeaturePairKind::EdgeEdge) continue;
    for (int k = 0; k < batch.results[pair].intervalCount; ++k) {
      const PenetrationInterval& each = batch.results[pair].intervals[k];
      bool repeated = false;
      for (int end = 0; end < 2 && each.entered && !repeated; ++end)
        repeated = (each.weights[end] >= 1 - kAtEnd &&
                    entersAt(surface.edges[key.a][end], surface.edgeSurface[key.b], each.start)) ||
                   (each.weights[2 + end] >= 1 - kAtEnd &&
                    entersAt(surface.edges[key.b][end], surface.edgeSurface[key.a], each.start));
      if (repeated) dropped.emplace_back(static_cast<int>(pair), k);
    }
  }
}

}  // namespace

void dropDuplicates(const SurfaceTopology& surface, PairBatch& batch) {
  std::vector<VertexInterval> intervals;
  for (std::size_t pair = 0; pair < batch.pairs.size(); ++pair) {
    const FeaturePair& key = batch.pairs[pair];
    if (key.kind != FeaturePairKind::VertexFace) continue;
    for (int k = 0; k < batch.results[pair].intervalCount; ++k) {
      const PenetrationInterval& each = batch.results[pair].intervals[k];
      intervals.push_back({key.a, surface.triangleSurface[key.b], each.start, each.end, each.entered, key.b,
                           static_cast<int>(pair), k});
    }
  }
  std::sort(intervals.begin(), intervals.end());
  std::vector<std::pair<int, int>> dropped;  // pair, interval
  std::vector<VertexInterval> kept;
  for (std::size_t first = 0, end; first < intervals.size(); first = end) {
    const std::size_t keptBefore = kept.size();
    for (end = first; end < intervals.size() && intervals[end].sameContact(intervals[first]); ++end) {
      const VertexInterval& each = intervals[end];
      const bool repeated =
          each.entered &&
          std::any_of(kept.begin() + static_cast<std::ptrdiff_t>(keptBefore), kept.end(),
                      [&each](const VertexInterval& other) { return other.covers(each.start); });
      if (repeated) {
        dropped.emplace_back(each.pair, each.interval);
      } else {
        kept.push_back(each);
      }
    }
  }
  addRepeatedEdges(surface, batch, kept, dropped);
  std::sort(dropped.rbegin(), dropped.rend());  // later intervals first, so that numbers stay valid
  for (const auto& [pair, interval] : dropped) dropInterval(batch.results[pair], interval);
}

}  // namespace touchstone
