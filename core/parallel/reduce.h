#pragma once

#include "core/parallel/device/thread_group.h"
#include "core/parallel/sum.h"

namespace touchstone {

// With one that is no number neither is the result, so that it does not depend on the order.

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

/// Of whole numbers.
struct Together {
  TS_HD int operator()(int a, int b) const { return a + b; }
};

namespace detail {

/// Each of the first `parts` items takes all to which it is a multiple of `parts` away: neighbours go to
/// neighbours, and only one index comes to an item.
template <class T, class Join>
struct JoinParts {  // one part per index
  const T* from;
  T* to;  // [parts]; may be `from`
  int count, parts;
  Join join;
  TS_HD void operator()(int part) const {
    T result = from[part];
    for (int index = part + parts; index < count; index += parts) result = join(result, from[index]);
    to[part] = result;
  }
};

/// joinedInto() by one group.
TS_NO_SPACE_CHECK
template <class Group, class T, class Join>
TS_HD const T* joinedByGroup(const Group& group, const T* from, T* to, int count, Join join) {
  for (int parts = 0; count > 1; count = parts) {
    parts = sumsOf(count);
    group.forEach(parts, JoinParts<T, Join>{from, to, count, parts, join});
    from = to;
  }
  return from;
}

template <class T, class Join>
struct JoinTogether {
  const T* from;
  T* to;
  int count;
  Join join;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    joinedByGroup(group, from, to, count, join);
  }
};

/// joinedThere() with room for what comes between. @param to  [sumsOf(count)]; may be `from`
template <class Backend, class T, class Join>
const T* joinedInto(const Backend& backend, const T* from, T* to, int count, const Join& join) {
  for (int parts = count; count > kMostOfOneGroup; count = parts) {
    parts = sumsOf(count);
    forEach(backend, parts, JoinParts<T, Join>{from, to, count, parts, join});
    from = to;
  }
  if (count == 1) return from;
  backend.runGroups(1, sumsOf(count), JoinTogether<T, Join>{from, to, count, join});
  return to;
}

}  // namespace detail

/// All of data[0 … count), count ≥ 1, joined in the memory of the backend, without waiting for the result.
/// Overwrites `data`.
/// @param join  an operation whose result does not depend on the order, such as minimum, maximum and union of
/// boxes: never a sum of floating point
/// @return the result, in the memory of the backend: one of data[0 … count)
template <class Backend, class T, class Join>
const T* joinedThere(const Backend& backend, T* data, int count, const Join& join) {
  if constexpr (Backend::kOnHost) {
    for (int index = 1; index < count; ++index) data[0] = join(data[0], data[index]);
    return data;
  } else {
    return detail::joinedInto(backend, data, data, count, join);
  }
}

/// All of data[0 … count) joined, starting from `start`. Waits for it, and leaves `data` as it is.
/// @param join  as for joinedThere()
template <class Backend, class T, class Join>
T joined(const Backend& backend, const T* data, int count, const T& start, const Join& join,
         typename Backend::template Array<T>& room) {
  if constexpr (Backend::kOnHost) {
    T result = start;
    for (int index = 0; index < count; ++index) result = join(result, data[index]);
    return result;
  } else {
    if (count == 0) return start;
    room.resize(static_cast<std::size_t>(sumsOf(count)));
    T result = start;
    backend.download(detail::joinedInto(backend, data, room.data(), count, join), 1, &result);
    return join(start, result);
  }
}

}  // namespace touchstone
