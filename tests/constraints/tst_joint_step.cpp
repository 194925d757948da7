#include <QtTest>

#include "core/constraints/joint_projection.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/near.h"
#include "tests/support/pendulum_swing.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Joints under the penalty methods.
class JointStepTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aChainKeepsItsEnergy_data();
  void aChainKeepsItsEnergy();
  void aDriveStopsAtItsStaticAnswer();
  void aDriveKeepsItsLimit();
  void aLimitStopsAJoint();
  void aRopeHoldsALoad();
  void theGroundBalances();
  void restoredStepsAreTheSame();
  void gapsAreMeasuredAfterTheProjectionToo();
};

static PaneSettings pane(const char* name, int substeps) {
  PaneSettings settings = paneNamed(name);
  settings.substeps = substeps;
  return settings;
}

void JointStepTest::aChainKeepsItsEnergy_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<double>("swing");  // energy above rest [J]
  QTest::newRow("ten links") << QStringLiteral("jointed-chain") << 13.1;
  QTest::newRow("a heavy end") << QStringLiteral("loaded-chain") << 270.0;
}

/// At 480 steps per second energy stays within half a percent of the swing, and joints to rounding.
void JointStepTest::aChainKeepsItsEnergy() {
  QFETCH(QString, scene);
  QFETCH(double, swing);
  const auto shipped = test::shipped(scene.toStdString());
  for (const char* name : {"dpf", "cpf"}) {
    Simulation simulation(shipped, pane(name, 4), 1.0 / 120);
    const double start = simulation.current()->quantities[Quantity::EnergyTotal];
    double error = 0, change = 0;
    for (int frame = 0; frame < 240; ++frame) {
      const RecordPtr record = simulation.step();
      QVERIFY2(record->warnings.empty(), record->warnings.empty() ? "" : record->warnings.front().c_str());
      error = std::max(error, record->quantities[Quantity::JointError]);
      change = std::max(change, std::abs(record->quantities[Quantity::EnergyTotal] - start));
    }
    QVERIFY2(error < 1e-8, qPrintable(QString::number(error)));
    QVERIFY2(change < 0.005 * swing, qPrintable(QString::number(change)));
  }
}

void JointStepTest::aDriveStopsAtItsStaticAnswer() {
  const auto scene = test::pendulum(0, 1e-5);
  scene->joints[0].drive = {20, 5, 1.2, 0, HUGE_VAL, {}};
  Simulation simulation(scene, pane("dpf", 4), scene->dt);
  for (int frame = 0; frame < 2400; ++frame) simulation.step();
  QVERIFY_NEAR(20 * (1.2 - test::pendulumAngle(simulation)), 9.81 * std::sin(test::pendulumAngle(simulation)),
               1e-4);
}

void JointStepTest::aDriveKeepsItsLimit() {
  const auto scene = test::weakLift();
  Simulation simulation(scene, pane("dpf", 1), 0.01);
  constexpr int kFrames = 20;
  for (int frame = 0; frame < kFrames; ++frame) simulation.step();
  const double a = (8 - 2 * 9.81) / 2;
  QVERIFY_NEAR(simulation.current()->bodies[0].position.y(), 1e-4 * a * kFrames * (kFrames + 1) / 2, 1e-9);
}

/// It stops at both limits and sticks to none. A frame may end three substeps after the limit was met, when
/// gravity has taken the bob back by less than 1e-4.
void JointStepTest::aLimitStopsAJoint() {
  const test::LimitedSwing swing(pane("dpf", 4));
  QVERIFY(swing.most < 0.3 + 1e-6 && swing.most > 0.3 - 1e-4);
  QVERIFY(swing.least > -0.1 - 1e-6 && swing.least < -0.1 + 1e-4);
}

void JointStepTest::aRopeHoldsALoad() {
  const auto scene = test::slackRope();
  Simulation simulation(scene, pane("cpf", 2), 0.01);
  simulation.step();
  QVERIFY(simulation.current()->bodies[0].linearVelocity.y() < -0.09);  // slack: a free fall
  double lowest = 0;
  for (int frame = 0; frame < 200; ++frame) {
    simulation.step();
    lowest = std::min(lowest, simulation.current()->bodies[0].position.y());
  }
  QVERIFY_NEAR(lowest, -0.8, 1e-7);
}

/// The Referee expects the momentum that gravity and the recorded impulses of the ground give.
void JointStepTest::theGroundBalances() {
  const auto scene = test::shipped("jointed-chain");
  Simulation simulation(scene, pane("dpf", 4), 1.0 / 120);
  for (int frame = 0; frame < 60; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY_NEAR(record->quantities[Quantity::MomentumLinearError], 0, 1e-9);
    QVERIFY_NEAR(record->quantities[Quantity::MomentumAngularError], 0, 1e-8);
  }
}

void JointStepTest::restoredStepsAreTheSame() {
  const auto scene = test::shipped("jointed-chain");
  Simulation first(scene, pane("cpf", 2), 1.0 / 120);
  for (int frame = 0; frame < 20; ++frame) first.step();
  Simulation second(scene, first.checkpoint());
  for (int frame = 0; frame < 20; ++frame) QCOMPARE(second.step()->stateHash, first.step()->stateHash);
}

void JointStepTest::gapsAreMeasuredAfterTheProjectionToo() {
  World world = makeWorld(test::shipped("jointed-chain"));
  const auto largest = [](const JointGaps& gaps) { return std::max(gaps.distance, gaps.angle); };
  QVERIFY(largest(measureJoints(world)) < 1e-6);
  std::size_t moved = 0;
  while (world.inverseMass[moved] == 0) ++moved;
  world.position[moved].x() += 2e-3;
  const double apart = largest(measureJoints(world));
  QVERIFY(apart > 1e-3);
  QVERIFY(largest(measureJoints(world)) == apart);  // measuring moves nothing
  QVERIFY(largest(projectJoints(world)) == apart);
  QVERIFY(largest(measureJoints(world)) < 1e-3);
}

QTEST_APPLESS_MAIN(JointStepTest)
#include "tst_joint_step.moc"
