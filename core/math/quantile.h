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
  return values[place];
}

/// The value at a share of the sorted values, with linear interpolation between neighbours (R's type 7, the
/// usual one of statistics programs). NaN values are ignored; without others the result is NaN.
inline double interpolatedQuantile(std::vector<double> values, double share) {
  const auto isNone = [](double value) { return std::isnan(value); };
  values.erase(std::remove_if(values.begin(), values.end(), isNone), values.end());
  if (values.empty()) return std::nan("");
  const double place = share * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), values.begin() + lower, values.end());
  const double low = values[lower], rest = place - static_cast<double>(lower);
  if (rest == 0) return low;
  const double high = *std::min_element(values.begin() + lower + 1, values.end());
  return low + rest * (high - low);
}

/// The one median of the program: of an even number of values the mean of the two in the middle.
inline double median(std::vector<double> values) { return interpolatedQuantile(std::move(values), 0.5); }

}  // namespace touchstone
