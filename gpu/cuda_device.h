#pragma once

namespace touchstone {

/// Looks for a usable CUDA device, registers the CUDA engines with core if there is one, and records in the
/// backend table what was found: the device and driver, or why there is none ("not built with CUDA", "no
/// driver", …). Never throws; called once at start by every program.
void registerCuda();

}  // namespace touchstone
