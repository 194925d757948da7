#include <QtTest>
#include <functional>

#include "core/conform/trajectory_quantity.h"
#include "core/trajectory/derived.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Quantities of motions that formulas give, so that every number is known.
class TrajectoryQuantityTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void headingIsCountedOnOverHalfATurn();
  void azimuthIsThatOfTheAxisAndNotOfTheSpin();
  void aPointOfTheBodyHasItsOwnPlaceAndRebound();
  void theLastImpactIsLargerThanTheWeight();
  void theFirstForceIsThatOfTheFirstStepThatPresses();
  void whoEndsInsideOrHasGoneThroughIsNotBesideAWall_data();
  void whoEndsInsideOrHasGoneThroughIsNotBesideAWall();
  void aContactIsNotSmearedWhereVelocitiesAreDerived();
  void resultsThatAreEqualHaveTheHighestOrder_data();
  void resultsThatAreEqualHaveTheHighestOrder();
};

namespace {

using Motion = std::function<BodyState(double time)>;

/// A box that moves by a formula, at frames of 10 ms.
struct Run {
  static constexpr double kFrame = 0.01;
  Trajectory trajectory;
  Run(double time, const Motion& motion) {
    trajectory.scene = test::scene({test::box("box", {0.2, 0.2, 0.2}, 1, {0, 0, 0})});
    for (int frame = 0; frame * kFrame <= time + 1e-9; ++frame) {
      trajectory.times.push_back(frame * kFrame);
      trajectory.states.push_back({motion(frame * kFrame)});
    }
    trajectory.given = {1};
    trajectory.status.assign(trajectory.times.size(), StepStatus::Ok);
  }
  MeasuredRun measured() const { return {&trajectory, kFrame, trajectory.times.back()}; }
  double value(const QuantityQuery& query) const {
    const Measured measured = evaluate(query, {this->measured()});
    return measured.state == Measured::State::Known ? measured.value : NAN;
  }
};

QuantityQuery query(const char* quantity, const Vec3& axis = Vec3::Zero()) {
  QuantityQuery query;
  query.quantity = quantity;
  query.body = "box";
  query.axis = axis;
  return query;
}

Quaternion turned(const Vec3& axis, double angle) { return Quaternion(Eigen::AngleAxisd(angle, axis)); }

}  // namespace

void TrajectoryQuantityTest::headingIsCountedOnOverHalfATurn() {
  // Round a circle from (1, 0), against the sense from x to z. The chord turns by half of the angle.
  constexpr double kRate = 2.5;
  const Run run(2, [&](double time) {
    BodyState state;
    state.position = Vec3(std::cos(kRate * time), 0, -std::sin(kRate * time));
    state.linearVelocity = kRate * Vec3(-std::sin(kRate * time), 0, -std::cos(kRate * time));
    return state;
  });
  QuantityQuery asked = query("heading");
  asked.divide = 0.5;
  for (const double time : {0.5, 1.0, 1.5, 2.0}) {
    asked.to = time;
    QVERIFY_NEAR(run.value(asked), -kRate * time * 180 / M_PI, 1e-9);
  }
  // A straight way has the heading of its velocity, and so has one backwards half a turn.
  const Run straight(1, [](double time) {
    BodyState state;
    state.position = Vec3(time - time * time, 0, 0);
    state.linearVelocity = Vec3(1 - 2 * time, 0, 0);
    return state;
  });
  asked.divide = 1;
  asked.to = 0.5;
  QVERIFY_NEAR(straight.value(asked), 0, 1e-12);
}

void TrajectoryQuantityTest::azimuthIsThatOfTheAxisAndNotOfTheSpin() {
  // An axis that leans by 20° goes round by 4 rad/s, about which the body spins by 30 rad/s.
  const Run run(2, [](double time) {
    BodyState state;
    state.orientation =
        turned(Vec3::UnitY(), -4 * time) * turned(Vec3::UnitZ(), -0.35) * turned(Vec3::UnitY(), 30 * time);
    return state;
  });
  QVERIFY_NEAR(run.value(query("azimuth", Vec3::UnitY())), 8 * 180 / M_PI, 1e-9);
}

void TrajectoryQuantityTest::aPointOfTheBodyHasItsOwnPlaceAndRebound() {
  // The corner (−0.1, −0.1) turns about the other lower edge, first down with 1 rad/s, then up with 0.4
  // rad/s.
  const Run run(0.2, [](double time) {
    const double rate = time < 0.095 ? 1 : -0.4;
    BodyState state;
    const double angle = time < 0.095 ? time : 0.095 - 0.4 * (time - 0.095);
    state.orientation = turned(Vec3::UnitZ(), angle);
    state.position = state.orientation * Vec3(-0.1, 0.1, 0);
    state.angularVelocity = Vec3(0, 0, rate);
    state.linearVelocity = state.angularVelocity.cross(state.position);
    return state;
  });
  QuantityQuery rebound = query("rebound", Vec3::UnitY());
  rebound.point = Vec3(-0.1, -0.1, 0);
  QVERIFY_NEAR(run.value(rebound), 0.4, 1e-2);
  QuantityQuery place = query("position", Vec3::UnitX());
  place.at = 0;
  place.point = Vec3(-0.1, -0.1, 0);
  QVERIFY_NEAR(run.value(place), -0.2, 1e-12);
  place.point.reset();
  QVERIFY_NEAR(run.value(place), -0.1, 1e-12);
}

void TrajectoryQuantityTest::theLastImpactIsLargerThanTheWeight() {
  // Falls, turns round at 0.30 s and at 0.60 s, and lies from 0.80 s on, where its weight is carried.
  const Run run(1, [](double time) {
    BodyState state;
    const double since = time < 0.295 ? time : time < 0.595 ? time - 0.45 : time - 0.68;
    if (time < 0.795) state.linearVelocity = Vec3(0, -9.81 * since, 0);
    return state;
  });
  QuantityQuery asked = query("last_impact", Vec3::UnitY());
  asked.value = 0.2;
  QVERIFY_NEAR(run.value(asked), 0.80, 1e-9);
  asked.value = 1.5;
  QVERIFY_NEAR(run.value(asked), 0.60, 1e-9);
  asked.value = 10;
  QVERIFY(std::isnan(run.value(asked)));
}

void TrajectoryQuantityTest::theFirstForceIsThatOfTheFirstStepThatPresses() {
  Run run(0.05, [](double) { return BodyState(); });
  run.trajectory.hasContacts = true;
  run.trajectory.contacts.resize(run.trajectory.times.size());
  for (const std::size_t frame : {3u, 4u}) {
    Contact contact;
    contact.bodyA = 0;
    contact.bodyB = 0;
    contact.normalImpulse = frame == 3 ? 0.02 : 0.05;
    run.trajectory.contacts[frame].push_back(contact);
  }
  QuantityQuery asked = query("normal_sum");
  asked.which = "first";
  QVERIFY_NEAR(run.value(asked), 2, 1e-9);
  asked.which = "largest";
  QVERIFY_NEAR(run.value(asked), 5, 1e-9);
}

void TrajectoryQuantityTest::whoEndsInsideOrHasGoneThroughIsNotBesideAWall_data() {
  QTest::addColumn<QVector<double>>("heights");
  QTest::addColumn<double>("side");
  // A box of 0.2 m above a wall from −0.1 to 0 m.
  QTest::newRow("beside it") << QVector<double>{1, 0.5, 0.1} << 1.0;
  QTest::newRow("a little soft") << QVector<double>{1, 0.5, 0.095} << 1.0;
  QTest::newRow("stuck half inside") << QVector<double>{1, 0.5, 0.03} << 0.0;
  QTest::newRow("on the other side") << QVector<double>{1, 0.5, -0.5} << 0.0;
  QTest::newRow("there and back between samples") << QVector<double>{1, -0.6, 1} << 0.0;
  QTest::newRow("bounces") << QVector<double>{1, 0.1, 0.7} << 1.0;
}

void TrajectoryQuantityTest::whoEndsInsideOrHasGoneThroughIsNotBesideAWall() {
  QFETCH(QVector<double>, heights);
  QFETCH(double, side);
  Body wall = test::box("wall", {2, 0.1, 2}, 1, {0, -0.05, 0});
  wall.motion = touchstone::Motion::Static;
  Trajectory trajectory;
  trajectory.scene = test::scene({test::box("box", {0.2, 0.2, 0.2}, 1, {0, 1, 0}), wall});
  trajectory.given = {1, 1};
  for (const double height : heights) {
    trajectory.times.push_back(0.1 * static_cast<double>(trajectory.times.size()));
    BodyState box, still;
    box.position = Vec3(0, height, 0);
    still.position = wall.position;
    box.active = still.active = true;
    trajectory.states.push_back({box, still});
  }
  QuantityQuery asked = query("side_of_plane", Vec3(0, 1, 0));
  asked.other = "wall";
  asked.point = Vec3(0, -0.05, 0);
  const Measured measured = evaluate(asked, {MeasuredRun{&trajectory, 0.1, trajectory.times.back()}});
  QVERIFY2(measured.state == Measured::State::Known, measured.reason.c_str());
  QCOMPARE(measured.value, side);
}

void TrajectoryQuantityTest::aContactIsNotSmearedWhereVelocitiesAreDerived() {
  // It moves at 2 m/s, meets something between two samples, and goes back at 1 m/s with a spin of 3 rad/s.
  static constexpr double kHit = 0.123;
  Run run(0.3, [](double time) {
    BodyState state;
    state.active = true;
    const double since = std::max(0.0, time - kHit);
    state.position = Vec3(2 * std::min(time, kHit) - since, -0.5 * 9.81 * time * time, 0);
    state.orientation = turned(Vec3(0, 0, 1), 3 * since);
    return state;
  });
  auto scene = test::scene({test::box("box", {0.2, 0.2, 0.2}, 1, {0, 0, 0})});
  scene->bodies[0].linearVelocity = Vec3(2, 0, 0);
  run.trajectory.scene = scene;
  deriveVelocities(run.trajectory, true, true);
  QuantityQuery asked = query("velocity_after_contact", Vec3(1, 0, 0));
  asked.number = 0;
  QVERIFY_NEAR(run.value(asked), -3, 1e-9);
  asked.axis = Vec3(0, 0, 1);
  asked.which = "angular";
  QVERIFY_NEAR(run.value(asked), 3, 1e-9);
}

void TrajectoryQuantityTest::resultsThatAreEqualHaveTheHighestOrder_data() {
  QTest::addColumn<double>("error");  // of steps h = 4, 2, 1: error · h^power
  QTest::addColumn<double>("power");
  QTest::addColumn<double>("expected");
  QTest::newRow("exact") << 0.0 << 1.0 << 30.0;
  QTest::newRow("rounding") << 1e-11 << 1.0 << 30.0;
  QTest::newRow("first order") << 1e-3 << 1.0 << 1.0;
  QTest::newRow("second order") << 1e-3 << 2.0 << 2.0;
  QTest::newRow("does not settle") << 1e-3 << -1.0 << -1.0;
}

void TrajectoryQuantityTest::resultsThatAreEqualHaveTheHighestOrder() {
  QFETCH(double, error);
  QFETCH(double, power);
  QFETCH(double, expected);
  std::vector<Run> runs;
  for (const double step : {4.0, 2.0, 1.0})
    runs.emplace_back(1, [&](double time) {
      BodyState state;
      state.position = Vec3((1 + error * std::pow(step, power)) * time, 0, 0);
      return state;
    });
  std::vector<MeasuredRun> measured;
  for (const Run& run : runs) measured.push_back(run.measured());
  const Measured order = evaluate(query("self_convergence", Vec3::UnitX()), measured);
  QVERIFY2(order.state == Measured::State::Known, order.reason.c_str());
  QVERIFY_NEAR(order.value, expected, 1e-6);
}

QTEST_APPLESS_MAIN(TrajectoryQuantityTest)
#include "tst_trajectory_quantity.moc"
