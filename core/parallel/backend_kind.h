#pragma once

namespace touchstone {

/// Where loops run.
enum class BackendKind { Cpu, Cuda };

}  // namespace touchstone
