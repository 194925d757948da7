#include <QtTest>

#include "core/trajectory/derived.h"
#include "core/trajectory/interpolation.h"
#include "core/world/free_rotation.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// States between samples, and velocities where a file has poses only.
class StatesInTimeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void freeFallHasItsVelocityAtInnerSamples();
  void constantSpinIsExactBeyondHalfATurnInAll();
  void endsAreOneSided();
  void aSingleRowHasNoVelocity();
  void aCubicIsInterpolatedExactly();
  void derivedVelocitiesAreInterpolatedLinearly();
  void turnsTakeTheShorterArc();
  void nothingIsExtrapolated();
  void aBodyIsThereOnlyBetweenItsRows();
};

namespace {

/// A body above the ground; its state at each time.
template <class StateOf>
Trajectory trajectory(const std::vector<double>& times, const StateOf& stateOf) {
  Trajectory t;
  t.scene = test::scene({test::box("box", {1, 1, 1}, 1, {0, 0, 0})});
  t.times = times;
  for (const double time : times) t.states.push_back({stateOf(time)});
  t.given = {1};
  return t;
}

std::vector<double> timesTo(int count, double dt) {
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(k * dt);
  return times;
}

}  // namespace

void StatesInTimeTest::freeFallHasItsVelocityAtInnerSamples() {
  const Vec3 v0(1, 2, 0), g(0, -9.81, 0);
  Trajectory t = trajectory(timesTo(9, 0.125), [&](double time) {
    BodyState state;
    state.position = time * v0 + 0.5 * time * time * g;
    return state;
  });
  deriveVelocities(t, true, true);
  QVERIFY(t.linearDerived && t.angularDerived);
  for (std::size_t k = 1; k < 8; ++k)
    QVERIFY_NEAR((t.states[k][0].linearVelocity - (v0 + t.times[k] * g)).norm(), 0, 1e-12);
}

void StatesInTimeTest::constantSpinIsExactBeyondHalfATurnInAll() {
  const Vec3 spin(0.3, -12, 5);
  Trajectory t = trajectory(timesTo(20, 0.05), [&](double time) {
    BodyState state;
    state.orientation = rotationBy(time * spin);
    if (static_cast<int>(time / 0.05 + 0.5) % 2) state.orientation.coeffs() *= -1;  // the sign is free
    return state;
  });
  deriveVelocities(t, true, true);
  for (std::size_t k = 1; k < 19; ++k) QVERIFY_NEAR((t.states[k][0].angularVelocity - spin).norm(), 0, 1e-12);
}

void StatesInTimeTest::endsAreOneSided() {
  Trajectory t = trajectory({0, 1, 3}, [](double time) {
    BodyState state;
    state.position.x() = time * time;
    return state;
  });
  deriveVelocities(t, true, false);
  QCOMPARE(t.states[0][0].linearVelocity.x(), 1.0);
  QCOMPARE(t.states[1][0].linearVelocity.x(), 3.0);
  QCOMPARE(t.states[2][0].linearVelocity.x(), 4.0);
}

void StatesInTimeTest::aSingleRowHasNoVelocity() {
  Trajectory t = trajectory({0, 1, 2}, [](double time) {
    BodyState state;
    state.active = time == 1;
    return state;
  });
  deriveVelocities(t, true, true);
  QVERIFY(std::isnan(t.states[1][0].linearVelocity.x()) && std::isnan(t.states[1][0].angularVelocity.z()));
}

void StatesInTimeTest::aCubicIsInterpolatedExactly() {
  const Trajectory t = trajectory({0, 0.5, 2}, [](double time) {
    BodyState state;
    state.position = Vec3(1 + time * (2 + time * (-1 + 3 * time)), time, 0);
    state.linearVelocity = Vec3(2 + time * (-2 + 9 * time), 1, 0);
    return state;
  });
  for (const double time : {0.0, 0.1, 0.5, 0.9, 1.75, 2.0}) {
    const BodyState state = stateAt(t, time)[0];
    QVERIFY_NEAR(state.position.x(), 1 + time * (2 + time * (-1 + 3 * time)), 1e-14);
    QVERIFY_NEAR(state.position.y(), time, 1e-15);
  }
  QVERIFY_NEAR(stateAt(t, 0.25)[0].linearVelocity.x(), 0.5 * (2 + 2 - 1 + 2.25), 1e-14);
}

void StatesInTimeTest::derivedVelocitiesAreInterpolatedLinearly() {
  Trajectory t = trajectory({0, 1, 2}, [](double time) {
    BodyState state;
    state.position.x() = time * time;
    return state;
  });
  deriveVelocities(t, true, true);
  QVERIFY_NEAR(stateAt(t, 1.5)[0].position.x(), 2.5, 1e-15);
}

void StatesInTimeTest::turnsTakeTheShorterArc() {
  const Trajectory t = trajectory({0, 1}, [](double time) {
    BodyState state;
    state.orientation = rotationBy(Vec3(0, 0, 1.2 * time));
    if (time > 0) state.orientation.coeffs() *= -1;
    return state;
  });
  QVERIFY_NEAR(rotationBetween(stateAt(t, 0.25)[0].orientation, rotationBy(Vec3(0, 0, 0.3))).norm(), 0,
               1e-14);
}

void StatesInTimeTest::nothingIsExtrapolated() {
  const Trajectory t = trajectory({1, 2}, [](double time) {
    BodyState state;
    state.position.x() = time;
    state.linearVelocity.x() = 1;
    return state;
  });
  QCOMPARE(stateAt(t, 0)[0].position.x(), 1.0);
  QCOMPARE(stateAt(t, 9)[0].position.x(), 2.0);
}

void StatesInTimeTest::aBodyIsThereOnlyBetweenItsRows() {
  const Trajectory t = trajectory({0, 1, 2}, [](double time) {
    BodyState state;
    state.active = time > 0;
    return state;
  });
  QVERIFY(!stateAt(t, 0.5)[0].active);
  QVERIFY(stateAt(t, 1)[0].active && stateAt(t, 1.5)[0].active);
}

QTEST_APPLESS_MAIN(StatesInTimeTest)
#include "tst_states_in_time.moc"
