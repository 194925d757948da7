#include "core/contact/nsn/linear_systems.inl"
#include "gpu/cuda_backend.h"

namespace touchstone::nsn {

template class LinearSystemsEngineOn<CudaBackend>;

}  // namespace touchstone::nsn

namespace touchstone {

std::unique_ptr<nsn::LinearSystemsEngine> makeCudaLinearSystemsEngine() {
  return std::make_unique<nsn::LinearSystemsEngineOn<CudaBackend>>();
}

}  // namespace touchstone
