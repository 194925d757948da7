#include "core/referee/motion_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class MotionEngineOn<CudaBackend>;

std::unique_ptr<MotionEngine> makeCudaMotionEngine(const World& world,
                                                   const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<MotionEngineOn<CudaBackend>>(world, deviceWorld);
}

}  // namespace touchstone
