#include "tests/support/separate_device.h"

namespace touchstone {

template class BackendWorldOn<test::SeparateBackend>;
template class DeviceStepper<test::SeparateBackend>;
template class PieceEngineOn<test::SeparateBackend>;
template class SweepEngineOn<test::SeparateBackend>;
template class NewtonEngineOn<test::SeparateBackend>;
template class OverlapEngineOn<test::SeparateBackend>;
template class MatrixEngineOn<test::SeparateBackend>;

void test::useSeparateDevice() { useSeparateDevice<SeparateStepper>(); }

}  // namespace touchstone
