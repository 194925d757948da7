#include "core/contact/cpf_memory.h"

#include <algorithm>
#include <set>

#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {

constexpr double kSlideTolerance = 1e-6;  // of weights: a vertex this far outside its triangle has slid off
constexpr int kMostWalkSteps = 16;

/// Walks from triangle to triangle until the projection of the vertex lies inside. @return the triangle, or
/// −1: drop
int walk(const World& world, int vertex, int triangle, int side) {
  const SurfaceTopology& surface = *world.surface;
  std::vector<int> visited;
  for (int step = 0; step <= kMostWalkSteps; ++step) {
    visited.push_back(triangle);
    Vec3 rows[4];
    rowsOf(surface, {FeaturePairKind::VertexFace, vertex, triangle}, world.vertexStart, rows);
    const PairMotion motion = motionOf(FeaturePairKind::VertexFace, rows, rows);
    double w[4];
    if (side * motion.gap.c[0] >= 0 || !weightsAt(motion, 0, w)) return -1;
    const int lowest = w[0] <= w[1] ? (w[0] <= w[2] ? 0 : 2) : (w[1] <= w[2] ? 1 : 2);
    if (w[lowest] >= -kSlideTolerance) return triangle;
    triangle = surface.triangleNeighbours[triangle][lowest];
    if (triangle < 0 || std::count(visited.begin(), visited.end(), triangle)) return -1;
  }
  return -1;
}

bool edgesStillMeet(const World& world, const FeaturePair& pair) {
  Vec3 start[4], end[4];
  rowsOf(*world.surface, pair, world.vertexStart, start);
  rowsOf(*world.surface, pair, world.vertexPredicted, end);
  const PairMotion motion = motionOf(FeaturePairKind::EdgeEdge, start, end);
  double w[4];
  return weightsAt(motion, 0, w) && areInside(pair.kind, w, kSlideTolerance) &&
         motion.m(0).dot(motion.m(1)) > 0;
}

/// Vertices below a plane at the start of the step that no entry holds.
void adoptBelowPlanes(const World& world, const Candidates& candidates, CpfMemory& memory) {
  const std::size_t heldCount = memory.size();
  for (const FeaturePair& pair : candidates.features) {
    if (pair.kind != FeaturePairKind::VertexPlane) continue;
    const Vec3 normal = world.orientation[pair.b] * world.scene->bodies[pair.b].shape->planeNormal;
    if (normal.dot(world.vertexStart[pair.a] - world.position[pair.b]) >= 0) continue;
    const auto held = [&pair](const CpfEntry& entry) { return entry.pair == pair; };
    if (std::any_of(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(heldCount), held)) continue;
    CpfEntry entry;
    entry.pair = pair;
    memory.push_back(entry);
  }
}

/// Crossing edges of two surfaces between which no pair of edges is held: a tracked pair that slides past the
/// end of an edge is dropped, and its neighbour, which has crossed already, would never enter.
void adoptCrossingEdges(const World& world, const std::vector<std::shared_ptr<const MeshTree>>& trees,
                        const Candidates& candidates, CpfMemory& memory) {
  const SurfaceTopology& surface = *world.surface;
  std::set<std::pair<int, int>> held;  // surfaces
  for (const CpfEntry& entry : memory)
    if (entry.pair.kind == FeaturePairKind::EdgeEdge)
      held.insert({surface.edgeSurface[entry.pair.a], surface.edgeSurface[entry.pair.b]});
  std::vector<CpfEntry> found(candidates.features.size());
  parallelFor(static_cast<int>(found.size()), [&](int index) {
    const FeaturePair& pair = candidates.features[index];
    CpfEntry& entry = found[index];
    entry.pair.a = -1;
    if (pair.kind != FeaturePairKind::EdgeEdge) return;
    if (held.count({surface.edgeSurface[pair.a], surface.edgeSurface[pair.b]})) return;
    Vec3 rows[4];
    rowsOf(surface, pair, world.vertexStart, rows);
    if (!edgesCross(world, trees, pair, rows, world.position, world.orientation, entry.weights)) return;
    entry.pair = pair;
    entry.side = motionOf(pair.kind, rows, rows).gap.c[0] > 0 ? -1 : 1;
  });
  for (const CpfEntry& entry : found)
    if (entry.pair.a >= 0) memory.push_back(entry);
}

}  // namespace

const CpfEntry* find(const CpfMemory& memory, const FeaturePair& pair) {
  const auto at =
      std::lower_bound(memory.begin(), memory.end(), pair,
                       [](const CpfEntry& entry, const FeaturePair& key) { return entry.pair < key; });
  return at != memory.end() && at->pair == pair ? &*at : nullptr;
}

CpfEntry* find(CpfMemory& memory, const FeaturePair& pair) {
  return const_cast<CpfEntry*>(find(const_cast<const CpfMemory&>(memory), pair));
}

void rowsOf(const SurfaceTopology& surface, const FeaturePair& pair, const std::vector<Vec3>& positions,
            Vec3 rows[4]) {
  if (pair.kind == FeaturePairKind::EdgeEdge) {
    rows[0] = positions[surface.edges[pair.a][0]];
    rows[1] = positions[surface.edges[pair.a][1]];
    rows[2] = positions[surface.edges[pair.b][0]];
    rows[3] = positions[surface.edges[pair.b][1]];
    return;
  }
  rows[0] = positions[pair.a];
  rows[1] = rows[2] = rows[3] = rows[0];
  if (pair.kind == FeaturePairKind::VertexFace)
    for (int corner = 0; corner < 3; ++corner)
      rows[1 + corner] = positions[surface.triangles[pair.b][corner]];
}

std::pair<int, int> bodiesOf(const SurfaceTopology& surface, const FeaturePair& pair) {
  switch (pair.kind) {
    case FeaturePairKind::VertexFace:
      return {surface.vertexBody[pair.a], surface.triangleBody[pair.b]};
    case FeaturePairKind::EdgeEdge:
      return {surface.edgeBody[pair.a], surface.edgeBody[pair.b]};
    case FeaturePairKind::VertexPlane:
      break;
  }
  return {surface.vertexBody[pair.a], pair.b};
}

void reseat(const World& world, CpfMemory& memory) {
  CpfMemory kept;
  std::set<FeaturePair> taken;
  for (CpfEntry entry : memory) {
    if (entry.pair.kind == FeaturePairKind::VertexFace) {
      const int triangle = walk(world, entry.pair.a, entry.pair.b, entry.side);
      if (triangle < 0) continue;
      entry.pair.b = triangle;
    } else if (entry.pair.kind == FeaturePairKind::EdgeEdge && !edgesStillMeet(world, entry.pair)) {
      continue;
    }
    if (taken.insert(entry.pair).second) kept.push_back(entry);
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.pair < b.pair; });
  memory = std::move(kept);
}

void adopt(const World& world, const std::vector<std::shared_ptr<const MeshTree>>& trees,
           const Candidates& candidates, CpfMemory& memory) {
  const SurfaceTopology& surface = *world.surface;
  std::set<std::pair<int, int>> held;  // vertex, surface
  for (const CpfEntry& entry : memory)
    if (entry.pair.kind == FeaturePairKind::VertexFace)
      held.insert({entry.pair.a, surface.triangleSurface[entry.pair.b]});
  std::vector<CpfEntry> found(candidates.vertexSurface.size());
  parallelFor(static_cast<int>(found.size()), [&](int index) {
    const FeaturePair& pair = candidates.vertexSurface[index];
    CpfEntry& entry = found[index];
    entry.pair.a = -1;
    if (held.count({pair.a, pair.b})) return;
    const SurfacePoint at =
        trees[pair.b]->closest(toLocal(world, surface.surfaceBody[pair.b], world.vertexStart[pair.a]));
    if (!at.inside) return;
    entry.pair = {FeaturePairKind::VertexFace, pair.a, surface.surfaceFirstTriangle[pair.b] + at.triangle};
    for (int corner = 0; corner < 3; ++corner) entry.weights[corner] = at.weights[corner];
  });
  for (const CpfEntry& entry : found)
    if (entry.pair.a >= 0) memory.push_back(entry);
  adoptBelowPlanes(world, candidates, memory);
  adoptCrossingEdges(world, trees, candidates, memory);
  std::sort(memory.begin(), memory.end(), [](const auto& a, const auto& b) { return a.pair < b.pair; });
}

}  // namespace touchstone
