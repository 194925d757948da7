#pragma once

#include <thrust/reduce.h>

#include "core/math/host_device.h"

namespace touchstone {

struct Larger {
  template <class T>
  TS_HD T operator()(const T& a, const T& b) const {
    return a > b ? a : b;
  }
};
struct Smaller {
  template <class T>
  TS_HD T operator()(const T& a, const T& b) const {
    return a < b ? a : b;
  }
};

/// All of data[0 … count) joined by `join`, starting from `start`. Only for operations whose result does not
/// depend on the order, such as minimum, maximum and union of boxes: never for sums of floating point.
template <class Backend, class T, class Join>
T joined(const Backend& backend, const T* data, int count, const T& start, const Join& join) {
  if constexpr (Backend::kOnHost) {
    T result = start;
    for (int index = 0; index < count; ++index) result = join(result, data[index]);
    return result;
  } else {
    const T result = thrust::reduce(backend.policy(), data, data + count, start, join);
    backend.launched("reduce", count);
    return result;
  }
}

}  // namespace touchstone
