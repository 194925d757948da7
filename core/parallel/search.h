#pragma once

#include "core/math/host_device.h"

namespace touchstone {

/// The first index of [0, count) for which isBefore(index) is false, found by bisection; count if there is
/// none. isBefore must be true on a first part of the indices and false on the rest.
template <class IsBefore>
TS_HD inline int firstNotBefore(int count, const IsBefore& isBefore) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (isBefore(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Which range holds an index. @param first  [count + 1] begin of each range, then the end of the last
TS_HD inline int rangeOf(const int* first, int count, int index) {
  return firstNotBefore(count, [&](int range) { return first[range + 1] <= index; });
}

}  // namespace touchstone
