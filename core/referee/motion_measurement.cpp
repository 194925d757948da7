#include "core/referee/motion_measurement.inl"

#include "core/parallel/device/backend_registry.h"

namespace touchstone {

using MotionMeasurements =
    BackendRegistry<MotionMeasurement, const World&, const std::shared_ptr<DeviceWorld>&>;

static MotionMeasurements& motionEngines() {
  static MotionMeasurements table(BackendKind::Cpu, [](const World& world, const auto& deviceWorld) {
    return std::make_unique<MotionMeasurementOn<HostBackend>>(world, deviceWorld);
  });
  return table;
}

std::unique_ptr<MotionMeasurement> makeMotionMeasurement(BackendKind backend, const World& world,
                                                         const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return motionEngines().make(backend, world, deviceWorld);
}

void registerMotionMeasurement(BackendKind backend, MotionMeasurementFactory factory) {
  motionEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
