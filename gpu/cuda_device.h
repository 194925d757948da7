#pragma once

namespace touchstone {

/// Looks for a usable CUDA device, registers the CUDA engines with core if there is one, and records the
/// result in the backend table: the device and driver, or why there is none ("not built with CUDA", "no
/// driver", …). Never throws. Every program calls it once at its start.
void registerCuda();

}  // namespace touchstone
