#include "core/referee/motion_engine.inl"

#include "core/parallel/device/backend_registry.h"

namespace touchstone {

using MotionEngines = BackendRegistry<MotionEngine, const World&, const std::shared_ptr<DeviceWorld>&>;

static MotionEngines& motionEngines() {
  static MotionEngines table(BackendKind::Cpu, [](const World& world, const auto& deviceWorld) {
    return std::make_unique<MotionEngineOn<HostBackend>>(world, deviceWorld);
  });
  return table;
}

std::unique_ptr<MotionEngine> makeMotionEngine(BackendKind backend, const World& world,
                                               const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return motionEngines().make(backend, world, deviceWorld);
}

void registerMotionEngine(BackendKind backend, MotionEngineFactory factory) {
  motionEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
