#include "widgets/parameters/slider_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace touchstone {

namespace {

// Low end of a logarithmic slider that starts at 0, relative to its maximum. A larger value makes small
// numbers unreachable by dragging; a smaller one makes the slider coarse.
constexpr double kSmallestShare = 1e-9;

double lowEnd(const SliderScale& scale) {
  return scale.minimum > 0 ? scale.minimum : scale.maximum * kSmallestShare;
}

}  // namespace

double roundedTo(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return std::strtod(text, nullptr);
}

SliderScale::SliderScale(const ParameterSpec& spec)
    : minimum(spec.minimum), maximum(spec.maximum), logarithmic(spec.logarithmic && spec.maximum > 0) {
  if (spec.kind == ParameterKind::Integer && !logarithmic)
    steps = static_cast<int>(std::clamp(maximum - minimum, 1.0, 1000.0));
}

double SliderScale::valueAt(int position) const {
  if (position <= 0) return minimum;
  if (position >= steps) return maximum;
  const double t = static_cast<double>(position) / steps;
  const double value =
      logarithmic ? lowEnd(*this) * std::pow(maximum / lowEnd(*this), t) : minimum + t * (maximum - minimum);
  return std::clamp(roundedTo(value, 3), minimum, maximum);
}

int SliderScale::positionOf(double value) const {
  if (!(value > minimum) || maximum <= minimum) return 0;
  const double t = logarithmic ? std::log(value / lowEnd(*this)) / std::log(maximum / lowEnd(*this))
                               : (value - minimum) / (maximum - minimum);
  return static_cast<int>(std::lround(std::clamp(t, 0.0, 1.0) * steps));
}

}  // namespace touchstone
