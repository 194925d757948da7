#include "core/detect/broad_phase.h"

#include "core/detect/candidates.h"
#include "core/detect/feature_broad_phase.inl"
#include "core/parallel/host_backend.h"

namespace touchstone {

struct BroadPhase::Arrays {
  HostBackend backend;
  FeatureBroadPhase<HostBackend> features;
};

BroadPhase::BroadPhase() : m_arrays(std::make_unique<Arrays>()) {}
BroadPhase::~BroadPhase() = default;

void BroadPhase::find(const World& world, const CandidateNeeds& needs, Candidates& candidates) {
  candidates.features.clear();
  candidates.vertexSurface.clear();
  if (needs.features) {
    const CandidateView found =
        m_arrays->features.find(m_arrays->backend, viewOf(world), needs.margins.data(), needs.kinds);
    candidates.features.assign(found.features, found.features + found.featureExtent.size());
    candidates.vertexSurface.assign(found.vertexSurface,
                                    found.vertexSurface + found.vertexSurfaceExtent.size());
  }
}

}  // namespace touchstone
