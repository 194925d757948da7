#include "core/statistics/rank_comparison.h"

#include <QtTest>
#include <boost/math/distributions/students_t.hpp>
#include <numeric>
#include <random>

#include "core/math/counter_random.h"
#include "core/statistics/event_comparison.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Comparisons of two samples by ranks, and of two counts.
class RankComparisonTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void agreesWithHand();
  void aShiftedSampleIsDifferent();
  void theVerdictFollowsTheMargin();
  void equalIsWhereTheIntervalLiesWithinTheMargin();
  void aMeasurableDifferenceCanBeWithinTheMargin();
  void differentTellsWhetherBeyondTheMargin();
  void drawnLabellingsAreTheSameEachTime();
  void swappingTheSidesTurnsTheShift();
  void oneNumberFarOffMovesNothing();
  void tiesCountHalf();
  void equalSamplesAreNotDifferent();
  void scatterIsTheMeanDeviation();
  void falseDifferencesAreAsRareAsAlphaSays_data();
  void falseDifferencesAreAsRareAsAlphaSays();
  void aShiftIsFoundAsOftenAsByTheRankSum();
  void equalIsSeldomFalse_data();
  void equalIsSeldomFalse();
  void equalIsFoundWhereItIs();
  void scatterIsComparedWhereverTheSamplesLie();
  void holmRaisesEachByWhatIsLeft();
  void badSamplesAreRefused();
  void aMethodAgainstItselfIsSeldomDifferent();
  void wilsonsIntervalHoldsTheShare();
  void fishersTestCountsTables();
  void philoxGivesItsPublishedNumbers();
  void normalNumbersAreNormal();
};

namespace {

const std::vector<double> kA = {1.0, 1.2, 1.1, 1.3, 0.9, 1.05, 1.15, 1.25},
                          kB = {1.02, 1.18, 1.12, 1.28, 0.93, 1.07, 1.13, 1.24};

std::vector<double> shifted(std::vector<double> numbers, double by) {
  for (double& number : numbers) number += by;
  return numbers;
}

RankVerdict verdict(const std::vector<double>& a, const std::vector<double>& b, double margin) {
  const RankComparison comparison = compareByRanks(a, b, 0.05, margin);
  return verdictOf(comparison, margin, 0.05, {comparison.p, comparison.pEqual});
}

/// Normal numbers, the same everywhere.
class Draw {
 public:
  explicit Draw(std::uint32_t test) : m_test(test) {}
  std::vector<double> operator()(int count, double deviation, double shift = 0) {
    std::vector<double> numbers;
    for (int number = 0; number < count; ++number)
      numbers.push_back(shift + deviation * normalOf({m_next++, m_test, 0, 0}, {11, 0}));
    return numbers;
  }

 private:
  std::uint32_t m_test, m_next = 0;
};

double pEqualOf(const std::vector<double>& a, const std::vector<double>& b, double margin) {
  return compareByRanks(a, b, 0.05, margin).pEqual;
}

/// Share of repeats [%] in which a decision falls.
template <class Decides>
double percentOf(int repeats, const Decides& decides) {
  int count = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) count += decides();
  return 100.0 * count / repeats;
}

/// By the definition, number by number: t of two samples.
double tByDefinition(const std::vector<double>& a, const std::vector<double>& b) {
  const auto placements = [](const std::vector<double>& of, const std::vector<double>& among) {
    std::vector<double> places;
    for (const double number : of) {
      double below = 0;
      for (const double other : among) below += other < number ? 1 : other == number ? 0.5 : 0;
      places.push_back(below);
    }
    return places;
  };
  const auto meanOf = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const auto varianceOf = [&](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += (value - meanOf(values)) * (value - meanOf(values));
    return sum / static_cast<double>(values.size() - 1);
  };
  const std::vector<double> ofA = placements(a, b), ofB = placements(b, a);
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  return (meanOf(ofA) / m - 0.5) / std::sqrt(varianceOf(ofA) / (n * m * m) + varianceOf(ofB) / (m * n * n));
}

}  // namespace

void RankComparisonTest::agreesWithHand() {
  const RankComparison result = compareByRanks(kA, kB, 0.05, 0.2);
  QCOMPARE(result.u, 32.0);
  QCOMPARE(result.t, 0.0);
  QCOMPARE(result.p, 1.0);
  QVERIFY_NEAR(result.shift, -0.005, 1e-12);
  QVERIFY(result.low < -0.1 && result.low > -0.2);
  QVERIFY(result.high > 0.1 && result.high < 0.2);
  QVERIFY_NEAR(compareByRanks(kA, shifted(kB, 0.1), 0.05, 0.2).t, tByDefinition(kA, shifted(kB, 0.1)), 1e-12);
}

// All 12 870 labellings of 8 and 8 are counted; two of them part the sides, as this one does.
void RankComparisonTest::aShiftedSampleIsDifferent() {
  const RankComparison result = compareByRanks(kA, shifted(kA, 0.5), 0.05, 0.05);
  QCOMPARE(result.u, 0.0);
  QVERIFY(result.t < 0 && std::isinf(result.t));
  QVERIFY_NEAR(result.p, 2.0 / 12870, 1e-12);
  QVERIFY_NEAR(result.shift, -0.5, 1e-12);
  QVERIFY(verdict(kA, shifted(kA, 0.5), 0.05).verdict == Decision::Different);
}

void RankComparisonTest::theVerdictFollowsTheMargin() {
  QVERIFY(verdict(kA, kB, 0.3).verdict == Decision::Equal);
  QVERIFY(!verdict(kA, kB, 0.3).isMeasurable);
  const RankComparison comparison = compareByRanks(kA, kB, 0.05, 0.05);
  const RankVerdict open = verdict(kA, kB, 0.05);
  QVERIFY(open.verdict == Decision::Undecided);
  const double ratio = (comparison.high - comparison.low) / 0.1;
  QCOMPARE(open.copiesNeeded, static_cast<int>(std::ceil(8 * ratio * ratio)));
  QCOMPARE(textOf(open, comparison, 0.05),
           "undecided: needs about " + std::to_string(open.copiesNeeded) + " copies");
  const RankVerdict none = verdict(kA, kB, std::nan(""));
  QVERIFY(none.verdict == Decision::Undecided);
  QCOMPARE(none.copiesNeeded, 0);
}

// A margin is met at the level of the interval: the verdict turns where the interval ends.
void RankComparisonTest::equalIsWhereTheIntervalLiesWithinTheMargin() {
  Draw draw(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const std::vector<double> a = draw(12, 2), b = draw(20, 1);
    const RankComparison comparison = compareByRanks(a, b, 0.05, 1);
    const double reach = std::max(-comparison.low, comparison.high);
    QVERIFY(compareByRanks(a, b, 0.05, reach * (1 + 1e-9)).pEqual <= 0.05);
    QVERIFY(compareByRanks(a, b, 0.05, reach * (1 - 1e-9)).pEqual > 0.05);
  }
}

// The pour under peg and cpf: p 0.015, and the interval lies within 2 %.
void RankComparisonTest::aMeasurableDifferenceCanBeWithinTheMargin() {
  RankComparison pour;
  pour.countA = pour.countB = 16;
  pour.shift = -0.002526;
  pour.low = -0.004071;
  pour.high = -0.000780;
  const RankVerdict result = verdictOf(pour, 0.00765, 0.05, {0.01506, 0.001});
  QVERIFY(result.verdict == Decision::Equal);
  QVERIFY(result.isMeasurable);
  QVERIFY(verdictOf(pour, 0.003, 0.05, {0.01506, 0.2}).verdict == Decision::Different);
}

void RankComparisonTest::differentTellsWhetherBeyondTheMargin() {
  RankComparison result;
  result.shift = 3;
  result.low = 2;
  result.high = 4;
  const AdjustedP p{0.001, 0.9};
  QVERIFY(verdictOf(result, 1.9, 0.05, p).isBeyond);
  QVERIFY(!verdictOf(result, 2.1, 0.05, p).isBeyond);
  QCOMPARE(textOf(verdictOf(result, 1.9, 0.05, p), result, 1.9), std::string("different, beyond 1.9"));
  QCOMPARE(textOf(verdictOf(result, 2.1, 0.05, p), result, 2.1),
           std::string("different; whether beyond 2.1 is open"));
  QCOMPARE(textOf(verdictOf(result, NAN, 0.05, p), result, NAN), std::string("different"));
  std::swap(result.low, result.high);
  result.low *= -1;
  result.high *= -1;
  QVERIFY(verdictOf(result, 1.9, 0.05, p).isBeyond);
}

// Of 16 and 16 numbers some labellings are drawn: p lies by less than four standard errors of the count from
// that of Student's distribution, and is the same each time.
void RankComparisonTest::drawnLabellingsAreTheSameEachTime() {
  Draw draw(2);
  const std::vector<double> a = draw(16, 1), b = draw(16, 1, 0.5);
  const RankComparison one = compareByRanks(a, b, 0.05, NAN), again = compareByRanks(a, b, 0.05, NAN);
  QCOMPARE(one.p, again.p);
  QVERIFY_NEAR(one.t, tByDefinition(a, b), 1e-12);
  const double student =
      2 * boost::math::cdf(boost::math::complement(boost::math::students_t(26), std::abs(one.t)));
  QVERIFY(one.p > 0.8 * student && one.p < 1.3 * student);
  const SpreadComparison spread = compareSpread(a, b), spreadAgain = compareSpread(a, b);
  QCOMPARE(spread.p, spreadAgain.p);
  QCOMPARE(spread.t, spreadAgain.t);
}

void RankComparisonTest::swappingTheSidesTurnsTheShift() {
  const RankComparison one = compareByRanks(kA, shifted(kB, 0.1), 0.05, 0.1),
                       other = compareByRanks(shifted(kB, 0.1), kA, 0.05, 0.1);
  QVERIFY_NEAR(one.shift, -other.shift, 1e-15);
  QVERIFY_NEAR(one.low, -other.high, 1e-15);
  QVERIFY_NEAR(one.u + other.u, 64, 0);
  QVERIFY_NEAR(one.t + other.t, 0, 1e-12);
  QVERIFY_NEAR(one.p, other.p, 1e-12);
  QVERIFY_NEAR(one.pEqual, other.pEqual, 1e-12);
}

void RankComparisonTest::oneNumberFarOffMovesNothing() {
  std::vector<double> thrown = kA;
  thrown[3] = 81;  // it was the largest
  const RankComparison with = compareByRanks(thrown, kB, 0.05, NAN),
                       without = compareByRanks(kA, kB, 0.05, NAN);
  QCOMPARE(with.u, without.u);
  QCOMPARE(with.p, without.p);
  QVERIFY_NEAR(with.shift, without.shift, 0.05);
}

// By hand: a = 4 × 1 and 4 × 2, b = 6 × 1 and 2 × 2. Placements 3 and 7 of a, 2 and 6 of b.
void RankComparisonTest::tiesCountHalf() {
  const RankComparison result = compareByRanks({1, 1, 1, 1, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 2, 2}, 0.05, NAN);
  QCOMPARE(result.u, 4.0 * 3 + 4 * 7);
  const double ofA = 8 * 4.0 / 7, ofB = (6 * 1 + 2 * 9) / 7.0;  // about the means 5 and 3
  QVERIFY_NEAR(result.t, (40.0 / 64 - 0.5) / std::sqrt((ofA + ofB) / 512), 1e-12);
}

void RankComparisonTest::equalSamplesAreNotDifferent() {
  const std::vector<double> same(8, 3.0);
  const RankComparison result = compareByRanks(same, same, 0.05, 1e-12);
  QCOMPARE(result.p, 1.0);
  QCOMPARE(result.low, 0.0);
  QVERIFY(verdict(same, same, 1e-12).verdict == Decision::Equal);
  QCOMPARE(compareSpread(same, same).p, 1.0);
  QCOMPARE(compareSpread(same, same).t, 0.0);
}

// Deviations by hand: 0 0 1 1 2 2 3 3 about 3.5 and 4.5 …, that is ½ ½ 1½ 1½ 2½ 2½ 3½ 3½ times √(8/7), less
// one of the two that are alike by construction.
void RankComparisonTest::scatterIsTheMeanDeviation() {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> b;
  for (const double number : a) b.push_back(100 - 5 * number);
  const SpreadComparison spread = compareSpread(a, b);
  QVERIFY_NEAR(spread.a, 15.5 / 7 * std::sqrt(8.0 / 7), 1e-12);
  QVERIFY_NEAR(spread.b, 5 * spread.a, 1e-12);
  QVERIFY(spread.t < 0 && spread.p < 0.02);
  const SpreadComparison moved = compareSpread(shifted(a, 50), a);
  QCOMPARE(moved.p, 1.0);
  const std::vector<double> few(7, 1.0);
  QVERIFY_EXCEPTION_THROWN(compareSpread(few, b), std::invalid_argument);
}

void RankComparisonTest::falseDifferencesAreAsRareAsAlphaSays_data() {
  QTest::addColumn<int>("n");
  QTest::addColumn<int>("m");
  QTest::addColumn<double>("scatter");
  QTest::newRow("8 and 8") << 8 << 8 << 1.0;
  QTest::newRow("8 and 32") << 8 << 32 << 1.0;
  QTest::newRow("8 of five times the scatter, and 32") << 8 << 32 << 5.0;
  QTest::newRow("8 of five times the scatter, and 8") << 8 << 8 << 5.0;
}

// 1500 repeats: a share of 5 % is known to 0.6 %.
void RankComparisonTest::falseDifferencesAreAsRareAsAlphaSays() {
  QFETCH(int, n);
  QFETCH(int, m);
  QFETCH(double, scatter);
  Draw draw(3);
  const double percent = percentOf(
      1500, [&] { return verdict(draw(n, scatter), draw(m, 1), NAN).verdict == Decision::Different; });
  QVERIFY2(percent <= 6, qPrintable(QString::number(percent)));
  QVERIFY2(percent >= 2, qPrintable(QString::number(percent)));
}

void RankComparisonTest::aShiftIsFoundAsOftenAsByTheRankSum() {
  Draw draw(4);
  const std::pair<int, double> power[] = {{8, 39}, {16, 74}, {32, 96.5}};  // of the rank sum, by simulation
  for (const auto& [n, least] : power) {
    const double percent = percentOf(400, [&, count = n] {
      return verdict(draw(count, 1, 1), draw(count, 1), NAN).verdict == Decision::Different;
    });
    QVERIFY2(percent >= least - 2, qPrintable(QString("%1: %2").arg(n).arg(percent)));
  }
}

void RankComparisonTest::equalIsSeldomFalse_data() {
  QTest::addColumn<int>("n");
  QTest::addColumn<int>("m");
  QTest::addColumn<double>("scatter");
  QTest::addColumn<double>("margin");
  QTest::newRow("32 and 32") << 32 << 32 << 1.0 << 1.0;
  QTest::newRow("8 and 8") << 8 << 8 << 1.0 << 2.0;
  QTest::newRow("8 of five times the scatter, and 32") << 8 << 32 << 5.0 << 6.0;
  QTest::newRow("32 of five times the scatter, and 32") << 32 << 32 << 5.0 << 4.0;
}

// The shift is the margin. 800 repeats know a share of 5 % to 0.8 %.
void RankComparisonTest::equalIsSeldomFalse() {
  QFETCH(int, n);
  QFETCH(int, m);
  QFETCH(double, scatter);
  QFETCH(double, margin);
  Draw draw(5);
  const double percent =
      percentOf(800, [&] { return pEqualOf(draw(n, scatter, margin), draw(m, 1), margin) <= 0.05; });
  QVERIFY2(percent <= 6.5, qPrintable(QString::number(percent)));
}

void RankComparisonTest::equalIsFoundWhereItIs() {
  Draw draw(6);
  const double percent = percentOf(200, [&] { return pEqualOf(draw(64, 1), draw(64, 1), 0.5) <= 0.05; });
  QVERIFY2(percent >= 68, qPrintable(QString::number(percent)));
}

void RankComparisonTest::scatterIsComparedWhereverTheSamplesLie() {
  Draw draw(7);
  for (const auto& [n, m] : {std::pair(8, 8), std::pair(8, 32), std::pair(9, 9), std::pair(32, 32)}) {
    const double percent =
        percentOf(300, [&, n = n, m = m] { return compareSpread(draw(n, 1), draw(m, 1, 3)).p < 0.05; });
    QVERIFY2(percent <= 6.5 && percent >= 1.5, qPrintable(QString("%1, %2: %3").arg(n).arg(m).arg(percent)));
  }
  const double found = percentOf(100, [&] { return compareSpread(draw(16, 5), draw(16, 1)).p < 0.05; });
  QVERIFY2(found > 95, qPrintable(QString::number(found)));
}

void RankComparisonTest::holmRaisesEachByWhatIsLeft() {
  const std::vector<double> adjusted = holmAdjusted({0.04, 0.01, 0.03, std::nan("")});
  QVERIFY_NEAR(adjusted[1], 0.03, 1e-15);
  QVERIFY_NEAR(adjusted[2], 0.06, 1e-15);
  QVERIFY_NEAR(adjusted[0], 0.06, 1e-15);  // 0.04, but never less than the one before
  QVERIFY(std::isnan(adjusted[3]));
  QCOMPARE(holmAdjusted({0.9, 0.8}).front(), 1.0);
}

void RankComparisonTest::badSamplesAreRefused() {
  const std::vector<double> few(7, 1.0);
  QVERIFY_EXCEPTION_THROWN(compareByRanks(few, kB, 0.05, NAN), std::invalid_argument);
  std::vector<double> hole = kA;
  hole[2] = std::nan("");
  QVERIFY_EXCEPTION_THROWN(compareByRanks(hole, kB, 0.05, NAN), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(compareByRanks(kA, kB, 0.5, NAN), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(compareByRanks(kA, kB, 0, NAN), std::invalid_argument);
}

/// 16 numbers of one law with heavy tails, in 200 random halves.
void RankComparisonTest::aMethodAgainstItselfIsSeldomDifferent() {
  std::vector<double> numbers;
  for (std::uint32_t copy = 0; copy < 16; ++copy)
    numbers.push_back(std::exp(3 * normalOf({copy, 0, 0, 0}, {7, 0})));
  std::mt19937 random(1);
  int different = 0;
  for (int split = 0; split < 200; ++split) {
    std::shuffle(numbers.begin(), numbers.end(), random);
    different +=
        verdict({numbers.begin(), numbers.begin() + 8}, {numbers.begin() + 8, numbers.end()}, 1e-6).verdict ==
        Decision::Different;
  }
  QVERIFY2(different <= 10, qPrintable(QString::number(different)));
}

void RankComparisonTest::wilsonsIntervalHoldsTheShare() {
  const ShareInterval one = wilsonInterval({1, 16});
  QVERIFY_NEAR(one.low, 0.011, 5e-4);
  QVERIFY_NEAR(one.high, 0.28, 5e-3);
  const ShareInterval none = wilsonInterval({0, 16}), all = wilsonInterval({16, 16});
  QCOMPARE(none.low, 0.0);
  QVERIFY_NEAR(none.high, 3.8414588 / (16 + 3.8414588), 1e-7);  // z² / (n + z²)
  QVERIFY_NEAR(all.low, 1 - none.high, 1e-12);
  QVERIFY_NEAR(all.high, 1, 1e-12);
  QVERIFY(std::isnan(wilsonInterval({0, 0}).low));
}

void RankComparisonTest::fishersTestCountsTables() {
  // Four cups with milk first, of which three are told: 2 (1 · 1 + 4 · 4) / 70.
  QVERIFY_NEAR(fisherExact({3, 4}, {1, 4}), 34.0 / 70, 1e-12);
  QVERIFY_NEAR(fisherExact({1, 16}, {0, 16}), 1, 1e-12);
  QVERIFY_NEAR(fisherExact({5, 5}, {0, 5}), 2.0 / 252, 1e-12);
  QCOMPARE(fisherExact({0, 16}, {0, 16}), 1.0);
  QCOMPARE(fisherExact({0, 0}, {3, 16}), 1.0);
}

// The vectors that the authors of the generator publish with it.
void RankComparisonTest::philoxGivesItsPublishedNumbers() {
  using Four = std::array<std::uint32_t, 4>;
  QVERIFY(philox({0, 0, 0, 0}, {0, 0}) == (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  QVERIFY(philox({ones, ones, ones, ones}, {ones, ones}) ==
          (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  QVERIFY(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// Mean 0 ± 4/√n and variance 1 ± 4 √(2/n).
void RankComparisonTest::normalNumbersAreNormal() {
  constexpr int kCount = 10000;
  double sum = 0, squares = 0;
  for (std::uint32_t index = 0; index < kCount; ++index) {
    const double number = normalOf({index, 0, 0, 0}, {1, 0});
    sum += number;
    squares += number * number;
  }
  QVERIFY_NEAR(sum / kCount, 0, 0.04);
  QVERIFY_NEAR(squares / kCount, 1, 4 * std::sqrt(2.0 / kCount));
}

QTEST_APPLESS_MAIN(RankComparisonTest)
#include "tst_rank_comparison.moc"
