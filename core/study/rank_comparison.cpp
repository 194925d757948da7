#include "core/study/rank_comparison.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/files/text_forms.h"

namespace touchstone {

namespace {

void requireSample(const std::vector<double>& numbers) {
  if (static_cast<int>(numbers.size()) < kFewestCopies)
    throw std::invalid_argument("ranks compare at least " + std::to_string(kFewestCopies) + " copies, not " +
                                std::to_string(numbers.size()) + "; take more copies");
  for (const double number : numbers)
    if (!std::isfinite(number))
      throw std::invalid_argument("ranks compare finite numbers; leave out the copies that have none");
}

/// What equal numbers share.
struct RankSums {
  double ofA = 0;   ///< Σ rank(a)
  double ties = 0;  ///< Σ (t³ − t) over groups of t equal numbers
};

RankSums rankSums(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, int>> all;  // number, 1: of a
  for (const double number : a) all.push_back({number, 1});
  for (const double number : b) all.push_back({number, 0});
  std::sort(all.begin(), all.end());
  RankSums sums;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    int ofA = 0;
    for (; end < all.size() && all[end].first == all[first].first; ++end) ofA += all[end].second;
    const double tied = static_cast<double>(end - first);
    sums.ofA += ofA * 0.5 * static_cast<double>(first + 1 + end);
    sums.ties += tied * tied * tied - tied;
    first = end;
  }
  return sums;
}

}  // namespace

RankComparison compareByRanks(const std::vector<double>& a, const std::vector<double>& b, double alpha) {
  requireSample(a);
  requireSample(b);
  if (!(alpha > 0 && alpha < 0.5))
    throw std::invalid_argument("alpha must lie between 0 and 0.5, is " + csvNumber(alpha) +
                                "; 0.05 is usual");
  RankComparison result;
  result.countA = static_cast<int>(a.size());
  result.countB = static_cast<int>(b.size());
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double left : a)
    for (const double right : b) differences.push_back(left - right);
  std::sort(differences.begin(), differences.end());

  const boost::math::normal standard;
  const double n = result.countA, m = result.countB, all = n + m;
  const std::size_t count = differences.size(), middle = count / 2;
  result.shift = count % 2 ? differences[middle] : 0.5 * (differences[middle - 1] + differences[middle]);
  const double reach = boost::math::quantile(standard, 1 - alpha) * std::sqrt(n * m * (all + 1) / 12);
  const auto edge = static_cast<std::size_t>(std::max(1.0, std::floor(0.5 * n * m - reach)));  // C
  result.low = differences[edge - 1];
  result.high = differences[count - edge];

  const RankSums sums = rankSums(a, b);
  result.u = sums.ofA - 0.5 * n * (n + 1);
  const double variance = n * m / 12 * (all + 1 - sums.ties / (all * (all - 1)));
  if (variance > 0) result.z = (std::abs(result.u - 0.5 * n * m) - 0.5) / std::sqrt(variance);
  result.p = std::min(1.0, 2 * boost::math::cdf(standard, -result.z));
  return result;
}

std::vector<double> holmAdjusted(const std::vector<double>& p) {
  std::vector<std::size_t> order;
  for (std::size_t test = 0; test < p.size(); ++test)
    if (!std::isnan(p[test])) order.push_back(test);
  std::sort(order.begin(), order.end(), [&p](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted = p;
  double before = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const double left = static_cast<double>(order.size() - place);
    before = std::min(1.0, std::max(before, left * p[order[place]]));
    adjusted[order[place]] = before;
  }
  return adjusted;
}

const char* toString(Decision verdict) {
  switch (verdict) {
    case Decision::Equal:
      return "equal";
    case Decision::Different:
      return "different";
    case Decision::Undecided:
      break;
  }
  return "undecided";
}

RankVerdict verdictOf(const RankComparison& comparison, double margin, double alpha, double p) {
  // Copies; where more are needed no number is given. A larger value names studies that take years, a smaller
  // one hides studies that can be run.
  constexpr double kMostNeeded = 1e6;
  RankVerdict result;
  if (margin > 0 && comparison.low >= -margin && comparison.high <= margin) {
    result.verdict = Decision::Equal;
    result.isMeasurable = p < alpha;
  } else if (p < alpha) {
    result.verdict = Decision::Different;
  } else if (margin > 0) {
    const double ratio = (comparison.high - comparison.low) / (2 * margin);
    const double needed = std::min(comparison.countA, comparison.countB) * ratio * ratio;
    if (needed <= kMostNeeded) result.copiesNeeded = static_cast<int>(std::ceil(needed));
  }
  return result;
}

std::string textOf(const RankVerdict& verdict, const RankComparison& comparison, double margin) {
  if (verdict.verdict == Decision::Equal)
    return "equal within " + fourDigits(margin) +
           (verdict.isMeasurable ? "; a difference of " + fourDigits(comparison.shift) + " can be measured"
                                 : "");
  if (verdict.verdict == Decision::Different) return "different";
  if (verdict.copiesNeeded > 0)
    return "undecided: needs about " + std::to_string(verdict.copiesNeeded) + " copies";
  return margin > 0
             ? "undecided: the margin is too small for any number of copies"
             : "undecided; give a margin, in the unit of the quantity, within which they count as equal";
}

}  // namespace touchstone
