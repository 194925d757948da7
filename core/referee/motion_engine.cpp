#include "core/referee/motion_engine.inl"

#include "core/parallel/device/backend_registry.h"

namespace touchstone {

using MotionEngines = BackendRegistry<MotionEngine, const World&, const std::shared_ptr<BackendWorld>&>;

static MotionEngines& motionEngines() {
  static MotionEngines table(BackendKind::Cpu, [](const World& world, const auto& there) {
    return std::make_unique<MotionEngineOn<HostBackend>>(world, there);
  });
  return table;
}

std::unique_ptr<MotionEngine> makeMotionEngine(BackendKind backend, const World& world,
                                               const std::shared_ptr<BackendWorld>& there) {
  return motionEngines().make(backend, world, there);
}

void registerMotionEngine(BackendKind backend, MotionEngineFactory factory) {
  motionEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
