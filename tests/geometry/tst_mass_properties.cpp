#include <Eigen/Geometry>
#include <QtTest>

#include "core/geometry/convex_hull.h"
#include "core/geometry/mass_properties.h"
#include "core/math/quaternion.h"
#include "core/shape/primitives.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

namespace {

TriangleMesh hullMesh(const std::vector<Vec3>& points) {
  Polytope hull;
  if (!convexHull(points, hull).empty()) std::abort();
  return triangulated(hull);
}

double distance(const Mat3& a, const Mat3& b) { return (a - b).cwiseAbs().maxCoeff(); }

Polytope placedBox(const Vec3& size, const Vec3& position) {
  std::vector<Vec3> points = boxPoints(size);
  for (Vec3& point : points) point += position;
  Polytope box;
  if (!convexHull(points, box).empty()) std::abort();
  return box;
}

}  // namespace

class MassPropertiesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBoxHasItsClosedForm();
  void aTetrahedronHasItsClosedForm();
  void aFarOffsetCostsNoDigits();
  void rotationTurnsTheInertia();
  void densityOneScalesWithTheFifthPower();
  void refinedSpheresTendToTheBall();
  void aCylinderTendsToTheRoundOne();
  void anInvertedSurfaceHasNegativeVolume();
  void twoHalvesMakeTheWhole();
};

void MassPropertiesTest::aBoxHasItsClosedForm() {
  const MassProperties box = massProperties(test::boxShape(Vec3(0.2, 0.1, 0.3))->surfaces[0]);
  QVERIFY_NEAR(box.volume, 0.006, 1e-17);
  QVERIFY_NEAR(box.centre.norm(), 0, 1e-16);
  const Mat3 expected = (0.006 / 12 * Vec3(0.01 + 0.09, 0.04 + 0.09, 0.04 + 0.01)).asDiagonal();
  QVERIFY_NEAR(distance(box.inertia, expected), 0, 1e-19);
}

void MassPropertiesTest::aTetrahedronHasItsClosedForm() {
  // Corner at the origin, legs of length 1 along the axes: V = 1/6, centre (¼, ¼, ¼);
  // about the centre ∫x² = 1/60 − 1/96 = 1/160 and ∫xy = 1/120 − 1/96 = −1/480.
  const MassProperties solid = massProperties(hullMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  QVERIFY_NEAR(solid.volume, 1.0 / 6, 1e-16);
  QVERIFY_NEAR((solid.centre - Vec3(0.25, 0.25, 0.25)).norm(), 0, 1e-16);
  Mat3 expected = Mat3::Constant(1.0 / 480);
  expected.diagonal().setConstant(2.0 / 160);
  QVERIFY_NEAR(distance(solid.inertia, expected), 0, 1e-17);
}

void MassPropertiesTest::aFarOffsetCostsNoDigits() {
  // At 1000 m the corners are rounded to 1e-13 m; the result must not be worse.
  TriangleMesh mesh = test::boxShape(Vec3(0.2, 0.1, 0.3))->surfaces[0];
  const MassProperties near = massProperties(mesh);
  for (Vec3& vertex : mesh.vertices) vertex += Vec3(1000, -2000, 3000);
  const MassProperties far = massProperties(mesh);
  QVERIFY_NEAR(far.volume, near.volume, 1e-13);
  QVERIFY_NEAR((far.centre - Vec3(1000, -2000, 3000)).norm(), 0, 2e-12);
  QVERIFY_NEAR(distance(far.inertia, near.inertia), 0, 1e-14);
}

void MassPropertiesTest::rotationTurnsTheInertia() {
  const Quaternion rotation(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized().eval()));
  TriangleMesh mesh = hullMesh({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}});
  const MassProperties before = massProperties(mesh);
  for (Vec3& vertex : mesh.vertices) vertex = rotation * vertex;
  const MassProperties after = massProperties(mesh);
  const Mat3 r = rotation.toRotationMatrix();
  QVERIFY_NEAR((after.centre - rotation * before.centre).norm(), 0, 1e-15);
  QVERIFY_NEAR(distance(after.inertia, r * before.inertia * r.transpose()), 0, 1e-14);
}

void MassPropertiesTest::densityOneScalesWithTheFifthPower() {
  TriangleMesh mesh = hullMesh({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}});
  const MassProperties metres = massProperties(mesh);
  for (Vec3& vertex : mesh.vertices) vertex *= 2;
  const MassProperties doubled = massProperties(mesh);
  QVERIFY_NEAR(doubled.volume, 8 * metres.volume, 1e-13);
  QVERIFY_NEAR(distance(doubled.inertia, 32 * metres.inertia), 0, 1e-12);
}

void MassPropertiesTest::refinedSpheresTendToTheBall() {
  // Inscribed polyhedra: the value approaches from below, and the error falls by four with each subdivision.
  const double pi = 3.14159265358979323846, ball = 4 * pi / 3;
  double last = 0;
  for (int level = 1; level <= 4; ++level) {
    const MassProperties solid = massProperties(hullMesh(spherePoints(1, level)));
    const double error = (ball - solid.volume) / ball;
    QVERIFY(error > 0);
    if (level > 1) QVERIFY_NEAR(last / error, 4, 0.35);
    last = error;
    QVERIFY_NEAR(solid.inertia(0, 0) / solid.volume, 0.4, 1.4 * error);
    QVERIFY_NEAR(distance(solid.inertia, solid.inertia(0, 0) * Mat3::Identity()), 0, 1e-14);
  }
  QVERIFY(last < 0.004);
}

void MassPropertiesTest::aCylinderTendsToTheRoundOne() {
  // Prism over a regular n-gon: area n/2 sin(2π/n) r², second moment of area the same in all directions.
  const double pi = 3.14159265358979323846;
  const MassProperties solid = massProperties(hullMesh(cylinderPoints(0.5, 2, 24)));
  const double area = 12 * std::sin(2 * pi / 24) * 0.25;
  QVERIFY_NEAR(solid.volume, 2 * area, 1e-14);
  const double polar = solid.inertia(1, 1);
  QVERIFY_NEAR(polar, 2 * area * 0.25 / 2 * (2 + std::cos(2 * pi / 24)) / 3, 1e-14);
  QVERIFY_NEAR(solid.inertia(0, 0), polar / 2 + 2 * area * 4 / 12, 1e-14);
}

void MassPropertiesTest::anInvertedSurfaceHasNegativeVolume() {
  TriangleMesh mesh = test::boxShape(Vec3(1, 1, 1))->surfaces[0];
  for (auto& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);
  QVERIFY_NEAR(massProperties(mesh).volume, -1, 1e-15);
}

void MassPropertiesTest::twoHalvesMakeTheWhole() {
  const MassProperties leftHalf = massProperties(triangulated(placedBox(Vec3(1, 1, 1), Vec3(-0.5, 0, 0))));
  const MassProperties rightHalf = massProperties(triangulated(placedBox(Vec3(2, 1, 1), Vec3(1, 0, 0))));
  const MassProperties both = combined(leftHalf, rightHalf);
  const MassProperties whole = massProperties(triangulated(placedBox(Vec3(3, 1, 1), Vec3(0.5, 0, 0))));
  QVERIFY_NEAR(both.volume, 3, 1e-15);
  QVERIFY_NEAR((both.centre - whole.centre).norm(), 0, 1e-15);
  QVERIFY_NEAR(distance(both.inertia, whole.inertia), 0, 1e-14);
}

QTEST_APPLESS_MAIN(MassPropertiesTest)
#include "tst_mass_properties.moc"
