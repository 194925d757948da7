#pragma once

namespace touchstone {

/// Processor that loops run on.
enum class BackendKind { Cpu, Cuda };

/// "cpu", "cuda": in settings, records and on the command line.
inline const char* keyOf(BackendKind backend) { return backend == BackendKind::Cuda ? "cuda" : "cpu"; }

}  // namespace touchstone
