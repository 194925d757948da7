#include "core/world/device_world.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class DeviceWorldOn<CudaBackend>;

std::unique_ptr<DeviceWorld> makeCudaWorld(const World& world) {
  return std::make_unique<DeviceWorldOn<CudaBackend>>(world);
}

}  // namespace touchstone
