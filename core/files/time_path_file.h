#pragma once

#include "core/files/json_view.h"
#include "core/math/time_path.h"

namespace touchstone {

/// Reads [[time, value], …] with ascending times, at least one.
/// @param maxPoints  number of points   @param what  a value, for errors: "a value"
/// @param form  how a point is written, for remedies: "[time in s, value in m]"
/// @param read  value of a JsonView, which it refuses where it must
/// @throws SceneError that names the point
template <class Value, class Read>
TimePath<Value> readTimePath(const JsonView& json, std::size_t maxPoints, const std::string& what,
                             const std::string& form, const Read& read) {
  TimePath<Value> path;
  for (const JsonView& point : json.items(maxPoints)) {
    const std::vector<JsonView> parts = point.items(2);
    if (parts.size() != 2) point.fail("must be a time and " + what, "write " + form);
    const double time = parts[0].number();
    if (!path.empty() && !(time > path.back().time))
      point.fail("is not later than the one before", "give ascending times");
    path.push_back({time, read(parts[1])});
  }
  if (path.empty()) json.fail("is empty", "give " + form + " at least once");
  return path;
}

/// The same for numbers, at most 10 000. @param unit  of the values
TimePath<double> readNumberPath(const JsonView& json, const std::string& unit);

}  // namespace touchstone
