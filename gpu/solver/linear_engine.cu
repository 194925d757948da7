#include "core/solver/linear_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class LinearEngineOn<CudaBackend>;

std::unique_ptr<LinearEngine> makeCudaLinearEngine() {
  return std::make_unique<LinearEngineOn<CudaBackend>>();
}

}  // namespace touchstone
