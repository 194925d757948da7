#pragma once

#include <string>

#include "core/run/pane_name.h"

namespace touchstone::test {

/// Puts a SeparateBackend in the place of CUDA, with everything that a device has.
void useSeparateDevice();

/// A pane by name ("lcp-pgs") on a backend.
inline PaneSettings pane(const std::string& name, BackendKind backend) {
  PaneSettings settings = paneNamed(name);
  settings.backend = backend;
  return settings;
}

}  // namespace touchstone::test
