#pragma once

#include <algorithm>
#include <vector>

#include "core/geometry/box_tree.inl"
#include "core/parallel/search.h"
#include "core/world/motion.inl"
#include "core/world/plane_pairs.inl"
#include "core/world/world.h"

namespace touchstone {

/// Two bodies whose boxes overlap, or a body and a plane that its box reaches; `plane` −1 for the former.
struct BodyPair {
  int a, b;  ///< ascending
  int body = -1, plane = -1;
  double depth = 0;  ///< of the deepest vertex below the plane [m]
};

/// A half-space, filled where normal · x ≤ offset [m].
struct HalfSpace {
  Vec3 normal;
  double offset;
};
TS_HD inline HalfSpace halfSpaceOf(const WorldView& world, int plane) {
  const Vec3 normal = planeNormal(world, plane);
  return {normal, normal.dot(world.position[plane])};
}

namespace detail {

/// Some vertices of a body, few enough for one index of a loop: a body may have hundred thousands.
struct VertexChunk {
  int body, first, end;
};

struct BoxChunk {  // empty of bodies that take no part
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

struct BoxBody {  // empty of planes too
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
  int copyCount;
  OwnerOfBody(const WorldView& world) : bodies(world.bodies), copyCount(world.copyCount) {}
  bool isGrouped() const { return copyCount > 1; }
  TS_HD int group(int body) const { return bodies[body].copy; }
};

struct BodyMeetsBody {
  WorldView world;
  TS_HD bool operator()(int a, int b) const { return a < b && canCollide(world, a, b); }
};

struct CutsHalfSpace {
  TS_HD bool operator()(const WorldView& world, const Aabb& box, int plane) const {
    const HalfSpace space = halfSpaceOf(world, plane);
    return box.low.x() <= box.high.x() && space.normal.dot(lowestCorner(box, space.normal)) < space.offset;
  }
};

struct CountChunks {  // one pair of body and plane per index
  const IndexPair* pairs;
  const int* firstChunk;
  int* counts;
  TS_HD void operator()(int index) const {
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
  int pairCount;
  const int* offsets;  // [pairCount + 1] of the chunks
  double* depths;      // m, 0: none
  TS_HD void operator()(int index) const {
    const int pair = rangeOf(offsets, pairCount, index);
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
  const double* chunkDepths;
  double* depths;
  TS_HD void operator()(int index) const {
    double deepest = 0;
    for (int chunk = offsets[index]; chunk < offsets[index + 1]; ++chunk)
      if (chunkDepths[chunk] > deepest) deepest = chunkDepths[chunk];
    depths[index] = deepest;
  }
};

}  // namespace detail

/// Places the surfaces of a world and finds the pairs that may overlap. Keeps its arrays.
template <class Backend>
class OverlapPairs {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  OverlapPairs(const Backend& backend, const World& world) {
    constexpr int kVerticesPerChunk = 64;
    m_firstVertex = firstOfEachBody(world.surface->vertexBody, world.position.size());
    std::vector<detail::VertexChunk> chunks;
    std::vector<int> firstChunk;
    for (int body = 0; body < static_cast<int>(world.position.size()); ++body) {
      firstChunk.push_back(static_cast<int>(chunks.size()));
      for (int first = firstVertex(body); first < firstVertex(body + 1); first += kVerticesPerChunk)
        chunks.push_back({body, first, std::min(first + kVerticesPerChunk, firstVertex(body + 1))});
    }
    firstChunk.push_back(static_cast<int>(chunks.size()));
    backend.upload(chunks.data(), chunks.size(), m_chunks);
    backend.upload(firstChunk.data(), firstChunk.size(), m_firstChunk);
  }

  /// Sorted by body ids.
  std::vector<BodyPair> find(const Backend& backend, const WorldView& world) {
    m_points.resize(static_cast<std::size_t>(world.vertexCount));
    m_boxes.resize(static_cast<std::size_t>(world.bodyCount));
    forEach(backend, world.vertexCount,
            PlaceVertices{world.vertexBody, world.vertexLocal, world.position, world.orientation,
                          m_points.data()});
    m_chunkBoxes.resize(m_chunks.size());
    forEach(backend, static_cast<int>(m_chunks.size()),
            detail::BoxChunk{world, m_points.data(), m_chunks.data(), m_chunkBoxes.data()}, Work::Heavy);
    forEach(backend, world.bodyCount,
            detail::BoxBody{m_chunkBoxes.data(), m_firstChunk.data(), m_boxes.data()});
    const detail::OwnerOfBody owner(world);
    m_tree.build(backend, m_boxes.data(), world.bodyCount, owner);
    m_tree.findOverlaps(backend, m_boxes.data(), world.bodyCount, detail::BodyMeetsBody{world}, m_bodyPairs,
                        owner);
    const std::vector<IndexPair> bodies = m_bodyPairs.download(backend),
                                 planes = findPlanes(backend, world).download(backend);
    std::vector<double> depths(planes.size());
    backend.download(m_depths.data(), depths.size(), depths.data());
    std::vector<BodyPair> pairs;
    pairs.reserve(bodies.size() + planes.size());
    for (const IndexPair& pair : bodies) pairs.push_back({pair.first, pair.second});
    for (std::size_t k = 0; k < planes.size(); ++k) {
      const auto [body, plane] = planes[k];
      pairs.push_back({std::min(body, plane), std::max(body, plane), body, plane, depths[k]});
    }
    std::sort(pairs.begin(), pairs.end(),
              [](const BodyPair& x, const BodyPair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    return pairs;
  }

  const Vec3* points() const { return m_points.data(); }  ///< [vertexCount] world [m]
  const Aabb* boxes() const { return m_boxes.data(); }    ///< [bodyCount]
  int firstVertex(int body) const { return m_firstVertex[static_cast<std::size_t>(body)]; }

 private:
  /// With the depths of the pairs.
  const List<Backend, IndexPair>& findPlanes(const Backend& backend, const WorldView& world) {
    const List<Backend, IndexPair>& pairs =
        m_planes.find(backend, world, world.bodyCount, nullptr, m_boxes.data(), detail::CutsHalfSpace());
    const int count = pairs.size();
    m_offsets.resize(static_cast<std::size_t>(count) + 1);
    forEach(backend, count, detail::CountChunks{pairs.data(), m_firstChunk.data(), m_offsets.data()});
    const int chunks = offsetsOf(backend, count, m_offsets.data());
    m_chunkDepths.resize(static_cast<std::size_t>(chunks));
    forEach(backend, chunks,
            detail::DeepestOfChunk{world, m_points.data(), m_chunks.data(), m_firstChunk.data(), pairs.data(),
                                   count, m_offsets.data(), m_chunkDepths.data()},
            Work::Heavy);
    m_depths.resize(static_cast<std::size_t>(count));
    forEach(backend, count, detail::DeepestOfPair{m_offsets.data(), m_chunkDepths.data(), m_depths.data()});
    return pairs;
  }

  std::vector<int> m_firstVertex;  ///< [bodyCount + 1]
  Array<detail::VertexChunk> m_chunks;
  Array<int> m_firstChunk;  ///< [bodyCount + 1]
  Array<Aabb> m_chunkBoxes;
  Array<Vec3> m_points;
  Array<Aabb> m_boxes;
  BoxTree<Backend> m_tree;
  List<Backend, IndexPair> m_bodyPairs;
  PlanePairs<Backend> m_planes;
  Array<int> m_offsets;  ///< of the chunks of each pair of body and plane
  Array<double> m_chunkDepths, m_depths;
};

}  // namespace touchstone
