#include "core/run/device_stepper.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class DeviceStepper<CudaBackend>;

std::unique_ptr<Stepper> makeCudaStepper(const std::string& method, const World& world,
                                         const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<DeviceStepper<CudaBackend>>(method, world, deviceWorld);
}

}  // namespace touchstone
