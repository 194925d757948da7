#include "core/referee/overlap_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class OverlapEngineOn<CudaBackend>;

std::unique_ptr<OverlapEngine> makeCudaOverlapEngine(const World& world,
                                                     const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<OverlapEngineOn<CudaBackend>>(world, deviceWorld);
}

}  // namespace touchstone
