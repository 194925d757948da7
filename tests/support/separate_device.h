#pragma once

#include "core/contact/newton_engine.inl"
#include "core/contact/piece_engine.inl"
#include "core/contact/sweep_engine.inl"
#include "core/referee/overlap_engine.inl"
#include "core/run/device_stepper.inl"
#include "core/solver/matrix_engine.inl"
#include "tests/support/separate_backend.h"
#include "tests/support/use_separate_device.h"

namespace touchstone {

extern template class BackendWorldOn<test::SeparateBackend>;
extern template class DeviceStepper<test::SeparateBackend>;
extern template class PieceEngineOn<test::SeparateBackend>;
extern template class SweepEngineOn<test::SeparateBackend>;
extern template class NewtonEngineOn<test::SeparateBackend>;
extern template class OverlapEngineOn<test::SeparateBackend>;
extern template class MatrixEngineOn<test::SeparateBackend>;

}  // namespace touchstone

namespace touchstone::test {

using SeparateStepper = DeviceStepper<SeparateBackend>;

/// As useSeparateDevice(), with a stepper of the test's own.
template <class StepperType>
void useSeparateDevice() {
  registerBackendWorld(BackendKind::Cuda, [](const World& world) {
    return std::make_unique<BackendWorldOn<SeparateBackend>>(world);
  });
  registerStepper(BackendKind::Cuda, [](const std::string& method, const World& world, const auto& there) {
    return std::make_unique<StepperType>(method, world, there);
  });
  registerPieceEngine(BackendKind::Cuda, [](const World& world, const auto& there) {
    return std::make_unique<PieceEngineOn<SeparateBackend>>(world, there);
  });
  registerMatrixFreeEngine(BackendKind::Cuda, matrixFreeEngineOn<SeparateBackend>);
  registerOverlapEngine(BackendKind::Cuda, [](const World& world, const auto& there) {
    return std::make_unique<OverlapEngineOn<SeparateBackend>>(world, there);
  });
  registerMatrixEngine(BackendKind::Cuda, [] { return std::make_unique<MatrixEngineOn<SeparateBackend>>(); });
}

}  // namespace touchstone::test
