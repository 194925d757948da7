#include <QtTest>
#include <array>
#include <cmath>

#include "core/solver/rows/ncp_function.h"
#include "tests/support/near.h"

using namespace touchstone;

using Merits = std::array<double, newton::kTriedSteps>;
Q_DECLARE_METATYPE(Merits)

/// What Newton's method is made of: its functions and the choice of its step.
class NcpFunctionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void fischerBurmeisterFollowsItsFormula_data();
  void fischerBurmeisterFollowsItsFormula();
  void bothItsDerivativesAtTheOriginAreTheSymmetricElement();
  void itKeepsItsDigitsWhereOneNumberIsSmall();
  void tiesOfTheMinimumMapBelongToTheActiveSide();
  void aStepFallsOrIsBlindOrIsCut_data();
  void aStepFallsOrIsBlindOrIsCut();
  void aSearchStallsAfterItsPatience();
};

void NcpFunctionTest::fischerBurmeisterFollowsItsFormula_data() {
  QTest::addColumn<double>("y");
  QTest::addColumn<double>("v");
  QTest::addColumn<double>("value");
  QTest::addColumn<double>("dy");
  QTest::addColumn<double>("dv");
  // y + v − s, 1 − y / s, 1 − v / s
  QTest::newRow("open") << 0.0 << 2.0 << 0.0 << 1.0 << 0.0;
  QTest::newRow("holds") << 3.0 << 0.0 << 0.0 << 0.0 << 1.0;
  QTest::newRow("both positive") << 3.0 << 4.0 << 2.0 << 0.4 << 0.2;
  QTest::newRow("pulls") << -3.0 << 4.0 << -4.0 << 1.6 << 0.2;
  QTest::newRow("approaches") << 4.0 << -3.0 << -4.0 << 0.2 << 1.6;
  QTest::newRow("both negative") << -3.0 << -4.0 << -12.0 << 1.6 << 1.8;
}

void NcpFunctionTest::fischerBurmeisterFollowsItsFormula() {
  QFETCH(double, y);
  QFETCH(double, v);
  QFETCH(double, value);
  QFETCH(double, dy);
  QFETCH(double, dv);
  for (double scale : {1.0, 1e-100, 1e100}) {
    const NcpValue result = fischerBurmeister(scale * y, scale * v);
    QVERIFY_NEAR(result.value / scale, value, 1e-14);
    QVERIFY_NEAR(result.dy, dy, 1e-15);
    QVERIFY_NEAR(result.dv, dv, 1e-15);
  }
}

/// The generalised Jacobian at (0, 0) is all (1 − ξ, 1 − η) with ξ² + η² ≤ 1; its element in the direction of
/// (1, 1) is 1 − 1/√2 twice.
void NcpFunctionTest::bothItsDerivativesAtTheOriginAreTheSymmetricElement() {
  const NcpValue result = fischerBurmeister(0, 0);
  QCOMPARE(result.value, 0.0);
  QVERIFY_NEAR(result.dy, 1 - std::sqrt(0.5), 1e-15);
  QVERIFY_NEAR(result.dv, 1 - std::sqrt(0.5), 1e-15);
  // What it is beside it, on the diagonal.
  QVERIFY_NEAR(fischerBurmeister(1e-9, 1e-9).dy, result.dy, 1e-15);
}

/// φ = y for y ≪ v, to the next term y² / 2 v; 1 − v / s = y² / 2 v².
void NcpFunctionTest::itKeepsItsDigitsWhereOneNumberIsSmall() {
  const NcpValue result = fischerBurmeister(1e-20, 1);
  QVERIFY_NEAR(result.value, 1e-20, 1e-35);
  QVERIFY_NEAR(result.dv, 0.5e-40, 1e-55);
}

void NcpFunctionTest::tiesOfTheMinimumMapBelongToTheActiveSide() {
  const NcpValue tie = minimumMap(0, 0), open = minimumMap(1, 2), active = minimumMap(2, 1);
  QVERIFY(tie.value == 0 && tie.dy == 0 && tie.dv == 1);
  QVERIFY(open.value == 1 && open.dy == 1 && open.dv == 0);
  QVERIFY(active.value == 1 && active.dy == 0 && active.dv == 1);
}

/// Merits at the steps 1, ½, …, 1/32, where it is 1 before the step.
void NcpFunctionTest::aStepFallsOrIsBlindOrIsCut_data() {
  QTest::addColumn<Merits>("merits");
  QTest::addColumn<double>("step");
  QTest::newRow("the whole step falls") << Merits{0.9, 0.1, 0.1, 0.1, 0.1, 0.1} << 1.0;
  QTest::newRow("the whole step keeps it") << Merits{1, 0.1, 0.1, 0.1, 0.1, 0.1} << 1.0;
  QTest::newRow("a half falls") << Merits{1.1, 0.9, 0.1, 0.1, 0.1, 0.1} << 0.5;
  QTest::newRow("an eighth falls") << Merits{1.1, 1.1, 1.1, 0.9, 0.1, 0.1} << 0.125;
  QTest::newRow("none of four falls") << Merits{1.1, 1.1, 1.1, 1.1, 0.9, 0.9} << 0.75;
  QTest::newRow("it rises as far as it may") << Merits{1e4, 1e4, 1e4, 1e4, 1e4, 1e4} << 0.75;
  QTest::newRow("it would rise too far") << Merits{1.1e4, 0.9e4, 2, 2, 2, 2} << 0.5;
  QTest::newRow("a half would as well") << Merits{1e9, 1.1e4, 0.9e4, 2, 2, 2} << 0.25;
  QTest::newRow("all would") << Merits{1e9, 1e9, 1e9, 1e9, 1e9, 1e9} << 1.0 / 32;
}

void NcpFunctionTest::aStepFallsOrIsBlindOrIsCut() {
  QFETCH(Merits, merits);
  QFETCH(double, step);
  QCOMPARE(newton::stepThatMayRise(merits.data(), 1), step);
}

/// 20 iterates that do not fall to 0.9 of the least.
void NcpFunctionTest::aSearchStallsAfterItsPatience() {
  newton::Progress progress;
  progress.note(1);
  for (int iterate = 1; iterate < 20; ++iterate) progress.note(0.95);
  QVERIFY(!progress.hasStalled());
  progress.note(0.95);
  QVERIFY(progress.hasStalled());
  progress.note(0.85);
  QVERIFY(!progress.hasStalled());
}

QTEST_APPLESS_MAIN(NcpFunctionTest)
#include "tst_ncp_function.moc"
