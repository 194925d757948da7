#include "core/statistics/rank_comparison.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/math/quantile.h"

namespace touchstone {

namespace {

void requireSample(const std::vector<double>& numbers) {
  if (countOf(numbers) < kFewestCopies)
    throw std::invalid_argument("ranks compare at least " + std::to_string(kFewestCopies) + " copies, not " +
                                std::to_string(numbers.size()) + "; take more copies");
  for (const double number : numbers)
    if (!std::isfinite(number))
      throw std::invalid_argument("ranks compare finite numbers; leave out the copies that have none");
}

/// More labellings than these are drawn. A larger value counts all for samples of nine and costs
/// milliseconds; a smaller one draws for samples of eight.
constexpr double kMostCounted = 25'000;
/// Share by which a statistic may be smaller and count as equal: rounding of sums in another order.
constexpr double kRounding = 1e-10;

/// Labels of n of all numbers: all labellings once, or kPermutations of them after the one that is given.
/// @param visit  (const std::vector<char>& labels), first with the given labels
template <class Visit>
void eachLabelling(std::vector<char> labels, int n, const Visit& visit) {
  const std::size_t total = labels.size();
  double count = 1;
  for (int number = 1; number <= n; ++number) count *= static_cast<double>(total - (n - number)) / number;
  visit(labels);
  if (count <= kMostCounted) {
    const std::vector<char> given = labels;
    std::sort(labels.begin(), labels.end());
    do {
      if (labels != given) visit(labels);
    } while (std::next_permutation(labels.begin(), labels.end()));
    return;
  }
  // The first places of a shuffle (Fisher and Yates) are drawn, as many as the smaller side has.
  // std::shuffle and std::uniform_int_distribution give other numbers on other systems.
  std::mt19937 random(1);
  std::vector<std::size_t> order(total);
  std::iota(order.begin(), order.end(), std::size_t(0));
  const std::size_t ofA = n, few = std::min(ofA, total - ofA);
  const char ofFew = few == ofA ? 1 : 0;
  for (int draw = 0; draw < kPermutations; ++draw) {
    std::fill(labels.begin(), labels.end(), static_cast<char>(1 - ofFew));
    for (std::size_t place = 0; place < few; ++place) {
      const std::uint64_t range = total - place, drawn = random();
      std::swap(order[place], order[place + (drawn * range >> 32)]);
      labels[order[place]] = ofFew;
    }
    visit(labels);
  }
}

/// Share of labellings whose |t| is not smaller than that of the given labels, which counts itself.
template <class Statistic>
double shareOfLabellings(const std::vector<char>& labels, int n, const Statistic& statistic) {
  double given = -1, reached = 0, seen = 0;
  eachLabelling(labels, n, [&](const std::vector<char>& other) {
    const double t = std::abs(statistic(other));
    if (given < 0) given = t * (1 - kRounding);
    reached += t >= given;
    ++seen;
  });
  return reached / seen;
}

double inUnitsOf(double variance, double difference) {
  if (variance > 0) return difference / std::sqrt(variance);
  return difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), difference);
}

/// Variance of n numbers from their sum and that of their squares.
double varianceOf(double sum, double squares, double n) {
  return std::max(0.0, (squares - sum * sum / n) / (n - 1));
}

/// All numbers in ascending order: which are of a, and where each run of equal ones ends.
struct Order {
  std::vector<char> isOfA;
  std::vector<std::size_t> ends;
};

Order orderOf(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, char>> numbers;
  for (const double number : a) numbers.push_back({number, 1});
  for (const double number : b) numbers.push_back({number, 0});
  std::sort(numbers.begin(), numbers.end());
  Order order;
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    order.isOfA.push_back(numbers[place].second);
    if (place + 1 == numbers.size() || numbers[place + 1].first != numbers[place].first)
      order.ends.push_back(place + 1);
  }
  return order;
}

/// Placements of both sides under some labels.
struct Placements {
  double u = 0, share = 0;      ///< Σ of a; the same as a share of n m, less ½
  double partA = 0, partB = 0;  ///< of V
  double t() const { return inUnitsOf(partA + partB, share); }
};

Placements placementsOf(const std::vector<char>& isOfA, const std::vector<std::size_t>& ends, double n,
                        double m) {
  double belowA = 0, belowB = 0, sumA = 0, squaresA = 0, sumB = 0, squaresB = 0;
  const bool isWithoutTies = ends.size() == isOfA.size();
  if (isWithoutTies) {  // as below, in whole numbers and without branches: half of the time
    std::int64_t ofA = 0, sum = 0, ofSquaresA = 0, ofSquaresB = 0;
    for (std::size_t place = 0; place < isOfA.size(); ++place) {
      const std::int64_t label = isOfA[place], under = static_cast<std::int64_t>(place) - ofA;
      sum += under & -label;
      ofSquaresA += under * under & -label;
      ofSquaresB += ofA * ofA & (label - 1);
      ofA += label;
    }
    sumA = static_cast<double>(sum);
    sumB = n * m - sumA;
    squaresA = static_cast<double>(ofSquaresA);
    squaresB = static_cast<double>(ofSquaresB);
  }
  std::size_t place = 0;
  for (std::size_t run = 0; !isWithoutTies && run < ends.size(); ++run) {
    const std::size_t end = ends[run];
    double ofA = 0;
    const auto size = static_cast<double>(end - place);
    for (; place < end; ++place) ofA += isOfA[place];
    const double ofB = size - ofA, underA = belowB + 0.5 * ofB, underB = belowA + 0.5 * ofA;
    sumA += ofA * underA;
    squaresA += ofA * underA * underA;
    sumB += ofB * underB;
    squaresB += ofB * underB * underB;
    belowA += ofA;
    belowB += ofB;
  }
  return {sumA, sumA / (n * m) - 0.5, varianceOf(sumA, squaresA, n) / (n * m * m),
          varianceOf(sumB, squaresB, m) / (m * n * n)};
}

/// Two-sided p of Student's distribution. Placements have ends, unlike normal numbers, so that each side
/// counts as two numbers less.
double studentP(const Placements& placements, double n, double m) {
  const double t = std::abs(placements.t()), total = placements.partA + placements.partB;
  if (!std::isfinite(t) || !(total > 0)) return t > 0 ? 0 : 1;
  const double freedom =
      total * total /
      (placements.partA * placements.partA / (n - 3) + placements.partB * placements.partB / (m - 3));
  const boost::math::students_t student(freedom);
  return 2 * boost::math::cdf(boost::math::complement(student, t));
}

/// Deviations from the median, without those that the median fixes.
std::vector<double> deviationsOf(const std::vector<double>& numbers) {
  const double middle = median(numbers), count = static_cast<double>(numbers.size());
  std::vector<double> deviations;
  for (const double number : numbers)
    deviations.push_back(std::abs(number - middle) * std::sqrt(count / (count - 1)));
  // The middle number of an odd count deviates by 0; of an even count the two middle ones deviate alike.
  std::sort(deviations.begin(), deviations.end());
  deviations.erase(deviations.begin());
  return deviations;
}

}  // namespace

RankComparison compareByRanks(const std::vector<double>& a, const std::vector<double>& b, double alpha,
                              double margin) {
  requireSample(a);
  requireSample(b);
  if (!(alpha > 0 && alpha < 0.5))
    throw std::invalid_argument("alpha must lie between 0 and 0.5, is " + csvNumber(alpha) +
                                "; 0.05 is usual");
  RankComparison result;
  result.countA = countOf(a);
  result.countB = countOf(b);
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double first : a)
    for (const double second : b) differences.push_back(first - second);
  std::sort(differences.begin(), differences.end());

  const double n = result.countA, m = result.countB;
  const std::size_t count = differences.size(), middle = count / 2;
  result.shift = count % 2 ? differences[middle] : 0.5 * (differences[middle - 1] + differences[middle]);
  std::vector<double> moved = a;
  for (double& number : moved) number -= result.shift;
  const Order level = orderOf(moved, b);
  const Placements beside = placementsOf(level.isOfA, level.ends, n, m);
  const double error = std::sqrt(beside.partA + beside.partB);
  const boost::math::normal standard;
  const double outside = n * m * (0.5 - boost::math::quantile(standard, 1 - alpha) * error);
  const auto edge = static_cast<std::size_t>(std::max(1.0, std::floor(outside)));  // C
  result.low = differences[edge - 1];
  result.high = differences[count - edge];
  if (margin > 0) {
    const auto above = differences.end() - std::upper_bound(differences.begin(), differences.end(), margin),
               below =
                   std::lower_bound(differences.begin(), differences.end(), -margin) - differences.begin();
    const double beyond = static_cast<double>(std::max(above, below));
    // Without scatter nothing is beyond the margin, or half of all differences are.
    const double z = inUnitsOf(error * error, 0.5 - (beyond + 1) / (n * m));
    result.pEqual = std::isfinite(z) ? boost::math::cdf(boost::math::complement(standard, z)) : z > 0 ? 0 : 1;
  }

  const Order order = orderOf(a, b);
  const Placements given = placementsOf(order.isOfA, order.ends, n, m);
  result.u = given.u;
  result.t = given.t();
  result.p = std::max(studentP(given, n, m),
                      shareOfLabellings(order.isOfA, result.countA, [&](const std::vector<char>& labels) {
                        return placementsOf(labels, order.ends, n, m).t();
                      }));
  return result;
}

SpreadComparison compareSpread(const std::vector<double>& a, const std::vector<double>& b) {
  requireSample(a);
  requireSample(b);
  std::vector<double> deviations = deviationsOf(a);
  const std::size_t ofA = deviations.size();
  for (const double deviation : deviationsOf(b)) deviations.push_back(deviation);
  const double n = static_cast<double>(ofA), m = static_cast<double>(deviations.size() - ofA);
  std::vector<char> labels(deviations.size(), 0);
  std::fill(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(ofA), 1);
  SpreadComparison result;
  const auto statistic = [&](const std::vector<char>& isOfA) {
    double sumA = 0, squaresA = 0, sumB = 0, squaresB = 0;
    for (std::size_t place = 0; place < deviations.size(); ++place) {
      const double label = isOfA[place], deviation = deviations[place];
      sumA += label * deviation;
      squaresA += label * deviation * deviation;
      sumB += (1 - label) * deviation;
      squaresB += (1 - label) * deviation * deviation;
    }
    result.a = sumA / n;
    result.b = sumB / m;
    return inUnitsOf(varianceOf(sumA, squaresA, n) / n + varianceOf(sumB, squaresB, m) / m,
                     result.a - result.b);
  };
  result.p = shareOfLabellings(labels, static_cast<int>(ofA), statistic);
  result.t = statistic(labels);
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
    const double remaining = static_cast<double>(order.size() - place);
    before = std::min(1.0, std::max(before, remaining * p[order[place]]));
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

RankVerdict verdictOf(const RankComparison& comparison, double margin, double alpha, const AdjustedP& p) {
  // Copies; where more are needed no number is given. A larger value names studies that take years, a smaller
  // one hides studies that can be run.
  constexpr double kMostNeeded = 1e6;
  RankVerdict result;
  if (margin > 0 && p.equal <= alpha) {
    result.verdict = Decision::Equal;
    result.isMeasurable = p.different < alpha;
  } else if (p.different < alpha) {
    result.verdict = Decision::Different;
    result.isBeyond = margin > 0 && (comparison.low > margin || comparison.high < -margin);
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
  if (verdict.verdict == Decision::Different) {
    if (!(margin > 0)) return "different";
    return verdict.isBeyond ? "different, beyond " + fourDigits(margin)
                            : "different; whether beyond " + fourDigits(margin) + " is open";
  }
  if (verdict.copiesNeeded > 0)
    return "undecided: needs about " + std::to_string(verdict.copiesNeeded) + " copies";
  return margin > 0
             ? "undecided: the margin is too small for any number of copies"
             : "undecided; give a margin, in the unit of the quantity, within which they count as equal";
}

}  // namespace touchstone
