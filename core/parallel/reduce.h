#pragma once

#include "core/parallel/sum.h"
#include "core/parallel/thread_group.h"

namespace touchstone {

// If an argument is NaN, so is the result. The result then does not depend on the order.

struct Larger {
  template <class T>
  TS_HD T operator()(const T& a, const T& b) const {
    return a > b || a != a ? a : b;
  }
};
struct Smaller {
  template <class T>
  TS_HD T operator()(const T& a, const T& b) const {
    return a < b || a != a ? a : b;
  }
};

/// Sum of integers.
struct Together {
  TS_HD int operator()(int a, int b) const { return a + b; }
};

namespace detail {

/// Each of the first `parts` items combines all items at a distance of a multiple of `parts`. Neighbouring
/// indices read neighbouring items, and only one index accesses an item.
template <class T, class Combine>
struct ReduceParts {  // one part per index
  const T* source;
  T* to;  // [parts]; may be `source`
  int count, parts;
  Combine combine;
  TS_HD void operator()(int part) const {
    T result = source[part];
    for (int index = part + parts; index < count; index += parts) result = combine(result, source[index]);
    to[part] = result;
  }
};

/// reducedInto() in one group.
TS_NO_SPACE_CHECK
template <class Group, class T, class Combine>
TS_HD const T* reducedByGroup(const Group& group, const T* source, T* to, int count, Combine combine) {
  for (int parts = 0; count > 1; count = parts) {
    parts = sumsOf(count);
    group.forEach(parts, ReduceParts<T, Combine>{source, to, count, parts, combine});
    source = to;
  }
  return source;
}

template <class T, class Combine>
struct ReduceTogether {
  const T* source;
  T* to;
  int count;
  Combine combine;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    reducedByGroup(group, source, to, count, combine);
  }
};

/// reducedOnDevice() with scratch memory for intermediate results. @param to  [sumsOf(count)]; may be
/// `source`
template <class Backend, class T, class Combine>
const T* reducedInto(const Backend& backend, const T* source, T* to, int count, const Combine& combine) {
  for (int parts = count; count > kMostOfOneGroup; count = parts) {
    parts = sumsOf(count);
    forEach(backend, parts, ReduceParts<T, Combine>{source, to, count, parts, combine});
    source = to;
  }
  if (count == 1) return source;
  backend.runGroups(1, sumsOf(count), ReduceTogether<T, Combine>{source, to, count, combine});
  return to;
}

}  // namespace detail

/// Combines data[0 … count), count ≥ 1, into one value in the memory of the backend. Does not wait for the
/// result. Overwrites `data`.
/// @param combine  an operation whose result does not depend on the order, such as minimum, maximum and union
/// of boxes; never a floating-point sum
/// @return address of the result in the memory of the backend: one of data[0 … count)
template <class Backend, class T, class Combine>
const T* reducedOnDevice(const Backend& backend, T* data, int count, const Combine& combine) {
  if constexpr (Backend::kOnHost) {
    for (int index = 1; index < count; ++index) data[0] = combine(data[0], data[index]);
    return data;
  } else {
    return detail::reducedInto(backend, data, data, count, combine);
  }
}

/// Combines data[0 … count) and `start` into one value. Waits for it and leaves `data` unchanged.
/// @param combine  as for reducedOnDevice()
template <class Backend, class T, class Combine>
T reduced(const Backend& backend, const T* data, int count, const T& start, const Combine& combine,
          typename Backend::template Array<T>& scratch) {
  if constexpr (Backend::kOnHost) {
    T result = start;
    for (int index = 0; index < count; ++index) result = combine(result, data[index]);
    return result;
  } else {
    if (count == 0) return start;
    scratch.resize(sumsOf(count));
    T result = start;
    backend.download(detail::reducedInto(backend, data, scratch.data(), count, combine), 1, &result);
    return combine(start, result);
  }
}

}  // namespace touchstone
