#include "core/contact/peg/branch_selection.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using BranchSelections =
    BackendRegistry<BranchSelection, const World&, const std::shared_ptr<DeviceWorld>&, const NarrowPhase&>;

static BranchSelections& branchEngines() {
  static BranchSelections table(
      BackendKind::Cpu, [](const World& world, const auto& deviceWorld, const NarrowPhase& pieces) {
        return std::make_unique<BranchSelectionOn<HostBackend>>(world, deviceWorld, pieces);
      });
  return table;
}

std::unique_ptr<BranchSelection> makeBranchSelection(BackendKind backend, const World& world,
                                                     const std::shared_ptr<DeviceWorld>& deviceWorld,
                                                     const NarrowPhase& pieces) {
  return branchEngines().make(backend, world, deviceWorld, pieces);
}

void registerBranchSelection(BackendKind backend, BranchSelectionFactory factory) {
  branchEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
