#include <QtTest>
#include <cmath>

#include "core/conform/column.h"
#include "core/conform/phenomenon.h"
#include "core/conform/references.h"

using namespace touchstone;

/// The answers of the phenomena: closed forms against digits that independent programs computed, and the
/// numbers of the shipped files against the closed forms.
class ReferencesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aDeclaredWordTakesItsNumbers();
  void initTestCase();
  void slopes();
  void pyramids();
  void spinning();
  void tipping();
  void wheels();
  void crossedRods();
  void leaning();
  void painleve();
  void turningOver();
  void springs();

 private:
  /// The exact answer of a measure in its shipped file.
  double shipped(const char* phenomenon, const char* measure) const;
  std::vector<Phenomenon> m_phenomena;
};

namespace {

constexpr double kGravity = 9.81, kDegree = M_PI / 180;

bool agrees(double value, double expected, double tolerance) {
  return std::abs(value - expected) <= tolerance;
}

}  // namespace

void ReferencesTest::aDeclaredWordTakesItsNumbers() {
  const ColumnModel springs = declaredModel({"elastic=0.5/2e5", "regularised=100", "pyramid6"}, 1e-3);
  QCOMPARE(springs.instant, 0.5);
  QCOMPARE(springs.stiffness, 2e5);
  QCOMPARE(springs.weighting, 100.0);
  QCOMPARE(springs.facets, 6);
  QCOMPARE(springs.step, 1e-3);
  // Each cube of a face that carries 10 kg on four springs is m g / 4k lower.
  const ClosedForm* height = findClosedForm("springs_height");
  QVERIFY(height);
  QCOMPARE(height->value({{"height", 0.1}, {"load", 10}, {"contacts", 4}}, springs), 0.1 - 10 * 9.81 / 8e5);
  QVERIFY(std::isnan(
      height->value({{"height", 0.1}, {"load", 10}, {"contacts", 4}}, declaredModel({"soft"}, 0))));
  QCOMPARE(declaredModel({"newton=0.25"}, 0).restitution, 0.25);
  for (const char* word : {"newton", "newton=", "newton=x", "newton=-1", "newton=1/2", "elastic=0.5",
                           "cone=1", "pyramid", "pyramid2", "pyramid4=1", "regularised=nan", "="})
    QVERIFY_EXCEPTION_THROWN(declaredModel({word}, 0), std::invalid_argument);
}

void ReferencesTest::initTestCase() {
  m_phenomena = loadPhenomena(TS_SOURCE_DIR "/datasets/battery");
  QCOMPARE(int(m_phenomena.size()), 26);
}

double ReferencesTest::shipped(const char* phenomenon, const char* measure) const {
  for (const Phenomenon& each : m_phenomena)
    for (const Measure& of : each.measures)
      if (each.name == phenomenon && of.id == measure) return of.exact.value_or(NAN);
  return NAN;
}

void ReferencesTest::slopes() {
  for (const double friction : {0.2, 0.5, 0.8}) {
    for (const double ratio : {0.9, 0.98})
      QCOMPARE(slopeAcceleration(kGravity, std::atan(friction * ratio), friction), 0.0);
    for (const char* ratio : {"1.02", "1.1"}) {
      const QByteArray id = QByteArray::number(friction) + "x" + ratio;
      const double expected = slopeAcceleration(kGravity, std::atan(friction * std::atof(ratio)), friction);
      QVERIFY2(agrees(shipped("stick-slip", id), expected, 1e-7), id);
    }
  }
  QVERIFY(agrees(shipped("stick-slip", "0.2x1.02"), 0.0384, 5e-5));
  QVERIFY(agrees(shipped("stick-slip", "0.8x1.1"), 0.5892, 5e-5));
  QVERIFY(agrees(stoppingDistance(2, 0.3, kGravity), 0.679579, 5e-7));
  QVERIFY(agrees(shipped("tipping", "slides"), 0.469814, 5e-7));
}

void ReferencesTest::pyramids() {
  const double ratios[] = {1.0707, 1.2247, 1.3615, 1.4142};
  for (int index = 0; index < 4; ++index) {
    const double angle = 11.25 * (index + 1) * kDegree;
    const PyramidPuck puck = pyramidPuck(4, angle);
    // Of four facets: √(1 + sin² 2φ), atan (sin 2φ) − φ.
    QVERIFY(agrees(puck.ratio, std::sqrt(1 + std::pow(std::sin(2 * angle), 2)), 1e-3));
    QVERIFY(agrees(puck.ratio, ratios[index], 2e-4));
    QVERIFY(agrees(puck.heading, std::atan(std::sin(2 * angle)) - angle, 1e-3));
  }
  QVERIFY(agrees(pyramidPuck(8, 11.25 * kDegree).ratio, 1.0458, 2e-4));
  QVERIFY(agrees(pyramidPuck(8, 22.5 * kDegree).ratio, 1.0822, 3e-4));
  QVERIFY(agrees(pyramidPuck(8, 11.25 * kDegree).heading / kDegree, 5.8, 0.05));
}

void ReferencesTest::spinning() {
  const SpinDown cone = tripodSpinDown(0.005, 20, 0.3, 1, kGravity, 0.1);
  QVERIFY(agrees(cone.angle, 3.39789, 5e-6));
  QVERIFY(agrees(cone.time, 0.33979, 5e-6));
  QVERIFY(agrees(shipped("tripod", "angle"), cone.angle, 1e-7));
  QVERIFY(agrees(shipped("tripod", "time"), cone.time, 1e-8));
  const SpinDown four = pyramidSpinDown(4, 0.005, 20, 0.3, 1, kGravity, 0.1, 0.02);
  QVERIFY(agrees(four.angle, 3.784, 5e-4));
  QVERIFY(agrees(four.drift, 3.99e-3, 5e-6));
  QVERIFY(agrees(pyramidSpinDown(8, 0.005, 20, 0.3, 1, kGravity, 0.1, 0.02).angle, 3.487, 1e-3));
}

void ReferencesTest::tipping() {
  const double rate = tippingRate(0.1, 0.3, std::atan(0.37), 10 * kDegree, kGravity);
  QVERIFY(agrees(rate, 1.3930, 5e-5));
  QVERIFY(agrees(shipped("tipping", "tips"), rate, 1e-7));
}

void ReferencesTest::wheels() {
  QVERIFY(agrees(wheelFactor(24), 0.977198, 5e-7));
  QVERIFY(agrees(wheelSides(24, 0.1, 5.0289, kGravity, 2), 27.0945, 5e-4));
  // The control: twenty sides, judged in 24ths of a turn, are out of the tolerance of 3 %.
  QVERIFY(wheelSides(20, 0.1, 5.0289, kGravity, 2) * 24 / 20 < 0.97 * 27.0945);
  QVERIFY(agrees(wheelSides(24, 0.1, 5.0289, kGravity, 100), 68, 1));  // it stops
  QVERIFY(agrees(shipped("rolling", "sides"), 27.0945, 1e-9));
  QVERIFY(agrees(shipped("rolling", "ball"), 1.42857, 5e-6));
}

void ReferencesTest::crossedRods() {
  const double impulse = crossedImpulse(1, 0.6, 0.06, 0.15, 0.10, 1, 0);
  QVERIFY(agrees(impulse, 0.325456, 5e-7));
  QVERIFY(agrees(shipped("crossed-edges", "impulse"), impulse, 1e-8));
  QVERIFY(agrees(shipped("crossed-edges", "upper spin"), 1.61117, 5e-6));
  QVERIFY(agrees(shipped("crossed-edges", "lower spin"), 1.07411, 5e-6));
}

void ReferencesTest::leaning() {
  const double critical = ladderFriction(30 * kDegree, 0.04, 1);
  QVERIFY(agrees(critical, 0.268675, 5e-7));
  const auto lean = [&](double time) {
    return ladderLean(30 * kDegree, 0.04, 1, 0.95 * critical, kGravity, time) / kDegree;
  };
  QVERIFY(agrees(lean(0.3), 31.3031, 1e-4));
  QVERIFY(agrees(lean(0.6), 38.3061, 2e-4));
  QVERIFY(agrees(shipped("ladder", "slides early"), lean(0.3), 2e-4));
  QVERIFY(agrees(shipped("ladder", "slides"), lean(0.6), 2e-4));
}

void ReferencesTest::painleve() {
  QVERIFY(agrees(painleveThreshold(2), 4.0 / 3, 1e-12));
  QVERIFY(agrees(1 / painleveFactor(2, 1.2), 6.25, 1e-9));
  QVERIFY(agrees(shipped("painleve", "force"), 6.25 * kGravity, 1e-6));
  QVERIFY(painleveFactor(2, 1.6) < 0);
  const PainleveImpact impact = painleveImpact(2, 0.5, 1);
  QVERIFY(agrees(impact.vx, shipped("painleve", "vx"), 1e-9));
  QVERIFY(agrees(impact.vy, shipped("painleve", "vy"), 1e-9));
  QVERIFY(agrees(impact.spin, shipped("painleve", "spin"), 5e-6));
}

void ReferencesTest::turningOver() {
  const double a = 0.05 / 12, b = 0.10 / 12, c = 0.13 / 12;
  const double first = freeSpinZero(a, b, c, 0, 8, 0.1);
  QVERIFY(agrees(first, 1.405588, 5e-7));
  QVERIFY(agrees(shipped("free-spin", "first"), first, 1e-6));
  QVERIFY(agrees(shipped("free-spin", "second"), 3 * first, 2e-6));
}

void ReferencesTest::springs() {
  QVERIFY(agrees(springRestitution(0, 0.04), 1.000, 5e-4));
  QVERIFY(agrees(springRestitution(0.5, 0.04), 0.8540, 5e-5));
  QVERIFY(agrees(springRestitution(1, 0.04), 0.7273, 5e-5));
  QVERIFY(agrees(springRestitution(0.5, 0.0246), 0.8838, 1e-3));
  QVERIFY(agrees(springRestitution(1, 0.0246), 0.7801, 1e-3));
}

QTEST_APPLESS_MAIN(ReferencesTest)
#include "tst_references.moc"
