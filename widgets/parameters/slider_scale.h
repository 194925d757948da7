#pragma once

#include "core/scene/parameter.h"

namespace touchstone {

/// Maps the positions of a slider to the values of a numeric parameter and back.
///
/// Linear: value = minimum + t (maximum − minimum), t = position / steps. Logarithmic: value = low (maximum /
/// low)^t with low = minimum if it is positive, else maximum · 1e-9, and position 0 the minimum itself.
struct SliderScale {
  double minimum = 0, maximum = 1;
  bool logarithmic = false;
  int steps = 300;

  explicit SliderScale(const ParameterSpec& spec);
  /// Rounded to three significant digits, so that a dragged value can be read and typed; exact at both ends.
  double valueAt(int position) const;
  int positionOf(double value) const;
};

/// `value` rounded to `digits` significant decimal digits.
double roundedTo(double value, int digits);

}  // namespace touchstone
