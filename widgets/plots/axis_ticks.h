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

/// Tick positions inside the range, ascending: multiples of 1, 2 or 5 × 10^k, about `maxTicks`. On a
/// logarithmic axis whole decades (every n-th if there are many), or 1, 2 and 5 of each within less than two
/// decades.
std::vector<double> tickPositions(Range range, bool logarithmic, int maxTicks);

/// Labels of ticks, all with the same number of digits: "0.25", "2.5·10⁻⁷"; on a logarithmic axis "10⁻⁶".
std::vector<QString> tickLabels(const std::vector<double>& ticks, bool logarithmic);

/// A unit in which the numbers of a range are short: 0.0041 m are 4.1 mm.
struct ShownUnit {
  double size = 1;  ///< in the unit of the data
  QString text;
};
/// The unit with the prefix by which the largest number of a range is at least 1 and short; a unit that takes
/// no prefix stays as it is.
/// @param unit  of the data: "m", "m³", "N·s"
ShownUnit shownUnit(const QString& unit, double largest);
/// The unit in the brackets at the end of a label, "δ max [m]"; empty: none.
QString unitOf(const QString& label);
/// The label with another unit in its brackets; the label if it has none.
QString withUnit(const QString& label, const QString& unit);

/// −12 → "⁻¹²"
QString superscript(int exponent);

}  // namespace touchstone
