#include "core/referee/overlap_engine.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using OverlapEngines = BackendRegistry<OverlapEngine, const World&, const std::shared_ptr<DeviceWorld>&>;

static OverlapEngines& overlapEngines() {
  static OverlapEngines table(BackendKind::Cpu, [](const World& world, const auto& deviceWorld) {
    return std::make_unique<OverlapEngineOn<HostBackend>>(world, deviceWorld);
  });
  return table;
}

std::unique_ptr<OverlapEngine> makeOverlapEngine(BackendKind backend, const World& world,
                                                 const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return overlapEngines().make(backend, world, deviceWorld);
}

void registerOverlapEngine(BackendKind backend, OverlapEngineFactory factory) {
  overlapEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
