#include <QtTest>
#include <random>

#include "core/geometry/pair_motion.h"
#include "tests/support/near.h"

using namespace touchstone;

namespace {

struct Random {
  std::mt19937 engine{1234567};
  std::uniform_real_distribution<double> unit{-1, 1};
  Vec3 vector() {
    const double x = unit(engine), y = unit(engine), z = unit(engine);
    return Vec3(x, y, z);
  }
};

Vec3 at(const Vec3* x0, const Vec3* x1, int vertex, double t) {
  return (1 - t) * x0[vertex] + t * x1[vertex];
}

/// Signed volume by brute force, from positions at t and without polynomial.
double volume(const Vec3* x0, const Vec3* x1, double t, bool edges) {
  const Vec3 a = at(x0, x1, edges ? 0 : 1, t), b = at(x0, x1, edges ? 1 : 2, t);
  const Vec3 c = at(x0, x1, edges ? 2 : 3, t), d = at(x0, x1, edges ? 3 : 0, t);
  return edges ? (b - a).cross(d - c).dot(a - c) : (b - a).cross(c - a).dot(d - a);
}

}  // namespace

class PairCcdTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rootsAgreeWithSampling_data();
  void rootsAgreeWithSampling();
  void weightsReproduceTheMeetingPoint();
  void gapAtEndIsBitEqualToGapAtTheNextStart();
  void meanSquareIsThatOfTheNormal();
};

void PairCcdTest::rootsAgreeWithSampling_data() {
  QTest::addColumn<bool>("edges");
  QTest::newRow("vertex-face") << false;
  QTest::newRow("edge-edge") << true;
}

void PairCcdTest::rootsAgreeWithSampling() {
  QFETCH(bool, edges);
  constexpr int kSamples = 400;
  Random random;
  int found = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Vec3 x0[4], x1[4];
    for (int vertex = 0; vertex < 4; ++vertex) {
      x0[vertex] = random.vector();
      x1[vertex] = x0[vertex] + 2 * random.vector();
    }
    const PairMotion motion =
        motionOf(edges ? FeaturePairKind::EdgeEdge : FeaturePairKind::VertexFace, x0, x1);
    double roots[3];
    const int count = signChanges(motion.gap, motion.gapEnd, roots);
    // Every sampled sign change is next to a root: no false negative. (Pairs of roots between samples may be
    // missed.)
    for (int k = 0; k < kSamples; ++k) {
      const double t = double(k) / kSamples, next = double(k + 1) / kSamples;
      if (volume(x0, x1, t, edges) * volume(x0, x1, next, edges) >= 0) continue;
      ++found;
      int inside = 0;
      for (int r = 0; r < count; ++r) inside += roots[r] >= t - 1e-12 && roots[r] <= next + 1e-12;
      QVERIFY2(inside % 2 == 1, qPrintable(QString::number(trial)));
    }
    for (int r = 0; r < count; ++r) QVERIFY_NEAR(volume(x0, x1, roots[r], edges), 0, 1e-13 * 100);
  }
  QVERIFY(found > 1000);
}

void PairCcdTest::weightsReproduceTheMeetingPoint() {
  Random random;
  for (int trial = 0; trial < 1000; ++trial) {
    Vec3 x0[4], x1[4];
    for (int vertex = 0; vertex < 4; ++vertex) {
      x0[vertex] = random.vector();
      x1[vertex] = random.vector();
    }
    double roots[3], w[4];
    PairMotion motion = motionOf(FeaturePairKind::VertexFace, x0, x1);
    for (int r = signChanges(motion.gap, motion.gapEnd, roots) - 1; r >= 0; --r) {
      if (motion.m(roots[r]).norm() < 0.05) continue;
      QVERIFY(weightsAt(motion, roots[r], w));
      Vec3 q = Vec3::Zero();
      for (int k = 0; k < 3; ++k) q += w[k] * at(x0, x1, k + 1, roots[r]);
      QVERIFY_NEAR((q - at(x0, x1, 0, roots[r])).norm(), 0, 1e-11);
    }
    motion = motionOf(FeaturePairKind::EdgeEdge, x0, x1);
    for (int r = signChanges(motion.gap, motion.gapEnd, roots) - 1; r >= 0; --r) {
      if (motion.m(roots[r]).norm() < 0.05) continue;
      QVERIFY(weightsAt(motion, roots[r], w));
      const Vec3 p = w[0] * at(x0, x1, 0, roots[r]) + w[1] * at(x0, x1, 1, roots[r]);
      const Vec3 q = w[2] * at(x0, x1, 2, roots[r]) + w[3] * at(x0, x1, 3, roots[r]);
      QVERIFY_NEAR((q - p).norm(), 0, 1e-11);
    }
  }
}

void PairCcdTest::gapAtEndIsBitEqualToGapAtTheNextStart() {
  Random random;
  for (int trial = 0; trial < 1000; ++trial) {
    Vec3 x0[4], x1[4], x2[4];
    for (int vertex = 0; vertex < 4; ++vertex) {
      x0[vertex] = random.vector();
      x1[vertex] = random.vector();
      x2[vertex] = random.vector();
    }
    QVERIFY(motionOf(FeaturePairKind::VertexFace, x0, x1).gapEnd ==
            motionOf(FeaturePairKind::VertexFace, x1, x2).gap.c[0]);
    QVERIFY(motionOf(FeaturePairKind::EdgeEdge, x0, x1).gapEnd ==
            motionOf(FeaturePairKind::EdgeEdge, x1, x2).gap.c[0]);
  }
}

/// Mean of |m|² over the step by Boole's rule, exact for its degree 4.
void PairCcdTest::meanSquareIsThatOfTheNormal() {
  Random random;
  for (int trial = 0; trial < 300; ++trial) {
    Vec3 x0[4], x1[4];
    for (int vertex = 0; vertex < 4; ++vertex) {
      x0[vertex] = random.vector();
      x1[vertex] = random.vector();
    }
    const PairMotion motion = motionOf(FeaturePairKind::VertexFace, x0, x1);
    const auto square = [&motion](double t) { return motion.m(t).squaredNorm(); };
    const double mean =
        (7 * square(0) + 32 * square(0.25) + 12 * square(0.5) + 32 * square(0.75) + 7 * square(1)) / 90;
    QVERIFY_NEAR(motion.meanSquare, mean, 1e-13 * mean + 1e-15);
  }
}

QTEST_APPLESS_MAIN(PairCcdTest)
#include "tst_pair_ccd.moc"
