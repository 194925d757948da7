#pragma once

#include <thrust/reduce.h>

#include "core/parallel/sum.h"

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

namespace detail {

/// Each of the first `parts` items takes all to which it is a multiple of `parts` away: neighbours go to
/// neighbours, and only one index comes to an item.
template <class T, class Join>
struct JoinParts {  // one part per index
  T* data;
  int count, parts;
  Join join;
  TS_HD void operator()(int part) const {
    T result = data[part];
    for (int index = part + parts; index < count; index += parts) result = join(result, data[index]);
    data[part] = result;
  }
};

template <class T, class Join>
struct JoinTogether {  // by one group
  T* data;
  int count;
  Join join;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    int left = count;
    while (left > 1) {
      const int parts = sumsOf(left);
      group.forEach(parts, JoinParts<T, Join>{data, left, parts, join});
      left = parts;
    }
  }
};

}  // namespace detail

/// All of data[0 … count), count ≥ 1, joined in the memory of the backend, without waiting for the result.
/// Operations as for joined(). Overwrites `data`.
/// @return the result, in the memory of the backend: one of data[0 … count)
template <class Backend, class T, class Join>
const T* joinedThere(const Backend& backend, T* data, int count, const Join& join) {
  if constexpr (Backend::kOnHost) {
    T result = data[0];
    for (int index = 1; index < count; ++index) result = join(result, data[index]);
    data[0] = result;
  } else {
    for (int parts = count; count > kMostOfOneGroup; count = parts) {
      parts = sumsOf(count);
      forEach(backend, parts, detail::JoinParts<T, Join>{data, count, parts, join});
    }
    if (count > 1) backend.runGroups(1, sumsOf(count), detail::JoinTogether<T, Join>{data, count, join});
  }
  return data;
}

}  // namespace touchstone
