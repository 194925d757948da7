#include <QtTest>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/scene/replicate.h"
#include "core/world/world.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

namespace {

/// A body that flies against a wall whose face is y = 0.
struct Impact {
  Vec3 size = Vec3(0.02, 0.02, 0.02);  ///< of the body [m]
  double speed = 20, thickness = 0.001, dt = 0.01, mass = 0.02;
  double angle = 0.6109;  ///< of the body about (2, 1, 3) [rad]
  Vec3 spin = Vec3(0, 0, 0);
};

std::shared_ptr<Scene> sceneOf(const Impact& impact) {
  Body wall = test::box("wall", Vec3(4, impact.thickness, 1), 1, Vec3(0, -0.5 * impact.thickness, 0));
  wall.motion = Motion::Static;
  wall.mass = 0;
  wall.inertia = Mat3::Zero();
  // It arrives within the second step, at 0.35 of it.
  const double way = 1.35 * impact.speed * impact.dt + 0.5 * impact.size.norm();
  Body body = test::box("body", impact.size, impact.mass, Vec3(0.031, way, 0.017));
  body.orientation = Quaternion(Eigen::AngleAxisd(impact.angle, Vec3(2, 1, 3).normalized()));
  body.linearVelocity = Vec3(0, -impact.speed, 0);
  body.angularVelocity = impact.spin;
  auto scene = test::scene({wall, body});
  scene->gravity = Vec3::Zero();
  scene->dt = impact.dt;
  scene->size = 2;
  return scene;
}

}  // namespace

Q_DECLARE_METATYPE(Impact)

/// Non-smooth Newton where bodies turn far in a step.
class NsnImpactsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nobodyGetsThroughAThinWall_data();
  void nobodyGetsThroughAThinWall();
  void aStepInWhichABodyTurnsFarIsHalved();
  void aStepWithoutAnAnswerThatEntersIsHalved();
  void aBodyThatSpinsFreelyTakesWholeSteps();
  void replicasMoveAsTheyWouldAlone();
  void halvesKeepTheForcesOfAWarmStart();
};

void NsnImpactsTest::nobodyGetsThroughAThinWall_data() {
  QTest::addColumn<Impact>("impact");
  for (const double dt : {0.01, 0.0025})
    for (const double speed : {5.0, 20.0, 40.0, 90.0})
      for (const double thickness : {0.1, 0.01, 0.001}) {
        Impact impact;
        impact.dt = dt;
        impact.speed = speed;
        impact.thickness = thickness;
        QTest::addRow("%g m/s on %g m, steps of %g s", speed, thickness, dt) << impact;
      }
  const auto shape = [](const char* name, const Vec3& size, double mass, double angle, const Vec3& spin) {
    Impact impact;
    impact.size = size;
    impact.mass = mass;
    impact.angle = angle;
    impact.spin = spin;
    QTest::newRow(name) << impact;
  };
  shape("a slab", Vec3(0.06, 0.006, 0.04), 0.02, 1.1, Vec3(0, 0, 0));
  shape("a rod", Vec3(0.12, 0.012, 0.012), 0.02, 0.9, Vec3(0, 0, 0));
  shape("a heavy cube", Vec3(0.03, 0.03, 0.03), 5, 2.0, Vec3(0, 0, 0));
  shape("a light cube", Vec3(0.015, 0.015, 0.015), 1e-4, 0.3, Vec3(0, 0, 0));
  shape("a cube that spins", Vec3(0.02, 0.02, 0.02), 0.02, 0.6, Vec3(90, -60, 120));
}

/// The impact is plastic: the body stays before the wall and is no faster than it came.
void NsnImpactsTest::nobodyGetsThroughAThinWall() {
  QFETCH(Impact, impact);
  const auto scene = sceneOf(impact);
  Simulation simulation(scene, paneNamed("nsn"), scene->dt);
  const double start = simulation.current()->quantities[Quantity::EnergyKinetic];
  for (int frame = 0; frame < 12; ++frame) {
    const RecordPtr record = simulation.step();
    const double y = simulation.world().position[1].y();
    QVERIFY2(y > 0, qPrintable(QStringLiteral("frame %1: y = %2 m").arg(frame).arg(y)));
    QVERIFY(record->quantities[Quantity::EnergyKinetic] <= start * (1 + 1e-9));
  }
  QVERIFY(simulation.world().linearVelocity[1].y() > -0.05 * impact.speed);
}

/// No part of a step turns a body that touches by more than ½ rad, and a record counts the parts.
void NsnImpactsTest::aStepInWhichABodyTurnsFarIsHalved() {
  const auto scene = sceneOf(Impact());
  Simulation simulation(scene, paneNamed("nsn"), scene->dt);
  QCOMPARE(simulation.step()->parts, 1);
  const RecordPtr impact = simulation.step();
  QVERIFY(impact->parts > 1);
  QVERIFY2(impact->status == StepStatus::Ok, impact->statusText.c_str());
  QVERIFY(impact->normalImpulseSum > 0.1 * 0.02 * 20);
}

/// Two Newton iterations of half a step each are none: what the last one leaves is deep in the wall, though
/// nothing turns.
void NsnImpactsTest::aStepWithoutAnAnswerThatEntersIsHalved() {
  Impact impact;
  impact.angle = 0;
  const auto scene = sceneOf(impact);
  PaneSettings settings = paneNamed("nsn");
  settings.parameters["max_iterations"] = 2.0;
  settings.parameters["newton_step"] = 0.5;
  settings.parameters["last_step"] = 0.0;
  Simulation simulation(scene, settings, scene->dt);
  QCOMPARE(simulation.step()->parts, 1);
  QVERIFY(simulation.step()->parts > 1);
}

void NsnImpactsTest::aBodyThatSpinsFreelyTakesWholeSteps() {
  Impact impact;
  impact.speed = 0;
  impact.spin = Vec3(0, 300, 0);  // 3 rad in a step
  auto scene = sceneOf(impact);
  scene->bodies[1].position.y() = 0.018;  // within reach of the wall
  Simulation simulation(scene, paneNamed("nsn"), scene->dt);
  for (int frame = 0; frame < 5; ++frame) QCOMPARE(simulation.step()->parts, 1);
  QVERIFY_NEAR((simulation.world().angularVelocity[1] - impact.spin).norm(), 0, 1e-6);
}

void NsnImpactsTest::replicasMoveAsTheyWouldAlone() {
  Impact impact;
  impact.speed = 40;
  const auto scene = sceneOf(impact);
  // One rubs at the wall, the other does not.
  const auto both = replicated(*scene, 2, [](int replica) {
    ReplicaVariation variation;
    variation.changeMaterial = [replica](Material& material) {
      material.staticFriction = material.dynamicFriction = replica == 0 ? 0 : 0.8;
    };
    return variation;
  });
  Simulation together(both, paneNamed("nsn"), scene->dt);
  for (int frame = 0; frame < 8; ++frame) together.step();
  for (int replica = 0; replica < 2; ++replica) {
    auto own = sceneOf(impact);
    for (Material& material : own->materials)
      material.staticFriction = material.dynamicFriction = replica == 0 ? 0 : 0.8;
    Simulation alone(own, paneNamed("nsn"), own->dt);
    for (int frame = 0; frame < 8; ++frame) alone.step();
    const std::size_t body = 2 * static_cast<std::size_t>(replica) + 1;
    QVERIFY_NEAR((together.world().position[body] - alone.world().position[1]).norm(), 0, 1e-9);
  }
}

/// A box rests beside the impact: its contacts start from what they had, also in steps that are halved.
void NsnImpactsTest::halvesKeepTheForcesOfAWarmStart() {
  auto scene = sceneOf(Impact());
  scene->bodies.push_back(test::box("rests", Vec3(0.2, 0.1, 0.2), 1, Vec3(-1, 0.05, 0)));
  scene->gravity = Vec3(0, -9.81, 0);
  PaneSettings settings = paneNamed("nsn");
  settings.parameters["start"] = std::string("warm");
  Simulation simulation(scene, settings, scene->dt);
  int mostParts = 0;
  for (int frame = 0; frame < 8; ++frame) mostParts = std::max(mostParts, simulation.step()->parts);
  QVERIFY(mostParts > 1);
  QVERIFY_NEAR(simulation.world().position[2].y(), 0.05, 1e-8);
  QVERIFY_NEAR(simulation.world().linearVelocity[2].norm(), 0, 1e-7);
  QVERIFY(!simulation.contactMemory().empty());
}

QTEST_APPLESS_MAIN(NsnImpactsTest)
#include "tst_nsn_impacts.moc"
