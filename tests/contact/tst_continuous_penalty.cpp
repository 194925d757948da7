#include <QtTest>
#include <cmath>

#include "core/contact/manifold/continuous_penalty.h"
#include "tests/support/near.h"

using namespace touchstone;

Q_DECLARE_METATYPE(FeaturePairKind)

/// The limits of one pair over one path, where closed forms say what is right on either side of them.
class ContinuousPenaltyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void beginsOnlyWithinItsFeatures_data();
  void beginsOnlyWithinItsFeatures();
  void aVertexOnASharedEdgeMeetsBothFaces();
  void theExactNormalIsFollowedThroughAFastTurn_data();
  void theExactNormalIsFollowedThroughAFastTurn();
  void aNormalThatNearlyVanishesIsNotFollowed_data();
  void aNormalThatNearlyVanishesIsNotFollowed();
  void knownFeaturesActFromTheirTimeOn();
};

/// Where the moving feature meets the resting one: beyond its end by this share of its length.
void ContinuousPenaltyTest::beginsOnlyWithinItsFeatures_data() {
  QTest::addColumn<FeaturePairKind>("kind");
  QTest::addColumn<double>("outside");
  QTest::addColumn<bool>("begins");
  const std::pair<const char*, FeaturePairKind> kinds[] = {{"vertex and face", FeaturePairKind::VertexFace},
                                                           {"edges", FeaturePairKind::EdgeEdge}};
  for (const auto& [name, kind] : kinds) {
    QTest::addRow("%s: on the border", name) << kind << 0.0 << true;
    QTest::addRow("%s: outside by what may be rounding", name) << kind << 5e-10 << true;
    QTest::addRow("%s: outside by twice the tolerance", name) << kind << 2e-9 << false;
    QTest::addRow("%s: outside by a thousandth", name) << kind << 1e-3 << false;
  }
}

/// An inside test has the tolerance of 1e-9 (of weights): all weights but the one that is outside are 1/2 or
/// more.
void ContinuousPenaltyTest::beginsOnlyWithinItsFeatures() {
  QFETCH(FeaturePairKind, kind);
  QFETCH(double, outside);
  QFETCH(bool, begins);
  PairPath path;
  path.kind = kind;
  path.stiffness = 1000;
  path.dt = 0.01;
  const bool face = kind == FeaturePairKind::VertexFace;
  path.oneSided = face;
  if (face) {  // normal +y; w_c = x
    const Vec3 rows[4] = {Vec3(-outside, 0.1, 0.5), Vec3(0, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 0)};
    for (int row = 0; row < 4; ++row) path.x0[row] = path.x1[row] = rows[row];
    path.x1[0] -= Vec3(0, 0.2, 0);
  } else {  // the first edge falls through the second, which passes beside its end
    const Vec3 rows[4] = {Vec3(0, 0.1, 0), Vec3(1, 0.1, 0), Vec3(-outside, 0, -0.5), Vec3(-outside, 0, 0.5)};
    for (int row = 0; row < 4; ++row) path.x0[row] = path.x1[row] = rows[row];
    for (int row = 0; row < 2; ++row) path.x1[row] -= Vec3(0, 0.2, 0);
  }
  const PairImpulse result = evaluatePair(path);
  QCOMPARE(result.intervalCount, begins ? 1 : 0);
  QCOMPARE(result.activeAtEnd, begins);
  QCOMPARE(touches(path), begins);
  // Half way in, 0.1 m deep at the end: h k (1/2) (0.1 / 2).
  if (begins) QVERIFY_NEAR((result.intervals[0].impulseClosed - Vec3(0, 0.25, 0)).norm(), 0, 1e-12);
}

/// Without a tolerance rounding would let some through between both.
void ContinuousPenaltyTest::aVertexOnASharedEdgeMeetsBothFaces() {
  const Vec3 a(0.13, 0.21, 0.07), b(0.91, 0.27, 0.36), c(0.3, 0.2, 1.1), d(0.7, 0.31, -0.8);
  const Vec3 faces[2][3] = {{b, a, d}, {a, b, c}};
  for (const auto& corners : faces)
    for (int step = 1; step < 200; ++step) {
      const Vec3 hit = a + step / 200.0 * (b - a), way(0.017, -0.23, 0.031);
      PairPath path;
      path.kind = FeaturePairKind::VertexFace;
      path.stiffness = path.dt = 1;
      path.x0[0] = hit - 0.3 * way;
      path.x1[0] = hit + 0.7 * way;
      path.oneSided = false;
      for (int corner = 0; corner < 3; ++corner) path.x0[corner + 1] = path.x1[corner + 1] = corners[corner];
      QVERIFY2(touches(path), qPrintable(QString::number(step)));
    }
}

/// A vertex rests at depth d below the axis about which a face turns by nearly half a circle:
///
///     b − a = (1, 0, 0),  c − a = (0, t − 1/2, −e):   m = (0, e, t − 1/2),  G = −e d
///
/// The turn takes a time of e about t = 1/2.
static PairPath turningFace(double e, double d) {
  PairPath path;
  path.kind = FeaturePairKind::VertexFace;
  path.tracked = true;
  path.weights[0] = 1;
  path.quadrature = true;
  path.stiffness = 1000;
  path.dt = 0.01;
  const Vec3 rows[4] = {Vec3(0.2, -d, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, -e)};
  for (int row = 0; row < 4; ++row) path.x0[row] = path.x1[row] = rows[row];
  path.x0[3].y() = -0.5;
  path.x1[3].y() = 0.5;
  return path;
}

void ContinuousPenaltyTest::theExactNormalIsFollowedThroughAFastTurn_data() {
  QTest::addColumn<double>("e");
  for (double e : {1.0, 0.1, 0.02, 0.005}) QTest::addRow("%g of a step", e) << e;
}

/// h k e d ∫ (0, e, s) / (e² + s²) ds over [−1/2, 1/2] = h k e d (0, 2 arctan(1/(2 e)), 0). Neither the
/// 16-point rule on the whole step nor two on its halves see a fast turn; the closed form has e / (e² + 1/12)
/// in the place of twice the arctangent.
void ContinuousPenaltyTest::theExactNormalIsFollowedThroughAFastTurn() {
  QFETCH(double, e);
  constexpr double kDepth = 0.1;
  const PairImpulse result = evaluatePair(turningFace(e, kDepth));
  QCOMPARE(result.intervalCount, 1);
  QVERIFY(!result.fellBack);
  const double unit = 0.01 * 1000 * e * kDepth, expected = unit * 2 * std::atan(1 / (2 * e));
  const Vec3 &exact = result.intervals[0].impulseExact, &closed = result.intervals[0].impulseClosed;
  // Bisected until halves and whole agree to 1e-10.
  QVERIFY_NEAR((exact - Vec3(0, expected, 0)).norm(), 0, 1e-9 * expected);
  QVERIFY_NEAR((closed - Vec3(0, unit * e / (e * e + 1.0 / 12), 0)).norm(), 0, 1e-12 * expected);
}

void ContinuousPenaltyTest::aNormalThatNearlyVanishesIsNotFollowed_data() {
  QTest::addColumn<double>("smallest");
  QTest::addColumn<bool>("fallsBack");
  QTest::newRow("1e-9 of its mean") << 1e-9 << true;
  QTest::newRow("just below the threshold") << 0.9e-6 << true;
  QTest::newRow("just above the threshold") << 1.1e-6 << false;
  QTest::newRow("a hundredth of its mean") << 1e-2 << false;
}

/// From min |m| < 1e-6 L_k on the closed form stands in, and the record says so. L_k² = e² + 1/12.
void ContinuousPenaltyTest::aNormalThatNearlyVanishesIsNotFollowed() {
  QFETCH(double, smallest);
  QFETCH(bool, fallsBack);
  const double e = smallest / std::sqrt(12 * (1 - smallest * smallest));
  const PairImpulse result = evaluatePair(turningFace(e, 0.1));
  QCOMPARE(result.fellBack, fallsBack);
  QCOMPARE(result.intervalCount, 1);
  QCOMPARE(result.intervals[0].impulseExact == result.intervals[0].impulseClosed, fallsBack);
}

/// A vertex falls from 1 m above a face to 1 m below: h k ∫ (2 t − 1) dt from the given time on, though it is
/// inside from the middle on.
void ContinuousPenaltyTest::knownFeaturesActFromTheirTimeOn() {
  PairPath path;
  path.stiffness = 1000;
  path.dt = 0.01;
  const Vec3 face[3] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, -1)};
  for (int corner = 0; corner < 3; ++corner) path.x0[1 + corner] = path.x1[1 + corner] = face[corner];
  path.x0[0] = Vec3(0.2, 1, -0.2);
  path.x1[0] = Vec3(0.2, -1, -0.2);
  for (double from : {0.0, 0.25, 0.5, 0.75}) {
    PairImpulse result;
    evaluatePairFrom(path, from, result);
    const double start = std::max(0.5, from), expected = 10 * (start - start * start);
    QCOMPARE(result.intervalCount, 1);
    QCOMPARE(result.intervals[0].start, start);
    QCOMPARE(result.intervals[0].end, 1.0);
    QVERIFY_NEAR((result.intervals[0].impulseClosed - Vec3(0, expected, 0)).norm(), 0, 1e-12);
  }
}

QTEST_APPLESS_MAIN(ContinuousPenaltyTest)
#include "tst_continuous_penalty.moc"
