#pragma once

#include "core/contact/contact_memory.inl"
#include "core/contact/penalty/penalty_contact.h"
#include "core/detect/feature_broad_phase.inl"
#include "core/detect/joined_pairs.inl"
#include "core/detect/surface_tables.h"
#include "core/world/surface_trees.inl"

namespace touchstone {

/// Memory of tracked penalty methods of an active pair, between steps.
struct PairEntry {
  FeaturePair pair;
  int side = 1;
  double weights[4] = {0, 0, 0, 0};  ///< at entry
  FrictionAnchor anchor;
  bool anchored = false;  ///< anchor is set
  double allowance = 0;   ///< see allowedNext() [m]
};
template <class Visit>
void eachNumber(const Visit& visit, PairEntry& entry) {
  visit(entry.pair);
  visit(entry.side);
  for (double& weight : entry.weights) visit(weight);
  visit(entry.anchor);
  visit(entry.anchored);
  visit(entry.allowance);
}

struct MemoryView : SortedEntries<PairEntry> {
  /// True if any entry holds the vertex against the surface.
  TS_HD bool holds(const WorldView& world, int vertex, int surface) const {
    for (int index = lowerBound(FeaturePair{FeaturePairKind::VertexFace, vertex, -1});
         index < extent.size() && entries[index].pair.kind == FeaturePairKind::VertexFace &&
         entries[index].pair.a == vertex;
         ++index)
      if (world.triangleSurface[entries[index].pair.b] == surface) return true;
    return false;
  }
};

namespace detail {

constexpr double kSlideTolerance = 1e-6;  // of weights: a vertex this far outside its triangle has slid off
constexpr int kMostWalkSteps = 16;

/// At the start of a step: entries whose vertex has slid off its triangle walk to the neighbour below it or
/// are dropped; edge pairs that have slid off each other or turned parallel are dropped. A tracked plane is
/// infinite, so that without this a kept pair acts as a ghost wall beyond its triangle.
struct Reseat {  // one entry per index
  WorldView world;
  PairEntry* entries;  // in, out
  int* kept;           // out

  TS_HD void operator()(int index) const {
    FeaturePair& pair = entries[index].pair;
    kept[index] = 1;
    if (pair.kind == FeaturePairKind::VertexFace) {
      const int triangle = walk(pair.a, pair.b, entries[index].side, isOwn(world, pair));
      kept[index] = triangle >= 0;
      if (triangle >= 0) pair.b = triangle;
    } else if (pair.kind == FeaturePairKind::EdgeEdge) {
      kept[index] = edgesStillMeet(pair);
    }
  }

  /// Walks from triangle to triangle until the projection of the vertex lies inside. A pair of one surface
  /// that has not gone through stays. @return the triangle, or −1: drop
  TS_HD int walk(int vertex, int triangle, int side, bool isOneSurface) const {
    int visited[kMostWalkSteps + 1];
    for (int step = 0; step <= kMostWalkSteps; ++step) {
      visited[step] = triangle;
      Vec3 rows[4];
      rowsOf(world, {FeaturePairKind::VertexFace, vertex, triangle}, world.vertexStart, rows);
      const PairMotion motion = motionOf(FeaturePairKind::VertexFace, rows, rows);
      double w[4];
      if (side * motion.gap.c[0] >= 0) return isOneSurface && step == 0 ? triangle : -1;
      if (!weightsAt(motion, 0, w)) return -1;
      const int lowest = w[0] <= w[1] ? (w[0] <= w[2] ? 0 : 2) : (w[1] <= w[2] ? 1 : 2);
      if (w[lowest] >= -kSlideTolerance) return triangle;
      triangle = world.triangleNeighbours[triangle][lowest];
      if (triangle < 0) return -1;
      for (int k = 0; k <= step; ++k)
        if (visited[k] == triangle) return -1;
    }
    return -1;
  }

  TS_HD bool edgesStillMeet(const FeaturePair& pair) const {
    Vec3 start[4], end[4];
    rowsOf(world, pair, world.vertexStart, start);
    rowsOf(world, pair, world.vertexPredicted, end);
    const PairMotion motion = motionOf(FeaturePairKind::EdgeEdge, start, end);
    double w[4];
    return weightsAt(motion, 0, w) && areInside(pair.kind, w, kSlideTolerance) &&
           motion.m(0).dot(motion.m(1)) > 0;
  }
};

/// Place of the entry of a pair. The places are sorted instead of the entries, because an entry is six times
/// as large.
struct EntryPlace {
  FeaturePair pair;
  int place;
};
struct PlaceLess {
  TS_HD bool operator()(const EntryPlace& a, const EntryPlace& b) const { return a.pair < b.pair; }
  TS_HD static EntryPlace last() { return {{FeaturePairKind::VertexPlane, 2147483647, 2147483647}, 0}; }
};

struct ListPlace {
  const int* chosen;  // entries, or null: all
  const PairEntry* entries;
  EntryPlace* out;
  TS_HD void operator()(int index) const {
    const int place = chosen ? chosen[index] : index;
    out[index] = {entries[place].pair, place};
  }
};

struct IsKept {
  const int* kept;
  TS_HD bool operator()(int index) const { return kept[index] != 0; }
};

struct IsFirstOfPair {
  const EntryPlace* places;
  TS_HD bool operator()(int index) const {
    return index == 0 || !(places[index - 1].pair == places[index].pair);
  }
};

struct GatherEntry {
  const int* chosen;  // places, or null: all
  const EntryPlace* places;
  const PairEntry* source;
  PairEntry* to;
  TS_HD void operator()(int index) const { to[index] = source[places[chosen ? chosen[index] : index].place]; }
};

/// The surfaces of a held pair of edges.
struct HeldSurfaces {
  int a, b;
  TS_HD bool operator<(const HeldSurfaces& o) const { return a != o.a ? a < o.a : b < o.b; }
};
struct HeldLess {
  TS_HD bool operator()(const HeldSurfaces& a, const HeldSurfaces& b) const { return a < b; }
  TS_HD static HeldSurfaces last() { return {2147483647, 0}; }
};
struct ListHeldSurfaces {  // one entry per index; vertices sort behind all edges
  WorldView world;
  const PairEntry* entries;
  HeldSurfaces* out;
  TS_HD void operator()(int index) const {
    const FeaturePair& pair = entries[index].pair;
    out[index] = HeldLess::last();
    if (pair.kind == FeaturePairKind::EdgeEdge)
      out[index] = {world.edgeSurface[pair.a], world.edgeSurface[pair.b]};
  }
};

/// Entries for what is inside without being held: it was there at the start, or the corrected path took it in
/// unseen. Vertices inside a closed body without any entry against that surface; vertices below planes; and
/// crossing edges of two surfaces between which no pair of edges is held: a tracked pair that slides past the
/// end of an edge is dropped, and its neighbour, which has crossed already, would never enter.
struct Adopt {  // one of all candidates per index
  WorldView world;
  PenaltyTables tables;
  CandidateView candidates;
  MemoryView memory;
  const PenaltyNumbers* numbers;  // [replicaCount]
  const HeldSurfaces* held;       // [memory.extent] sorted

  TS_HD bool operator()(int index) const {
    PairEntry entry;
    return adopt(index, entry);
  }

  TS_HD bool adopt(int index, PairEntry& entry) const {
    if (const FeaturePair* pair = candidates.vertexSurfaceAt(index)) return adoptVertex(*pair, entry);
    const FeaturePair* pair = candidates.featureAt(index);
    if (!pair) return false;
    if (pair->kind == FeaturePairKind::VertexPlane) return adoptBelowPlane(*pair, entry);
    return pair->kind == FeaturePairKind::EdgeEdge && adoptEdges(*pair, entry);
  }

  TS_HD bool adoptVertex(const FeaturePair& pair, PairEntry& entry) const {
    if (memory.holds(world, pair.a, pair.b)) return false;
    const int body = world.surfaceBody[pair.b];
    const ClosestPoint closest = closestOn(tables.trees[pair.b], world.position[body],
                                           world.orientation[body], world.vertexStart[pair.a])
                                     .closest;
    if (!closest.inside) return false;
    entry.pair = {FeaturePairKind::VertexFace, pair.a, world.surfaceFirstTriangle[pair.b] + closest.triangle};
    for (int corner = 0; corner < 3; ++corner) entry.weights[corner] = closest.weights[corner];
    entry.allowance = allowed(entry.pair, std::sqrt(closest.squaredDistance));
    return true;
  }

  TS_HD bool adoptBelowPlane(const FeaturePair& pair, PairEntry& entry) const {
    const double gap = planeNormal(world, pair.b).dot(world.vertexStart[pair.a] - world.position[pair.b]);
    if (gap >= 0) return false;
    entry.pair = pair;
    entry.allowance = allowed(pair, -gap);
    return memory.find(pair) == nullptr;
  }

  TS_HD bool adoptEdges(const FeaturePair& pair, PairEntry& entry) const {
    if (isHeld({world.edgeSurface[pair.a], world.edgeSurface[pair.b]})) return false;
    Vec3 rows[4];
    rowsOf(world, pair, world.vertexStart, rows);
    if (!edgesCross(world, tables, pair, rows, {world.position, world.orientation}, entry.weights))
      return false;
    entry.pair = pair;
    const PairMotion motion = motionOf(pair.kind, rows, rows);
    entry.side = motion.gap.c[0] > 0 ? -1 : 1;
    entry.allowance = allowed(pair, depthAt(motion, entry.side, 0));
    return true;
  }

  TS_HD double allowed(const FeaturePair& pair, double depth) const {
    return allowedAtFirst(world, numbers[world.bodies[firstBody(world, pair)].replica],
                          springPair(world, pair), depth);
  }

  TS_HD bool isHeld(const HeldSurfaces& surfaces) const {
    const int count = memory.extent.size();
    const int index = firstNotBefore(count, [&](int entry) { return held[entry] < surfaces; });
    return index < count && !(surfaces < held[index]);
  }
};

struct WriteAdopted {  // behind the entries that were there
  Adopt adopt;
  const int* indices;
  PairEntry* out;
  TS_HD void operator()(int index) const {
    PairEntry entry;
    adopt.adopt(indices[index], entry);
    out[adopt.memory.extent.size() + index] = entry;
  }
};

}  // namespace detail

/// The memory of a tracked penalty method on its backend. Its entries stay at one place, so that a step that
/// is repeated finds them where the last one left them.
template <class Backend>
class PairMemory {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  MemoryView view() const { return {{m_entries.data(), m_entries.extent()}}; }
  MemoryArray<Backend>& array() { return m_memory; }
  /// Other entries, sorted, as many as the extent has: see List::make(). The loop may read those of before.
  template <class BodyFor>
  void replace(const Backend& backend, const Extent& extent, const BodyFor& bodyFor) {
    m_next.make(backend, extent, bodyFor);
    if constexpr (Backend::kIsPlanned) {
      m_entries.copy(backend, m_next);
    } else {
      std::swap(m_entries, m_next);
    }
  }

  void reseat(const Backend& backend, const WorldView& world) {
    const Extent extent = view().extent;
    if (extent.capacity == 0) return;
    m_kept.resize(extent.capacity);
    forEach(backend, extent, detail::Reseat{world, m_entries.data(), m_kept.data()});
    const List<Backend, int>& held = m_stillHeld.select(backend, extent, detail::IsKept{m_kept.data()});
    const detail::EntryPlace* places = sortedPlaces(backend, held.extent(), held.data(), m_entries);
    const List<Backend, int>& different =
        m_different.select(backend, held.extent(), detail::IsFirstOfPair{places});
    replace(backend, different.extent(), [&](PairEntry* to) {
      return detail::GatherEntry{different.data(), places, m_entries.data(), to};
    });
  }

  void adopt(const Backend& backend, const WorldView& world, const PenaltyTables& tables,
             const PenaltyNumbers* numbers, const CandidateView& candidates) {
    const Extent before = view().extent;
    m_held.resize(before.capacity);
    forEach(backend, before, detail::ListHeldSurfaces{world, m_entries.data(), m_held.data()});
    stableSort(backend, m_held.data(), before, detail::HeldLess{});
    const detail::Adopt test{world, tables, candidates, view(), numbers, m_held.data()};
    const List<Backend, int>& found = m_inside.select(backend, candidates.all(), test, Work::Heavy);
    if (found.extent().capacity == 0) return;
    m_next.make(backend, before, found.extent(), [&](PairEntry* to) {
      return std::make_pair(detail::CopyItem<PairEntry>{m_entries.data(), to},
                            detail::WriteAdopted{test, found.data(), to});
    });
    const detail::EntryPlace* places = sortedPlaces(backend, m_next.extent(), nullptr, m_next);
    m_entries.make(backend, m_next.extent(), [&](PairEntry* to) {
      return detail::GatherEntry{nullptr, places, m_next.data(), to};
    });
  }

 private:
  /// Sorted places of chosen entries, or of all.
  const detail::EntryPlace* sortedPlaces(const Backend& backend, const Extent& extent, const int* chosen,
                                         const List<Backend, PairEntry>& entries) {
    m_places.resize(extent.capacity);
    forEach(backend, extent, detail::ListPlace{chosen, entries.data(), m_places.data()});
    stableSort(backend, m_places.data(), extent, detail::PlaceLess{});
    return m_places.data();
  }

  MemoryList<Backend, PairEntry> m_memory;
  List<Backend, PairEntry>& m_entries = m_memory.list();
  List<Backend, PairEntry> m_next;
  Array<int> m_kept;
  Array<detail::EntryPlace> m_places;
  Array<detail::HeldSurfaces> m_held;
  Selection<Backend> m_stillHeld, m_different, m_inside;
};

}  // namespace touchstone
