#pragma once

#include "core/parallel/host_backend.h"

namespace touchstone::test {

/// The host as a device: the paths that a device takes (its own copies of the state, Thrust for every loop,
/// sort, scan and reduction), in memory that a test can read.
class SeparateBackend : public HostBackend {
 public:
  static constexpr bool kOnHost = false;
};

}  // namespace touchstone::test
