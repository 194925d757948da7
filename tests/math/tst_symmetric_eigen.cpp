#include <Eigen/Dense>
#include <QtTest>
#include <random>

#include "core/math/symmetric_eigen.h"
#include "tests/support/near.h"

using namespace touchstone;
Q_DECLARE_METATYPE(Mat3)

class SymmetricEigenTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void agreesWithEigen_data();
  void agreesWithEigen();
};

void SymmetricEigenTest::agreesWithEigen_data() {
  QTest::addColumn<Mat3>("A");
  const Vec3 a(1, -2, 0.5);
  QTest::newRow("zero") << Mat3(Mat3::Zero());
  QTest::newRow("diagonal") << Mat3(Vec3(3, -1, 2).asDiagonal());
  QTest::newRow("of rank 1") << Mat3(a * a.transpose());
  QTest::newRow("all equal") << Mat3(Mat3::Constant(2));
  QTest::newRow("no diagonal") << Mat3(Mat3::Constant(1) - Mat3::Identity());
  QTest::newRow("nearly one") << Mat3(Mat3::Identity() + 1e-9 * a * a.transpose());
  QTest::newRow("large") << Mat3(1e200 * (a * a.transpose() - Mat3::Identity()));
  QTest::newRow("tiny") << Mat3(1e-200 * (a * a.transpose() - Mat3::Identity()));
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 20; ++k) {
    const Mat3 any = Mat3::NullaryExpr([&normal, &random] { return normal(random); });
    QTest::addRow("random %d", k) << Mat3(any + any.transpose());
  }
}

void SymmetricEigenTest::agreesWithEigen() {
  QFETCH(Mat3, A);
  const SymmetricEigen eigen = symmetricEigen(A);
  const Mat3& W = eigen.vectors;
  const double scale = std::fmax(A.cwiseAbs().maxCoeff(), 1e-300);
  QVERIFY_NEAR((W.transpose() * W - Mat3::Identity()).norm(), 0, 2e-15);
  const Mat3 rebuilt = W * eigen.values.asDiagonal() * W.transpose();
  QVERIFY_NEAR((rebuilt - A).cwiseAbs().maxCoeff() / scale, 0, 4e-15);
  Vec3 sorted = eigen.values;
  std::sort(sorted.data(), sorted.data() + 3);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> expected(A);
  QVERIFY_NEAR((sorted - expected.eigenvalues()).cwiseAbs().maxCoeff() / scale, 0, 4e-15);
}

QTEST_APPLESS_MAIN(SymmetricEigenTest)
#include "tst_symmetric_eigen.moc"
