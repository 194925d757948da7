#include "core/referee/overlap_measurement.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class OverlapMeasurementOn<CudaBackend>;

std::unique_ptr<OverlapMeasurement> makeCudaOverlapMeasurement(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<OverlapMeasurementOn<CudaBackend>>(world, deviceWorld);
}

}  // namespace touchstone
