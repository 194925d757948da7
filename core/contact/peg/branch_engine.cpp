#include "core/contact/peg/branch_engine.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using BranchEngines =
    BackendRegistry<BranchEngine, const World&, const std::shared_ptr<DeviceWorld>&, const NarrowPhase&>;

static BranchEngines& branchEngines() {
  static BranchEngines table(
      BackendKind::Cpu, [](const World& world, const auto& deviceWorld, const NarrowPhase& pieces) {
        return std::make_unique<BranchEngineOn<HostBackend>>(world, deviceWorld, pieces);
      });
  return table;
}

std::unique_ptr<BranchEngine> makeBranchEngine(BackendKind backend, const World& world,
                                               const std::shared_ptr<DeviceWorld>& deviceWorld,
                                               const NarrowPhase& pieces) {
  return branchEngines().make(backend, world, deviceWorld, pieces);
}

void registerBranchEngine(BackendKind backend, BranchEngineFactory factory) {
  branchEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
