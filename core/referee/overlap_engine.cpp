#include "core/referee/overlap_engine.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using OverlapEngines = BackendRegistry<OverlapEngine, const World&, const std::shared_ptr<BackendWorld>&>;

static OverlapEngines& overlapEngines() {
  static OverlapEngines table(BackendKind::Cpu, [](const World& world, const auto& there) {
    return std::make_unique<OverlapEngineOn<HostBackend>>(world, there);
  });
  return table;
}

std::unique_ptr<OverlapEngine> makeOverlapEngine(BackendKind backend, const World& world,
                                                 const std::shared_ptr<BackendWorld>& there) {
  return overlapEngines().make(backend, world, there);
}

void registerOverlapEngine(BackendKind backend, OverlapEngineFactory factory) {
  overlapEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
