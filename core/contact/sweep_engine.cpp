#include "core/contact/sweep_engine.inl"

#include "core/parallel/engine_table.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using SweepEngines =
    EngineTable<SweepEngine, const World&, const std::shared_ptr<BackendWorld>&, const PieceEngine&>;

static SweepEngines& engines() {
  static SweepEngines table(BackendKind::Cpu,
                            [](const World& world, const auto& there, const PieceEngine& pieces) {
                              return std::make_unique<SweepEngineOn<HostBackend>>(world, there, pieces);
                            });
  return table;
}

std::unique_ptr<SweepEngine> makeSweepEngine(BackendKind backend, const World& world,
                                             const std::shared_ptr<BackendWorld>& there,
                                             const PieceEngine& pieces) {
  return engines().make(backend, world, there, pieces);
}

void registerSweepEngine(BackendKind backend, SweepEngineFactory factory) {
  engines().add(backend, std::move(factory));
}

}  // namespace touchstone
