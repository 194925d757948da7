#pragma once

#include "core/math/host_device.h"

namespace touchstone {

/// How many items a loop has. Where loops before it have counted them in the memory of a backend, the host
/// knows only that they are at most `capacity`.
struct Extent {
  int capacity = 0;
  const int* count = nullptr;  ///< in the memory of the backend; null: `capacity` itself
  /// The number of items, for loop bodies.
  TS_HD int size() const { return count ? *count : capacity; }
};

}  // namespace touchstone
