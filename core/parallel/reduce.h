#pragma once

#include <thrust/reduce.h>
#include <thrust/scan.h>

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

/// Of whole numbers.
struct Together {
  TS_HD int operator()(int a, int b) const { return a + b; }
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
    T result = start;
    backend.call("reduce", count, [=, &result](const auto& policy) {
      result = thrust::reduce(policy, data, data + count, start, join);
    });
    return result;
  }
}

/// All of data[0 … count), count ≥ 1, joined in the memory of the backend, without waiting for the result.
/// Operations as for joined(). Overwrites `data`.
/// @return the result, in the memory of the backend: one of data[0 … count)
template <class Backend, class T, class Join>
const T* joinedThere(const Backend& backend, T* data, int count, const Join& join) {
  if constexpr (Backend::kOnHost) {
    T result = data[0];
    for (int index = 1; index < count; ++index) result = join(result, data[index]);
    data[0] = result;
    return data;
  } else {
    backend.call("scan", count,
                 [=](const auto& policy) { thrust::inclusive_scan(policy, data, data + count, data, join); });
    return data + count - 1;
  }
}

}  // namespace touchstone
