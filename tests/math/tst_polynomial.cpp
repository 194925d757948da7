#include <QtTest>
#include <random>

#include "core/math/count.h"
#include "core/math/polynomial.h"
#include "tests/support/near.h"

using namespace touchstone;

class PolynomialTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void findsTheSignChangesOfCubics_data();
  void findsTheSignChangesOfCubics();
  void findsRandomRoots();
  void evaluatesValueAndSlope();
};

void PolynomialTest::findsTheSignChangesOfCubics_data() {
  QTest::addColumn<QVector<double>>("c");
  QTest::addColumn<QVector<double>>("roots");
  QTest::addColumn<int>("firstSign");
  const auto row = [](const char* name, QVector<double> c, QVector<double> roots, int sign) {
    QTest::newRow(name) << c << roots << sign;
  };
  row("zero", {0, 0, 0, 0}, {}, 0);
  row("constant", {2, 0, 0, 0}, {}, 1);
  row("linear", {1, -4, 0, 0}, {0.25}, 1);
  row("linear, root at 0", {0, -1, 0, 0}, {}, -1);
  row("linear, root at 1", {-1, 1, 0, 0}, {}, -1);
  row("quadratic, two roots", {0.1875, -1, 1, 0}, {0.25, 0.75}, 1);
  row("quadratic, touches", {0.25, -1, 1, 0}, {}, 1);
  row("(t - 1/4)(t - 1/2)(t - 3/4)", {-0.09375, 0.6875, -1.5, 1}, {0.25, 0.5, 0.75}, -1);
  row("triple root at 1/2", {-0.125, 0.75, -1.5, 1}, {0.5}, -1);
  row("touches at 1/4, crosses at 1/2", {-0.03125, 0.3125, -1, 1}, {0.5}, -1);
  row("leading coefficient of rounding size", {0.1875, -1, 1, 1e-17}, {0.25, 0.75}, 1);
}

void PolynomialTest::findsTheSignChangesOfCubics() {
  QFETCH(QVector<double>, c);
  QFETCH(QVector<double>, roots);
  QFETCH(int, firstSign);
  double found[3];
  const Cubic p{{c[0], c[1], c[2], c[3]}};
  const int count = signChanges(p, found);
  QCOMPARE(count, countOf(roots));
  QCOMPARE(signAfterZero(p), firstSign);
  // A triple root is only known to the cube root of rounding.
  for (int k = 0; k < count; ++k) QVERIFY_NEAR(found[k], roots[k], roots.size() == 1 ? 1e-5 : 1e-15 * 8);
}

void PolynomialTest::findsRandomRoots() {
  std::mt19937 random(20120704);
  std::uniform_real_distribution<double> anywhere(-0.5, 1.5);
  for (int trial = 0; trial < 20000; ++trial) {
    double r[3] = {anywhere(random), anywhere(random), anywhere(random)};
    std::sort(r, r + 3);
    // Well separated from each other and from 0 and 1, so that rounding does not decide.
    if (r[1] - r[0] < 1e-2 || r[2] - r[1] < 1e-2) continue;
    bool close = false;
    for (double root : r) close = close || std::abs(root) < 1e-3 || std::abs(root - 1) < 1e-3;
    if (close) continue;
    const Cubic p{{-r[0] * r[1] * r[2], r[0] * r[1] + r[0] * r[2] + r[1] * r[2], -(r[0] + r[1] + r[2]), 1}};
    double found[3];
    int next = 0;
    const int count = signChanges(p, found);
    for (double root : r)
      if (root > 0 && root < 1) {
        QVERIFY(next < count);
        QVERIFY_NEAR(found[next++], root, 1e-11);  // rounding of c over |p'| ≥ 1e-4
      }
    QCOMPARE(count, next);
  }
}

void PolynomialTest::evaluatesValueAndSlope() {
  const Cubic p{{5, 2, 3, 4}};
  QCOMPARE(p(2), 53.0);
  QCOMPARE(p.slope(2), 62.0);
}

QTEST_APPLESS_MAIN(PolynomialTest)
#include "tst_polynomial.moc"
