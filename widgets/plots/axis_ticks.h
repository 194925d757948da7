#pragma once

#include <QString>
#include <vector>

namespace touchstone {

/// Lower and upper end of an axis.
struct Range {
  double low = 0, high = 1;
};

/// [low, high] with a margin, logarithmic on request; never empty. Data that cannot be negative has its zero
/// line at the bottom. Returns a default range if low or high cannot be shown.
Range niceRange(double low, double high, bool logarithmic);

/// Tick positions inside the range, ascending: multiples of 1, 2 or 5 × 10^k, about `most`. On a logarithmic
/// axis whole decades (every n-th if there are many), or 1, 2 and 5 of each within less than two decades.
std::vector<double> tickPositions(Range range, bool logarithmic, int most);

/// Labels of ticks, all with the same number of digits: "0.25", "2.5·10⁻⁷"; on a logarithmic axis "10⁻⁶".
std::vector<QString> tickLabels(const std::vector<double>& ticks, bool logarithmic);

/// −12 → "⁻¹²"
QString superscript(int exponent);

}  // namespace touchstone
