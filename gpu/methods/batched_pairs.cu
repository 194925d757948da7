#include "core/contact/cpf/batched_pairs.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class BatchedPairsOn<CudaBackend>;

std::unique_ptr<BatchedPairs> makeCudaBatchedPairs() {
  return std::make_unique<BatchedPairsOn<CudaBackend>>();
}

}  // namespace touchstone
