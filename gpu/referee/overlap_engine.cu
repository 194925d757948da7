#include "core/referee/overlap_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class OverlapEngineOn<CudaBackend>;

std::unique_ptr<OverlapEngine> makeCudaOverlapEngine(const World& world) {
  return std::make_unique<OverlapEngineOn<CudaBackend>>(world);
}

}  // namespace touchstone
