#pragma once

#include <algorithm>

#include "core/detect/candidates.h"
#include "core/geometry/box_forest.inl"
#include "core/geometry/box_tree.inl"
#include "core/record/contact.h"
#include "core/world/plane_pairs.inl"

namespace touchstone {

/// Feature pairs that the broad phase gives to a penalty method, on its backend; sorted.
struct CandidateView {
  const FeaturePair* features = nullptr;
  Extent featureExtent;
  const FeaturePair* vertexSurface = nullptr;  ///< VertexFace kind with b = surface id
  Extent vertexSurfaceExtent;

  /// Indices of a loop over both lists together: first vertex–surface pairs, then feature pairs.
  Extent all() const { return {vertexSurfaceExtent.capacity + featureExtent.capacity, nullptr}; }
  /// The vertex–surface pair at `index` of all(); null if the list is shorter.
  TS_HD const FeaturePair* vertexSurfaceAt(int index) const {
    return index < vertexSurfaceExtent.size() ? vertexSurface + index : nullptr;
  }
  TS_HD const FeaturePair* featureAt(int index) const {
    const int feature = index - vertexSurfaceExtent.size();
    return feature >= 0 && feature < featureExtent.size() ? features + feature : nullptr;
  }
};

namespace detail {

struct SweepVertex {
  WorldView world;
  const double* margins;  // [replicaCount] a box grows by half of it on every side [m]
  Aabb* boxes;
  TS_HD void operator()(int vertex) const {
    Aabb box;
    const int body = world.vertexBody[vertex];
    if (world.active[body]) {
      box.add(world.vertexStart[vertex]);
      box.add(world.vertexPredicted[vertex]);
      box.grow(0.5 * margins[world.bodies[body].replica]);
    }
    boxes[vertex] = box;
  }
};

struct BoxOfTriangle {
  const std::array<int, 3>* triangles;
  const Aabb* vertices;
  TS_HD Aabb operator()(int triangle) const {
    Aabb box = vertices[triangles[triangle][0]];
    box.add(vertices[triangles[triangle][1]]);
    box.add(vertices[triangles[triangle][2]]);
    return box;
  }
};

struct BoxOfEdge {
  const std::array<int, 2>* edges;
  const Aabb* vertices;
  TS_HD Aabb operator()(int edge) const {
    Aabb box = vertices[edges[edge][0]];
    box.add(vertices[edges[edge][1]]);
    return box;
  }
};

struct BoxOfSurface {  // every vertex belongs to a triangle, or lies between vertices that do
  BoxForestView triangles;
  Aabb* boxes;
  TS_HD void operator()(int surface) const { boxes[surface] = triangles.boxOf(surface); }
};

struct OwnerOfFeature {  // owner of a surface or piece, by the table of its bodies
  const BodyConstants* bodies;
  const Vec3* position;  // [bodyCount]
  const int* featureBody;
  int replicaCount;
  bool isGrouped() const { return replicaCount > 1; }
  TS_HD int group(int feature) const { return bodies[featureBody[feature]].replica; }
  TS_HD int cluster(int feature) const { return featureBody[feature]; }
  TS_HD Vec3 clusterCentre(int feature) const { return position[featureBody[feature]]; }
};
inline OwnerOfFeature ownerOf(const WorldView& world, const int* featureBody) {
  return {world.bodies, world.position, featureBody, world.replicaCount};
}

struct SurfaceMeetsSurface {
  WorldView world;
  bool convexPairs;
  TS_HD bool operator()(int a, int b) const {
    const int bodyA = world.surfaceBody[a], bodyB = world.surfaceBody[b];
    if (!convexPairs && world.bodies[bodyA].isConvex && world.bodies[bodyB].isConvex) return false;
    return canCollide(world, bodyA, bodyB);
  }
};

// If a surface meets more others than this (the ground under many bodies), its features search the tree. A
// larger value makes each feature test long lists of surfaces; a smaller one makes more features search the
// tree. The pairs are the same.
constexpr int kMostInList = 64;

/// The surfaces that a feature may touch: those that meet the feature's surface and whose box meets its box.
struct SurfacesNear {
  WorldView world;
  const Aabb* boxes;  // [surfaceCount]
  BoxTreeView tree;
  OwnerOfFeature owner;
  const int* first;  // [surfaceCount + 1] into pairs
  Extent list;
  const IndexPair* pairs;  // of surfaces that meet each other, sorted
  SurfaceMeetsSurface meets;
  template <class Visit>
  TS_HD void forEach(int surface, const Aabb& box, const Visit& visit) const {
    const int begin = first[surface], end = first[surface + 1];
    if (end - begin > kMostInList) {
      tree.forEachOverlap(box, owner.group(surface), owner.cluster(surface), [&](int other) {
        if (meets(surface, other)) visit(other);
        return true;
      });
    } else if (fits(list, end)) {
      for (int k = begin; k < end; ++k)
        if (overlap(box, boxes[pairs[k].second])) visit(pairs[k].second);
    }
  }
};

struct VertexHitsTriangles {
  SurfacesNear surfaces;
  BoxForestView triangles;
  const Aabb* boxes;  // [vertexCount]
  bool self;
  template <class Visit>
  TS_HD void operator()(int vertex, const Visit& visit) const {
    const WorldView& world = surfaces.world;
    const Aabb box = boxes[vertex];
    const int surfaceOfVertex = world.vertexSurface[vertex];
    surfaces.forEach(surfaceOfVertex, box,
                     [&](int surface) { triangles.forEachOverlap(surface, box, visit); });
    if (!self || !world.bodies[world.vertexBody[vertex]].touchesItself) return;
    triangles.forEachOverlap(surfaceOfVertex, box, [&](int triangle) {
      const auto& t = world.triangles[triangle];
      if (t[0] != vertex && t[1] != vertex && t[2] != vertex) visit(triangle);
    });
  }
};

struct EdgeHitsEdges {  // edges of bodies with a higher index
  SurfacesNear surfaces;
  BoxForestView edges;
  BoxOfEdge boxOf;
  bool self;
  template <class Visit>
  TS_HD void operator()(int edge, const Visit& visit) const {
    const WorldView& world = surfaces.world;
    if (!world.edgeSharp[edge]) return;
    const Aabb box = boxOf(edge);
    const int body = world.edgeBody[edge];
    surfaces.forEach(world.edgeSurface[edge], box, [&](int surface) {
      if (world.surfaceBody[surface] > body) edges.forEachOverlap(surface, box, visit);
    });
    if (!self || !world.bodies[body].touchesItself) return;
    const auto& ends = world.edges[edge];
    edges.forEachOverlap(world.edgeSurface[edge], box, [&](int other) {
      const auto& o = world.edges[other];
      if (other > edge && o[0] != ends[0] && o[0] != ends[1] && o[1] != ends[0] && o[1] != ends[1])
        visit(other);
    });
  }
};

struct VertexHitsSurfaces {
  SurfacesNear surfaces;
  const Aabb* boxes;  // [vertexCount]
  bool openSurfaces;
  template <class Visit>
  TS_HD void operator()(int vertex, const Visit& visit) const {
    const WorldView& world = surfaces.world;
    surfaces.forEach(world.vertexSurface[vertex], boxes[vertex], [&](int surface) {
      if (openSurfaces || world.surfaceClosed[surface]) visit(surface);
    });
  }
};

/// Pairs of indices that are written as feature pairs of one kind, after those of other lists.
struct PairsOfKind {
  FeaturePairKind kind;
  const IndexPair* pairs;
  Extent extent;
  TS_HD void write(int index, int before, FeaturePair* out) const {
    if (index < extent.size()) out[before + index] = {kind, pairs[index].first, pairs[index].second};
  }
};

struct WriteCandidates {  // one entry per index, one list after the other
  PairsOfKind faces, edges, planes, surfaces;
  FeaturePair *features, *vertexSurface;  // out
  int* featureCount;                      // out, or null
  /// Capacity of all lists together.
  int capacity() const {
    return faces.extent.capacity + edges.extent.capacity + planes.extent.capacity + surfaces.extent.capacity;
  }
  TS_HD void operator()(int index) const {
    const int ofFaces = faces.extent.size(), ofEdges = edges.extent.size();
    if (index == 0 && featureCount) *featureCount = ofFaces + ofEdges + planes.extent.size();
    if (index < faces.extent.capacity) return faces.write(index, 0, features);
    index -= faces.extent.capacity;
    if (index < edges.extent.capacity) return edges.write(index, ofFaces, features);
    index -= edges.extent.capacity;
    if (index < planes.extent.capacity) return planes.write(index, ofFaces + ofEdges, features);
    surfaces.write(index - planes.extent.capacity, 0, vertexSurface);
  }
};

}  // namespace detail

/// Finds pairs of surface features whose boxes, swept from the start to the predicted pose, overlap. It finds
/// pairs of surfaces first, then pairs of features in the trees of the surfaces. Keeps its arrays between
/// steps.
template <class Backend>
class FeatureBroadPhase {
 public:
  /// @param margins  [replicaCount] a box grows by half of it on every side [m]
  CandidateView find(const Backend& backend, const WorldView& world, const double* margins,
                     const FeatureNeeds& needs) {
    m_vertexBoxes.resize(world.vertexCount);
    const Aabb* boxes = m_vertexBoxes.data();
    forEach(backend, world.vertexCount, detail::SweepVertex{world, margins, m_vertexBoxes.data()});
    if (needs.surfaces) meetSurfaces(backend, world, needs);
    const List<Backend, IndexPair>& planes =
        m_planes.find(backend, world, world.vertexCount, world.vertexBody, boxes, ComesNearPlane{nullptr});
    return joined(backend, needs, planes);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void meetSurfaces(const Backend& backend, const WorldView& world, const FeatureNeeds& needs) {
    const Aabb* boxes = m_vertexBoxes.data();
    const detail::BoxOfEdge boxOfEdge{world.edges, boxes};
    m_triangles.place(backend, world.triangleTrees, detail::BoxOfTriangle{world.triangles, boxes});
    m_edges.place(backend, world.edgeTrees, boxOfEdge);
    const detail::SurfacesNear near = surfacesNear(backend, world, needs.convexPairs);
    if (needs.triangles)
      m_hits.find(backend, world.vertexCount,
                  detail::VertexHitsTriangles{near, m_triangles.view(), boxes, needs.self}, m_facePairs);
    m_hits.find(backend, world.edgeCount, detail::EdgeHitsEdges{near, m_edges.view(), boxOfEdge, needs.self},
                m_edgePairs);
    m_hits.find(backend, world.vertexCount, detail::VertexHitsSurfaces{near, boxes, needs.openSurfaces},
                m_surfacePairs);
  }

  detail::SurfacesNear surfacesNear(const Backend& backend, const WorldView& world, bool convexPairs) {
    const int count = world.surfaceCount;
    m_surfaceBoxes.resize(count);
    const Aabb* boxes = m_surfaceBoxes.data();
    forEach(backend, count, detail::BoxOfSurface{m_triangles.view(), m_surfaceBoxes.data()});
    const detail::OwnerOfFeature owner = detail::ownerOf(world, world.surfaceBody);
    m_tree.build(backend, boxes, count, owner);
    const detail::SurfaceMeetsSurface meets{world, convexPairs};
    m_tree.findOverlaps(backend, boxes, count, meets, m_meetings, owner, detail::kMostInList);
    return {world,
            boxes,
            m_tree.view(),
            owner,
            m_tree.offsets(),
            m_meetings.extent(),
            static_cast<const IndexPair*>(m_meetings.data()),
            meets};
  }

  CandidateView joined(const Backend& backend, const FeatureNeeds& needs,
                       const List<Backend, IndexPair>& planes) {
    const List<Backend, IndexPair>&faces = needs.surfaces && needs.triangles ? m_facePairs : m_noPairs,
                        &edges = needs.surfaces ? m_edgePairs : m_noPairs,
                        &surfaces = needs.surfaces ? m_surfacePairs : m_noPairs;
    const auto ofKind = [](FeaturePairKind kind, const List<Backend, IndexPair>& list) {
      return detail::PairsOfKind{kind, list.data(), list.extent()};
    };
    int* featureCount = m_features.capacityFor(backend, faces.extent(), edges.extent(), planes.extent());
    m_vertexSurface.resize(surfaces.extent().capacity);
    const detail::WriteCandidates write{ofKind(FeaturePairKind::VertexFace, faces),
                                        ofKind(FeaturePairKind::EdgeEdge, edges),
                                        ofKind(FeaturePairKind::VertexPlane, planes),
                                        ofKind(FeaturePairKind::VertexFace, surfaces),
                                        m_features.data(),
                                        m_vertexSurface.data(),
                                        featureCount};
    forEach(backend, std::max(1, write.capacity()), write);
    return {write.features, m_features.extent(), write.vertexSurface, write.surfaces.extent};
  }

  Array<Aabb> m_vertexBoxes, m_surfaceBoxes;
  BoxForest<Backend> m_triangles, m_edges;
  BoxTree<Backend> m_tree;
  List<Backend, IndexPair> m_meetings;  ///< pairs of surfaces that meet
  HitList<Backend> m_hits;
  List<Backend, IndexPair> m_facePairs, m_edgePairs, m_surfacePairs, m_noPairs;
  PlanePairs<Backend> m_planes;
  List<Backend, FeaturePair> m_features;
  Array<FeaturePair> m_vertexSurface;
};

}  // namespace touchstone
