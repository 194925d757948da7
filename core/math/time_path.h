#pragma once

#include <algorithm>
#include <vector>

namespace touchstone {

/// A value at a time [s].
template <class Value>
struct TimedValue {
  double time;
  Value value;
};

/// A value that changes with time: straight lines between points with ascending times, held before the first
/// and after the last.
template <class Value>
using TimePath = std::vector<TimedValue<Value>>;

/// @param path  at least one point   @param time  s
template <class Value>
Value valueAt(const TimePath<Value>& path, double time) {
  const auto later = std::find_if(path.begin(), path.end(),
                                  [time](const TimedValue<Value>& point) { return point.time > time; });
  if (later == path.begin()) return later->value;
  const TimedValue<Value>& before = *(later - 1);
  if (later == path.end()) return before.value;
  const double share = (time - before.time) / (later->time - before.time);
  return before.value + share * (later->value - before.value);
}

}  // namespace touchstone
