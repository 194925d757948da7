#include "core/referee/motion_measurement.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class MotionMeasurementOn<CudaBackend>;

std::unique_ptr<MotionMeasurement> makeCudaMotionMeasurement(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<MotionMeasurementOn<CudaBackend>>(world, deviceWorld);
}

}  // namespace touchstone
