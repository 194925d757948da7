#include "core/contact/complementarity/narrow_phase.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class NarrowPhaseOn<CudaBackend>;

std::unique_ptr<NarrowPhase> makeCudaNarrowPhase(const World& world,
                                                 const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<NarrowPhaseOn<CudaBackend>>(world, deviceWorld);
}

}  // namespace touchstone
