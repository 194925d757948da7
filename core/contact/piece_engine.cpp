#include "core/contact/piece_engine.inl"

#include "core/parallel/engine_table.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

static EngineTable<PieceEngine, const World&>& engines() {
  static EngineTable<PieceEngine, const World&> table(BackendKind::Cpu, [](const World& world) {
    return std::make_unique<PieceEngineOn<HostBackend>>(world);
  });
  return table;
}

std::unique_ptr<PieceEngine> makePieceEngine(BackendKind backend, const World& world) {
  return engines().make(backend, world);
}

void registerPieceEngine(BackendKind backend, PieceEngineFactory factory) {
  engines().add(backend, std::move(factory));
}

}  // namespace touchstone
