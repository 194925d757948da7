#include <QtTest>

#include "core/constraints/joint_projection.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/world/joint_coordinates.h"
#include "tests/support/near.h"
#include "tests/support/pendulum_swing.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Joints under the models at velocity level, and what holds under every method.
class JointRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aChainHolds_data();
  void aChainHolds();
  void fewerSubstepsAreTold();
  void aDriveFollowsItsRecursion_data();
  void aDriveFollowsItsRecursion();
  void aDriveStopsAtItsStaticAnswer_data();
  void aDriveStopsAtItsStaticAnswer();
  void aLimitStopsAJoint_data();
  void aLimitStopsAJoint();
  void aRopeHoldsALoad_data();
  void aRopeHoldsALoad();
  void aGivenForceMovesItsJoint_data();
  void aGivenForceMovesItsJoint();
  void turnsAreCounted_data();
  void turnsAreCounted();
  void targetsMoveWhileItRuns_data();
  void targetsMoveWhileItRuns();
  void theGroundBalances_data();
  void theGroundBalances();
  void aMimicLeansOnTheGround_data();
  void aMimicLeansOnTheGround();
  void linearMomentumIsKept_data();
  void linearMomentumIsKept();
  void angularMomentumIsKept_data();
  void angularMomentumIsKept();
  void nsnLosesAngularMomentumInProportionToTheStep();
  void aSpringWithoutDamperRings_data();
  void aSpringWithoutDamperRings();
  void anImplicitSpringIsDamped();
  void aStiffServoDoesNotRing();
  void aTopKeepsItsTilt_data() { velocityModels(); }
  void aTopKeepsItsTilt();
  void aChainThatIsLostFails_data() { velocityModels(); }
  void aChainThatIsLostFails();
  void aJointPushesAContact_data();
  void aJointPushesAContact();
  void restoredStepsAreTheSame_data();
  void restoredStepsAreTheSame();
  void aProjectionBringsBodiesTogetherByTheirMasses();
  void aProjectionTurnsABodyAboutItsBearing();
  void aProjectionPullsOnlyWhatIsViolated();

 private:
  static void velocityModels() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"lcp", "lcp-newton-fb", "peg"}) QTest::newRow(name) << QString::fromLatin1(name);
  }
};

static PaneSettings pane(const QString& name, int substeps) {
  PaneSettings settings = paneNamed(name.toStdString());
  settings.substeps = substeps;
  return settings;
}

static void models() {
  QTest::addColumn<QString>("name");
  for (const char* name :
       {"lcp", "lcp-lemke", "lcp-newton-fb", "lcp-newton-min", "lcp-pgs", "peg", "peg-lemke"})
    QTest::newRow(name) << QString::fromLatin1(name);
}
static void allMethods() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"dpf", "dpf-ccd", "cpf", "lcp", "peg", "nsn"})
    QTest::newRow(name) << QString::fromLatin1(name);
}

void JointRowsTest::aChainHolds_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("scene");
  QTest::addColumn<double>("drift");
  // bodies.md, 1.7: the row with 4 substeps, and one projection more.
  for (const char* name : {"lcp", "peg"}) {
    QTest::addRow("%s ten links", name) << name << "jointed-chain" << 1e-4;
    QTest::addRow("%s a heavy end", name) << name << "loaded-chain" << 1e-5;
  }
}

void JointRowsTest::aChainHolds() {
  QFETCH(QString, name);
  QFETCH(QString, scene);
  QFETCH(double, drift);
  Simulation simulation(test::shipped(scene.toStdString()), pane(name, 4), 1.0 / 120);
  const double start = simulation.current()->quantities[Quantity::EnergyTotal];
  double error = 0, gained = 0;
  for (int frame = 0; frame < 240; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY(record->status == StepStatus::Ok);
    error = std::max(error, record->quantities[Quantity::JointError]);
    gained = std::max(gained, record->quantities[Quantity::EnergyTotal] - start);
  }
  QVERIFY2(error < drift, qPrintable(QString::number(error)));
  QVERIFY2(gained < 1, qPrintable(QString::number(gained)));
}

/// One step of 1/120 s lets the whip of ten links come apart by centimetres before it is projected.
void JointRowsTest::fewerSubstepsAreTold() {
  Simulation simulation(test::shipped("jointed-chain"), pane("lcp", 1), 1.0 / 30);
  bool isReported = false;
  for (int frame = 0; frame < 60 && !isReported; ++frame)
    for (const std::string& warning : simulation.step()->warnings)
      isReported = isReported || warning.find("more substeps") != std::string::npos;
  QVERIFY(isReported);
}

/// bodies.md, 1.8: v⁺ = (m ṽ − h k (x − x*)) / (m + h d + h² k), saturated at its largest force.
void JointRowsTest::aDriveFollowsItsRecursion_data() { models(); }
void JointRowsTest::aDriveFollowsItsRecursion() {
  QFETCH(QString, name);
  const auto scene = test::weakLift();
  scene->joints[0].drive.stiffness = 1000;
  scene->joints[0].drive.damping = 30;
  scene->joints[0].drive.target = 0.02;
  scene->joints[0].drive.rate = 0;
  scene->joints[0].drive.mostForce = 22;  // the weight is 19.62 N
  const double h = 0.01, m = scene->bodies[0].mass, k = 1000, d = 30, most = scene->joints[0].drive.mostForce;
  Simulation simulation(scene, pane(name, 1), h);
  double x = 0, v = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const double free = v - h * 9.81;
    double next = (m * free - h * k * (x - 0.02)) / (m + h * d + h * h * k);
    const double force = m * (next - free) / h;
    if (std::abs(force) > most) next = free + h * (force > 0 ? most : -most) / m;
    v = next;
    x += h * v;
    const RecordPtr record = simulation.step();
    QVERIFY_NEAR(record->bodies[0].position.y(), x, 1e-9);
    QVERIFY_NEAR(record->joints[0].coordinate, x, 1e-9);
    QVERIFY(std::abs(record->joints[0].drive) <= most * (1 + 1e-9));
    QCOMPARE(record->joints[0].isLargest, std::abs(force) > most);
  }
}

void JointRowsTest::aDriveStopsAtItsStaticAnswer_data() { allMethods(); }
void JointRowsTest::aDriveStopsAtItsStaticAnswer() {
  QFETCH(QString, name);
  const auto scene = test::pendulum(0, 1e-5);
  scene->joints[0].drive.stiffness = 20;
  scene->joints[0].drive.damping = 5;
  scene->joints[0].drive.target = 1.2;
  Simulation simulation(scene, pane(name, name == "nsn" ? 1 : 4), scene->dt);
  for (int frame = 0; frame < 2400; ++frame) simulation.step();
  const double torque = 9.81 * std::sin(test::pendulumAngle(simulation));
  QVERIFY_NEAR(20 * (1.2 - test::pendulumAngle(simulation)), torque, 2e-4);
  const JointState& joint = simulation.current()->joints[0];
  QVERIFY_NEAR(std::abs(joint.drive), torque, 2e-3);
  QVERIFY_NEAR(joint.force.norm(), 9.81, 2e-3);  // the bearing carries the weight of 1 kg
}

void JointRowsTest::aLimitStopsAJoint_data() { models(); }
void JointRowsTest::aLimitStopsAJoint() {
  QFETCH(QString, name);
  const test::LimitedSwing swing(pane(name, 4));
  QVERIFY_NEAR(swing.most, 0.3, 1e-4);
  QVERIFY(swing.least > -0.1 - 1e-4);
  QVERIFY(swing.isUpper);
}

void JointRowsTest::aRopeHoldsALoad_data() { models(); }
void JointRowsTest::aRopeHoldsALoad() {
  QFETCH(QString, name);
  const auto scene = test::slackRope();
  Simulation simulation(scene, pane(name, 2), 0.01);
  simulation.step();
  QVERIFY(simulation.current()->bodies[0].linearVelocity.y() < -0.09);  // slack: a free fall
  double lowest = 0;
  for (int frame = 0; frame < 200; ++frame) {
    simulation.step();
    lowest = std::min(lowest, simulation.current()->bodies[0].position.y());
  }
  QVERIFY_NEAR(lowest, -0.8, 1e-6);
  QVERIFY_NEAR(simulation.current()->joints[0].force.norm(), 9.81 * scene->bodies[0].mass, 1e-3);
}

void JointRowsTest::aGivenForceMovesItsJoint_data() { allMethods(); }
/// 2 kg on a slide, 5 N from 0.1 s on: v = (f/m − g) t.
void JointRowsTest::aGivenForceMovesItsJoint() {
  QFETCH(QString, name);
  const auto scene = test::weakLift();
  scene->joints[0].drive = {};
  scene->joints[0].drive.forces = {{0.1, 5}};
  Simulation simulation(scene, pane(name, 1), 0.01);
  for (int frame = 0; frame < 30; ++frame) simulation.step();
  const double m = scene->bodies[0].mass;
  QVERIFY_NEAR(simulation.current()->bodies[0].linearVelocity.y(), 0.2 * 5 / m - 0.3 * 9.81, 1e-8);
  QVERIFY_NEAR(simulation.current()->joints[0].drive, 5, 1e-9);
}

void JointRowsTest::turnsAreCounted_data() { allMethods(); }
/// A motor turns to 9 rad.
void JointRowsTest::turnsAreCounted() {
  QFETCH(QString, name);
  const auto scene = test::pendulum(0, 1e-2);
  scene->gravity = Vec3(0, 0, 0);
  scene->joints[0].drive.stiffness = 200;
  scene->joints[0].drive.damping = 40;
  scene->joints[0].drive.targets = {{0, 0}, {3, 9}};
  Simulation simulation(scene, pane(name, 4), scene->dt);
  for (int frame = 0; frame < 480; ++frame) simulation.step();
  QVERIFY_NEAR(simulation.current()->joints[0].coordinate, 9, 1e-3);
  // A checkpoint knows them.
  Simulation second(scene, simulation.checkpoint());
  for (int frame = 0; frame < 20; ++frame) QCOMPARE(second.step()->stateHash, simulation.step()->stateHash);
  QVERIFY_NEAR(second.current()->joints[0].coordinate, 9, 1e-3);
}

void JointRowsTest::targetsMoveWhileItRuns_data() { allMethods(); }
void JointRowsTest::targetsMoveWhileItRuns() {
  QFETCH(QString, name);
  const auto scene = test::pendulum(0, 1e-2);
  scene->gravity = Vec3(0, 0, 0);
  scene->joints[0].drive.stiffness = 200;
  scene->joints[0].drive.damping = 40;
  Simulation simulation(scene, pane(name, 4), scene->dt);
  for (int frame = 0; frame < 10; ++frame) simulation.step();
  simulation.setParameter("drive:" + scene->joints[0].name, 0.5);
  for (int frame = 0; frame < 400; ++frame) simulation.step();
  QVERIFY_NEAR(simulation.current()->joints[0].coordinate, 0.5, 1e-3);
  try {
    simulation.setParameter("drive:elbow", 1.0);
    QFAIL("a drive that the scene has not");
  } catch (const std::invalid_argument& error) {
    QVERIFY(std::string(error.what()).find("is no drive") != std::string::npos);
  }
}

void JointRowsTest::theGroundBalances_data() { models(); }
/// The Referee expects the momentum that gravity and the recorded impulses of the ground give.
void JointRowsTest::theGroundBalances() {
  QFETCH(QString, name);
  Simulation simulation(test::shipped("jointed-chain"), pane(name, 4), 1.0 / 120);
  for (int frame = 0; frame < 60; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY_NEAR(record->quantities[Quantity::MomentumLinearError], 0, 1e-9);
  }
}

void JointRowsTest::aMimicLeansOnTheGround_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>("isCarried");
  for (const char* name : {"dpf", "dpf-ccd", "cpf", "lcp", "peg", "nsn"}) {
    QTest::addRow("%s side by side", name) << QString::fromLatin1(name) << false;
    QTest::addRow("%s one on the other", name) << QString::fromLatin1(name) << true;
  }
}
/// Two slides, of which the second follows the first: the rail of the first carries a part of that row's
/// force.
void JointRowsTest::aMimicLeansOnTheGround() {
  QFETCH(QString, name);
  QFETCH(bool, isCarried);
  const auto scene = test::scene({test::box("first", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0, 0)),
                                  test::box("second", Vec3(0.1, 0.1, 0.1), 2, Vec3(0, 0, 1))});
  scene->gravity = Vec3(0, 0, 0);
  for (int body = 0; body < 2; ++body) {
    Joint rail;
    rail.name = body == 0 ? "rail" : "follower";
    rail.kind = JointKind::Prismatic;
    rail.bodyA = body == 1 && isCarried ? 0 : -1;
    rail.bodyB = body;
    rail.frames.anchorA = scene->bodies[body].position;
    scene->joints.push_back(rail);
  }
  scene->joints[0].drive.stiffness = 50;
  scene->joints[0].drive.damping = 20;
  scene->joints[0].drive.target = 0.3;
  scene->joints[1].mimic = {0, 2, 0};
  Simulation simulation(scene, pane(name, 1), 0.01);
  for (int frame = 0; frame < 50; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY_NEAR(record->quantities[Quantity::MomentumLinearError], 0, 1e-6);
    QVERIFY_NEAR(record->quantities[Quantity::MomentumAngularError], 0, 1e-6);
  }
  QVERIFY(simulation.current()->quantities[Quantity::MomentumLinear] > 0.1);
}

namespace {

/// Two rods on a ball joint in free flight, which spin against each other.
std::shared_ptr<Scene> freeRods() {
  Body first = test::box("first", Vec3(0.4, 0.05, 0.05), 1, Vec3(-0.2, 0, 0)),
       second = test::box("second", Vec3(0.4, 0.05, 0.05), 3, Vec3(0.2, 0, 0));
  first.linearVelocity = Vec3(1, 2, 0);
  first.angularVelocity = Vec3(0, 1, 3);
  second.linearVelocity = first.linearVelocity + first.angularVelocity.cross(Vec3(0.2, 0, 0));
  second.angularVelocity = Vec3(0.5, 0, 0);
  const auto made = test::scene({first, second});
  made->gravity = Vec3(0, 0, 0);
  Joint ball;
  ball.name = "ball";
  ball.bodyA = 0;
  ball.bodyB = 1;
  ball.frames.anchorA = Vec3(0.2, 0, 0);
  ball.frames.anchorB = Vec3(-0.2, 0, 0);
  made->joints = {ball};
  return made;
}

Vec3 linearMomentum(const Scene& scene, const StepRecord& record) {
  Vec3 sum(0, 0, 0);
  for (std::size_t body = 0; body < record.bodies.size(); ++body)
    sum += scene.bodies[body].mass * record.bodies[body].linearVelocity;
  return sum;
}

Vec3 angularMomentum(const Scene& scene, const StepRecord& record) {
  Vec3 sum(0, 0, 0);
  for (std::size_t body = 0; body < record.bodies.size(); ++body) {
    const BodyState& own = record.bodies[body];
    const Mat3 turn = own.orientation.toRotationMatrix();
    sum += scene.bodies[body].mass * own.position.cross(own.linearVelocity) +
           turn * scene.bodies[body].inertia * turn.transpose() * own.angularVelocity;
  }
  return sum;
}

/// |L⁺ − L| / |L| after some time.
double angularLoss(const QString& name, double h, double time) {
  const auto scene = freeRods();
  Simulation simulation(scene, pane(name, 1), h);
  const Vec3 start = angularMomentum(*scene, *simulation.current());
  while (simulation.world().time < time - 0.5 * h) simulation.step();
  return (angularMomentum(*scene, *simulation.current()) - start).norm() / start.norm();
}

}  // namespace

void JointRowsTest::linearMomentumIsKept_data() { allMethods(); }
void JointRowsTest::linearMomentumIsKept() {
  QFETCH(QString, name);
  const auto scene = freeRods();
  Simulation simulation(scene, pane(name, 1), 1.0 / 240);
  const Vec3 start = linearMomentum(*scene, *simulation.current());
  for (int frame = 0; frame < 240; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY((linearMomentum(*scene, *record) - start).norm() < 1e-10 * start.norm());
    QVERIFY(record->quantities[Quantity::JointError] < 1e-3);
  }
}

void JointRowsTest::angularMomentumIsKept_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<double>("share");  // of the whole, after 1 s
  // The force acts at both anchors, which are |c| apart; the projection of lcp and peg moves bodies besides,
  // by what their passes leave.
  for (const char* name : {"dpf", "dpf-ccd", "cpf"}) QTest::newRow(name) << QString::fromLatin1(name) << 1e-8;
  for (const char* name : {"lcp", "peg"}) QTest::newRow(name) << QString::fromLatin1(name) << 1e-6;
}
void JointRowsTest::angularMomentumIsKept() {
  QFETCH(QString, name);
  QFETCH(double, share);
  const double loss = angularLoss(name, 1.0 / 240, 2);
  QVERIFY2(loss < share, qPrintable(QString::number(loss)));
}

void JointRowsTest::nsnLosesAngularMomentumInProportionToTheStep() {
  const double coarse = angularLoss("nsn", 1.0 / 120, 0.5), fine = angularLoss("nsn", 1.0 / 480, 0.5);
  QVERIFY2(coarse < 0.1, qPrintable(QString::number(coarse)));
  QVERIFY2(fine < 0.4 * coarse, qPrintable(QStringLiteral("%1 %2").arg(fine).arg(coarse)));
}

namespace {

/// A box on a hinge with a spring of 1 N·m/rad and no damper, in weightlessness.
std::shared_ptr<Scene> torsionPendulum(double stiffness) {
  Body body = test::box("body", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0, 0));
  body.angularVelocity = Vec3(1, 0, 0);
  const auto scene = test::scene({body});
  scene->gravity = Vec3(0, 0, 0);
  Joint hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::Revolute;
  hinge.bodyB = 0;
  hinge.drive.stiffness = stiffness;
  scene->joints = {hinge};
  return scene;
}

/// The fastest spin in the last of some steps.
double spinAtEnd(const QString& name, double stiffness, int steps, int last) {
  const auto scene = torsionPendulum(stiffness);
  PaneSettings settings = paneFor(name.toStdString(), *scene);
  settings.substeps = 1;
  Simulation simulation(scene, settings, 1.0 / 240);
  double fastest = 0;
  for (int step = 0; step < steps; ++step) {
    const double spin = simulation.step()->bodies[0].angularVelocity.norm();
    if (step >= steps - last) fastest = std::max(fastest, spin);
  }
  return fastest;
}

}  // namespace

/// I = 1/150 kg·m²: a period has 123 steps of 1/240 s. Without a damper its energy stays, for all time.
void JointRowsTest::aSpringWithoutDamperRings_data() {
  QTest::addColumn<QString>("name");
  for (const char* name :
       {"dpf", "dpf-ccd", "cpf", "lcp:drive_integration=trapezoidal", "peg:drive_integration=trapezoidal",
        "lcp-pgs:drive_integration=trapezoidal", "nsn:drive_integration=trapezoidal"})
    QTest::newRow(name) << QString::fromLatin1(name);
}
void JointRowsTest::aSpringWithoutDamperRings() {
  QFETCH(QString, name);
  const double spin = spinAtEnd(name, 1, 2400, 123);
  QVERIFY2(std::abs(spin - 1) < 0.01, qPrintable(QString::number(spin)));
}

/// v⁺ (1 + (h ω)²) = v − h ω² θ loses a factor of 1 + (h ω)² of energy in a step.
void JointRowsTest::anImplicitSpringIsDamped() {
  const double lost = std::pow(1 + 150.0 / (240 * 240), -0.5 * 2400);
  for (const char* name : {"lcp", "nsn", "cpf:drive_integration=implicit"})
    QVERIFY_NEAR(spinAtEnd(name, 1, 2400, 123), lost, 0.02);
}

/// A spring whose motion a step does not resolve stays implicit: the body stands still at once.
void JointRowsTest::aStiffServoDoesNotRing() { QVERIFY(spinAtEnd("cpf", 1e5, 60, 20) < 1e-6); }

/// A top on a ball joint that precesses steadily, tilted by 30° from the vertical.
void JointRowsTest::aTopKeepsItsTilt() {
  QFETCH(QString, name);
  constexpr double kTilt = 0.5235987755982988, kArm = 0.045, kSpin = 80, kMass = 1, kGravity = 9.81;
  const Vec3 axis(std::sin(kTilt), std::cos(kTilt), 0);
  Body top = test::box("top", Vec3(0.16, 0.04, 0.16), kMass, kArm * axis);
  top.orientation = Quaternion(std::cos(kTilt / 2), 0, 0, -std::sin(kTilt / 2));
  // m g l = Ω (I₃ ω₃ − (I₁ − I₃) Ω cos θ), I₁ about the joint
  const double own = top.inertia(1, 1), across = top.inertia(0, 0) + kMass * kArm * kArm,
               a = (across - own) * std::cos(kTilt), b = own * kSpin,
               rate = (b - std::sqrt(b * b - 4 * a * kMass * kGravity * kArm)) / (2 * a);
  top.angularVelocity = (kSpin - rate * std::cos(kTilt)) * axis + Vec3(0, rate, 0);
  top.linearVelocity = top.angularVelocity.cross(top.position);
  const auto scene = test::scene({top});
  scene->gravity = Vec3(0, -kGravity, 0);
  Joint ball;
  ball.name = "ball";
  ball.bodyB = 0;
  ball.frames.anchorB = Vec3(0, -kArm, 0);
  scene->joints = {ball};
  Simulation simulation(scene, pane(name, 1), 0.004);
  for (int frame = 0; frame < 500; ++frame) {
    const Vec3 place = simulation.step()->bodies[0].position;
    QVERIFY_NEAR(std::acos(place.y() / place.norm()), kTilt, 0.2 * kTilt / 30);  // 0.2°
  }
  const Vec3 place = simulation.current()->bodies[0].position;
  const double turned = std::remainder(std::atan2(-place.z(), place.x()) - rate * 2, 6.283185307179586);
  QVERIFY_NEAR(turned, 0, 0.06);  // the start is that of the continuous motion
}

/// Twenty links of 10 g under 10 kg, at a step that does not resolve how fast they swing across: the velocity
/// models cannot hold them, and say so.
void JointRowsTest::aChainThatIsLostFails() {
  QFETCH(QString, name);
  constexpr int kLinks = 20;
  constexpr double kLength = 0.05;
  const auto scene = test::scene({});
  for (int link = 0; link <= kLinks; ++link) {
    const bool isWeight = link == kLinks;
    Body body = isWeight ? test::box("weight", Vec3(0.1, 0.1, 0.1), 10, Vec3(0, -kLinks * kLength - 0.05, 0))
                         : test::box(("link " + std::to_string(link)).c_str(), Vec3(0.01, kLength, 0.01),
                                     0.01, Vec3(0, -kLength * (link + 0.5), 0));
    if (isWeight) body.linearVelocity = Vec3(1, 0, 0);
    scene->bodies.push_back(body);
    Joint ball;
    ball.name = "joint " + std::to_string(link);
    ball.bodyA = link - 1;
    ball.bodyB = link;
    ball.frames.anchorA = Vec3(0, link == 0 ? 0 : -kLength / 2, 0);
    ball.frames.anchorB = Vec3(0, isWeight ? 0.05 : kLength / 2, 0);
    scene->joints.push_back(ball);
  }
  Simulation simulation(scene, pane(name, 1), 1.0 / 240);
  for (int frame = 0; frame < 720 && !isFrozen(simulation.current()->status); ++frame) simulation.step();
  QVERIFY(simulation.current()->status == StepStatus::Diverged);
  QVERIFY2(simulation.current()->statusText.find("joints are apart by") != std::string::npos,
           simulation.current()->statusText.c_str());
}

void JointRowsTest::aJointPushesAContact_data() { models(); }
/// A weight on a slide pushes a box of 1 kg onto the ground, which carries both.
void JointRowsTest::aJointPushesAContact() {
  QFETCH(QString, name);
  Body lower = test::box("lower", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0.1, 0)),
       upper = test::box("upper", Vec3(0.2, 0.2, 0.2), 3, Vec3(0, 0.5, 0));
  const auto scene = test::scene({lower, upper, test::ground(0)}, 0.5);
  Joint joint;
  joint.name = "rod";
  joint.kind = JointKind::Fixed;
  joint.bodyA = 0;
  joint.bodyB = 1;
  joint.frames.anchorA = Vec3(0, 0.2, 0);
  joint.frames.anchorB = Vec3(0, -0.2, 0);
  scene->joints = {joint};
  Simulation simulation(scene, pane(name, 1), 0.01);
  for (int frame = 0; frame < 50; ++frame) simulation.step();
  const RecordPtr record = simulation.current();
  QVERIFY_NEAR(record->bodies[1].position.y(), 0.5, 1e-6);
  // Sweeps pass weight on from joint to contact, and end where their tolerance or their number does.
  const double share = name.endsWith("pgs") ? 1e-4 : 1e-6;
  QVERIFY_NEAR(record->normalImpulseSum, 0.01 * 4 * 9.81, share);
  QVERIFY_NEAR(record->joints[0].force.norm(), 3 * 9.81, 100 * share);
}

void JointRowsTest::restoredStepsAreTheSame_data() { models(); }
void JointRowsTest::restoredStepsAreTheSame() {
  QFETCH(QString, name);
  const auto scene = test::shipped("jointed-chain");
  Simulation first(scene, pane(name, 2), 1.0 / 120);
  for (int frame = 0; frame < 20; ++frame) first.step();
  Simulation second(scene, first.checkpoint());
  for (int frame = 0; frame < 20; ++frame) QCOMPARE(second.step()->stateHash, first.step()->stateHash);
}

/// 1 and 3 kg on a ball joint between their centres, 4 mm apart: 3 mm and 1 mm, and no more the second time.
void JointRowsTest::aProjectionBringsBodiesTogetherByTheirMasses() {
  const auto scene = test::scene({test::box("light", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0, 0)),
                                  test::box("heavy", Vec3(0.1, 0.1, 0.1), 3, Vec3(0.004, 0, 0))});
  Joint ball;
  ball.name = "ball";
  ball.bodyA = 0;
  ball.bodyB = 1;
  scene->joints = {ball};
  World world = makeWorld(scene);
  QVERIFY_NEAR(projectJoints(world).distance, 0.004, 1e-15);
  QVERIFY_NEAR((world.position[0] - Vec3(0.003, 0, 0)).norm(), 0, 1e-12);
  QVERIFY_NEAR((world.position[1] - Vec3(0.003, 0, 0)).norm(), 0, 1e-12);
  QVERIFY(projectJoints(world).distance < 1e-12);
}

/// A rod whose end is 1e-5 m beside its bearing: one step of Gauss and Newton leaves the square of it, and
/// the weighted means of place and turn are those of M⁻¹ Jᵀ.
void JointRowsTest::aProjectionTurnsABodyAboutItsBearing() {
  constexpr double kGap = 1e-5, kMass = 2;
  const auto scene = test::scene({test::box("rod", Vec3(0.4, 0.05, 0.05), kMass, Vec3(0.2, kGap, 0))});
  Joint ball;
  ball.name = "ball";
  ball.bodyB = 0;
  ball.frames.anchorB = Vec3(-0.2, 0, 0);
  scene->joints = {ball};
  World world = makeWorld(scene);
  QVERIFY_NEAR(projectJoints(world).distance, kGap, 1e-15);
  // J M⁻¹ Jᵀ across the rod is 1/m + r²/I.
  const double inertia = scene->bodies[0].inertia(2, 2), share = 1 / (1 + kMass * 0.2 * 0.2 / inertia);
  QVERIFY_NEAR(world.position[0].y(), kGap * (1 - share), 1e-9);
  QVERIFY_NEAR(2 * world.orientation[0].z(), kGap * (1 - share) / 0.2, 1e-8);
  QVERIFY(projectJoints(world).distance < 2 * kGap * kGap);
}

/// A limit that is kept, and a rope that is slack, move nothing; violated ones are taken back whole.
void JointRowsTest::aProjectionPullsOnlyWhatIsViolated() {
  for (const double coordinate : {0.05, 0.12}) {
    const auto scene = test::scene({test::box("slider", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0, 0))});
    Joint rail;
    rail.name = "rail";
    rail.kind = JointKind::Prismatic;
    rail.bodyB = 0;
    rail.lower = -0.1;
    rail.upper = 0.1;
    scene->joints = {rail};
    World world = makeWorld(scene);
    world.position[0] += Vec3(coordinate, 1e-6, 0);  // beside the rail as well
    updateJointCoordinates(world);
    projectJoints(world);
    QVERIFY_NEAR((world.position[0] - Vec3(std::min(coordinate, 0.1), 0, 0)).norm(), 0, 1e-11);
  }
  for (const double distance : {0.7, 0.9}) {
    const auto scene = test::slackRope();
    World world = makeWorld(scene);
    world.position[0] = Vec3(0, -distance, 0);
    const double gap = projectJoints(world).distance;
    if (distance < 0.8) QCOMPARE(gap, 0.0);
    QVERIFY_NEAR(world.position[0].y(), -std::min(distance, 0.8), 1e-10);
  }
}

QTEST_APPLESS_MAIN(JointRowsTest)
#include "tst_joint_rows.moc"
