#include "core/statistics/event_comparison.h"

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace touchstone {

ShareInterval wilsonInterval(const EventCount& count) {
  if (count.of == 0) return {std::nan(""), std::nan("")};
  static const double z = boost::math::quantile(boost::math::normal(), 0.975);
  const double n = count.of, p = count.happened / n, scale = 1 / (1 + z * z / n);
  const double centre = p + z * z / (2 * n), reach = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {std::max(0.0, scale * (centre - reach)), std::min(1.0, scale * (centre + reach))};
}

double fisherExact(const EventCount& a, const EventCount& b) {
  // Relative: tables that are as likely as the one seen differ from it by rounding. A larger value counts
  // tables that are more likely.
  constexpr double kRounding = 1e-7;
  if (a.of == 0 || b.of == 0) return 1;
  const int happened = a.happened + b.happened, total = a.of + b.of;
  const boost::math::hypergeometric_distribution<double> tables(
      static_cast<unsigned>(happened), static_cast<unsigned>(a.of), static_cast<unsigned>(total));
  const double seen = boost::math::pdf(tables, a.happened) * (1 + kRounding);
  double sum = 0;
  for (int ofA = std::max(0, happened - b.of); ofA <= std::min(happened, a.of); ++ofA) {
    const double probability = boost::math::pdf(tables, ofA);
    if (probability <= seen) sum += probability;
  }
  return std::min(1.0, sum);
}

}  // namespace touchstone
