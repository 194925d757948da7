#include <QtTest>

#include "core/contact/complementarity/problem_detail.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/solver/dense/problem.h"
#include "tests/support/near.h"
#include "tests/support/pendulum_swing.h"
#include "tests/support/scenes.h"

using namespace touchstone;

class NsnTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void restingForceIsWeight();
  void slidesAsImplicitEulerDoes_data();
  void slidesAsImplicitEulerDoes();
  void aFreeBodyKeepsItsVelocity();
  void holdsMassRatios();
  void pilesDoNotSink();
  void aStalledStepSaysSo();
  void thicknessHoldsBodiesApart();
  void continuesExactlyFromItsMemory();
  void theProblemOfAStepIsSolvedByItsAnswer();
  void aPendulumSwingsAtItsPeriod();
  void aDriveStopsAtItsStaticAnswer();
  void aDriveKeepsItsLimit();
  void aLimitStopsAJoint();
  void aMimicFollows();
  void aRopeHoldsALoad();
  void aCompliantRowHangsByItsSpring();
  void aLoadedChainNeedsGeometricStiffness();
  void joinedBodiesDoNotCollide();
  void everyMethodHoldsJoints();
};

static PaneSettings nsnPane(const ParameterValues& values = {}) {
  PaneSettings settings = paneNamed("nsn");
  settings.parameters = values;
  return settings;
}

void NsnTest::restingForceIsWeight() {
  for (const char* ncp : {"fb", "min"})
    for (const char* friction : {"split", "w"}) {
      const auto scene =
          test::scene({test::ground(), test::box("box", Vec3(1, 1, 1), 2, Vec3(0, 0.5, 0))}, 0.5);
      scene->dt = 0.01;
      Simulation simulation(scene, nsnPane({{"ncp", std::string(ncp)}, {"friction", std::string(friction)}}),
                            scene->dt);
      RecordPtr record;
      for (int frame = 0; frame < 20; ++frame) record = simulation.step();
      QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
      QVERIFY_NEAR(record->quantities[Quantity::NormalForce], 2 * 9.81, 1e-5);
      QVERIFY(record->quantities[Quantity::PenetrationMax] < 1e-9);
    }
}

void NsnTest::slidesAsImplicitEulerDoes_data() {
  QTest::addColumn<double>("share");
  for (const double share : {0.99, 1.01, 1.05, 1.5})
    QTest::newRow(qPrintable(QString::number(share))) << share;
}

/// x = h² a n (n + 1) / 2 of implicit Euler, in the direction of the slope, whatever the tangents.
void NsnTest::slidesAsImplicitEulerDoes() {
  QFETCH(double, share);
  constexpr double kFriction = 0.5, kDirection = 0.3;
  constexpr int kFrames = 60;
  const auto scene =
      test::scene({test::ground(), test::box("block", Vec3(0.2, 0.1, 0.2), 2, Vec3(0, 0.05, 0))}, kFriction);
  const double tilt = share * std::atan(kFriction);
  const Vec3 downhill(std::cos(kDirection), 0, std::sin(kDirection));
  scene->gravity = 9.81 * (std::sin(tilt) * downhill - std::cos(tilt) * Vec3(0, 1, 0));
  scene->dt = 1.0 / 120;
  // More iterations than the default: the residual falls by a factor of 4 in each.
  Simulation simulation(scene, nsnPane({{"max_iterations", 40.0}}), scene->dt);
  for (int frame = 0; frame < kFrames; ++frame) simulation.step();
  const double a = std::max(0.0, 9.81 * (std::sin(tilt) - kFriction * std::cos(tilt)));
  const Vec3 expected = scene->dt * scene->dt * a * kFrames * (kFrames + 1) / 2 * downhill;
  const Vec3 moved = simulation.current()->bodies[1].position - Vec3(0, 0.05, 0);
  QVERIFY_NEAR((moved - expected).norm(), 0, 1e-5);
}

void NsnTest::aFreeBodyKeepsItsVelocity() {
  Body box = test::box("box", Vec3(1, 1, 1), 2, Vec3(0, 5, 0));
  box.linearVelocity = Vec3(10, 0, 0);
  Body other = test::box("other", Vec3(1, 1, 1), 2, Vec3(0, 6.01, 0));
  other.linearVelocity = Vec3(10, 0, 0);
  const auto scene = test::scene({box, other});  // near each other, so that the solver sees both
  scene->gravity = Vec3::Zero();
  const auto speedAfter = [&](double whole) {
    Simulation simulation(
        scene, nsnPane({{"max_iterations", 4.0}, {"last_step", whole}, {"answer", std::string("last")}}),
        1.0 / 120);
    for (int frame = 0; frame < 120; ++frame) simulation.step();
    return simulation.current()->bodies[0].linearVelocity.x();
  };
  QVERIFY_NEAR(speedAfter(1), 10, 1e-12);
  // A damped start from rest loses (1 − t)⁴ of the velocity in each step.
  QVERIFY_NEAR(speedAfter(0), 10 * std::pow(1 - std::pow(0.25, 4), 120), 1e-3);
}

void NsnTest::holdsMassRatios() {
  const auto scene = test::shipped("heavy-stack");
  Simulation simulation(scene, nsnPane({{"max_iterations", 8.0}}), 1.0 / 120);
  for (int frame = 0; frame < 120; ++frame) simulation.step();
  const double deepest = simulation.current()->quantities[Quantity::PenetrationMax];
  QVERIFY2(deepest < 1.4e-5, qPrintable(QString::number(deepest)));
}

/// Boxes that fall into a bin stop each other, and nearly every step has an answer.
void NsnTest::pilesDoNotSink() {
  const auto scene = test::shipped("bin");
  Simulation simulation(scene, nsnPane(), scene->dt);
  int unanswered = 0;
  double deepest = 0, contacts = 0;
  for (int frame = 0; frame < 180; ++frame) {
    const RecordPtr record = simulation.step();
    unanswered += record->status == StepStatus::NotConverged;
    deepest = std::max(deepest, record->quantities[Quantity::PenetrationMax]);
    contacts = std::max(contacts, record->quantities[Quantity::Contacts]);
  }
  QVERIFY(contacts > 100);
  QVERIFY2(deepest < 8e-3, qPrintable(QString::number(deepest)));
  QVERIFY2(unanswered <= 4, qPrintable(QString::number(unanswered)));
}

/// One round is too few for a pile: the status tells the residual, at any size of it.
void NsnTest::aStalledStepSaysSo() {
  const auto scene = test::shipped("arch");
  Simulation simulation(scene, nsnPane({{"max_iterations", 1.0}, {"start", std::string("zero")}}), scene->dt);
  const RecordPtr record = simulation.step();
  QVERIFY(record->quantities[Quantity::Residual] > record->solverTolerance);
  QVERIFY(record->status == StepStatus::NotConverged || record->endedByBudget == 1);
}

void NsnTest::thicknessHoldsBodiesApart() {
  const auto scene = test::scene({test::ground(), test::box("box", Vec3(1, 1, 1), 2, Vec3(0, 0.52, 0))});
  for (Material& material : scene->materials) material.thickness = 0.005;
  Simulation simulation(scene, nsnPane(), 0.01);
  for (int frame = 0; frame < 60; ++frame) simulation.step();
  QVERIFY_NEAR(simulation.current()->bodies[1].position.y(), 0.5 + 2 * 0.005, 1e-8);
}

void NsnTest::continuesExactlyFromItsMemory() {
  const auto scene = test::tower();
  Simulation whole(scene, nsnPane({{"start", std::string("warm")}}), scene->dt);
  for (int frame = 0; frame < 40; ++frame) whole.step();
  Simulation second(scene, whole.checkpoint());
  QVERIFY(!second.contactMemory().empty());
  for (int frame = 0; frame < 20; ++frame) QCOMPARE(second.step()->stateHash, whole.step()->stateHash);
}

void NsnTest::theProblemOfAStepIsSolvedByItsAnswer() {
  const auto scene = test::scene({test::ground(), test::box("box", Vec3(1, 1, 1), 2, Vec3(0, 0.5, 0))}, 0.5);
  Simulation simulation(scene, nsnPane(), 0.01);
  StepDetail detail;
  for (int frame = 0; frame < 5; ++frame) {
    detail = StepDetail();
    simulation.step(detail);
  }
  QCOMPARE(problemDetail(detail).problems.size(), std::size_t(1));
  const IslandAnswer& each = problemDetail(detail).problems.front();
  QVERIFY_NEAR(naturalResidual(each.island.problem, each.result.z), 0, 1e-6);
}

void NsnTest::aPendulumSwingsAtItsPeriod() {
  const auto scene = test::pendulum(0.1, 1e-7);
  Simulation simulation(scene, nsnPane(), scene->dt);
  std::vector<double> crossings;
  double before = 0.1, first = 0, last = 0, error = 0;
  for (int frame = 1; frame <= 1200; ++frame) {
    const RecordPtr record = simulation.step();
    const double x = record->bodies[0].position.x();
    if (before < 0 && x >= 0) crossings.push_back(record->time - scene->dt * x / (x - before));
    before = x;
    const double energy =
        record->quantities[Quantity::EnergyKinetic] + 9.81 * (1 + record->bodies[0].position.y());
    if (frame == 1) first = energy;
    last = energy;
    error = std::max(error, record->quantities[Quantity::JointError]);
  }
  QVERIFY(crossings.size() > 3);
  const double period = (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  QVERIFY_NEAR(period, 2 * M_PI / std::sqrt(9.81) * (1 + 0.1 * 0.1 / 16), 3e-3 * period);
  QVERIFY_NEAR(last / first, std::exp(-9.81 * scene->dt * 10), 0.05);  // implicit Euler
  QVERIFY2(error < 1e-10, qPrintable(QString::number(error)));
}

void NsnTest::aDriveStopsAtItsStaticAnswer() {
  const auto scene = test::pendulum(0, 1e-7);
  scene->joints[0].drive = {20, 5, 1.2, 0, HUGE_VAL, {}};
  Simulation simulation(scene, nsnPane(), scene->dt);
  for (int frame = 0; frame < 2400; ++frame) simulation.step();
  const double angle = test::pendulumAngle(simulation);
  QVERIFY_NEAR(20 * (1.2 - angle), 9.81 * std::sin(angle), 1e-4);
}

/// A slider of 2 kg under gravity with a drive that is limited to 8 N accelerates by (8 − m g) / m.
void NsnTest::aDriveKeepsItsLimit() {
  const auto scene = test::weakLift();
  Simulation simulation(scene, nsnPane(), 0.01);
  constexpr int kFrames = 20;
  for (int frame = 0; frame < kFrames; ++frame) simulation.step();
  const double a = (8 - 2 * 9.81) / 2;
  QVERIFY_NEAR(simulation.current()->bodies[0].position.y(), 1e-4 * a * kFrames * (kFrames + 1) / 2, 1e-7);
}

void NsnTest::aLimitStopsAJoint() {
  const auto scene = test::pendulum(1.0, 1e-7);
  scene->joints[0].lower = -0.2;
  scene->joints[0].upper = 1.1;
  // The coordinate is 0 at the start: the frames are those of the start. Rounds in body space end at 1e-5 rad
  // on this point mass, whose limit has 10⁷ times the response that the joint leaves to it.
  Simulation simulation(scene, nsnPane({{"newton", std::string("macklin")}}), scene->dt);
  double least = 0;
  for (int frame = 0; frame < 360; ++frame) {
    simulation.step();
    least = std::min(least, test::pendulumAngle(simulation) - 1.0);
  }
  QVERIFY_NEAR(least, -0.2, 1e-7);
}

/// Two sliders side by side: the second moves twice as far, and no drive but the first's.
void NsnTest::aMimicFollows() {
  const auto scene = test::scene({test::box("first", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0, 0)),
                                  test::box("second", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0, 1))});
  scene->gravity = Vec3::Zero();
  for (int body = 0; body < 2; ++body) {
    Joint rail;
    rail.name = body == 0 ? "rail" : "follower";
    rail.kind = JointKind::Prismatic;
    rail.bodyB = body;
    rail.frames.anchorA = scene->bodies[body].position;
    scene->joints.push_back(rail);
  }
  scene->joints[0].drive = {50, 20, 0.3, 0, HUGE_VAL, {}};
  scene->joints[1].mimic = {0, 2, 0};
  Simulation simulation(scene, nsnPane(), 0.01);
  for (int frame = 0; frame < 500; ++frame) {
    simulation.step();
    const auto& bodies = simulation.current()->bodies;
    QVERIFY_NEAR(bodies[1].position.x(), 2 * bodies[0].position.x(), 1e-8);
  }
  QVERIFY_NEAR(simulation.current()->bodies[0].position.x(), 0.3, 1e-3);
}

void NsnTest::aRopeHoldsALoad() {
  const auto scene = test::slackRope();
  Simulation simulation(scene, nsnPane(), 0.01);
  simulation.step();
  QVERIFY_NEAR(simulation.current()->bodies[0].linearVelocity.y(), -0.0981, 1e-7);  // slack: a free fall
  for (int frame = 0; frame < 200; ++frame) simulation.step();
  QVERIFY_NEAR(simulation.current()->bodies[0].position.y(), -0.8, 1e-8);
}

void NsnTest::aCompliantRowHangsByItsSpring() {
  const auto scene = test::scene({test::box("load", Vec3(0.1, 0.1, 0.1), 3, Vec3(0, -0.5, 0))});
  Joint spring;
  spring.name = "spring";
  spring.kind = JointKind::Distance;
  spring.bodyB = 0;
  spring.length = 0.5;
  spring.compliance = 1.0 / 1000;
  spring.dampingTime = 0.05;
  scene->joints.push_back(spring);
  Simulation simulation(scene, nsnPane(), 0.01);
  for (int frame = 0; frame < 600; ++frame) simulation.step();
  QVERIFY_NEAR(simulation.current()->bodies[0].position.y(), -0.5 - 3 * 9.81 / 1000, 1e-6);
  const double stretch = 3 * 9.81 / 1000;
  QVERIFY_NEAR(simulation.current()->quantities[Quantity::EnergyElastic], 0.5 * 1000 * stretch * stretch,
               1e-6);
}

void NsnTest::aLoadedChainNeedsGeometricStiffness() {
  const auto scene = test::shipped("loaded-chain");
  const auto mostEnergy = [&](const char* geometric, double& error) {
    Simulation simulation(scene,
                          nsnPane({{"geometric", std::string(geometric)},
                                   {"answer", std::string("last")},
                                   {"max_iterations", 8.0}}),
                          1.0 / 120);
    double most = 0;
    for (int frame = 0; frame < 240 && simulation.current()->status != StepStatus::Diverged; ++frame) {
      const RecordPtr record = simulation.step();
      most = std::max(most, record->quantities[Quantity::EnergyKinetic]);
      error = std::max(error, record->quantities[Quantity::JointError]);
    }
    return most;
  };
  double error = 0;
  QVERIFY(mostEnergy("joints", error) < 400);
  QVERIFY2(error < 1e-9, qPrintable(QString::number(error)));
  QVERIFY(mostEnergy("off", error) > 4000);
}

void NsnTest::joinedBodiesDoNotCollide() {
  const auto scene = test::scene(
      {test::box("a", Vec3(1, 1, 1), 1, Vec3(0, 0, 0)), test::box("b", Vec3(1, 1, 1), 1, Vec3(0.9, 0, 0))});
  scene->gravity = Vec3::Zero();
  Joint hinge;
  hinge.name = "ball";
  hinge.bodyA = 0;
  hinge.bodyB = 1;
  hinge.frames.anchorA = Vec3(0.45, 0, 0);
  hinge.frames.anchorB = Vec3(-0.45, 0, 0);
  scene->joints.push_back(hinge);
  const auto separates = [&](bool collide) {
    scene->joints[0].collide = collide;
    Simulation simulation(scene, nsnPane(), 0.01);
    const RecordPtr record = simulation.step();
    return record->overlaps.empty() && record->contacts.empty();
  };
  QVERIFY(separates(false));
  QVERIFY(!separates(true));
}

void NsnTest::everyMethodHoldsJoints() {
  const auto scene = test::pendulum(1, 1e-7);
  for (const char* name : {"nsn", "dpf", "dpf-ccd", "cpf", "lcp", "peg"})
    QCOMPARE(refusal(*scene, paneNamed(name)), std::string());
}

QTEST_APPLESS_MAIN(NsnTest)
#include "tst_nsn.moc"
