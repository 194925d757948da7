#pragma once

#include <algorithm>
#include <vector>

#include "core/geometry/box_tree.inl"
#include "core/math/count.h"
#include "core/parallel/device/deferred_lists.h"
#include "core/parallel/device/launch_graph.h"
#include "core/parallel/search.h"
#include "core/world/motion.inl"
#include "core/world/plane_pairs.inl"
#include "core/world/world.h"

namespace touchstone {

/// Two bodies whose boxes overlap (`plane` −1), or a body and a plane that the body's box reaches.
struct BodyPair {
  int a, b;  ///< ascending
  int body = -1, plane = -1;
  double depth = 0;  ///< depth of the deepest vertex below the plane [m]
};

/// The half-space with normal · x ≤ offset [m], which a plane body fills.
struct HalfSpace {
  Vec3 normal;
  double offset;
};
TS_HD inline HalfSpace halfSpaceOf(const WorldView& world, int plane) {
  const Vec3 normal = planeNormal(world, plane);
  return {normal, normal.dot(world.position[plane])};
}

namespace detail {

/// Some vertices of a body, few enough for one index of a loop, because a body may have hundreds of
/// thousands.
struct VertexChunk {
  int body, first, end;
};

struct BoxChunk {  // empty for bodies that are not active
  WorldView world;
  const Vec3* points;
  const VertexChunk* chunks;
  Aabb* boxes;
  TS_HD void operator()(int index) const {
    const VertexChunk& chunk = chunks[index];
    Aabb box;
    if (world.active[chunk.body])
      for (int vertex = chunk.first; vertex < chunk.end; ++vertex) box.add(points[vertex]);
    boxes[index] = box;
  }
};

struct BoxBody {  // empty for planes too
  const Aabb* chunkBoxes;
  const int* firstChunk;  // [bodyCount + 1]
  Aabb* boxes;
  TS_HD void operator()(int body) const {
    Aabb box;
    for (int chunk = firstChunk[body]; chunk < firstChunk[body + 1]; ++chunk) box.add(chunkBoxes[chunk]);
    boxes[body] = box;
  }
};

struct OwnerOfBody : NoOwner {
  const BodyConstants* bodies;
  int replicaCount;
  OwnerOfBody(const WorldView& world) : bodies(world.bodies), replicaCount(world.replicaCount) {}
  bool isGrouped() const { return replicaCount > 1; }
  TS_HD int group(int body) const { return bodies[body].replica; }
};

struct BodyMeetsBody {
  WorldView world;
  TS_HD bool operator()(int a, int b) const { return canCollide(world, a, b); }
};

struct CutsHalfSpace {
  TS_HD bool operator()(const WorldView& world, const Aabb& box, int plane) const {
    const HalfSpace space = halfSpaceOf(world, plane);
    return isSome(box) && space.normal.dot(lowestCorner(box, space.normal)) < space.offset;
  }
};

struct CountChunks {  // one pair of body and plane per index; 0 if there is none
  const IndexPair* pairs;
  Extent extent;
  const int* firstChunk;
  int* counts;
  TS_HD void operator()(int index) const {
    if (index >= extent.size()) {
      counts[index] = 0;
      return;
    }
    const int body = pairs[index].first;
    counts[index] = firstChunk[body + 1] - firstChunk[body];
  }
};

struct DeepestOfChunk {  // one chunk of a pair's body per index
  WorldView world;
  const Vec3* points;
  const VertexChunk* chunks;
  const int* firstChunk;
  const IndexPair* pairs;
  Extent extent;
  const int* offsets;  // [capacity + 1] of the chunks
  double* depths;      // m, 0: none
  TS_HD void operator()(int index) const {
    const int pair = rangeOf(offsets, extent.size(), index);
    const VertexChunk& chunk = chunks[firstChunk[pairs[pair].first] + index - offsets[pair]];
    const HalfSpace space = halfSpaceOf(world, pairs[pair].second);
    double deepest = 0;
    for (int vertex = chunk.first; vertex < chunk.end; ++vertex) {
      const double depth = space.offset - space.normal.dot(points[vertex]);
      if (depth > deepest) deepest = depth;
    }
    depths[index] = deepest;
  }
};

struct DeepestOfPair {
  const int* offsets;
  Extent chunks;
  const double* chunkDepths;
  double* depths;
  TS_HD void operator()(int index) const {
    if (!fits(chunks, offsets[index + 1])) return;
    double deepest = 0;
    for (int chunk = offsets[index]; chunk < offsets[index + 1]; ++chunk)
      if (chunkDepths[chunk] > deepest) deepest = chunkDepths[chunk];
    depths[index] = deepest;
  }
};

struct PairCounts {
  int bodies, planes;
};

struct CountPairs {
  Extent bodies, planes;
  PairCounts* out;
  TS_HD void operator()(int) const { *out = {bodies.size(), planes.size()}; }
};

}  // namespace detail

/// Places the surfaces of a world and finds the pairs that may overlap. On a device it waits only for the
/// result. Keeps its arrays between calls.
template <class Backend>
class OverlapPairs {
 public:
  OverlapPairs(const Backend& backend, const World& world) : m_loops(backend) {
    // Vertices per chunk. A larger value leaves fewer indices to work in parallel; a smaller one makes more
    // partial results.
    constexpr int kVerticesPerChunk = 64;
    m_firstVertex = firstOfEachBody(world.surface->vertexBody, world.orientation.size());
    std::vector<detail::VertexChunk> chunks;
    std::vector<int> firstChunk;
    for (int body = 0; body < world.bodyCount(); ++body) {
      firstChunk.push_back(countOf(chunks));
      for (int first = firstVertex(body); first < firstVertex(body + 1); first += kVerticesPerChunk)
        chunks.push_back({body, first, std::min(first + kVerticesPerChunk, firstVertex(body + 1))});
    }
    firstChunk.push_back(countOf(chunks));
    m_loops.upload(chunks.data(), chunks.size(), m_chunks);
    m_loops.upload(firstChunk.data(), firstChunk.size(), m_firstChunk);
    m_counts.resize(1);
  }

  /// Returns the pairs sorted by body ids. @param world  must have the same arrays in each call
  std::vector<BodyPair> find(const WorldView& world) {
    for (launch(world); m_loops.growOverflowed(); launch(world)) m_sequence.forget();
    const detail::PairCounts count = *m_countsHere.wait();
    const IndexPair *bodies = m_bodyPairsHere.wait(), *planes = m_planesHere.wait();
    const double* depths = m_depthsHere.wait();
    std::vector<BodyPair> pairs;
    pairs.reserve(count.bodies + count.planes);
    for (int k = 0; k < count.bodies; ++k) pairs.push_back({bodies[k].first, bodies[k].second});
    for (int k = 0; k < count.planes; ++k) {
      const auto [body, plane] = planes[k];
      pairs.push_back({std::min(body, plane), std::max(body, plane), body, plane, depths[k]});
    }
    std::sort(pairs.begin(), pairs.end(),
              [](const BodyPair& x, const BodyPair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    return pairs;
  }

  const Vec3* points() const { return m_points.data(); }  ///< [vertexCount] world [m]
  const Aabb* boxes() const { return m_boxes.data(); }    ///< [bodyCount]
  int firstVertex(int body) const { return m_firstVertex[body]; }

 private:
  using Loops = WithoutWaiting<Backend>;
  template <class T>
  using Array = typename Backend::template Array<T>;
  template <class T>
  using Download = typename Loops::template Download<T>;

  void launch(const WorldView& world) {
    m_sequence.run(m_loops, [&] {
      m_loops.beginStep();
      findBodies(world);
      findPlanes(world);
    });
    // Downloads the lists at full capacity, because the download of their lengths is still running.
    m_countsHere.start(m_loops, static_cast<const detail::PairCounts*>(m_counts.data()), 1);
    m_bodyPairsHere.startBehindLast(m_loops, static_cast<const IndexPair*>(m_bodyPairs.data()),
                                    m_bodyPairs.extent().capacity);
    const std::size_t planes = m_planePairs->extent().capacity;
    m_planesHere.startBehindLast(m_loops, m_planePairs->data(), planes);
    m_depthsHere.startBehindLast(m_loops, static_cast<const double*>(m_depths.data()), planes);
    m_loops.startReading();
  }

  void findBodies(const WorldView& world) {
    m_points.resize(world.vertexCount);
    m_boxes.resize(world.bodyCount);
    forEach(m_loops, world.vertexCount,
            PlaceVertices{world, world.position, world.orientation, m_points.data()});
    m_chunkBoxes.resize(m_chunks.size());
    forEach(m_loops, countOf(m_chunks),
            detail::BoxChunk{world, m_points.data(), m_chunks.data(), m_chunkBoxes.data()}, Work::Heavy);
    forEach(m_loops, world.bodyCount,
            detail::BoxBody{m_chunkBoxes.data(), m_firstChunk.data(), m_boxes.data()});
    const detail::OwnerOfBody owner(world);
    m_tree.build(m_loops, m_boxes.data(), world.bodyCount, owner);
    m_tree.findPairs(m_loops, m_boxes.data(), detail::BodyMeetsBody{world}, m_bodyPairs, owner);
  }

  /// Finds pairs of bodies and planes, and their depths.
  void findPlanes(const WorldView& world) {
    m_planePairs =
        &m_planes.find(m_loops, world, world.bodyCount, nullptr, m_boxes.data(), detail::CutsHalfSpace());
    const Extent& extent = m_planePairs->extent();
    const IndexPair* pairs = m_planePairs->data();
    m_offsets.resize(extent.capacity + 1);
    forEach(m_loops, extent.capacity,
            detail::CountChunks{pairs, extent, m_firstChunk.data(), m_offsets.data()});
    m_chunkDepths.layOut(m_loops, extent.capacity, m_offsets.data());
    forEach(m_loops, m_chunkDepths.extent(),
            detail::DeepestOfChunk{world, m_points.data(), m_chunks.data(), m_firstChunk.data(), pairs,
                                   extent, m_offsets.data(), m_chunkDepths.data()},
            Work::Heavy);
    m_depths.resize(extent.capacity);
    forEach(m_loops, extent,
            detail::DeepestOfPair{m_offsets.data(), m_chunkDepths.extent(), m_chunkDepths.data(),
                                  m_depths.data()});
    forEach(m_loops, 1, detail::CountPairs{m_bodyPairs.extent(), extent, m_counts.data()});
  }

  Loops m_loops;
  LaunchGraph<Loops> m_sequence;
  std::vector<int> m_firstVertex;  ///< [bodyCount + 1]
  Array<detail::VertexChunk> m_chunks;
  Array<int> m_firstChunk;  ///< [bodyCount + 1]
  Array<Aabb> m_chunkBoxes;
  Array<Vec3> m_points;
  Array<Aabb> m_boxes;
  BoxTree<Loops> m_tree;
  List<Loops, IndexPair> m_bodyPairs;
  PlanePairs<Loops> m_planes;
  const List<Loops, IndexPair>* m_planePairs = nullptr;  ///< of m_planes
  Array<int> m_offsets;                                  ///< of the chunks of each pair of body and plane
  List<Loops, double> m_chunkDepths;
  Array<double> m_depths;
  Array<detail::PairCounts> m_counts;  ///< [1]
  Download<detail::PairCounts> m_countsHere;
  Download<IndexPair> m_bodyPairsHere, m_planesHere;
  Download<double> m_depthsHere;
};

}  // namespace touchstone
