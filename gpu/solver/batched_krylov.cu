#include "core/solver/linear/batched_krylov.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class BatchedKrylovOn<CudaBackend>;

std::unique_ptr<BatchedKrylov> makeCudaBatchedKrylov() {
  return std::make_unique<BatchedKrylovOn<CudaBackend>>();
}

}  // namespace touchstone
