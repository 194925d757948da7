#include "core/contact/peg/branch_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class BranchEngineOn<CudaBackend>;

std::unique_ptr<BranchEngine> makeCudaBranchEngine(const World& world,
                                                   const std::shared_ptr<DeviceWorld>& deviceWorld,
                                                   const NarrowPhase& pieces) {
  return std::make_unique<BranchEngineOn<CudaBackend>>(world, deviceWorld, pieces);
}

}  // namespace touchstone
