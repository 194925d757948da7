#include "core/contact/nsn/linear_systems.inl"
#include "gpu/cuda_backend.h"

namespace touchstone::nsn {

template class BatchedLinearSystemsOn<CudaBackend>;

}  // namespace touchstone::nsn

namespace touchstone {

std::unique_ptr<nsn::BatchedLinearSystems> makeCudaBatchedLinearSystems() {
  return std::make_unique<nsn::BatchedLinearSystemsOn<CudaBackend>>();
}

}  // namespace touchstone
