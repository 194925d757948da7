#pragma once

#include <algorithm>
#include <vector>

#include "core/geometry/box_tree.inl"
#include "core/world/world.h"

namespace touchstone {

/// Two bodies whose boxes overlap, or a body and a plane that its box reaches; `plane` −1 for the former.
struct BodyPair {
  int a, b;  ///< ascending
  int body = -1, plane = -1;
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

struct PlaceVertex {
  WorldView world;
  Vec3* points;
  TS_HD void operator()(int vertex) const {
    const int body = world.vertexBody[vertex];
    points[vertex] = worldPoint(world.position[body], world.orientation[body], world.vertexLocal[vertex]);
  }
};

struct BoxBody {  // empty for planes and bodies that take no part
  WorldView world;
  const Vec3* points;
  const int* bodyFirstVertex;
  Aabb* boxes;
  TS_HD void operator()(int body) const {
    Aabb box;
    if (world.active[body])
      for (int vertex = bodyFirstVertex[body]; vertex < bodyFirstVertex[body + 1]; ++vertex)
        box.add(points[vertex]);
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

/// Planes of a body's copy that its box reaches: counted where `out` is null, else written.
struct BodyMeetsPlanes {
  WorldView world;
  const Aabb* boxes;
  int* counts;
  const int* offsets;
  IndexPair* out;  // body, plane
  TS_HD void operator()(int body) const {
    const int copy = world.bodies[body].copy;
    const Aabb& box = boxes[body];
    int count = 0;
    if (box.low.x() <= box.high.x())
      for (int k = world.copyFirstPlane[copy]; k < world.copyFirstPlane[copy + 1]; ++k) {
        const int plane = world.planes[k];
        if (!canCollide(world, body, plane)) continue;
        const HalfSpace space = halfSpaceOf(world, plane);
        Vec3 lowest;
        for (int axis = 0; axis < 3; ++axis)
          lowest[axis] = space.normal[axis] > 0 ? box.low[axis] : box.high[axis];
        if (!(space.normal.dot(lowest) < space.offset)) continue;
        if (out) out[offsets[body] + count] = {body, plane};
        ++count;
      }
    if (!out) counts[body] = count;
  }
};

struct DeepestBelowPlane {  // one pair of body and plane per index
  WorldView world;
  const Vec3* points;
  const int* bodyFirstVertex;
  const IndexPair* pairs;
  double* depths;  // m, 0: none
  TS_HD void operator()(int index) const {
    const int body = pairs[index].first;
    const HalfSpace space = halfSpaceOf(world, pairs[index].second);
    double deepest = 0;
    for (int vertex = bodyFirstVertex[body]; vertex < bodyFirstVertex[body + 1]; ++vertex) {
      const double depth = space.offset - space.normal.dot(points[vertex]);
      if (depth > deepest) deepest = depth;
    }
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
    const SurfaceTopology& surface = *world.surface;
    std::vector<int> first(world.position.size() + 1, 0);
    for (int body : surface.vertexBody) ++first[static_cast<std::size_t>(body) + 1];
    for (std::size_t body = 0; body + 1 < first.size(); ++body) first[body + 1] += first[body];
    backend.upload(first.data(), first.size(), m_bodyFirstVertex);
    backend.finish();
    m_firstVertex = std::move(first);
  }

  /// Sorted by body ids. @param planeDepths  out: [pairs] of a body and a plane the depth of its deepest
  /// vertex [m]
  std::vector<BodyPair> find(const Backend& backend, const WorldView& world,
                             std::vector<double>& planeDepths) {
    m_points.resize(static_cast<std::size_t>(world.vertexCount));
    m_boxes.resize(static_cast<std::size_t>(world.bodyCount));
    forEach(backend, world.vertexCount, detail::PlaceVertex{world, m_points.data()});
    forEach(backend, world.bodyCount,
            detail::BoxBody{world, m_points.data(), m_bodyFirstVertex.data(), m_boxes.data()}, Work::Heavy);
    const detail::OwnerOfBody owner(world);
    m_tree.build(backend, m_boxes.data(), world.bodyCount, owner);
    const int bodyPairs = m_tree.findOverlaps(backend, m_boxes.data(), world.bodyCount,
                                              detail::BodyMeetsBody{world}, m_bodyPairs, owner);
    const int planePairs = findPlanes(backend, world);

    std::vector<IndexPair> bodies(static_cast<std::size_t>(bodyPairs)),
        planes(static_cast<std::size_t>(planePairs));
    std::vector<double> depths(planes.size());
    backend.download(m_bodyPairs.data(), bodies.size(), bodies.data());
    backend.download(m_planePairs.data(), planes.size(), planes.data());
    backend.download(m_depths.data(), depths.size(), depths.data());
    return sorted(bodies, planes, depths, planeDepths);
  }

  const Vec3* points() const { return m_points.data(); }  ///< [vertexCount] world [m]
  const Aabb* boxes() const { return m_boxes.data(); }    ///< [bodyCount]
  int firstVertex(int body) const { return m_firstVertex[static_cast<std::size_t>(body)]; }

 private:
  int findPlanes(const Backend& backend, const WorldView& world) {
    m_offsets.resize(static_cast<std::size_t>(world.bodyCount) + 1);
    detail::BodyMeetsPlanes planes{world, m_boxes.data(), m_offsets.data(), nullptr, nullptr};
    forEach(backend, world.bodyCount, planes);
    const int count = offsetsOf(backend, world.bodyCount, m_offsets.data());
    m_planePairs.resize(static_cast<std::size_t>(count));
    m_depths.resize(static_cast<std::size_t>(count));
    if (count == 0) return 0;
    planes.offsets = m_offsets.data();
    planes.out = m_planePairs.data();
    forEach(backend, world.bodyCount, planes);
    forEach(backend, count,
            detail::DeepestBelowPlane{world, m_points.data(), m_bodyFirstVertex.data(), m_planePairs.data(),
                                      m_depths.data()},
            Work::Heavy);
    return count;
  }

  static std::vector<BodyPair> sorted(const std::vector<IndexPair>& bodies,
                                      const std::vector<IndexPair>& planes, const std::vector<double>& depths,
                                      std::vector<double>& planeDepths) {
    std::vector<std::pair<BodyPair, double>> all;
    all.reserve(bodies.size() + planes.size());
    for (const IndexPair& pair : bodies) all.push_back({{pair.first, pair.second}, 0});
    for (std::size_t k = 0; k < planes.size(); ++k) {
      const auto [body, plane] = planes[k];
      all.push_back({{std::min(body, plane), std::max(body, plane), body, plane}, depths[k]});
    }
    std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
      return x.first.a != y.first.a ? x.first.a < y.first.a : x.first.b < y.first.b;
    });
    std::vector<BodyPair> pairs;
    planeDepths.clear();
    for (const auto& [pair, depth] : all) {
      pairs.push_back(pair);
      planeDepths.push_back(depth);
    }
    return pairs;
  }

  std::vector<int> m_firstVertex;  ///< [bodyCount + 1]
  Array<int> m_bodyFirstVertex;
  Array<Vec3> m_points;
  Array<Aabb> m_boxes;
  BoxTree<Backend> m_tree;
  Array<IndexPair> m_bodyPairs, m_planePairs;
  Array<double> m_depths;
  Array<int> m_offsets;
};

}  // namespace touchstone
