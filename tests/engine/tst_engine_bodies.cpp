#include <Eigen/Geometry>
#include <QtTest>

#include "core/engine/engine_bodies.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// What engines need of a body: principal axes, boxes, friction of a pair, which pairs may meet.
class EngineBodiesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void principalAxesGiveTheTensorBack();
  void aDiagonalTensorKeepsItsAxes();
  void aBoxIsFoundAsItIsTurned();
  void whatIsAlmostABoxIsNone();
  void frictionIsTheGeometricMean();
  void pairsThatMayNotMeet();
  void contactsHaveTheirBodiesAscending();
};

void EngineBodiesTest::principalAxesGiveTheTensorBack() {
  const Quaternion turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const Mat3 rotation = turn.toRotationMatrix();
  const Mat3 inertia = rotation * Vec3(1, 2, 3).asDiagonal() * rotation.transpose();
  const PrincipalAxes axes = principalAxesOf(inertia);
  const Mat3 r = axes.axes.toRotationMatrix();
  QVERIFY_NEAR((r * axes.moments.asDiagonal() * r.transpose() - inertia).norm(), 0, 1e-14);
  QVERIFY_NEAR(r.determinant(), 1, 1e-14);
}

void EngineBodiesTest::aDiagonalTensorKeepsItsAxes() {
  const PrincipalAxes axes = principalAxesOf(Vec3(3, 1, 2).asDiagonal());
  QVERIFY(axes.moments == Vec3(3, 1, 2));
  QVERIFY(axes.axes.coeffs() == Quaternion::Identity().coeffs());
}

void EngineBodiesTest::aBoxIsFoundAsItIsTurned() {
  const Polytope plain = test::boxShape(Vec3(0.2, 0.4, 0.6))->pieces[0];
  const std::optional<BoxPiece> straight = boxOf(plain);
  QVERIFY(straight);
  QVERIFY(straight->axes.coeffs() == Quaternion::Identity().coeffs());
  QVERIFY_NEAR((straight->half - Vec3(0.1, 0.2, 0.3)).norm(), 0, 1e-15);

  const Quaternion turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  Polytope turned = plain;
  for (Vec3& vertex : turned.vertices) vertex = turn * vertex + Vec3(1, 2, 3);
  QVERIFY(buildTopology(turned).empty());
  const std::optional<BoxPiece> found = boxOf(turned);
  QVERIFY(found);
  QVERIFY_NEAR((found->centre - Vec3(1, 2, 3)).norm(), 0, 1e-14);
  for (const Vec3& vertex : turned.vertices) {
    const Vec3 corner = (found->axes.conjugate() * Vec3(vertex - found->centre)).cwiseAbs();
    QVERIFY_NEAR((corner - found->half).norm(), 0, 1e-14);
  }
}

void EngineBodiesTest::whatIsAlmostABoxIsNone() {
  Polytope frustum = test::boxShape(Vec3(0.2, 0.4, 0.6))->pieces[0];
  for (Vec3& vertex : frustum.vertices)
    if (vertex.y() > 0) vertex = Vec3(0.99 * vertex.x(), vertex.y(), 0.99 * vertex.z());
  QVERIFY(buildTopology(frustum).empty());
  QVERIFY(!boxOf(frustum));
}

void EngineBodiesTest::frictionIsTheGeometricMean() {
  auto scene = test::scene({test::ground(), test::box("one", Vec3(1, 1, 1), 1, Vec3(0, 1, 0))}, 0.9);
  Material rough;
  rough.staticFriction = 0.7;  // is not asked
  rough.dynamicFriction = 0.4;
  scene->materials.push_back(rough);
  scene->bodies[1].material = 1;
  QVERIFY_NEAR(pairFriction(*scene, 0, 1), 0.6, 1e-15);
}

void EngineBodiesTest::pairsThatMayNotMeet() {
  auto scene =
      test::scene({test::ground(), test::ground(-1), test::box("one", Vec3(1, 1, 1), 1, Vec3(0, 1, 0)),
                   test::box("two", Vec3(1, 1, 1), 1, Vec3(0, 3, 0))});
  QVERIFY(!mayMeet(*scene, 0, 1));  // both static
  QVERIFY(mayMeet(*scene, 0, 2));
  QVERIFY(mayMeet(*scene, 3, 2));
  scene->noContact.push_back({2, 3});
  QVERIFY(!mayMeet(*scene, 3, 2));
  scene->bodies[3].replica = 1;
  QVERIFY(!mayMeet(*scene, 0, 3));
}

void EngineBodiesTest::contactsHaveTheirBodiesAscending() {
  Contact contact;
  contact.bodyA = 2;
  contact.bodyB = 1;
  contact.pointA = Vec3(1, 0, 0);
  contact.normal = Vec3(0, 1, 0);
  contact.normalImpulse = 3;
  contact.frictionImpulse = Vec3(1, 0, 2);
  const Contact turned = ascending(contact);
  QCOMPARE(turned.bodyA, 1);
  QVERIFY(turned.pointB == Vec3(1, 0, 0));
  QVERIFY(turned.normal == Vec3(0, -1, 0));
  QVERIFY(turned.frictionImpulse == Vec3(-1, 0, -2));
  QCOMPARE(turned.normalImpulse, 3.0);
  QCOMPARE(ascending(turned).bodyA, 1);
}

QTEST_APPLESS_MAIN(EngineBodiesTest)
#include "tst_engine_bodies.moc"
