#include "core/contact/complementarity/piece_engine.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using PieceEngines = BackendRegistry<PieceEngine, const World&, const std::shared_ptr<BackendWorld>&>;

static PieceEngines& pieceEngines() {
  static PieceEngines table(BackendKind::Cpu, [](const World& world, const auto& there) {
    return std::make_unique<PieceEngineOn<HostBackend>>(world, there);
  });
  return table;
}

std::unique_ptr<PieceEngine> makePieceEngine(BackendKind backend, const World& world,
                                             const std::shared_ptr<BackendWorld>& there) {
  return pieceEngines().make(backend, world, there);
}

void registerPieceEngine(BackendKind backend, PieceEngineFactory factory) {
  pieceEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
