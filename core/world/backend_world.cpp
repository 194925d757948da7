#include "core/world/backend_world.inl"

#include "core/parallel/device/backend_registry.h"

namespace touchstone {

static BackendRegistry<BackendWorld, const World&>& worlds() {
  static BackendRegistry<BackendWorld, const World&> table(BackendKind::Cpu, [](const World& world) {
    return std::make_unique<BackendWorldOn<HostBackend>>(world);
  });
  return table;
}

std::shared_ptr<BackendWorld> makeBackendWorld(BackendKind backend, const World& world) {
  return worlds().make(backend, world);
}

void registerBackendWorld(BackendKind backend, BackendWorldFactory factory) {
  worlds().add(backend, std::move(factory));
}

}  // namespace touchstone
