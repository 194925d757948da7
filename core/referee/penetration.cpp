#include "core/referee/penetration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "core/geometry/box_overlaps.h"
#include "core/geometry/polytope_overlap.h"
#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {

constexpr int kGrid = 24;  // samples along each axis; halved three times, then split in three

bool isPlane(const World& world, int body) {
  return world.scene->bodies[body].shape->kind == Shape::Kind::Plane;
}

/// Geometry of the bodies as they stand at the end of a frame.
struct Placement {
  const World& world;
  const std::vector<std::shared_ptr<const MeshTree>>& trees;
  std::vector<int> firstSurface;                    ///< [bodyCount + 1]
  std::vector<Aabb> boxes;                          ///< [bodyCount] empty for planes and inactive bodies
  std::vector<std::vector<PlacedPolytope>> pieces;  ///< [bodyCount] filled for bodies in a pair
  std::vector<std::vector<Aabb>> pieceBoxes;        ///< as `pieces`

  Vec3 point(int vertex) const {
    const int body = world.surface->vertexBody[vertex];
    return worldPoint(world.position[body], world.orientation[body], world.surface->vertexLocal[vertex]);
  }
  Vec3 local(int body, const Vec3& point) const {
    return world.orientation[body].conjugate() * Vec3(point - world.position[body]);
  }
  int firstVertex(int body) const { return world.surface->surfaceFirstVertex[firstSurface[body]]; }
};

Placement place(const World& world, const std::vector<std::shared_ptr<const MeshTree>>& trees) {
  const SurfaceTopology& surface = *world.surface;
  const int count = static_cast<int>(world.position.size());
  Placement placement{world, trees, std::vector<int>(count + 1, 0), {}, {}, {}};
  for (int body : surface.surfaceBody) ++placement.firstSurface[body + 1];
  for (int body = 0; body < count; ++body) placement.firstSurface[body + 1] += placement.firstSurface[body];
  placement.boxes.resize(count);
  placement.pieces.resize(count);
  placement.pieceBoxes.resize(count);
  parallelFor(count, [&](int body) {
    if (!world.active[body]) return;
    for (int vertex = placement.firstVertex(body); vertex < placement.firstVertex(body + 1); ++vertex)
      placement.boxes[body].add(placement.point(vertex));
  });
  return placement;
}

/// Places the pieces of all bodies that occur in a pair.
void placePieces(const std::vector<std::pair<int, int>>& pairs, Placement& placement) {
  const World& world = placement.world;
  std::vector<unsigned char> needed(world.position.size(), 0);
  for (const auto& [a, b] : pairs) needed[a] = needed[b] = 1;
  parallelFor(static_cast<int>(needed.size()), [&](int body) {
    if (!needed[body]) return;
    for (const Polytope& piece : world.scene->bodies[body].shape->pieces) {
      placement.pieces[body].push_back(placed(piece, world.position[body], world.orientation[body]));
      Aabb box;
      for (const Vec3& vertex : placement.pieces[body].back().vertices) box.add(vertex);
      placement.pieceBoxes[body].push_back(box);
    }
  });
}

// ---- convex pieces

void join(const Intersection& part, Overlap& overlap) {
  const int first = static_cast<int>(overlap.vertices.size());
  overlap.volume += part.volume;
  overlap.vertices.insert(overlap.vertices.end(), part.vertices.begin(), part.vertices.end());
  for (const auto& t : part.triangles)
    overlap.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

void overlapPieces(const Placement& placement, Overlap& overlap) {
  const auto &a = placement.pieces[overlap.bodyA], &b = placement.pieces[overlap.bodyB];
  const auto &boxesA = placement.pieceBoxes[overlap.bodyA], &boxesB = placement.pieceBoxes[overlap.bodyB];
  for (std::size_t pieceA = 0; pieceA < a.size(); ++pieceA)
    for (std::size_t pieceB = 0; pieceB < b.size(); ++pieceB) {
      if (!touchstone::overlap(boxesA[pieceA], boxesB[pieceB])) continue;
      const double gap = separation(a[pieceA], b[pieceB]);
      if (gap >= 0) continue;
      overlap.depth = std::max(overlap.depth, -gap);
      join(intersection(a[pieceA], b[pieceB]), overlap);
    }
}

// ---- meshes without pieces

/// Distance of a point to a surface [m], negative inside.
double signedDistance(const MeshTree& tree, const Vec3& local) {
  const SurfacePoint at = tree.closest(local);
  return at.inside ? -std::sqrt(at.squaredDistance) : std::sqrt(at.squaredDistance);
}

/// Deepest vertex of body a inside a closed surface of body b.
double deepestVertex(const Placement& placement, int a, int b) {
  const Aabb& box = placement.boxes[b];
  double depth = 0;
  for (int vertex = placement.firstVertex(a); vertex < placement.firstVertex(a + 1); ++vertex) {
    const Vec3 point = placement.point(vertex);
    if ((point.array() < box.low.array()).any() || (point.array() > box.high.array()).any()) continue;
    const Vec3 local = placement.local(b, point);
    for (int surface = placement.firstSurface[b]; surface < placement.firstSurface[b + 1]; ++surface)
      if (placement.world.surface->surfaceClosed[surface])
        depth = std::max(depth, -signedDistance(*placement.trees[surface], local));
  }
  return depth;
}

/// Distance of a world point to the closed surfaces of a body [m], negative inside any of them.
double signedDistance(const Placement& placement, int body, const Vec3& point) {
  const Vec3 local = placement.local(body, point);
  double nearest = std::numeric_limits<double>::infinity();
  for (int surface = placement.firstSurface[body]; surface < placement.firstSurface[body + 1]; ++surface)
    if (placement.world.surface->surfaceClosed[surface])
      nearest = std::min(nearest, signedDistance(*placement.trees[surface], local));
  return nearest;
}

/// Samples that lie in both bodies, as a tree of blocks of cells: a block that lies on one side of both
/// surfaces is not opened, so that the count is that of all samples at the cost of those near the surfaces.
struct Samples {
  const Placement& placement;
  int a, b;
  Vec3 low, step;  ///< corner and cell size of the grid [m]
  int count = 0;   ///< cells whose centre is in both
  double depth =
      0;  ///< largest sum of the distances to both surfaces at a point in both that was visited [m]

  void visit(const Vec3& first, int cells) {  // `first` counts cells from `low`
    const Vec3 centre = low + (first + Vec3::Constant(0.5 * cells)).cwiseProduct(step);
    const double radius = 0.5 * (cells - 1) * step.norm();
    const double toA = signedDistance(placement, a, centre);
    if (toA >= radius) return;
    const double toB = signedDistance(placement, b, centre);
    if (toB >= radius) return;
    if (toA < 0 && toB < 0) depth = std::max(depth, -toA - toB);
    if (toA < -radius && toB < -radius) {
      count += cells * cells * cells;
      return;
    }
    const int parts = cells % 2 == 0 ? 2 : cells, size = cells / parts;
    for (int i = 0; i < parts; ++i)
      for (int j = 0; j < parts; ++j)
        for (int k = 0; k < parts; ++k) visit(first + size * Vec3(i, j, k), size);
  }
};

/// Of a pair with a mesh without pieces. For every point in both bodies the sum of its distances to both
/// surfaces is a lower bound of the depth: the ball of one distance is in A, that of the other in B, so that
/// no motion shorter than the sum separates them. Tried at vertices (0 to their own surface) and samples.
void overlapMeshes(const Placement& placement, Overlap& overlap) {
  const int a = overlap.bodyA, b = overlap.bodyB;
  const Vec3 low = placement.boxes[a].low.cwiseMax(placement.boxes[b].low);
  const Vec3 step = (placement.boxes[a].high.cwiseMin(placement.boxes[b].high) - low) / kGrid;
  Samples samples{placement, a, b, low, step};
  samples.visit(Vec3::Zero(), kGrid);
  overlap.volume = samples.count * step.prod();
  overlap.depth = std::max({samples.depth, deepestVertex(placement, a, b), deepestVertex(placement, b, a)});
}

// ---- planes

struct HalfSpace {
  Vec3 normal;
  double offset;  ///< filled where normal · x ≤ offset [m]
};

HalfSpace halfSpaceOf(const World& world, int plane) {
  const Vec3 normal = world.orientation[plane] * world.scene->bodies[plane].shape->planeNormal;
  return {normal, normal.dot(world.position[plane])};
}

bool reaches(const Aabb& box, const HalfSpace& space) {
  const Vec3 lowest = (space.normal.array() > 0).select(box.low, box.high);
  return box.low.x() <= box.high.x() && space.normal.dot(lowest) < space.offset;
}

/// The part of a closed surface in a half-space. From an origin on the plane the missing cap adds nothing to
/// the volume Σ p0 · (p1 × p2) / 6, which is therefore exact for any closed mesh.
void joinPartOfMesh(const Placement& placement, int surface, const HalfSpace& space, const Vec3& origin,
                    Overlap& overlap) {
  const SurfaceTopology& topology = *placement.world.surface;
  std::vector<Vec3> kept;
  for (int triangle = topology.surfaceFirstTriangle[surface];
       triangle < topology.surfaceFirstTriangle[surface + 1]; ++triangle) {
    kept.clear();
    for (int corner = 0; corner < 3; ++corner) {
      const Vec3 p = placement.point(topology.triangles[triangle][corner]) - origin;
      const Vec3 q = placement.point(topology.triangles[triangle][(corner + 1) % 3]) - origin;
      const double gp = space.normal.dot(p), gq = space.normal.dot(q);
      if (gp <= 0) kept.push_back(p);
      if ((gp < 0 && gq > 0) || (gp > 0 && gq < 0)) kept.push_back(p + gp / (gp - gq) * (q - p));
    }
    if (kept.size() < 3) continue;
    const int first = static_cast<int>(overlap.vertices.size());
    for (const Vec3& point : kept) overlap.vertices.push_back(origin + point);
    for (int corner = 1; corner + 1 < static_cast<int>(kept.size()); ++corner) {
      overlap.volume += kept[0].dot(kept[corner].cross(kept[corner + 1])) / 6;
      overlap.triangles.push_back({first, first + corner, first + corner + 1});
    }
  }
}

void overlapWithPlane(const Placement& placement, int body, int plane, Overlap& overlap) {
  const HalfSpace space = halfSpaceOf(placement.world, plane);
  for (int vertex = placement.firstVertex(body); vertex < placement.firstVertex(body + 1); ++vertex)
    overlap.depth = std::max(overlap.depth, space.offset - space.normal.dot(placement.point(vertex)));
  if (!(overlap.depth > 0)) return;
  for (const PlacedPolytope& piece : placement.pieces[body])
    join(partBelow(piece, space.normal, space.offset), overlap);
  if (!placement.pieces[body].empty()) return;
  const Vec3& centre = placement.world.position[body];
  const Vec3 origin = centre + (space.offset - space.normal.dot(centre)) * space.normal;
  for (int surface = placement.firstSurface[body]; surface < placement.firstSurface[body + 1]; ++surface)
    if (placement.world.surface->surfaceClosed[surface])
      joinPartOfMesh(placement, surface, space, origin, overlap);
}

// ---- pairs

/// Pairs of bodies whose boxes overlap, and of bodies and planes that they reach; sorted, a < b.
std::vector<std::pair<int, int>> pairsOf(const Placement& placement) {
  const World& world = placement.world;
  std::vector<int> copies;
  for (const Body& body : world.scene->bodies) copies.push_back(body.copy);
  std::vector<std::pair<int, int>> pairs = findBoxOverlaps(
      placement.boxes, copies, [&](int a, int b) { return a < b && canCollide(world, a, b); });
  std::vector<HalfSpace> spaces;
  for (int plane : world.surface->planes) spaces.push_back(halfSpaceOf(world, plane));
  for (int body = 0; body < static_cast<int>(world.position.size()); ++body) {
    const int first = world.surface->copyFirstPlane[copies[body]],
              end = world.surface->copyFirstPlane[copies[body] + 1];
    for (int k = first; k < end; ++k) {
      const int plane = world.surface->planes[k];
      if (canCollide(world, body, plane) && !isPlane(world, body) &&
          reaches(placement.boxes[body], spaces[k]))
        pairs.emplace_back(std::min(body, plane), std::max(body, plane));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Fills depth, volume and surface of a pair.
/// @return true if the volume comes from samples
bool measurePair(const Placement& placement, Overlap& overlap) {
  const int a = overlap.bodyA, b = overlap.bodyB;
  if (isPlane(placement.world, a) || isPlane(placement.world, b)) {
    const int plane = isPlane(placement.world, a) ? a : b;
    overlapWithPlane(placement, a + b - plane, plane, overlap);
    return false;
  }
  if (!placement.pieces[a].empty() && !placement.pieces[b].empty()) {
    overlapPieces(placement, overlap);
    return false;
  }
  overlapMeshes(placement, overlap);
  return overlap.depth > 0;
}

}  // namespace

std::vector<std::shared_ptr<const MeshTree>> treesForOverlaps(const Scene& scene) {
  const auto needsSamples = [](const Body& body) {
    return body.shape->kind != Shape::Kind::Plane && body.shape->pieces.empty();
  };
  std::vector<std::shared_ptr<const MeshTree>> trees;
  if (std::none_of(scene.bodies.begin(), scene.bodies.end(), needsSamples)) return trees;
  std::map<const TriangleMesh*, std::shared_ptr<const MeshTree>> known;
  for (const Body& body : scene.bodies)
    for (const TriangleMesh& mesh : body.shape->surfaces) {
      std::shared_ptr<const MeshTree>& tree = known[&mesh];
      if (!tree) tree = std::make_shared<const MeshTree>(mesh);
      trees.push_back(tree);
    }
  return trees;
}

std::vector<Overlap> findOverlaps(const World& world,
                                  const std::vector<std::shared_ptr<const MeshTree>>& trees, bool& sampled) {
  Placement placement = place(world, trees);
  const std::vector<std::pair<int, int>> pairs = pairsOf(placement);
  placePieces(pairs, placement);

  std::vector<Overlap> all(pairs.size());
  std::vector<unsigned char> usedSamples(pairs.size(), 0);
  parallelFor(static_cast<int>(pairs.size()), [&](int index) {
    std::tie(all[index].bodyA, all[index].bodyB) = pairs[index];
    usedSamples[index] = measurePair(placement, all[index]);
  });
  sampled = std::count(usedSamples.begin(), usedSamples.end(), 1) > 0;
  all.erase(
      std::remove_if(all.begin(), all.end(), [](const Overlap& overlap) { return !(overlap.depth > 0); }),
      all.end());
  return all;
}

}  // namespace touchstone
