#include "core/contact/broad_phase.h"

#include "core/contact/feature_broad_phase.inl"
#include "core/geometry/box_overlaps.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {

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
  std::vector<int> copies(boxes.size());
  for (std::size_t piece = 0; piece < boxes.size(); ++piece)
    copies[piece] = world.scene->bodies[table.body[piece]].copy;
  const auto meet = [&](int a, int b) {
    return table.body[a] < table.body[b] && canCollide(world, table.body[a], table.body[b]);
  };
  for (const auto& [a, b] : findBoxOverlaps(boxes, copies, meet)) out.push_back({a, b, -1});
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

struct BroadPhase::Arrays {
  HostBackend backend;
  FeatureBroadPhase<HostBackend> features;
};

BroadPhase::BroadPhase() : m_arrays(std::make_unique<Arrays>()) {}
BroadPhase::~BroadPhase() = default;

void BroadPhase::find(const World& world, const CandidateNeeds& needs, Candidates& candidates) {
  candidates.features.clear();
  candidates.vertexSurface.clear();
  candidates.pieces.clear();
  if (needs.features) {
    const std::size_t copies = static_cast<std::size_t>(world.scene->copies);
    const std::vector<double> margins =
        needs.margins.empty() ? std::vector<double>(copies, needs.margin) : needs.margins;
    const CandidateView found =
        m_arrays->features.find(m_arrays->backend, viewOf(world), margins.data(), needs.openSurfaces);
    candidates.features.assign(found.features, found.features + found.featureCount);
    candidates.vertexSurface.assign(found.vertexSurface, found.vertexSurface + found.vertexSurfaceCount);
  }
  if (needs.pieces) findPieces(world, needs.margin, candidates.pieces);
}

}  // namespace touchstone
