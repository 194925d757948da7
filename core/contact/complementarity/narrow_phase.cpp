#include "core/contact/complementarity/narrow_phase.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using NarrowPhases = BackendRegistry<NarrowPhase, const World&, const std::shared_ptr<BackendWorld>&>;

static NarrowPhases& narrowPhases() {
  static NarrowPhases table(BackendKind::Cpu, [](const World& world, const auto& there) {
    return std::make_unique<NarrowPhaseOn<HostBackend>>(world, there);
  });
  return table;
}

std::unique_ptr<NarrowPhase> makeNarrowPhase(BackendKind backend, const World& world,
                                             const std::shared_ptr<BackendWorld>& there) {
  return narrowPhases().make(backend, world, there);
}

void registerNarrowPhase(BackendKind backend, NarrowPhaseFactory factory) {
  narrowPhases().add(backend, std::move(factory));
}

}  // namespace touchstone
