#include <QtTest>

#include "core/trajectory/divergence.h"
#include "core/world/free_rotation.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// How far two motions are apart, with numbers from hand.
class DivergenceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void itIsTheRootOfMeanSquares();
  void bodiesOfOneMotionOnlyDoNotCount();
  void lengthsAreMedianDiameters();
  void thePairThatPartedFirstIsNamed();
  void statesComeAtAscendingTimes();
};

static std::shared_ptr<Scene> boxes() {
  return test::scene({test::ground(), test::box("a", {1, 1, 1}, 1, {0, 1, 0}),
                      test::box("b", {2, 2, 2}, 1, {3, 1, 0}), test::box("c", {3, 3, 3}, 1, {9, 1, 0})});
}

void DivergenceTest::itIsTheRootOfMeanSquares() {
  std::vector<BodyState> a(4), b(4);
  b[1].position = Vec3(0.1, 0, 0);
  b[2].position = Vec3(0, 0.2, 0);
  b[3].orientation = rotationBy(Vec3(0, 0.3, 0));
  b[0].position = Vec3(9, 9, 9);  // static bodies do not count
  const Divergence apart = divergenceOf(*boxes(), a, b);
  QVERIFY_NEAR(apart.distance, std::sqrt(0.05 / 3), 1e-15);
  QVERIFY_NEAR(apart.angle, std::sqrt(0.09 / 3), 1e-15);
  QCOMPARE(apart.worst, 2);
}

void DivergenceTest::bodiesOfOneMotionOnlyDoNotCount() {
  std::vector<BodyState> a(4), b(4);
  b[1].position = Vec3(0.1, 0, 0);
  a[2].active = b[3].active = false;
  QVERIFY_NEAR(divergenceOf(*boxes(), a, b).distance, 0.1, 1e-16);
  a[1].active = false;
  const Divergence none = divergenceOf(*boxes(), a, b);
  QVERIFY(std::isnan(none.distance) && std::isnan(none.angle));
  QCOMPARE(none.worst, -1);
}

void DivergenceTest::lengthsAreMedianDiameters() {
  QVERIFY_NEAR(medianDiameter(*boxes()), 2 * std::sqrt(3.0), 1e-14);
}

void DivergenceTest::thePairThatPartedFirstIsNamed() {
  const FirstContacts a = {{{0, 1}, 0.5}, {{1, 2}, 0.8}, {{0, 3}, 0.2}}, b = {{{0, 1}, 0.51}, {{1, 2}, 0.9}};
  const auto parted = [&](double until, double shift) { return partedPair(a, b, shift, until, 0.01); };
  QCOMPARE(parted(0.1, 0), std::make_pair(-1, -1));
  QCOMPARE(parted(0.6, 0), std::make_pair(0, 3));  // b never has it
  QCOMPARE(partedPair({{{0, 1}, 0.5}, {{1, 2}, 0.8}}, b, 0, 1, 0.01), std::make_pair(1, 2));
  QCOMPARE(partedPair({{{0, 1}, 0.5}, {{1, 2}, 0.8}}, b, -0.1, 1, 0.01), std::make_pair(0, 1));
  // A frame is allowed, one and a half are not.
  QCOMPARE(partedPair({{{0, 1}, 0.5}}, {{{0, 1}, 0.51}}, 0, 1, 0.01), std::make_pair(-1, -1));
  QCOMPARE(partedPair({{{0, 1}, 0.5}}, {{{0, 1}, 0.515}}, 0, 1, 0.01), std::make_pair(0, 1));
  QVERIFY_NEAR(earliestOf(a), 0.2, 0);
  QVERIFY(std::isnan(earliestOf({})));
}

void DivergenceTest::statesComeAtAscendingTimes() {
  int sample = 0;
  StatesInTime states(
      [&sample](double& time, std::vector<BodyState>& states) {
        if (sample > 3) return false;
        time = 0.5 * sample;
        states.assign(1, BodyState());
        states[0].position.x() = time * time;
        states[0].linearVelocity.x() = 2 * time;
        ++sample;
        return true;
      },
      true);
  QVERIFY(!states.at(-0.1));
  for (const double time : {0.0, 0.1, 0.5, 0.9, 0.95, 1.5}) {
    const std::vector<BodyState>* now = states.at(time);
    QVERIFY(now);
    QVERIFY_NEAR((*now)[0].position.x(), time * time, 1e-15);
  }
  QVERIFY(!states.at(1.6));
}

QTEST_APPLESS_MAIN(DivergenceTest)
#include "tst_divergence.moc"
