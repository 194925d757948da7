#pragma once

#include <algorithm>
#include <vector>

#include "core/geometry/box_tree.inl"
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

struct CutsHalfSpace {
  TS_HD bool operator()(const WorldView& world, const Aabb& box, int plane) const {
    const HalfSpace space = halfSpaceOf(world, plane);
    return box.low.x() <= box.high.x() && space.normal.dot(lowestCorner(box, space.normal)) < space.offset;
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
    m_firstVertex = firstOfEachBody(world.surface->vertexBody, world.position.size());
    backend.upload(m_firstVertex.data(), m_firstVertex.size(), m_bodyFirstVertex);
  }

  /// Sorted by body ids.
  std::vector<BodyPair> find(const Backend& backend, const WorldView& world) {
    m_points.resize(static_cast<std::size_t>(world.vertexCount));
    m_boxes.resize(static_cast<std::size_t>(world.bodyCount));
    forEach(backend, world.vertexCount,
            PlaceVertices{world.vertexBody, world.vertexLocal, world.position, world.orientation,
                          m_points.data()});
    forEach(backend, world.bodyCount,
            detail::BoxBody{world, m_points.data(), m_bodyFirstVertex.data(), m_boxes.data()}, Work::Heavy);
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
    m_depths.resize(static_cast<std::size_t>(pairs.size()));
    forEach(backend, pairs.size(),
            detail::DeepestBelowPlane{world, m_points.data(), m_bodyFirstVertex.data(), pairs.data(),
                                      m_depths.data()},
            Work::Heavy);
    return pairs;
  }

  std::vector<int> m_firstVertex;  ///< [bodyCount + 1]
  Array<int> m_bodyFirstVertex;
  Array<Vec3> m_points;
  Array<Aabb> m_boxes;
  BoxTree<Backend> m_tree;
  List<Backend, IndexPair> m_bodyPairs;
  PlanePairs<Backend> m_planes;
  Array<double> m_depths;
};

}  // namespace touchstone
