#include "core/contact/broad_phase.h"

#include <algorithm>

#include "core/geometry/box_tree.h"

namespace touchstone {

namespace {

/// Boxes of all surface features over the step; empty for bodies that take no part.
struct FeatureBoxes {
  std::vector<Aabb> vertices, triangles, edges, surfaces;
};

Aabb sweptVertex(const World& world, int vertex, double margin) {
  Aabb box;
  if (!world.active[world.surface->vertexBody[vertex]]) return box;
  box.add(world.vertexStart[vertex]);
  box.add(world.vertexPredicted[vertex]);
  box.grow(margin);
  return box;
}

template <std::size_t N>
void uniteVertices(const std::vector<std::array<int, N>>& features, const std::vector<Aabb>& vertices,
                   std::vector<Aabb>& boxes) {
  boxes.resize(features.size());
  parallelFor(static_cast<int>(features.size()), [&](int feature) {
    Aabb box;
    for (int vertex : features[feature]) box.add(vertices[vertex]);
    boxes[feature] = box;
  });
}

FeatureBoxes sweptFeatures(const World& world, double margin) {
  const SurfaceTopology& surface = *world.surface;
  FeatureBoxes boxes;
  boxes.vertices.resize(surface.vertexLocal.size());
  parallelFor(static_cast<int>(boxes.vertices.size()),
              [&](int vertex) { boxes.vertices[vertex] = sweptVertex(world, vertex, 0.5 * margin); });
  uniteVertices(surface.triangles, boxes.vertices, boxes.triangles);
  uniteVertices(surface.edges, boxes.vertices, boxes.edges);
  boxes.surfaces.resize(surface.surfaceBody.size());
  for (std::size_t id = 0; id < boxes.surfaces.size(); ++id)
    for (int vertex = surface.surfaceFirstVertex[id]; vertex < surface.surfaceFirstVertex[id + 1]; ++vertex)
      boxes.surfaces[id].add(boxes.vertices[vertex]);
  return boxes;
}

template <class Accept>
void append(const std::vector<Aabb>& boxes, const std::vector<Aabb>& queries, FeaturePairKind kind,
            const Accept& accept, std::vector<FeaturePair>& out) {
  BoxTree tree;
  tree.build(boxes);
  std::vector<std::pair<int, int>> pairs;
  tree.findOverlaps(queries, accept, pairs);
  for (const auto& pair : pairs) out.push_back({kind, pair.first, pair.second});
}

void appendPlanes(const World& world, const FeatureBoxes& boxes, std::vector<FeaturePair>& out) {
  const SurfaceTopology& surface = *world.surface;
  for (std::size_t vertex = 0; vertex < surface.vertexBody.size(); ++vertex)
    for (int plane : surface.planes) {
      if (!canCollide(world, surface.vertexBody[vertex], plane)) continue;
      const Vec3 normal = world.orientation[plane] * world.scene->bodies[plane].shape->planeNormal;
      const Aabb& box = boxes.vertices[vertex];
      const Vec3 deepest = (normal.array() > 0).select(box.low, box.high);
      if (normal.dot(deepest - world.position[plane]) <= 0)
        out.push_back({FeaturePairKind::VertexPlane, static_cast<int>(vertex), plane});
    }
}

void findFeatures(const World& world, const FeatureBoxes& boxes, std::vector<FeaturePair>& out) {
  const SurfaceTopology& surface = *world.surface;
  append(
      boxes.triangles, boxes.vertices, FeaturePairKind::VertexFace,
      [&](int vertex, int triangle) {
        return canCollide(world, surface.vertexBody[vertex], surface.triangleBody[triangle]);
      },
      out);
  append(
      boxes.edges, boxes.edges, FeaturePairKind::EdgeEdge,
      [&](int a, int b) {
        return surface.edgeBody[a] < surface.edgeBody[b] && surface.edgeSharp[a] && surface.edgeSharp[b] &&
               canCollide(world, surface.edgeBody[a], surface.edgeBody[b]);
      },
      out);
  appendPlanes(world, boxes, out);
  std::sort(out.begin(), out.end());
}

void findVertexSurfaces(const World& world, const FeatureBoxes& boxes, bool openSurfaces,
                        std::vector<FeaturePair>& out) {
  const SurfaceTopology& surface = *world.surface;
  append(
      boxes.surfaces, boxes.vertices, FeaturePairKind::VertexFace,
      [&](int vertex, int id) {
        return (openSurfaces || surface.surfaceClosed[id]) &&
               canCollide(world, surface.vertexBody[vertex], surface.surfaceBody[id]);
      },
      out);
}

Aabb sweptPiece(const World& world, int body, const Polytope& piece, double margin) {
  Aabb box;
  if (!world.active[body]) return box;
  for (const Vec3& vertex : piece.vertices) {
    box.add(worldPoint(world.position[body], world.orientation[body], vertex));
    box.add(worldPoint(world.predictedPosition[body], world.predictedOrientation[body], vertex));
  }
  box.grow(margin);
  return box;
}

void findPieces(const World& world, double margin, std::vector<PiecePair>& out) {
  const PieceTable& table = *world.pieces;
  std::vector<Aabb> boxes(table.body.size());
  for (std::size_t piece = 0; piece < boxes.size(); ++piece)
    boxes[piece] =
        sweptPiece(world, table.body[piece],
                   world.scene->bodies[table.body[piece]].shape->pieces[table.index[piece]], 0.5 * margin);
  BoxTree tree;
  tree.build(boxes);
  std::vector<std::pair<int, int>> pairs;
  tree.findOverlaps(
      boxes,
      [&](int a, int b) {
        return table.body[a] < table.body[b] && canCollide(world, table.body[a], table.body[b]);
      },
      pairs);
  for (const auto& pair : pairs) out.push_back({pair.first, pair.second, -1});
  for (std::size_t piece = 0; piece < boxes.size(); ++piece)
    for (int plane : world.surface->planes) {
      if (!canCollide(world, table.body[piece], plane)) continue;
      const Vec3 normal = world.orientation[plane] * world.scene->bodies[plane].shape->planeNormal;
      const Vec3 deepest = (normal.array() > 0).select(boxes[piece].low, boxes[piece].high);
      if (normal.dot(deepest - world.position[plane]) <= 0.5 * margin)
        out.push_back({static_cast<int>(piece), -1, plane});
    }
}

}  // namespace

void findCandidates(const World& world, const CandidateNeeds& needs, Candidates& candidates) {
  candidates.features.clear();
  candidates.vertexSurface.clear();
  candidates.pieces.clear();
  if (needs.features || needs.vertexSurface) {
    const FeatureBoxes boxes = sweptFeatures(world, needs.margin);
    if (needs.features) findFeatures(world, boxes, candidates.features);
    if (needs.vertexSurface) findVertexSurfaces(world, boxes, needs.openSurfaces, candidates.vertexSurface);
  }
  if (needs.pieces) findPieces(world, needs.margin, candidates.pieces);
}

}  // namespace touchstone
