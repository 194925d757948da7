#include "tests/support/separate_device.h"

#include "core/contact/complementarity/narrow_phase.inl"
#include "core/contact/complementarity/row_step.inl"
#include "core/contact/methods.inl"
#include "core/contact/peg/branch_selection.inl"
#include "core/referee/motion_measurement.inl"
#include "core/referee/overlap_measurement.inl"
#include "core/run/stepper.inl"
#include "core/solver/linear/batched_krylov.inl"
#include "tests/support/separate_backend.h"

namespace touchstone::test {

namespace {

/// Other engines read the results of the device's own engine.
const NarrowPhase& unwrapped(const NarrowPhase& pieces) {
  const auto* wrapped = dynamic_cast<const WrappedNarrowPhase*>(&pieces);
  return wrapped ? wrapped->own() : pieces;
}

}  // namespace

std::unique_ptr<DeviceWorld> separateWorld(const World& world) {
  return std::make_unique<DeviceWorldOn<SeparateBackend>>(world);
}

std::unique_ptr<Stepper> separateStepper(const MethodChoice& choice, const World& world,
                                         const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<StepperOn<SeparateBackend>>(choice, world, deviceWorld);
}

std::unique_ptr<NarrowPhase> separateNarrowPhase(const World& world,
                                                 const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return std::make_unique<NarrowPhaseOn<SeparateBackend>>(world, deviceWorld);
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
  registerMakers<WithoutWaiting<SeparateBackend>>(Methods());
  registerStepper(BackendKind::Cuda, separateStepper);
  registerNarrowPhase(BackendKind::Cuda, separateNarrowPhase);
  registerRowStep(BackendKind::Cuda, [](RowSolverKind solver, RowPer rows, const World& world,
                                        const auto& deviceWorld, const NarrowPhase& pieces) {
    return std::make_unique<RowStepOn<SeparateBackend>>(solver, rows, world, deviceWorld, unwrapped(pieces));
  });
  registerBranchSelection(
      BackendKind::Cuda, [](const World& world, const auto& deviceWorld, const NarrowPhase& pieces) {
        return std::make_unique<BranchSelectionOn<SeparateBackend>>(world, deviceWorld, unwrapped(pieces));
      });
  registerOverlapMeasurement(BackendKind::Cuda, separateOverlapMeasurement);
  registerMotionMeasurement(BackendKind::Cuda, separateMotionMeasurement);
  registerBatchedKrylov(BackendKind::Cuda, separateBatchedKrylov);
}

}  // namespace touchstone::test
