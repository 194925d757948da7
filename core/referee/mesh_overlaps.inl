#pragma once

#include <cmath>

#include "core/math/count.h"
#include "core/parallel/search.h"
#include "core/parallel/select.h"
#include "core/record/step_record.h"
#include "core/referee/overlap_pairs.inl"
#include "core/world/surface_trees.inl"
#include "core/world/world.h"

namespace touchstone {

/// Many ranges of indices joined into one: index k belongs to the last range that begins at or before it.
struct IndexRanges {
  const int* firsts;  // [count + 1] of all indices
  int count;
  TS_HD int rangeOf(int index) const { return touchstone::rangeOf(firsts, count, index); }
};

/// A closed surface of a body against a plane.
struct SurfaceBelowPlane {
  int plane, firstTriangle;
  Vec3 origin;  ///< on the plane, near the body [m]
  int overlap;  ///< index of the overlap in this step
};

/// The part of a triangle below a plane.
struct ClippedTriangle {
  Vec3 points[4];     ///< m, world
  double volumes[2];  ///< of the one or two triangles with the origin [m³]
  int count = 0;      ///< of points, 3 or 4
  int surface = 0;    ///< index of the SurfaceBelowPlane
};

/// Vertices of a body to test against the closed surfaces of another.
struct VerticesInBody {
  int body, other, firstVertex;
  int overlap;
};

/// The intersection of two bodies' boxes, divided into sample cells.
struct SampleGrid {
  int a, b;
  Vec3 low, step;  ///< corner and cell size [m]
};

/// Cells of a grid whose samples are evaluated together.
struct SampleBlock {
  int grid, cells;  ///< along each axis
  int first[3];     ///< in cells
};

struct SampleOutcome {
  int count = 0;     ///< number of decided samples inside both bodies
  int parts = 0;     ///< parts along each axis into which the block has to be split; 0: decided
  double depth = 0;  ///< depth of the centre [m]
};

namespace detail {

// Samples along each axis; blocks are bisected three times, then split in three. A larger value is slower; a
// smaller one makes sampled volumes coarser. The factors of blocks must stay 2 or 3.
constexpr int kGrid = 24;

/// Clips a triangle at the plane. If the origin is on the plane, the missing cap adds nothing to the volume Σ
/// p0 · (p1 × p2) / 6, which is therefore exact for any closed mesh.
TS_HD inline int clipTriangle(const WorldView& world, const Vec3* points, const SurfaceBelowPlane& surface,
                              int triangle, Vec3 kept[4]) {
  const Vec3 normal = planeNormal(world, surface.plane);
  int count = 0;
  for (int corner = 0; corner < 3; ++corner) {
    const Vec3 p = points[world.triangles[triangle][corner]] - surface.origin;
    const Vec3 q = points[world.triangles[triangle][(corner + 1) % 3]] - surface.origin;
    const double gp = normal.dot(p), gq = normal.dot(q);
    if (gp <= 0) kept[count++] = p;
    if ((gp < 0 && gq > 0) || (gp > 0 && gq < 0)) kept[count++] = p + gp / (gp - gq) * (q - p);
  }
  return count;
}

struct TriangleIsBelow {
  WorldView world;
  const Vec3* points;
  IndexRanges ranges;
  const SurfaceBelowPlane* surfaces;
  TS_HD bool operator()(int index) const {
    const int range = ranges.rangeOf(index);
    Vec3 kept[4];
    return clipTriangle(world, points, surfaces[range],
                        surfaces[range].firstTriangle + index - ranges.firsts[range], kept) >= 3;
  }
};

struct ClipTriangles {
  WorldView world;
  const Vec3* points;
  IndexRanges ranges;
  const SurfaceBelowPlane* surfaces;
  const int* chosen;  // indices of triangles that reach below the plane
  ClippedTriangle* out;
  TS_HD void operator()(int place) const {
    const int index = chosen[place], range = ranges.rangeOf(index);
    const SurfaceBelowPlane& surface = surfaces[range];
    ClippedTriangle result;
    Vec3 kept[4];
    result.surface = range;
    result.count =
        clipTriangle(world, points, surface, surface.firstTriangle + index - ranges.firsts[range], kept);
    for (int k = 0; k < result.count; ++k) result.points[k] = surface.origin + kept[k];
    for (int k = 1; k + 1 < result.count; ++k)
      result.volumes[k - 1] = kept[0].dot(kept[k].cross(kept[k + 1])) / 6;
    out[place] = result;
  }
};

/// Closed surfaces of all bodies, for distances.
struct BodySurfaces {
  WorldView world;
  const MeshTreeView* trees;    // [surfaceCount]
  const int* bodyFirstSurface;  // [bodyCount + 1]
  /// Distance of a world point to the closed surfaces of a body [m], negative inside any of them.
  TS_HD double distance(int body, const Vec3& point) const {
    double nearest = HUGE_VAL;
    for (int surface = bodyFirstSurface[body]; surface < bodyFirstSurface[body + 1]; ++surface) {
      if (!world.surfaceClosed[surface]) continue;
      const ClosestPoint closest =
          closestOn(trees[surface], world.position[body], world.orientation[body], point).closest;
      const double distance =
          closest.inside ? -std::sqrt(closest.squaredDistance) : std::sqrt(closest.squaredDistance);
      if (distance < nearest) nearest = distance;
    }
    return nearest;
  }
};

struct DepthOfVertex {
  BodySurfaces surfaces;
  const Vec3* points;
  const Aabb* boxes;  // [bodyCount]
  IndexRanges ranges;
  const VerticesInBody* pairs;
  double* depths;  // m
  TS_HD void operator()(int index) const {
    const int range = ranges.rangeOf(index);
    const VerticesInBody& pair = pairs[range];
    const Vec3& point = points[pair.firstVertex + index - ranges.firsts[range]];
    Aabb box;
    box.add(point);
    const double distance = overlap(box, boxes[pair.other]) ? surfaces.distance(pair.other, point) : 0;
    depths[index] = distance < 0 ? -distance : 0;
  }
};

/// A block that lies on one side of both surfaces is not split. The count is that of all samples, and only
/// blocks near the surfaces cost time.
struct VisitBlock {
  BodySurfaces surfaces;
  const SampleGrid* grids;
  const SampleBlock* blocks;
  SampleOutcome* outcomes;
  int* counts;  // number of blocks into which each block is split
  TS_HD void operator()(int index) const {
    const SampleBlock& block = blocks[index];
    const SampleOutcome outcome = visit(block, grids[block.grid]);
    outcomes[index] = outcome;
    counts[index] = outcome.parts * outcome.parts * outcome.parts;
  }
  TS_HD SampleOutcome visit(const SampleBlock& block, const SampleGrid& grid) const {
    SampleOutcome outcome;
    const Vec3 first(block.first[0], block.first[1], block.first[2]);
    const Vec3 centre = grid.low + (first + Vec3::Constant(0.5 * block.cells)).cwiseProduct(grid.step);
    const double radius = 0.5 * (block.cells - 1) * grid.step.norm();
    const double toA = surfaces.distance(grid.a, centre);
    if (toA >= radius) return outcome;
    const double toB = surfaces.distance(grid.b, centre);
    if (toB >= radius) return outcome;
    if (toA < 0 && toB < 0) outcome.depth = -toA - toB;
    if (toA < -radius && toB < -radius) {
      outcome.count = block.cells * block.cells * block.cells;
    } else if (block.cells > 1) {
      outcome.parts = block.cells % 2 == 0 ? 2 : block.cells;
    }
    return outcome;
  }
};

struct OpenBlock {
  const SampleBlock* blocks;
  const SampleOutcome* outcomes;
  const int* offsets;
  SampleBlock* out;
  TS_HD void operator()(int index) const {
    const SampleBlock& block = blocks[index];
    const int parts = outcomes[index].parts, size = parts > 0 ? block.cells / parts : 0;
    SampleBlock* next = out + offsets[index];
    for (int i = 0; i < parts; ++i)
      for (int j = 0; j < parts; ++j)
        for (int k = 0; k < parts; ++k)
          *next++ = {block.grid,
                     size,
                     {block.first[0] + size * i, block.first[1] + size * j, block.first[2] + size * k}};
  }
};

}  // namespace detail

/// Overlaps of meshes without convex pieces: exact with planes, and from distances at vertices and samples
/// with other bodies. For every point in both bodies the sum of its distances to both surfaces is a lower
/// bound of the depth: one ball with such a radius is in A, the other in B, so that no motion shorter than
/// the sum separates the bodies. Keeps its arrays between calls.
template <class Backend>
class MeshOverlaps {
 public:
  MeshOverlaps(const Backend& backend, const World& world) : m_trees(backend, *world.scene) {
    m_firstSurface = firstOfEachBody(world.surface->surfaceBody, world.orientation.size());
    backend.upload(m_firstSurface.data(), m_firstSurface.size(), m_bodyFirstSurface);
  }

  void clear() {
    m_below.clear();
    m_inBody.clear();
    m_grids.clear();
    m_gridOverlap.clear();
  }

  /// Adds a body and a plane; measure() measures the parts below the plane.
  void addPlane(const World& world, int body, int plane, int overlap) {
    const SurfaceTopology& surface = *world.surface;
    const HalfSpace space = halfSpaceOf(viewOf(world), plane);
    const Vec3& centre = world.position[body];
    const Vec3 origin = centre + (space.offset - space.normal.dot(centre)) * space.normal;
    for (int k = m_firstSurface[body]; k < m_firstSurface[body + 1]; ++k)
      if (surface.surfaceClosed[k])
        m_below.push_back({plane, surface.surfaceFirstTriangle[k], origin, overlap});
  }
  /// @param boxes  boxes of all bodies
  void addPair(const std::vector<Aabb>& boxes, const OverlapPairs<Backend>& pairs, int a, int b,
               int overlap) {
    const Vec3 low = boxes[a].low.cwiseMax(boxes[b].low);
    const Vec3 step = (boxes[a].high.cwiseMin(boxes[b].high) - low) / detail::kGrid;
    m_grids.push_back({a, b, low, step});
    m_gridOverlap.push_back(overlap);
    m_inBody.push_back({a, b, pairs.firstVertex(a), overlap});
    m_inBody.push_back({b, a, pairs.firstVertex(b), overlap});
  }

  void measure(const Backend& backend, const World& world, const WorldView& view,
               const OverlapPairs<Backend>& pairs, std::vector<Overlap>& overlaps) {
    if (!m_below.empty()) measureBelow(backend, world, view, pairs, overlaps);
    if (m_grids.empty()) return;
    m_trees.refit(backend, pairs.points());
    const detail::BodySurfaces surfaces{view, m_trees.views(), m_bodyFirstSurface.data()};
    takeSamples(backend, surfaces, overlaps);
    measureVertices(backend, surfaces, pairs, overlaps);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  template <class Size>
  IndexRanges sendRanges(const Backend& backend, int count, const Size& sizeOf) {
    m_firsts.assign(1, 0);
    for (int range = 0; range < count; ++range) m_firsts.push_back(m_firsts.back() + sizeOf(range));
    backend.upload(m_firsts.data(), m_firsts.size(), m_rangeFirsts);
    return {m_rangeFirsts.data(), count};
  }

  void measureBelow(const Backend& backend, const World& world, const WorldView& view,
                    const OverlapPairs<Backend>& pairs, std::vector<Overlap>& overlaps) {
    const std::vector<int>& firstTriangle = world.surface->surfaceFirstTriangle;
    const IndexRanges ranges = sendRanges(backend, countOf(m_below), [&](int range) {
      const int first = m_below[range].firstTriangle;
      return *std::upper_bound(firstTriangle.begin(), firstTriangle.end(), first) - first;
    });
    backend.upload(m_below.data(), m_below.size(), m_belowOnDevice);
    const List<Backend, int>& chosen =
        m_chosen.select(backend, {m_firsts.back(), nullptr},
                        detail::TriangleIsBelow{view, pairs.points(), ranges, m_belowOnDevice.data()});
    const int count = chosen.size();
    m_clipped.resize(count);
    forEach(backend, count,
            detail::ClipTriangles{view, pairs.points(), ranges, m_belowOnDevice.data(), chosen.data(),
                                  m_clipped.data()});
    std::vector<ClippedTriangle> clipped(count);
    backend.download(m_clipped.data(), clipped.size(), clipped.data());
    for (const ClippedTriangle& part : clipped) {
      Overlap& overlap = overlaps[m_below[part.surface].overlap];
      const int first = countOf(overlap.vertices);
      overlap.vertices.insert(overlap.vertices.end(), part.points, part.points + part.count);
      for (int k = 1; k + 1 < part.count; ++k) {
        overlap.volume += part.volumes[k - 1];
        overlap.triangles.push_back({first, first + k, first + k + 1});
      }
    }
  }

  void takeSamples(const Backend& backend, const detail::BodySurfaces& surfaces,
                   std::vector<Overlap>& overlaps) {
    std::vector<int> counts(m_grids.size(), 0);
    std::vector<SampleBlock> blocks;
    for (std::size_t grid = 0; grid < m_grids.size(); ++grid)
      blocks.push_back({static_cast<int>(grid), detail::kGrid, {0, 0, 0}});
    backend.upload(m_grids.data(), m_grids.size(), m_gridsOnDevice);
    backend.upload(blocks.data(), blocks.size(), m_blocks);
    std::vector<SampleOutcome> outcomes;
    for (int count = countOf(blocks); count > 0;) {
      m_outcomes.resize(count);
      m_offsets.resize(count + 1);
      forEach(backend, count,
              detail::VisitBlock{surfaces, m_gridsOnDevice.data(), m_blocks.data(), m_outcomes.data(),
                                 m_offsets.data()},
              Work::Heavy);
      const int opened = offsetsOf(backend, count, m_offsets.data());
      m_opened.resize(opened);
      if (opened > 0)
        forEach(backend, count,
                detail::OpenBlock{m_blocks.data(), m_outcomes.data(), m_offsets.data(), m_opened.data()});
      outcomes.resize(count);
      blocks.resize(count);
      backend.download(m_outcomes.data(), outcomes.size(), outcomes.data());
      backend.download(m_blocks.data(), blocks.size(), blocks.data());
      for (int index = 0; index < count; ++index) {
        const int grid = blocks[index].grid;
        counts[grid] += outcomes[index].count;
        Overlap& overlap = overlaps[m_gridOverlap[grid]];
        overlap.depth = std::max(overlap.depth, outcomes[index].depth);
      }
      std::swap(m_blocks, m_opened);
      count = opened;
    }
    for (std::size_t grid = 0; grid < m_grids.size(); ++grid)
      overlaps[m_gridOverlap[grid]].volume = counts[grid] * m_grids[grid].step.prod();
  }

  /// Finds the deepest vertex of each body in the closed surfaces of the other.
  void measureVertices(const Backend& backend, const detail::BodySurfaces& surfaces,
                       const OverlapPairs<Backend>& pairs, std::vector<Overlap>& overlaps) {
    const IndexRanges ranges = sendRanges(backend, countOf(m_inBody), [&](int range) {
      return pairs.firstVertex(m_inBody[range].body + 1) - m_inBody[range].firstVertex;
    });
    backend.upload(m_inBody.data(), m_inBody.size(), m_inBodyOnDevice);
    const int count = m_firsts.back();
    m_depths.resize(count);
    forEach(backend, count,
            detail::DepthOfVertex{surfaces, pairs.points(), pairs.boxes(), ranges, m_inBodyOnDevice.data(),
                                  m_depths.data()},
            Work::Heavy);
    std::vector<double> depths(count);
    backend.download(m_depths.data(), depths.size(), depths.data());
    for (std::size_t range = 0; range < m_inBody.size(); ++range) {
      Overlap& overlap = overlaps[m_inBody[range].overlap];
      for (int index = m_firsts[range]; index < m_firsts[range + 1]; ++index)
        overlap.depth = std::max(overlap.depth, depths[index]);
    }
  }

  SurfaceTreesOn<Backend> m_trees;
  std::vector<int> m_firstSurface;  ///< [bodyCount + 1]
  Array<int> m_bodyFirstSurface;
  std::vector<SurfaceBelowPlane> m_below;
  std::vector<VerticesInBody> m_inBody;
  std::vector<SampleGrid> m_grids;
  std::vector<int> m_gridOverlap;  ///< [gridCount] index of the overlap in this step
  std::vector<int> m_firsts;       ///< begins of the last ranges that were sent
  Array<int> m_rangeFirsts, m_offsets;
  Array<SurfaceBelowPlane> m_belowOnDevice;
  Selection<Backend> m_chosen;
  Array<ClippedTriangle> m_clipped;
  Array<VerticesInBody> m_inBodyOnDevice;
  Array<double> m_depths;
  Array<SampleGrid> m_gridsOnDevice;
  Array<SampleBlock> m_blocks, m_opened;
  Array<SampleOutcome> m_outcomes;
};

}  // namespace touchstone
