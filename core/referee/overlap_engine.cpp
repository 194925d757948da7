#include "core/referee/overlap_engine.inl"

#include "core/parallel/engine_table.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

static EngineTable<OverlapEngine, const World&>& engines() {
  static EngineTable<OverlapEngine, const World&> table(BackendKind::Cpu, [](const World& world) {
    return std::make_unique<OverlapEngineOn<HostBackend>>(world);
  });
  return table;
}

std::unique_ptr<OverlapEngine> makeOverlapEngine(BackendKind backend, const World& world) {
  return engines().make(backend, world);
}

void registerOverlapEngine(BackendKind backend, OverlapEngineFactory factory) {
  engines().add(backend, std::move(factory));
}

}  // namespace touchstone
