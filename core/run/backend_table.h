#pragma once

#include <string>
#include <vector>

#include "core/parallel/backend_kind.h"

namespace touchstone {

/// A backend as the program offers it.
struct BackendInfo {
  BackendKind kind = BackendKind::Cpu;
  std::string key;  ///< "cpu", "cuda"
  bool usable = false;
  std::string state;  ///< one line: the device, or why it cannot be used ("not built with CUDA")
};

/// CPU first, then CUDA. What CUDA says is set by setCudaState().
std::vector<BackendInfo> backendTable();

/// Called once at start by the program, with what gpu/ found out about the device.
void setCudaState(bool usable, const std::string& state);

}  // namespace touchstone
