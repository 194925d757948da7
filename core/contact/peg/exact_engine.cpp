#include "core/contact/peg/exact_engine.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using ExactEngines =
    BackendRegistry<ExactEngine, const World&, const std::shared_ptr<BackendWorld>&, const PieceEngine&>;

static ExactEngines& exactEngines() {
  static ExactEngines table(BackendKind::Cpu,
                            [](const World& world, const auto& there, const PieceEngine& pieces) {
                              return std::make_unique<ExactEngineOn<HostBackend>>(world, there, pieces);
                            });
  return table;
}

std::unique_ptr<ExactEngine> makeExactEngine(BackendKind backend, const World& world,
                                             const std::shared_ptr<BackendWorld>& there,
                                             const PieceEngine& pieces) {
  return exactEngines().make(backend, world, there, pieces);
}

void registerExactEngine(BackendKind backend, ExactEngineFactory factory) {
  exactEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
