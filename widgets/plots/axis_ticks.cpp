#include "widgets/plots/axis_ticks.h"
#include "core/math/count.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

/// Smallest 1, 2 or 5 × 10^k that is ≥ value > 0.
double niceStep(double value) {
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  for (double step : {1.0, 2.0, 5.0})
    if (value <= step * decade * (1 + 1e-9)) return step * decade;
  return 10 * decade;
}

std::vector<double> linearTicks(Range range, int maxTicks) {
  std::vector<double> ticks;
  // At least two ticks, even in little space: one tick gives no scale.
  double step = niceStep((range.high - range.low) / maxTicks);
  if (std::floor(range.high / step) - std::ceil(range.low / step) < 1) step = niceStep(0.4 * step);
  const double slack = 1e-6 * step;
  for (double k = std::ceil((range.low - slack) / step); k * step <= range.high + slack; ++k) {
    const double tick = k * step;
    ticks.push_back(std::abs(tick) < slack ? 0.0 : tick);
    if (countOf(ticks) > 2 * maxTicks) break;  // the range is below the resolution of double
  }
  return ticks;
}

std::vector<double> decadeTicks(Range range, int every, bool fine) {
  std::vector<double> ticks;
  for (int decade = static_cast<int>(std::floor(std::log10(range.low))); decade <= std::log10(range.high);
       ++decade) {
    if (!fine && decade % every != 0) continue;
    for (double step : {1.0, 2.0, 5.0}) {
      const double tick = step * std::pow(10.0, decade);
      if (tick >= range.low * (1 - 1e-9) && tick <= range.high * (1 + 1e-9)) ticks.push_back(tick);
      if (!fine) break;
    }
  }
  return ticks;
}

std::vector<double> logarithmicTicks(Range range, int maxTicks) {
  const double decades = std::log10(range.high) - std::log10(range.low);
  int every = std::max(1, static_cast<int>(std::ceil(decades / maxTicks)));
  std::vector<double> ticks = decadeTicks(range, every, decades < 1.5);
  while (ticks.size() < 2 && every > 1) ticks = decadeTicks(range, --every, false);
  return ticks.size() < 2 ? linearTicks(range, maxTicks) : ticks;
}

/// Digits after the point that distinguish neighbouring ticks.
int digitsOf(double step) { return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9))); }

QString powerOfTen(double tick) {
  const int exponent = static_cast<int>(std::floor(std::log10(tick) + 1e-9));
  const double mantissa = tick / std::pow(10.0, exponent);
  const QString power = QStringLiteral("10") + superscript(exponent);
  return std::abs(mantissa - 1) < 1e-6 ? power
                                       : QString::number(mantissa, 'g', 3) + QStringLiteral("·") + power;
}

/// Units of one kind, from small to large; `sizes` in the one without prefix.
std::vector<ShownUnit> unitsLike(const QString& unit) {
  static const QStringList prefixed = {QStringLiteral("m"),     QStringLiteral("s"),   QStringLiteral("N"),
                                       QStringLiteral("J"),     QStringLiteral("N·s"), QStringLiteral("N·m"),
                                       QStringLiteral("N·m·s"), QStringLiteral("m/s")};
  constexpr double kLength[] = {1e-6, 1e-3, 1e-2, 1};
  static const char* const lengths[] = {"µm", "mm", "cm", "m"};
  std::vector<ShownUnit> units;
  if (unit == QLatin1String("ms"))
    return {{1e-3, QStringLiteral("µs")}, {1, QStringLiteral("ms")}, {1e3, QStringLiteral("s")}};
  if (unit == QStringLiteral("m²") || unit == QStringLiteral("m³")) {
    const int power = unit == QStringLiteral("m²") ? 2 : 3;
    for (int length = 0; length < 4; ++length)
      units.push_back({std::pow(kLength[length], power), QString::fromUtf8(lengths[length]) + unit.back()});
    return units;
  }
  if (!prefixed.contains(unit)) return units;
  units = {{1e-9, QStringLiteral("n")}, {1e-6, QStringLiteral("µ")}, {1e-3, QStringLiteral("m")}, {1, {}}};
  if (unit.startsWith(QLatin1Char('N')) || unit == QLatin1String("J")) {
    units.push_back({1e3, QStringLiteral("k")});
    units.push_back({1e6, QStringLiteral("M")});
  }
  for (ShownUnit& next : units) next.text += unit;
  return units;
}

}  // namespace

ShownUnit shownUnit(const QString& unit, double largest) {
  ShownUnit chosen{1, unit};
  if (!std::isfinite(largest) || largest == 0) return chosen;
  const std::vector<ShownUnit> units = unitsLike(unit);
  if (units.empty()) return chosen;
  chosen = units.front();
  for (const ShownUnit& next : units)
    if (std::abs(largest) >= next.size * (1 - 1e-9)) chosen = next;
  return chosen;
}

QString unitOf(const QString& label) {
  const int open = label.lastIndexOf(QLatin1Char('['));
  return open < 0 || !label.endsWith(QLatin1Char(']')) ? QString()
                                                       : label.mid(open + 1, label.size() - open - 2);
}

QString withUnit(const QString& label, const QString& unit) {
  if (unitOf(label).isEmpty()) return label;
  return label.left(label.lastIndexOf(QLatin1Char('['))) + QStringLiteral("[%1]").arg(unit);
}

QString superscript(int exponent) {
  static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
  QString text;
  for (QChar character : QString::number(exponent))
    text += character == QLatin1Char('-') ? QChar(0x207B) : digits[character.digitValue()];
  return text;
}

Range niceRange(double low, double high, bool logarithmic) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    return logarithmic ? Range{0.1, 10} : Range{0, 1};
  if (logarithmic) {
    if (low <= 0 || high <= 0) return {0.1, 10};
    const double margin = std::max(std::pow(high / low, 0.06), 1.15);
    return {low / margin, high * margin};
  }
  double span = high - low;
  // A constant is shown in the middle of a range of its own size; the range must not show its rounding noise.
  if (span <= 1e-12 * std::max(std::abs(low), std::abs(high))) span = low == 0 ? 1 : std::abs(low);
  Range range{low - 0.06 * span, high + 0.06 * span};
  if (high - low < span) range = {low - 0.5 * span, high + 0.5 * span};
  // Quantities that cannot be negative start at their zero line.
  if (low >= 0 && range.low < 0) range.low = -0.02 * (range.high - 0);
  return range;
}

std::vector<double> tickPositions(Range range, bool logarithmic, int maxTicks) {
  if (!(range.high > range.low) || !std::isfinite(range.high - range.low) || maxTicks < 1) return {};
  if (logarithmic && range.low <= 0) return {};
  return logarithmic ? logarithmicTicks(range, maxTicks) : linearTicks(range, maxTicks);
}

std::vector<QString> tickLabels(const std::vector<double>& ticks, bool logarithmic) {
  std::vector<QString> labels;
  if (ticks.empty()) return labels;
  if (logarithmic) {
    for (double tick : ticks) labels.push_back(powerOfTen(tick));
    return labels;
  }
  double largest = 0;
  for (double tick : ticks) largest = std::max(largest, std::abs(tick));
  if (ticks.size() == 1 && largest < 1e5 && (largest == 0 || largest >= 1e-3))
    return {QString::number(ticks[0], 'g', 4).replace(QLatin1Char('-'), QChar(0x2212))};
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : largest;
  if (largest > 0 && (largest < 1e-3 || largest >= 1e5)) {
    const int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
    const double power = std::pow(10.0, exponent);
    for (double tick : ticks)
      labels.push_back(tick == 0 ? QStringLiteral("0")
                                 : QString::number(tick / power, 'f', digitsOf(step / power)) +
                                       QStringLiteral("·10") + superscript(exponent));
    return labels;
  }
  for (double tick : ticks) labels.push_back(QString::number(tick, 'f', digitsOf(step)));
  for (QString& label : labels) label.replace(QLatin1Char('-'), QChar(0x2212));
  return labels;
}

}  // namespace touchstone
