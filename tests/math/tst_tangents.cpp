#include <QtTest>
#include <random>

#include "core/math/vec.h"
#include "tests/support/near.h"

using namespace touchstone;

class TangentsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void completeATriad();
  void turnWithNormalsAlongAnAxisByRoundingOnly_data();
  void turnWithNormalsAlongAnAxisByRoundingOnly();
};

void TangentsTest::completeATriad() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 10000; ++k) {
    const Vec3 n = Vec3(normal(random), normal(random), normal(random)).normalized();
    Vec3 first, second;
    tangentBasis(n, first, second);
    Mat3 triad;
    triad << first, second, n;
    QVERIFY_NEAR((triad.transpose() * triad - Mat3::Identity()).norm(), 0, 1e-14);
    QVERIFY_NEAR(triad.determinant(), 1, 1e-14);
  }
}

void TangentsTest::turnWithNormalsAlongAnAxisByRoundingOnly_data() {
  QTest::addColumn<double>("degrees");
  for (double degrees : {0.0, 20.0, 30.0, 45.0, 60.0, 90.0}) QTest::addRow("%g degrees", degrees) << degrees;
}

/// For normals of boxes along the axes and on slopes: the memory of friction impulses relies on their
/// tangents.
void TangentsTest::turnWithNormalsAlongAnAxisByRoundingOnly() {
  QFETCH(double, degrees);
  const double angle = degrees * M_PI / 180;
  const Vec3 slopes[] = {Vec3(std::sin(angle), std::cos(angle), 0), Vec3(0, std::cos(angle), std::sin(angle)),
                         Vec3(std::sin(angle), 0, std::cos(angle))};
  for (const Vec3& n : slopes) {
    Vec3 first, second;
    tangentBasis(n, first, second);
    for (int k = 0; k < 27; ++k) {
      const Vec3 rounding(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
      Vec3 other, across;
      tangentBasis(n + 1e-15 * rounding, other, across);
      QVERIFY_NEAR((other - first).norm(), 0, 1e-13);
      QVERIFY_NEAR((across - second).norm(), 0, 1e-13);
    }
  }
}

QTEST_APPLESS_MAIN(TangentsTest)
#include "tst_tangents.moc"
