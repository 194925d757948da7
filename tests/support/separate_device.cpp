#include "tests/support/separate_device.h"

#include "core/contact/cpf/cpf.inl"
#include "core/contact/cpf/dpf_ccd.inl"
#include "core/contact/dpf/dpf.inl"
#include "core/contact/lcp/lcp.inl"
#include "core/contact/manifold/narrow_phase_loops.inl"
#include "core/contact/methods.h"
#include "core/contact/nsn/nsn.inl"
#include "core/contact/peg/peg.inl"
#include "core/referee/motion_measurement.inl"
#include "core/referee/overlap_measurement.inl"
#include "core/run/stepper.inl"
#include "core/solver/linear/batched_krylov.inl"
#include "core/solver/solvers.inl"
#include "tests/support/separate_backend.h"

namespace touchstone::test {

std::unique_ptr<DeviceWorld> separateWorld(const World& world) {
  return std::make_unique<DeviceWorldOn<SeparateBackend>>(world);
}

std::unique_ptr<Stepper> separateStepper(const MethodChoice& choice, const World& world,
                                         const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<StepperOn<SeparateBackend>>(choice, world, deviceWorld);
}

std::unique_ptr<OverlapMeasurement> separateOverlapMeasurement(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<OverlapMeasurementOn<SeparateBackend>>(world, deviceWorld);
}

std::unique_ptr<MotionMeasurement> separateMotionMeasurement(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<MotionMeasurementOn<SeparateBackend>>(world, deviceWorld);
}

std::unique_ptr<BatchedKrylov> separateBatchedKrylov() {
  return std::make_unique<BatchedKrylovOn<SeparateBackend>>();
}

void useSeparateDevice() {
  registerDeviceWorld(BackendKind::Cuda, separateWorld);
  for (const auto& [key, maker] : makersOf<WithoutWaiting<SeparateBackend>>(Methods()))
    methodMakers<WithoutWaiting<SeparateBackend>>()[key] = maker;  // whatever a test has put there
  registerStepper(BackendKind::Cuda, separateStepper);
  registerOverlapMeasurement(BackendKind::Cuda, separateOverlapMeasurement);
  registerMotionMeasurement(BackendKind::Cuda, separateMotionMeasurement);
  registerBatchedKrylov(BackendKind::Cuda, separateBatchedKrylov);
}

}  // namespace touchstone::test
