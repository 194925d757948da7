#include "tests/support/scalar_device.h"

#include "tests/support/separate_device.h"

namespace touchstone::test {

void useScalarDevice() { useSeparateDevice(); }

}  // namespace touchstone::test
