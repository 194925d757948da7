#include "core/referee/overlap_measurement.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

using OverlapMeasurements =
    BackendRegistry<OverlapMeasurement, const World&, const std::shared_ptr<DeviceWorld>&>;

static OverlapMeasurements& overlapEngines() {
  static OverlapMeasurements table(BackendKind::Cpu, [](const World& world, const auto& deviceWorld) {
    return std::make_unique<OverlapMeasurementOn<HostBackend>>(world, deviceWorld);
  });
  return table;
}

std::unique_ptr<OverlapMeasurement> makeOverlapMeasurement(BackendKind backend, const World& world,
                                                           const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return overlapEngines().make(backend, world, deviceWorld);
}

void registerOverlapMeasurement(BackendKind backend, OverlapMeasurementFactory factory) {
  overlapEngines().add(backend, std::move(factory));
}

}  // namespace touchstone
