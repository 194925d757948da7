#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace touchstone {

/// The value at a share (0 to 1) of the sorted values, by nearest rank, so that the result is one of the
/// values. NaN values are ignored; without others the result is NaN.
inline double quantile(std::vector<double> values, double share) {
  const auto isNone = [](double value) { return std::isnan(value); };
  values.erase(std::remove_if(values.begin(), values.end(), isNone), values.end());
  if (values.empty()) return std::nan("");
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

/// The value at a share of the sorted values, with linear interpolation between neighbours (R's type 7, the
/// usual one of statistics programs). NaN values are ignored; without others the result is NaN.
inline double interpolatedQuantile(std::vector<double> values, double share) {
  const auto isNone = [](double value) { return std::isnan(value); };
  values.erase(std::remove_if(values.begin(), values.end(), isNone), values.end());
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<std::size_t>(place);
  if (lower + 1 >= values.size()) return values.back();
  const double rest = place - static_cast<double>(lower);
  return rest == 0 ? values[lower] : values[lower] + rest * (values[lower + 1] - values[lower]);
}

/// For an even number of values the upper of the two in the middle.
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace touchstone
