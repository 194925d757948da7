#include "core/referee/penetration.h"

#include <algorithm>
#include <cmath>

#include "core/geometry/box_tree.h"
#include "core/geometry/polytope_overlap.h"

namespace touchstone {

namespace {

constexpr int kGrid = 20;  // samples along each axis of the boxes' intersection

/// Geometry of the bodies as they stand at the end of a frame.
struct Placement {
  const World& world;
  const std::vector<std::shared_ptr<const MeshTree>>& trees;
  std::vector<Aabb> boxes;                          ///< [bodyCount] empty for planes and inactive bodies
  std::vector<std::vector<PlacedPolytope>> pieces;  ///< [bodyCount]
};

Placement place(const World& world, const std::vector<std::shared_ptr<const MeshTree>>& trees) {
  Placement placement{world, trees, {}, {}};
  placement.boxes.resize(world.position.size());
  placement.pieces.resize(world.position.size());
  const SurfaceTopology& surface = *world.surface;
  for (std::size_t vertex = 0; vertex < surface.vertexLocal.size(); ++vertex) {
    const int body = surface.vertexBody[vertex];
    if (world.active[body])
      placement.boxes[body].add(
          worldPoint(world.position[body], world.orientation[body], surface.vertexLocal[vertex]));
  }
  for (std::size_t body = 0; body < world.position.size(); ++body)
    if (world.active[body])
      for (const Polytope& piece : world.scene->bodies[body].shape->pieces)
        placement.pieces[body].push_back(placed(piece, world.position[body], world.orientation[body]));
  return placement;
}

void join(const Intersection& part, Overlap& overlap) {
  const int first = static_cast<int>(overlap.vertices.size());
  overlap.volume += part.volume;
  overlap.vertices.insert(overlap.vertices.end(), part.vertices.begin(), part.vertices.end());
  for (const auto& t : part.triangles)
    overlap.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

void overlapPieces(const std::vector<PlacedPolytope>& a, const std::vector<PlacedPolytope>& b,
                   Overlap& overlap) {
  for (const PlacedPolytope& pieceA : a)
    for (const PlacedPolytope& pieceB : b) {
      const double gap = separation(pieceA, pieceB);
      if (gap >= 0) continue;
      overlap.depth = std::max(overlap.depth, -gap);
      join(intersection(pieceA, pieceB), overlap);
    }
}

/// Deepest vertex of body a inside a closed surface of body b.
double deepestVertex(const Placement& placement, int a, int b) {
  const World& world = placement.world;
  const SurfaceTopology& surface = *world.surface;
  double depth = 0;
  for (std::size_t own = 0; own < surface.surfaceBody.size(); ++own) {
    if (surface.surfaceBody[own] != a) continue;
    for (std::size_t other = 0; other < surface.surfaceBody.size(); ++other) {
      if (surface.surfaceBody[other] != b || !surface.surfaceClosed[other]) continue;
      for (int vertex = surface.surfaceFirstVertex[own]; vertex < surface.surfaceFirstVertex[own + 1];
           ++vertex) {
        const Vec3 point = worldPoint(world.position[a], world.orientation[a], surface.vertexLocal[vertex]);
        Aabb dot;
        dot.add(point);
        if (!touchstone::overlap(dot, placement.boxes[b])) continue;
        const SurfacePoint at = placement.trees[other]->closest(world.orientation[b].conjugate() *
                                                                Vec3(point - world.position[b]));
        if (at.inside) depth = std::max(depth, std::sqrt(at.squaredDistance));
      }
    }
  }
  return depth;
}

bool isInside(const Placement& placement, int body, const Vec3& point) {
  const World& world = placement.world;
  const Vec3 local = world.orientation[body].conjugate() * Vec3(point - world.position[body]);
  const SurfaceTopology& surface = *world.surface;
  for (std::size_t id = 0; id < surface.surfaceBody.size(); ++id)
    if (surface.surfaceBody[id] == body && surface.surfaceClosed[id] &&
        placement.trees[id]->closest(local).inside)
      return true;
  return false;
}

double sampledVolume(const Placement& placement, int a, int b) {
  const Vec3 low = placement.boxes[a].low.cwiseMax(placement.boxes[b].low);
  const Vec3 step = (placement.boxes[a].high.cwiseMin(placement.boxes[b].high) - low) / kGrid;
  int hits = 0;
  for (int i = 0; i < kGrid; ++i)
    for (int j = 0; j < kGrid; ++j)
      for (int k = 0; k < kGrid; ++k) {
        const Vec3 point = low + Vec3(i + 0.5, j + 0.5, k + 0.5).cwiseProduct(step);
        if (isInside(placement, a, point) && isInside(placement, b, point)) ++hits;
      }
  return hits * step.prod();
}

void overlapWithPlane(const Placement& placement, int body, int plane, Overlap& overlap) {
  const World& world = placement.world;
  const Vec3 normal = world.orientation[plane] * world.scene->bodies[plane].shape->planeNormal;
  const double offset = normal.dot(world.position[plane]);
  const SurfaceTopology& surface = *world.surface;
  for (std::size_t vertex = 0; vertex < surface.vertexLocal.size(); ++vertex)
    if (surface.vertexBody[vertex] == body)
      overlap.depth = std::max(overlap.depth,
                               offset - normal.dot(worldPoint(world.position[body], world.orientation[body],
                                                              surface.vertexLocal[vertex])));
  if (!(overlap.depth > 0)) return;
  for (const PlacedPolytope& piece : placement.pieces[body]) join(partBelow(piece, normal, offset), overlap);
}

}  // namespace

std::vector<Overlap> findOverlaps(const World& world,
                                  const std::vector<std::shared_ptr<const MeshTree>>& trees, bool& sampled) {
  const Placement placement = place(world, trees);
  BoxTree tree;
  tree.build(placement.boxes);
  std::vector<std::pair<int, int>> pairs;
  tree.findOverlaps(
      placement.boxes, [&](int a, int b) { return a < b && canCollide(world, a, b); }, pairs);
  for (int plane : world.surface->planes)
    for (std::size_t body = 0; body < world.position.size(); ++body)
      if (canCollide(world, static_cast<int>(body), plane))
        pairs.emplace_back(std::min(static_cast<int>(body), plane), std::max(static_cast<int>(body), plane));
  std::sort(pairs.begin(), pairs.end());

  std::vector<Overlap> all(pairs.size());
  std::vector<unsigned char> usedSamples(pairs.size(), 0);
  parallelFor(static_cast<int>(pairs.size()), [&](int index) {
    Overlap& overlap = all[index];
    std::tie(overlap.bodyA, overlap.bodyB) = pairs[index];
    const int a = overlap.bodyA, b = overlap.bodyB;
    const bool planeA = world.scene->bodies[a].shape->kind == Shape::Kind::Plane;
    const bool planeB = world.scene->bodies[b].shape->kind == Shape::Kind::Plane;
    if (planeA || planeB) {
      overlapWithPlane(placement, planeA ? b : a, planeA ? a : b, overlap);
    } else if (!placement.pieces[a].empty() && !placement.pieces[b].empty()) {
      overlapPieces(placement.pieces[a], placement.pieces[b], overlap);
    } else {
      overlap.depth = std::max(deepestVertex(placement, a, b), deepestVertex(placement, b, a));
      if (overlap.depth > 0) {
        overlap.volume = sampledVolume(placement, a, b);
        usedSamples[index] = 1;
      }
    }
  });
  sampled = std::any_of(usedSamples.begin(), usedSamples.end(), [](unsigned char used) { return used != 0; });
  all.erase(
      std::remove_if(all.begin(), all.end(), [](const Overlap& overlap) { return !(overlap.depth > 0); }),
      all.end());
  return all;
}

}  // namespace touchstone
