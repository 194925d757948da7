#include "core/referee/referee.h"

#include <QtTest>
#include <cmath>
#include <set>

#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_device.h"

using namespace touchstone;
using test::box;
using test::ground;
using Q = Quantity;

namespace {

constexpr double kDt = 0.01;  // s

/// A Referee on the CPU that begins with the state of the world.
Referee refereeOf(const World& world) {
  Referee referee(BackendKind::Cpu, world, makeDeviceWorld(BackendKind::Cpu, world));
  referee.begin(world, kDt);
  return referee;
}

StepRecord recordOf(const World& world, long frame) {
  StepRecord record;
  record.frame = frame;
  record.time = world.time;
  record.dt = kDt;
  return record;
}

/// One step in free flight with impulses [N·s] on bodies at points, in the way of a method. Impulses of
/// static bodies are recorded as in a Simulation.
struct Push {
  int body;
  Vec3 point, impulse;
};
StepRecord stepped(World& world, long frame, const std::vector<Push>& fromGround = {},
                   const std::vector<Push>& unrecorded = {}) {
  releaseBodies(world);
  predict(world, kDt);
  StepRecord record = recordOf(world, frame);
  for (const Push& push : fromGround) {
    applyImpulse(world, push.body, push.point, push.impulse);
    record.groundImpulse += push.impulse;
    record.groundAngularImpulse += push.point.cross(push.impulse);
  }
  for (const Push& push : unrecorded) applyImpulse(world, push.body, push.point, push.impulse);
  for (std::size_t body = 0; body < world.position.size(); ++body)
    if (isDynamic(world, static_cast<int>(body)))
      record.gravityMoment +=
          kDt * world.position[body].cross(world.scene->bodies[body].mass * world.scene->gravity);
  integrate(world);
  return record;
}

Contact contactOf(int bodyA, int bodyB, double impulse) {
  Contact contact;
  contact.bodyA = bodyA;
  contact.bodyB = bodyB;
  contact.normalImpulse = impulse;
  return contact;
}

/// A spinning, moving, rotated brick.
Body brick() {
  Body body = box("brick", Vec3(0.2, 0.5, 1), 3, Vec3(1, 2, -1));
  body.orientation = Quaternion(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()));
  body.linearVelocity = Vec3(1, -2, 0.5);
  body.angularVelocity = Vec3(3, 1, -2);
  return body;
}

}  // namespace

class RefereeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void forcesAreImpulsesPerFrame();
  void penetrationSummarisesThePairs();
  void nothingThatPenetratesIsZeroAndNotAbsent();
  void openSurfacesHaveNoVolume_data();
  void openSurfacesHaveNoVolume();
  void energiesOfATurnedSpinningBody();
  void elasticEnergyComesFromTheMethod();
  void energyDriftStartsAtZeroAndSeesWorkDone();
  void aStateThatNoStepLedToEntersNoBalance();
  void aReleaseIsNoDrift();
  void theEnergyOfAFreeFallIsConstant();
  void momentaOfATurnedSpinningBody();
  void freeFlightConservesMomentumToRounding();
  void recordedGroundImpulsesCloseTheBalance();
  void anImpulseFromNowhereIsAnError();
  void bodiesThatPushEachOtherEquallyAreNoError();
  void jitterIsTheVelocityAboveTheLowPass();
  void jitterLeavesOutBodiesWithoutContact();
  void steadySlidingIsNoJitter();
  void quantitiesOfMethodAndSimulationAreLeftAlone();
  void sampledVolumesCarryAWarning();
  void aDeviceMeasuresTheSameBits();
  void anotherRefereeGoesOnWithTheHistory();
};

void RefereeTest::forcesAreImpulsesPerFrame() {
  const World world = makeWorld(test::scene({ground(), box("a", Vec3(1, 1, 1), 1, Vec3(0, 0.5, 0))}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 1);
  record.substeps = 5;
  record.normalImpulseSum = 0.0981;
  record.frictionImpulseSum = 0.02;
  record.contacts = {contactOf(0, 1, 0.01), contactOf(0, 1, 0)};
  referee.measure(world, kDt, record);
  QVERIFY_NEAR(record.quantities[Q::NormalForce], 9.81, 1e-14);
  QVERIFY_NEAR(record.quantities[Q::FrictionForce], 2, 1e-14);
  QVERIFY_NEAR(record.quantities[Q::Contacts], 2, 0);
}

void RefereeTest::penetrationSummarisesThePairs() {
  // 0.1 deep in the ground, 0.3 deep in each other.
  const World world = makeWorld(test::scene(
      {ground(), box("a", Vec3(1, 1, 1), 1, Vec3(0, 0.4, 0)), box("b", Vec3(1, 1, 1), 1, Vec3(0, 1.1, 0))}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 0);
  referee.measure(world, kDt, record);
  QCOMPARE(record.overlaps.size(), std::size_t(2));
  QVERIFY_NEAR(record.quantities[Q::PenetrationMax], 0.3, 1e-15);
  QVERIFY_NEAR(record.quantities[Q::PenetrationMean], 0.2, 1e-15);
  QVERIFY_NEAR(record.quantities[Q::Overlap], 0.4, 1e-15);
}

void RefereeTest::nothingThatPenetratesIsZeroAndNotAbsent() {
  const World world = makeWorld(test::scene({box("a", Vec3(1, 1, 1), 1, Vec3::Zero())}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 0);
  referee.measure(world, kDt, record);
  for (Q quantity : {Q::PenetrationMax, Q::PenetrationMean, Q::Overlap, Q::NormalForce, Q::FrictionForce,
                     Q::Contacts, Q::Jitter, Q::EnergyDrift, Q::MomentumLinearError, Q::MomentumAngularError})
    QVERIFY_NEAR(record.quantities[quantity], 0, 0);
}

/// A box without its last triangle, as cloth or an open mesh.
static Body openBox(const char* name, double height) {
  Body body = box(name, Vec3(1, 1, 1), 1, Vec3(0, height, 0));
  auto shape = std::make_shared<Shape>(*body.shape);
  shape->kind = Shape::Kind::Mesh;
  shape->pieces.clear();
  shape->surfaces[0].triangles.pop_back();
  if (!buildTopology(shape->surfaces[0]).empty()) std::abort();
  body.shape = shape;
  return body;
}

void RefereeTest::openSurfacesHaveNoVolume_data() {
  QTest::addColumn<QString>("bodies");  // o: open, c: closed, s: closed and static, p: plane
  QTest::addColumn<bool>("hasDepth");
  QTest::addColumn<bool>("hasVolume");
  QTest::newRow("one sheet meets nothing") << "o" << true << true;
  QTest::newRow("two sheets") << "oo" << false << false;
  QTest::newRow("a sheet on a plane") << "op" << true << false;
  QTest::newRow("a sheet and a cube") << "oc" << false << false;
  QTest::newRow("a sheet on a fixed cube") << "os" << false << false;
  QTest::newRow("a sheet and two cubes") << "occ" << true << true;
  QTest::newRow("a sheet, a cube and a plane") << "ocp" << true << true;
  QTest::newRow("a cube on a plane") << "cp" << true << true;
}

void RefereeTest::openSurfacesHaveNoVolume() {
  QFETCH(QString, bodies);
  QFETCH(bool, hasDepth);
  QFETCH(bool, hasVolume);
  const auto scene = test::scene({});
  for (int place = 0; place < bodies.size(); ++place) {
    const QChar kind = bodies[place];
    Body body = kind == 'p'   ? ground()
                : kind == 'o' ? openBox("sheet", 3.0 * place)
                              : box("cube", Vec3(1, 1, 1), 1, Vec3(0, 3.0 * place, 0));
    if (kind == 's') {
      body.motion = Motion::Static;
      body.mass = 0;
    }
    scene->bodies.push_back(body);
  }
  const World world = makeWorld(scene);
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 1);
  referee.measure(world, kDt, record);
  for (const Q quantity : {Q::PenetrationMax, Q::PenetrationMean})
    QCOMPARE(!std::isnan(record.quantities[quantity]), hasDepth);
  QCOMPARE(!std::isnan(record.quantities[Q::Overlap]), hasVolume);
  if (hasVolume) QVERIFY(record.quantities[Q::Overlap] >= 0);
}

void RefereeTest::energiesOfATurnedSpinningBody() {
  const Body body = brick();
  const World world = makeWorld(test::scene({ground(-100), body}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 0);
  referee.measure(world, kDt, record);
  const Vec3 local =
      body.orientation.conjugate() * body.angularVelocity;  // ω in the body frame, where I is diagonal
  const double spin = 0.5 * 0.25 *
                      ((0.25 + 1) * local.x() * local.x() + (0.04 + 1) * local.y() * local.y() +
                       (0.04 + 0.25) * local.z() * local.z());  // I = m/12 (…), m/12 = 0.25
  QVERIFY_NEAR(record.quantities[Q::EnergyKinetic], 0.5 * 3 * 5.25 + spin, 1e-14);
  // The height half a step earlier, at the time of the velocity.
  const double potential = 3 * 9.81 * (2 + 0.5 * kDt * 2);
  QVERIFY_NEAR(record.quantities[Q::EnergyPotential], potential, 1e-13);
  QVERIFY_NEAR(record.quantities[Q::EnergyElastic], 0, 0);
  QVERIFY_NEAR(record.quantities[Q::EnergyTotal], 0.5 * 3 * 5.25 + spin + potential, 1e-13);
}

void RefereeTest::elasticEnergyComesFromTheMethod() {
  const World world = makeWorld(test::scene({box("a", Vec3(1, 1, 1), 1, Vec3::Zero())}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 1);
  record.quantities[Q::EnergyElastic] = 2.5;
  referee.measure(world, kDt, record);
  QVERIFY_NEAR(record.quantities[Q::EnergyElastic], 2.5, 0);
  QVERIFY_NEAR(record.quantities[Q::EnergyTotal], 2.5, 1e-15);
  QVERIFY_NEAR(record.quantities[Q::EnergyDrift], 2.5, 1e-15);
}

void RefereeTest::energyDriftStartsAtZeroAndSeesWorkDone() {
  World world = makeWorld(test::scene({brick()}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 0);
  referee.measure(world, kDt, record);
  QVERIFY_NEAR(record.quantities[Q::EnergyDrift], 0, 1e-14);
  world.linearVelocity[0] = Vec3(3, -2, 4);  // ½ m (29 − 5.25); same downward speed as before
  referee.measure(world, kDt, record);
  QVERIFY_NEAR(record.quantities[Q::EnergyDrift], 1.5 * 23.75, 1e-13);
}

void RefereeTest::aStateThatNoStepLedToEntersNoBalance() {
  for (const double frameDt : {0.0, kDt}) {
    World world = makeWorld(test::scene({brick()}));
    Referee referee = refereeOf(world);
    const Vec3 gained = 2 * world.linearVelocity[0];
    world.linearVelocity[0] += gained;
    StepRecord record = recordOf(world, 1);
    referee.measure(world, frameDt, record);
    const bool isLedTo = frameDt > 0;
    QVERIFY(record.status == (isLedTo ? StepStatus::Energy : StepStatus::Ok));
    QVERIFY_NEAR(record.quantities[Q::NormalForce], 0, 0);
    const Vec3 expected = 3 * (gained - frameDt * world.scene->gravity);  // m Δv minus gravity
    QVERIFY_NEAR(record.quantities[Q::MomentumLinearError], expected.norm(), 1e-13);
  }
}

void RefereeTest::aReleaseIsNoDrift() {
  Body later = brick();
  later.releaseTime = 2 * kDt;
  const auto scene = test::scene({box("first", Vec3(1, 1, 1), 2, Vec3(9, 0, 0)), later});
  World world = makeWorld(scene);
  Referee referee = refereeOf(world);
  for (long frame = 1; frame <= 5; ++frame) {
    StepRecord record = stepped(world, frame);
    referee.measure(world, kDt, record);
    // The brick does not rotate about a principal axis: its energy oscillates by O(dt²).
    QVERIFY_NEAR(record.quantities[Q::EnergyDrift], 0, 1e-4);
    QVERIFY_NEAR(record.quantities[Q::MomentumLinearError], 0, 1e-13);
    QVERIFY_NEAR(record.quantities[Q::MomentumAngularError], 0, 1e-13);
  }
  QVERIFY(world.active[1]);
}

void RefereeTest::theEnergyOfAFreeFallIsConstant() {
  Body thrown = box("thrown", Vec3(1, 1, 1), 2, Vec3(0, 3, 0));
  thrown.linearVelocity = Vec3(1, 4, -2);
  World world = makeWorld(test::scene({thrown, box("dropped", Vec3(1, 1, 1), 5, Vec3(9, 7, 0))}));
  Referee referee = refereeOf(world);
  double lowest = 0;
  for (long frame = 1; frame <= 200; ++frame) {
    StepRecord record = stepped(world, frame);
    referee.measure(world, kDt, record);
    QVERIFY_NEAR(record.quantities[Q::EnergyDrift], 0, 1e-10);
    lowest = record.quantities[Q::EnergyPotential];
  }
  QVERIFY(lowest < -300);  // it fell: with heights at the end of steps the drift would be −½ m g² dt t = −6.7
                           // J
}

void RefereeTest::momentaOfATurnedSpinningBody() {
  const Body body = brick();
  const World world = makeWorld(test::scene({body}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 0);
  referee.measure(world, kDt, record);
  const Vec3 local = body.orientation.conjugate() * body.angularVelocity;
  const Vec3 spin =
      body.orientation * Vec3(0.25 * 1.25 * local.x(), 0.25 * 1.04 * local.y(), 0.25 * 0.29 * local.z());
  const Vec3 orbital = Vec3(1, 2, -1).cross(Vec3(3, -6, 1.5));
  QVERIFY_NEAR(record.quantities[Q::MomentumLinear], 3 * std::sqrt(5.25), 1e-14);
  QVERIFY_NEAR(record.quantities[Q::MomentumAngular], (orbital + spin).norm(), 1e-13);
}

void RefereeTest::freeFlightConservesMomentumToRounding() {
  World world = makeWorld(test::scene({ground(-1000), brick(), box("b", Vec3(1, 2, 1), 5, Vec3(7, 8, 9))}));
  Referee referee = refereeOf(world);
  for (long frame = 1; frame <= 200; ++frame) {
    StepRecord record = stepped(world, frame);
    referee.measure(world, kDt, record);
    QVERIFY_NEAR(record.quantities[Q::MomentumLinearError], 0, 1e-11);
    QVERIFY_NEAR(record.quantities[Q::MomentumAngularError], 0, 1e-10);
  }
  QVERIFY_NEAR(world.linearVelocity[1].y(), -2 - 9.81 * 2, 1e-11);
}

void RefereeTest::recordedGroundImpulsesCloseTheBalance() {
  World world = makeWorld(test::scene({ground(-1000), brick()}));
  Referee referee = refereeOf(world);
  for (long frame = 1; frame <= 20; ++frame) {
    const Vec3 point = world.position[1] + Vec3(0.1, -0.3, 0.2);
    StepRecord record = stepped(world, frame, {{1, point, Vec3(0.05, 0.4, -0.1)}});
    referee.measure(world, kDt, record);
    QVERIFY_NEAR(record.quantities[Q::MomentumLinearError], 0, 1e-12);
    QVERIFY_NEAR(record.quantities[Q::MomentumAngularError], 0, 1e-12);
  }
}

void RefereeTest::anImpulseFromNowhereIsAnError() {
  World world = makeWorld(test::scene({brick()}));
  Referee referee = refereeOf(world);
  const Vec3 point = world.position[0] + Vec3(0, 0, 0.5), impulse(0, 0.3, 0.4);
  StepRecord record = stepped(world, 1, {}, {{0, point, impulse}});
  referee.measure(world, kDt, record);
  QVERIFY_NEAR(record.quantities[Q::MomentumLinearError], 0.5, 1e-14);
  QVERIFY_NEAR(record.quantities[Q::MomentumAngularError], point.cross(impulse).norm(), 1e-13);
}

void RefereeTest::bodiesThatPushEachOtherEquallyAreNoError() {
  World world = makeWorld(test::scene({brick(), box("b", Vec3(1, 1, 1), 5, Vec3(1.5, 2, -1))}));
  Referee referee = refereeOf(world);
  const Vec3 point(1.2, 2, -1), impulse(0.7, 0.2, 0);
  StepRecord record = stepped(world, 1, {}, {{0, point, -impulse}, {1, point, impulse}});
  referee.measure(world, kDt, record);
  QVERIFY_NEAR(record.quantities[Q::MomentumLinearError], 0, 1e-13);
  QVERIFY_NEAR(record.quantities[Q::MomentumAngularError], 0, 1e-13);
}

void RefereeTest::jitterIsTheVelocityAboveTheLowPass() {
  World world = makeWorld(test::scene({ground(), box("a", Vec3(1, 1, 1), 1, Vec3(0, 0.5, 0))}));
  Referee referee = refereeOf(world);
  // After a jump from rest to 2 m/s, a low-pass with τ = 0.25 s leaves 2 exp(−t/τ).
  world.linearVelocity[1] = Vec3(0, 2, 0);
  for (long frame = 1; frame <= 50; ++frame) {
    StepRecord record = recordOf(world, frame);
    record.contacts = {contactOf(0, 1, 0.1)};
    referee.measure(world, kDt, record);
    QVERIFY_NEAR(record.quantities[Q::Jitter], 2 * std::exp(-kDt * static_cast<double>(frame) / 0.25), 1e-13);
  }
}

void RefereeTest::jitterLeavesOutBodiesWithoutContact() {
  const Vec3 size(1, 1, 1);
  World world = makeWorld(
      test::scene({ground(), box("rests", size, 1, Vec3(0, 0.5, 0)), box("open", size, 1, Vec3(3, 0.5, 0)),
                   box("shakes", size, 1, Vec3(6, 0.5, 0))}));
  Referee referee = refereeOf(world);
  for (int body : {2, 3}) world.linearVelocity[body] = Vec3(1, 0, 0);
  StepRecord record = recordOf(world, 1);
  record.contacts = {contactOf(0, 1, 0.1), contactOf(0, 2, 0), contactOf(0, 3, 0.1)};
  referee.measure(world, kDt, record);
  const double left = std::exp(-kDt / 0.25);  // bodies 1 and 3 count: 0 and left
  QVERIFY_NEAR(record.quantities[Q::Jitter], left / std::sqrt(2.0), 1e-14);
}

void RefereeTest::steadySlidingIsNoJitter() {
  Body slider = box("a", Vec3(1, 1, 1), 1, Vec3(0, 0.5, 0));
  slider.linearVelocity = Vec3(4, 0, 0);
  const World world = makeWorld(test::scene({ground(), slider}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 1);
  record.contacts = {contactOf(0, 1, 0.1)};
  referee.measure(world, kDt, record);
  QVERIFY_NEAR(record.quantities[Q::Jitter], 0, 1e-15);
}

void RefereeTest::quantitiesOfMethodAndSimulationAreLeftAlone() {
  const World world = makeWorld(test::scene({box("a", Vec3(1, 1, 1), 1, Vec3::Zero())}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 1);
  record.quantities[Q::Residual] = 1e-9;
  referee.measure(world, kDt, record);
  QVERIFY_NEAR(record.quantities[Q::Residual], 1e-9, 0);
  for (Q quantity : {Q::MethodDepth, Q::Iterations, Q::Traps, Q::UnilateralSets, Q::InequalitySets,
                     Q::CrossSets, Q::TimePredict, Q::TimeStep, Q::TimeMeasure})
    QVERIFY(std::isnan(record.quantities[quantity]));
}

void RefereeTest::sampledVolumesCarryAWarning() {
  Body mesh = box("mesh", Vec3(1, 1, 1), 1, Vec3::Zero());
  auto shape = std::make_shared<Shape>(*mesh.shape);
  shape->kind = Shape::Kind::Mesh;
  shape->pieces.clear();
  mesh.shape = shape;
  World world = makeWorld(test::scene({mesh, box("b", Vec3(1, 1, 1), 1, Vec3(0.9, 0, 0))}));
  Referee referee = refereeOf(world);
  StepRecord record = recordOf(world, 1);
  referee.measure(world, kDt, record);
  QCOMPARE(record.warnings.size(), std::size_t(1));
  world.position[1].x() = 3;
  StepRecord apart = recordOf(world, 2);
  referee.measure(world, kDt, apart);
  QVERIFY(apart.warnings.empty());
}

namespace {

/// More rattling bodies than one index adds up; some of them touch, one is released later.
struct Crowd {
  Crowd() {
    const auto scene = test::scene({ground()});
    for (int k = 0; k < 100; ++k) {
      Body own = brick();
      own.position = Vec3(3.0 * k, 2 + 0.01 * k, -1);
      own.linearVelocity *= 1 + 0.03 * k;
      scene->bodies.push_back(own);
    }
    scene->bodies[40].releaseTime = 3 * kDt;
    world = makeWorld(scene);
  }
  StepRecord next(long frame) {
    StepRecord record = stepped(world, frame);
    for (int body = 1; body <= 100; ++body)
      if ((body + frame) % 3 > 0) {
        world.linearVelocity[body].z() *= -1;
        record.contacts.push_back(contactOf(0, body, 0.1));
      }
    return record;
  }
  World world;
};

void compareAll(const StepRecord& a, const StepRecord& b) {
  for (Q quantity : {Q::EnergyKinetic, Q::EnergyPotential, Q::EnergyTotal, Q::EnergyDrift, Q::MomentumLinear,
                     Q::MomentumLinearError, Q::MomentumAngular, Q::MomentumAngularError, Q::Jitter})
    QVERIFY(a.quantities[quantity] == b.quantities[quantity]);
}

}  // namespace

void RefereeTest::aDeviceMeasuresTheSameBits() {
  test::useSeparateDevice();
  Crowd crowd;
  const auto deviceWorld = makeDeviceWorld(BackendKind::Cuda, crowd.world);
  Referee device(BackendKind::Cuda, crowd.world, deviceWorld), host = refereeOf(crowd.world);
  device.begin(crowd.world, kDt);
  for (long frame = 1; frame <= 10; ++frame) {
    StepRecord a = crowd.next(frame), b = a;
    deviceWorld->changed(crowd.world);
    host.measure(crowd.world, kDt, a);
    device.measure(crowd.world, kDt, b);
    compareAll(b, a);
    QVERIFY(a.quantities[Q::Jitter] > 0.1);
  }
  double kinetic = 0;  // summed one by one
  for (int body = 1; body <= 100; ++body) {
    const Vec3 spin = crowd.world.orientation[body].conjugate() * crowd.world.angularVelocity[body];
    kinetic += 1.5 * crowd.world.linearVelocity[body].squaredNorm() +
               0.5 * spin.dot(crowd.world.scene->bodies[body].inertia * spin);
  }
  StepRecord last = recordOf(crowd.world, 11);
  device.measure(crowd.world, kDt, last);
  QVERIFY_NEAR(last.quantities[Q::EnergyKinetic], kinetic, 1e-12 * kinetic);
}

void RefereeTest::anotherRefereeGoesOnWithTheHistory() {
  Crowd crowd;
  Referee first = refereeOf(crowd.world), second = refereeOf(crowd.world);
  for (long frame = 1; frame <= 10; ++frame) {
    StepRecord a = crowd.next(frame), b = a;
    if (frame == 2 || frame == 6) {  // before the release and after
      const RefereeHistory history = second.history();
      second = refereeOf(crowd.world);
      second.goOn(history);
    }
    first.measure(crowd.world, kDt, a);
    second.measure(crowd.world, kDt, b);
    compareAll(b, a);
  }
}

QTEST_APPLESS_MAIN(RefereeTest)
#include "tst_referee.moc"
