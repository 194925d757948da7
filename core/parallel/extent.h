#pragma once

#include "core/math/host_device.h"

namespace touchstone {

/// Number of items of a loop. If earlier loops have counted the items in the memory of a backend, the host
/// knows only the upper bound `capacity`.
struct Extent {
  int capacity = 0;
  const int* count = nullptr;  ///< in the memory of the backend; null: `capacity` itself
  /// The number of items, for loop bodies.
  TS_HD int size() const { return count ? *count : capacity; }
};

}  // namespace touchstone
