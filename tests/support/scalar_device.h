#pragma once

namespace touchstone::test {

/// useSeparateDevice() with the rounding of a device; see tests/CMakeLists.txt.
__attribute__((visibility("default"))) void useScalarDevice();

}  // namespace touchstone::test
