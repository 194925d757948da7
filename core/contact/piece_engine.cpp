#include "core/contact/piece_engine.inl"

#include <map>
#include <stdexcept>

#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {

std::map<BackendKind, PieceEngineFactory>& factories() {
  static std::map<BackendKind, PieceEngineFactory> table = {
      {BackendKind::Cpu,
       [](const World& world) { return std::make_unique<PieceEngineOn<HostBackend>>(world); }}};
  return table;
}

}  // namespace

std::unique_ptr<PieceEngine> makePieceEngine(BackendKind backend, const World& world) {
  const auto found = factories().find(backend);
  if (found == factories().end()) throw std::runtime_error("no CUDA device can be used on this machine");
  return found->second(world);
}

void registerPieceEngine(BackendKind backend, PieceEngineFactory factory) {
  factories()[backend] = std::move(factory);
}

}  // namespace touchstone
