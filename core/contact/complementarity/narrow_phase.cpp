#include "core/contact/complementarity/narrow_phase.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using NarrowPhases = BackendRegistry<NarrowPhase, const World&, const std::shared_ptr<DeviceWorld>&>;

static NarrowPhases& narrowPhases() {
  static NarrowPhases table(BackendKind::Cpu, [](const World& world, const auto& deviceWorld) {
    return std::make_unique<NarrowPhaseOn<HostBackend>>(world, deviceWorld);
  });
  return table;
}

std::unique_ptr<NarrowPhase> makeNarrowPhase(BackendKind backend, const World& world,
                                             const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return narrowPhases().make(backend, world, deviceWorld);
}

void registerNarrowPhase(BackendKind backend, NarrowPhaseFactory factory) {
  narrowPhases().add(backend, std::move(factory));
}

}  // namespace touchstone
