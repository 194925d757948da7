#include "core/files/time_path_file.h"

namespace touchstone {

TimePath<double> readNumberPath(const JsonView& json, const std::string& unit) {
  // A larger value lets a damaged file take more time; a smaller one refuses long scripts.
  constexpr std::size_t kMostPoints = 10'000;
  return readTimePath<double>(json, kMostPoints, "a value", "[time in s, value in " + unit + "]",
                              [](const JsonView& value) { return value.number(); });
}

}  // namespace touchstone
