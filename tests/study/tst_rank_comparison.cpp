#include "core/study/rank_comparison.h"

#include <QtTest>
#include <random>

#include "core/math/counter_random.h"
#include "core/study/event_comparison.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Comparisons of two samples by ranks, and of two counts.
class RankComparisonTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void agreesWithHand();
  void aShiftedSampleIsDifferent();
  void theVerdictFollowsTheMargin();
  void aMeasurableDifferenceCanBeWithinTheMargin();
  void sixteenCopiesEachHaveTheirKnownP();
  void swappingTheSidesTurnsTheShift();
  void oneNumberFarOffMovesNothing();
  void tiesShareTheirRank();
  void equalSamplesAreNotDifferent();
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
  const RankComparison comparison = compareByRanks(a, b, 0.05);
  return verdictOf(comparison, margin, 0.05, comparison.p);
}

}  // namespace

void RankComparisonTest::agreesWithHand() {
  const RankComparison result = compareByRanks(kA, kB, 0.05);
  QCOMPARE(result.u, 32.0);
  QCOMPARE(result.p, 1.0);
  QVERIFY_NEAR(result.shift, -0.005, 1e-12);
  QVERIFY_NEAR(result.low, -0.13, 1e-12);
  QVERIFY_NEAR(result.high, 0.12, 1e-12);
}

void RankComparisonTest::aShiftedSampleIsDifferent() {
  const RankComparison result = compareByRanks(kA, shifted(kA, 0.5), 0.05);
  QCOMPARE(result.u, 0.0);
  QVERIFY_NEAR(result.z, 3.3082, 5e-5);
  QVERIFY_NEAR(result.p, 9.39e-4, 5e-7);
  QVERIFY_NEAR(result.shift, -0.5, 1e-12);
  QVERIFY(verdict(kA, shifted(kA, 0.5), 0.05).verdict == Decision::Different);
}

void RankComparisonTest::theVerdictFollowsTheMargin() {
  QVERIFY(verdict(kA, kB, 0.2).verdict == Decision::Equal);
  QVERIFY(!verdict(kA, kB, 0.2).isMeasurable);
  const RankVerdict open = verdict(kA, kB, 0.05);
  QVERIFY(open.verdict == Decision::Undecided);
  QCOMPARE(open.copiesNeeded, 50);  // 8 (0.25 / 0.1)²
  QCOMPARE(textOf(open, compareByRanks(kA, kB, 0.05), 0.05), std::string("undecided: needs about 50 copies"));
  const RankVerdict none = verdict(kA, kB, std::nan(""));
  QVERIFY(none.verdict == Decision::Undecided);
  QCOMPARE(none.copiesNeeded, 0);
}

// The pour under peg and cpf: p 0.015, and the interval lies within 2 %.
void RankComparisonTest::aMeasurableDifferenceCanBeWithinTheMargin() {
  RankComparison pour;
  pour.countA = pour.countB = 16;
  pour.shift = -0.002526;
  pour.low = -0.004071;
  pour.high = -0.000780;
  const RankVerdict result = verdictOf(pour, 0.00765, 0.05, 0.01506);
  QVERIFY(result.verdict == Decision::Equal);
  QVERIFY(result.isMeasurable);
  QVERIFY(verdictOf(pour, 0.003, 0.05, 0.01506).verdict == Decision::Different);
}

// 16 ranks of 32 for each side, without ties: U 63 and U 112.
void RankComparisonTest::sixteenCopiesEachHaveTheirKnownP() {
  const auto compare = [](const std::vector<double>& a) {
    std::vector<double> b;
    for (int rank = 1; rank <= 32; ++rank)
      if (!std::count(a.begin(), a.end(), rank)) b.push_back(rank);
    return compareByRanks(a, b, 0.05);
  };
  const RankComparison apart = compare({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 28, 30, 31, 32}),
                       alike = compare({1, 2, 3, 4, 5, 6, 7, 8, 9, 26, 27, 28, 29, 30, 31, 32});
  QCOMPARE(apart.u, 63.0);
  QVERIFY_NEAR(apart.z, 2.4309, 5e-5);
  QVERIFY_NEAR(apart.p, 0.01506, 5e-6);
  QCOMPARE(alike.u, 112.0);
  QVERIFY_NEAR(alike.p, 0.559, 5e-4);
}

void RankComparisonTest::swappingTheSidesTurnsTheShift() {
  const RankComparison one = compareByRanks(kA, shifted(kB, 0.1), 0.05),
                       other = compareByRanks(shifted(kB, 0.1), kA, 0.05);
  QVERIFY_NEAR(one.shift, -other.shift, 1e-15);
  QVERIFY_NEAR(one.low, -other.high, 1e-15);
  QVERIFY_NEAR(one.u + other.u, 64, 0);
  QVERIFY_NEAR(one.p, other.p, 1e-15);
}

void RankComparisonTest::oneNumberFarOffMovesNothing() {
  std::vector<double> thrown = kA;
  thrown[3] = 81;  // it was the largest
  const RankComparison with = compareByRanks(thrown, kB, 0.05), without = compareByRanks(kA, kB, 0.05);
  QCOMPARE(with.u, without.u);
  QCOMPARE(with.p, without.p);
  QVERIFY_NEAR(with.shift, without.shift, 0.05);
}

// Ranks of 1 1 2 2 | 1 2 … by hand: a = 4 × 1 and 4 × 2, b = 6 × 1 and 2 × 2. Mean ranks 5.5 and 13.5.
void RankComparisonTest::tiesShareTheirRank() {
  const RankComparison result = compareByRanks({1, 1, 1, 1, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 2, 2}, 0.05);
  QCOMPARE(result.u, 4 * 5.5 + 4 * 13.5 - 36);
  const double variance = 64.0 / 12 * (17 - ((1000 - 10) + (216 - 6)) / (16.0 * 15));
  QVERIFY_NEAR(result.z, (8 - 0.5) / std::sqrt(variance), 1e-12);
}

void RankComparisonTest::equalSamplesAreNotDifferent() {
  const std::vector<double> same(8, 3.0);
  const RankComparison result = compareByRanks(same, same, 0.05);
  QCOMPARE(result.p, 1.0);
  QCOMPARE(result.low, 0.0);
  QVERIFY(verdictOf(result, 1e-12, 0.05, result.p).verdict == Decision::Equal);
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
  QVERIFY_EXCEPTION_THROWN(compareByRanks(few, kB, 0.05), std::invalid_argument);
  std::vector<double> hole = kA;
  hole[2] = std::nan("");
  QVERIFY_EXCEPTION_THROWN(compareByRanks(hole, kB, 0.05), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(compareByRanks(kA, kB, 0.5), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(compareByRanks(kA, kB, 0), std::invalid_argument);
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
