#pragma once

namespace touchstone::test {

/// Puts a SeparateBackend in the place of CUDA, with everything that a device has.
void useSeparateDevice();

}  // namespace touchstone::test
