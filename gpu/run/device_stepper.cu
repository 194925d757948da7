#include "core/run/device_stepper.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class DeviceStepper<CudaBackend>;

std::unique_ptr<Stepper> makeCudaStepper(const std::string& method, const World& world,
                                         const std::shared_ptr<BackendWorld>& there) {
  return std::make_unique<DeviceStepper<CudaBackend>>(method, world, there);
}

}  // namespace touchstone
