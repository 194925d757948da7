#include <QtTest>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Contacts of bodies that turn: what sticks keeps its points, and no contact makes angular momentum.
class StickingContactsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTurntableCarries_data();
  void aTurntableCarries();
  void anImpactKeepsAngularMomentum_data();
  void anImpactKeepsAngularMomentum();
};

static void rowMethods() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"nsn"}) QTest::newRow(name) << QString::fromLatin1(name);
}

/// A box at 0.4 m on a table that turns at 3 rad/s, which friction holds: 1.4 turns at 1/240 s.
void StickingContactsTest::aTurntableCarries_data() { rowMethods(); }
void StickingContactsTest::aTurntableCarries() {
  QFETCH(QString, name);
  constexpr double kRadius = 0.4, kRate = 3;
  Body table = test::box("table", Vec3(1.2, 0.05, 1.2), 50, Vec3(0, -0.025, 0)),
       box = test::box("box", Vec3(0.06, 0.04, 0.06), 0.2, Vec3(kRadius, 0.02, 0));
  table.angularVelocity = box.angularVelocity = Vec3(0, kRate, 0);
  box.linearVelocity = box.angularVelocity.cross(box.position);
  const auto scene = test::scene({table, box}, 0.5);
  Joint bearing;
  bearing.name = "bearing";
  bearing.kind = JointKind::Revolute;
  bearing.bodyB = 0;
  bearing.frames.anchorB = Vec3(0, 0.025, 0);
  // The axis of a revolute joint is x of its frames.
  bearing.frames.frameA = bearing.frames.frameB = Quaternion(std::sqrt(0.5), 0, 0, std::sqrt(0.5));
  bearing.drive.damping = 1e4;
  bearing.drive.rate = kRate;
  scene->joints = {bearing};
  Simulation simulation(scene, paneFor(name.toStdString(), *scene), 1.0 / 240);
  for (int frame = 0; frame < 720; ++frame) simulation.step();
  const Vec3 place = simulation.current()->bodies[1].position;
  QVERIFY_NEAR(std::hypot(place.x(), place.z()), kRadius, 0.01 * kRadius);
  QVERIFY_NEAR(place.y(), 0.02, 1e-4);
}

/// A rod hits another one edge on edge, off the centres of both, in weightlessness.
void StickingContactsTest::anImpactKeepsAngularMomentum_data() {
  QTest::addColumn<QString>("name");
  for (const char* name :
       {"lcp:push_out=published", "peg:push_out=published", "nsn:push_out=published", "dpf", "cpf"})
    QTest::newRow(name) << QString::fromLatin1(name);
}
void StickingContactsTest::anImpactKeepsAngularMomentum() {
  QFETCH(QString, name);
  Body lower = test::box("lower", Vec3(0.6, 0.06, 0.06), 1, Vec3(0.1, 0, 0)),
       upper = test::box("upper", Vec3(0.06, 0.06, 0.6), 2, Vec3(0, 0.0852, 0.15));
  // Both stand on an edge.
  lower.orientation = Quaternion(std::cos(0.39269908), std::sin(0.39269908), 0, 0);
  upper.orientation = Quaternion(std::cos(0.39269908), 0, 0, std::sin(0.39269908));
  upper.linearVelocity = Vec3(0.2, -1, 0);
  upper.angularVelocity = Vec3(0.3, 0.5, 0);
  const auto scene = test::scene({lower, upper}, 0.3);
  scene->gravity = Vec3(0, 0, 0);
  Simulation simulation(scene, paneFor(name.toStdString(), *scene), 1e-3);
  const auto momentum = [&] {
    Vec3 sum(0, 0, 0);
    for (std::size_t body = 0; body < 2; ++body) {
      const BodyState& state = simulation.current()->bodies[body];
      const Mat3 turn = state.orientation.toRotationMatrix();
      sum += scene->bodies[body].mass * state.position.cross(state.linearVelocity) +
             turn * scene->bodies[body].inertia * turn.transpose() * state.angularVelocity;
    }
    return sum;
  };
  const Vec3 start = momentum();
  const Vec3 before = simulation.current()->bodies[0].linearVelocity;
  for (int frame = 0; frame < 60; ++frame) {
    simulation.step();
    QVERIFY_NEAR((momentum() - start).norm(), 0, 1e-12);
  }
  QVERIFY((simulation.current()->bodies[0].linearVelocity - before).norm() > 0.1);
}

QTEST_APPLESS_MAIN(StickingContactsTest)
#include "tst_sticking_contacts.moc"
