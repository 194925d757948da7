#include "core/contact/cpf/batched_pairs.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

static BackendRegistry<BatchedPairs>& batchedPairs() {
  static BackendRegistry<BatchedPairs> table(BackendKind::Cpu,
                                             [] { return std::make_unique<BatchedPairsOn<HostBackend>>(); });
  return table;
}

std::unique_ptr<BatchedPairs> makeBatchedPairs(BackendKind backend) { return batchedPairs().make(backend); }

void registerBatchedPairs(BackendKind backend, BatchedPairsFactory factory) {
  batchedPairs().add(backend, std::move(factory));
}

}  // namespace touchstone
