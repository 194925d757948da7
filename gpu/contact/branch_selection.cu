#include "core/contact/peg/branch_selection.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class BranchSelectionOn<CudaBackend>;

std::unique_ptr<BranchSelection> makeCudaBranchSelection(const World& world,
                                                         const std::shared_ptr<DeviceWorld>& deviceWorld,
                                                         const NarrowPhase& pieces) {
  return std::make_unique<BranchSelectionOn<CudaBackend>>(world, deviceWorld, pieces);
}

}  // namespace touchstone
