#include "core/run/stepper.inl"

#include "core/contact/methods.h"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class StepperOn<CudaBackend>;

std::unique_ptr<Stepper> makeCudaStepper(const MethodChoice& choice, const World& world,
                                         const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<StepperOn<CudaBackend>>(choice, world, deviceWorld);
}

/// Their steps are compiled in methods/.
void registerCudaMethods() { registerMakers<WithoutWaiting<CudaBackend>>(Methods()); }

}  // namespace touchstone
