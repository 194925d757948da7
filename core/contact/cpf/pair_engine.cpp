#include "core/contact/cpf/pair_engine.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

static BackendRegistry<PairEngine>& pairEngines() {
  static BackendRegistry<PairEngine> table(BackendKind::Cpu,
                                           [] { return std::make_unique<PairEngineOn<HostBackend>>(); });
  return table;
}

std::unique_ptr<PairEngine> makePairEngine(BackendKind backend) { return pairEngines().make(backend); }

void registerPairEngine(BackendKind backend, PairEngineFactory factory) {
  pairEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
