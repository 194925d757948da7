#pragma once

#include "core/contact/contact.h"
#include "core/geometry/box_tree.inl"
#include "core/world/plane_pairs.inl"

namespace touchstone {

/// Pairs that broad phase hands to a penalty method, on its backend; sorted.
struct CandidateView {
  const FeaturePair* features = nullptr;
  Extent featureExtent;
  const FeaturePair* vertexSurface = nullptr;  ///< VertexFace kind with b = surface id
  Extent vertexSurfaceExtent;

  /// Both lists as one, those of vertices and surfaces first: the indices that a loop over all has.
  Extent all() const { return {vertexSurfaceExtent.room + featureExtent.room, nullptr}; }
  /// Pair `index` of all(); null: not so many are there.
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
  const double* margins;  // [copyCount] boxes are grown by half of it on every side [m]
  Aabb* boxes;
  TS_HD void operator()(int vertex) const {
    Aabb box;
    const int body = world.vertexBody[vertex];
    if (world.active[body]) {
      box.add(world.vertexStart[vertex]);
      box.add(world.vertexPredicted[vertex]);
      box.grow(0.5 * margins[world.bodies[body].copy]);
    }
    boxes[vertex] = box;
  }
};

struct SweepTriangle {
  WorldView world;
  const Aabb* vertices;
  Aabb* boxes;
  TS_HD void operator()(int triangle) const {
    Aabb box;
    for (int corner = 0; corner < 3; ++corner) box.add(vertices[world.triangles[triangle][corner]]);
    boxes[triangle] = box;
  }
};

struct SweepEdge {  // empty for edges that are no features: they then cost the tree nothing
  WorldView world;
  const Aabb* vertices;
  Aabb* boxes;
  TS_HD void operator()(int edge) const {
    Aabb box;
    if (world.edgeSharp[edge])
      for (int end = 0; end < 2; ++end) box.add(vertices[world.edges[edge][end]]);
    boxes[edge] = box;
  }
};

struct UniteSurface {
  WorldView world;
  const Aabb* vertices;
  Aabb* boxes;
  TS_HD void operator()(int surface) const {
    Aabb box;
    for (int vertex = world.surfaceFirstVertex[surface]; vertex < world.surfaceFirstVertex[surface + 1];
         ++vertex)
      box.add(vertices[vertex]);
    boxes[surface] = box;
  }
};

struct OwnerOfFeature {  // of a vertex, triangle, edge or surface, by the table of its bodies
  const BodyConstants* bodies;
  const Vec3* position;  // [bodyCount]
  const int* featureBody;
  int copyCount;
  bool isGrouped() const { return copyCount > 1; }
  TS_HD int group(int feature) const { return bodies[featureBody[feature]].copy; }
  TS_HD int cluster(int feature) const { return featureBody[feature]; }
  TS_HD Vec3 clusterCentre(int feature) const { return position[featureBody[feature]]; }
};
inline OwnerOfFeature ownerOf(const WorldView& world, const int* featureBody) {
  return {world.bodies, world.position, featureBody, world.copyCount};
}

struct VertexMeetsTriangle {
  WorldView world;
  TS_HD bool operator()(int vertex, int triangle) const {
    return canCollide(world, world.vertexBody[vertex], world.triangleBody[triangle]);
  }
};

struct EdgeMeetsEdge {
  WorldView world;
  TS_HD bool operator()(int a, int b) const {
    return world.edgeBody[a] < world.edgeBody[b] && canCollide(world, world.edgeBody[a], world.edgeBody[b]);
  }
};

struct VertexMeetsSurface {
  WorldView world;
  bool openSurfaces;
  TS_HD bool operator()(int vertex, int surface) const {
    return (openSurfaces || world.surfaceClosed[surface]) &&
           canCollide(world, world.vertexBody[vertex], world.surfaceBody[surface]);
  }
};

struct WritePairs {  // behind what two other lists have written
  const IndexPair* pairs;
  FeaturePairKind kind;
  Extent before, andBefore;
  FeaturePair* out;
  TS_HD void operator()(int index) const {
    out[before.size() + andBefore.size() + index] = {kind, pairs[index].first, pairs[index].second};
  }
};

}  // namespace detail

/// Finds pairs of surface features whose boxes, swept from the start to the predicted pose, overlap. Keeps
/// its arrays between steps.
template <class Backend>
class FeatureBroadPhase {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// @param margins  [copyCount] boxes are grown by half of it on every side [m]
  CandidateView find(const Backend& backend, const WorldView& world, const double* margins,
                     bool openSurfaces) {
    m_vertexBoxes.resize(world.vertexCount);
    m_triangleBoxes.resize(world.triangleCount);
    m_edgeBoxes.resize(world.edgeCount);
    m_surfaceBoxes.resize(world.surfaceCount);
    forEach(backend, world.vertexCount, detail::SweepVertex{world, margins, m_vertexBoxes.data()});
    forEach(backend, world.triangleCount,
            detail::SweepTriangle{world, m_vertexBoxes.data(), m_triangleBoxes.data()});
    forEach(backend, world.edgeCount, detail::SweepEdge{world, m_vertexBoxes.data(), m_edgeBoxes.data()});
    forEach(backend, world.surfaceCount,
            detail::UniteSurface{world, m_vertexBoxes.data(), m_surfaceBoxes.data()});

    const detail::OwnerOfFeature vertexOwner = detail::ownerOf(world, world.vertexBody);
    m_tree.build(backend, m_triangleBoxes.data(), world.triangleCount,
                 detail::ownerOf(world, world.triangleBody));
    m_tree.findOverlaps(backend, m_vertexBoxes.data(), world.vertexCount, detail::VertexMeetsTriangle{world},
                        m_faces, vertexOwner);
    const detail::OwnerOfFeature edgeOwner = detail::ownerOf(world, world.edgeBody);
    m_tree.build(backend, m_edgeBoxes.data(), world.edgeCount, edgeOwner);
    m_tree.findOverlaps(backend, m_edgeBoxes.data(), world.edgeCount, detail::EdgeMeetsEdge{world}, m_edges,
                        edgeOwner);
    const List<Backend, IndexPair>& planes = m_planes.find(
        backend, world, world.vertexCount, world.vertexBody, m_vertexBoxes.data(), ComesNearPlane{0});
    const Extent faceExtent = m_faces.extent(), edgeExtent = m_edges.extent();
    m_features.resizeTo(backend, faceExtent, edgeExtent, planes.extent());
    FeaturePair* features = m_features.data();
    forEach(backend, faceExtent,
            detail::WritePairs{m_faces.data(), FeaturePairKind::VertexFace, {}, {}, features});
    forEach(backend, edgeExtent,
            detail::WritePairs{m_edges.data(), FeaturePairKind::EdgeEdge, faceExtent, {}, features});
    forEach(
        backend, planes.extent(),
        detail::WritePairs{planes.data(), FeaturePairKind::VertexPlane, faceExtent, edgeExtent, features});

    m_tree.build(backend, m_surfaceBoxes.data(), world.surfaceCount,
                 detail::ownerOf(world, world.surfaceBody));
    m_tree.findOverlaps(backend, m_vertexBoxes.data(), world.vertexCount,
                        detail::VertexMeetsSurface{world, openSurfaces}, m_surfaces, vertexOwner);
    m_vertexSurface.resize(static_cast<std::size_t>(m_surfaces.extent().room));
    forEach(
        backend, m_surfaces.extent(),
        detail::WritePairs{m_surfaces.data(), FeaturePairKind::VertexFace, {}, {}, m_vertexSurface.data()});
    return {features, m_features.extent(), m_vertexSurface.data(), m_surfaces.extent()};
  }

 private:
  Array<Aabb> m_vertexBoxes, m_triangleBoxes, m_edgeBoxes, m_surfaceBoxes;
  BoxTree<Backend> m_tree;
  List<Backend, IndexPair> m_faces, m_edges, m_surfaces;
  PlanePairs<Backend> m_planes;
  List<Backend, FeaturePair> m_features;
  Array<FeaturePair> m_vertexSurface;
};

}  // namespace touchstone
