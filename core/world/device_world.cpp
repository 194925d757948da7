#include "core/world/device_world.inl"

#include "core/parallel/device/backend_registry.h"

namespace touchstone {

static BackendRegistry<DeviceWorld, const World&>& worlds() {
  static BackendRegistry<DeviceWorld, const World&> table(BackendKind::Cpu, [](const World& world) {
    return std::make_unique<DeviceWorldOn<HostBackend>>(world);
  });
  return table;
}

std::shared_ptr<DeviceWorld> makeDeviceWorld(BackendKind backend, const World& world) {
  return worlds().make(backend, world);
}

void registerDeviceWorld(BackendKind backend, DeviceWorldFactory factory) {
  worlds().add(backend, std::move(factory));
}

}  // namespace touchstone
