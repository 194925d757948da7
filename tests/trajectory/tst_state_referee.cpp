#include <QtTest>

#include "core/run/simulation.h"
#include "core/trajectory/state_referee.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// The Referee of panes on states from elsewhere: the same numbers where they can be known, nothing
/// elsewhere.
class StateRefereeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void statesOfAPaneGiveTheNumbersOfThePane_data();
  void statesOfAPaneGiveTheNumbersOfThePane();
  void aCubeOneMillimetreInTheGroundIsFound();
  void whatCannotBeKnownIsNotANumber();
  void jitterIsOfBodiesThatTouch();
  void bodiesThatEnterAndLeaveAreNoDrift();
};

namespace {

using Q = Quantity;

void compare(const StepRecord& record, const StepRecord& expected, std::initializer_list<Quantity> quantities,
             double tolerance) {
  for (const Quantity quantity : quantities) {
    const double a = record.quantities[quantity], b = expected.quantities[quantity];
    if (std::isnan(a) || std::abs(a - b) > tolerance * std::max(1.0, std::abs(b)))
      qFatal("%s at frame %ld: %.17g, the pane has %.17g", quantityInfo(quantity).key.c_str(), expected.frame,
             a, b);
  }
}

}  // namespace

void StateRefereeTest::statesOfAPaneGiveTheNumbersOfThePane_data() {
  QTest::addColumn<QByteArray>("scene");
  QTest::addColumn<QByteArray>("method");
  for (const char* method : {"lcp", "cpf"}) {
    QTest::addRow("tower, %s", method) << QByteArray("tower") << QByteArray(method);
    QTest::addRow("pour, %s", method) << QByteArray("pour") << QByteArray(method);
  }
}

void StateRefereeTest::statesOfAPaneGiveTheNumbersOfThePane() {
  QFETCH(QByteArray, scene);
  QFETCH(QByteArray, method);
  const std::shared_ptr<const Scene> own = scene == "tower" ? test::tower() : test::shipped("pour");
  PaneSettings settings;
  settings.method = method.toStdString();
  settings.substeps = 1;
  // The split push-out displaces bodies without a velocity. Poses do not tell the angular momentum of this
  // displacement; the published form has none.
  if (settings.method == "lcp") settings.parameters["push_out"] = std::string("published");
  Simulation simulation(own, settings, own->dt);
  StateReferee referee(own, StateReferee::Contacts::All);
  bool touched = false;
  double before = 0;
  for (int frame = 0; frame < 60; ++frame) {
    const RecordPtr pane = frame == 0 ? simulation.current() : simulation.step();
    StepRecord record;
    record.frame = frame;
    record.dt = pane->dt;
    referee.measure(pane->bodies, pane->contacts, pane->time, frame == 0 ? 0 : pane->time - before, record);
    before = pane->time;
    touched = touched || pane->normalImpulseSum > 0;
    compare(record, *pane, {Q::PenetrationMax, Q::PenetrationMean, Q::Overlap}, 0);
    compare(
        record, *pane,
        {Q::EnergyKinetic, Q::EnergyPotential, Q::MomentumLinear, Q::MomentumAngular, Q::MomentumLinearError,
         Q::MomentumAngularError, Q::Jitter, Q::NormalForce, Q::FrictionForce, Q::Contacts},
        1e-12);
    StepRecord rigid = *pane;
    rigid.quantities[Q::EnergyTotal] -= rigid.quantities[Q::EnergyElastic];
    rigid.quantities[Q::EnergyDrift] -= rigid.quantities[Q::EnergyElastic];
    compare(record, rigid, {Q::EnergyTotal, Q::EnergyDrift}, 1e-12);
    QVERIFY(std::isnan(record.quantities[Q::EnergyElastic]));
    QVERIFY(std::isnan(record.quantities[Q::MethodDepth]) && std::isnan(record.quantities[Q::TimeStep]));
  }
  QVERIFY(touched);
}

void StateRefereeTest::aCubeOneMillimetreInTheGroundIsFound() {
  const auto scene = test::scene({test::ground(), test::box("cube", {0.2, 0.2, 0.2}, 8, {0, 0.1, 0})});
  StateReferee referee(scene);
  std::vector<BodyState> states(2);
  states[1].position = Vec3(0.3, 0.099, -0.1);
  StepRecord record;
  referee.measure(states, {}, 0, 0, record);
  QCOMPARE(record.overlaps.size(), std::size_t(1));
  QCOMPARE(scene->bodies[record.overlaps[0].bodyB].name, std::string("cube"));
  QCOMPARE(record.overlaps[0].bodyA, 0);
  QVERIFY_NEAR(record.overlaps[0].depth, 1e-3, 1e-12);
  QVERIFY_NEAR(record.quantities[Q::PenetrationMax], 1e-3, 1e-12);
  QVERIFY_NEAR(record.quantities[Q::Overlap], 4e-5, 1e-15);
}

void StateRefereeTest::whatCannotBeKnownIsNotANumber() {
  const auto scene = test::scene({test::ground(), test::box("cube", {0.2, 0.2, 0.2}, 8, {0, 0.1, 0})});
  std::vector<BodyState> states(2);
  states[1].position = Vec3(0, 0.1, 0);
  const auto isKnown = [&](StateReferee::Contacts given, Quantity quantity) {
    StateReferee referee(scene, given);
    StepRecord first, record;
    referee.measure(states, {}, 0, 0, first);
    record.frame = 1;
    referee.measure(states, {}, 0.01, 0.01, record);
    return !std::isnan(record.quantities[quantity]);
  };
  using Given = StateReferee::Contacts;
  for (const Quantity quantity :
       {Q::NormalForce, Q::FrictionForce, Q::MomentumLinearError, Q::MomentumAngularError})
    QVERIFY(!isKnown(Given::None, quantity) && !isKnown(Given::Samples, quantity) &&
            isKnown(Given::All, quantity));
  QVERIFY(!isKnown(Given::None, Q::Contacts) && isKnown(Given::Samples, Q::Contacts));
  QVERIFY(!isKnown(Given::All, Q::EnergyElastic) && isKnown(Given::None, Q::EnergyTotal));
}

void StateRefereeTest::jitterIsOfBodiesThatTouch() {
  const auto scene = test::scene({test::ground(), test::box("low", {0.2, 0.2, 0.2}, 8, {0, 0.1, 0}),
                                  test::box("high", {0.2, 0.2, 0.2}, 8, {0, 3, 0})});
  StateReferee referee(scene);
  std::vector<BodyState> states(3);
  states[1].position = Vec3(0, 0.1, 0);
  states[2].position = Vec3(0, 3, 0);
  StepRecord first, record;
  referee.measure(states, {}, 0, 0, first);
  states[1].linearVelocity = Vec3(0, 0.5, 0);
  states[2].linearVelocity = Vec3(0, 9, 0);
  record.frame = 1;
  referee.measure(states, {}, 0.1, 0.1, record);
  // The low-pass of 0.25 s has followed by 1 − e^(−0.4).
  QVERIFY_NEAR(record.quantities[Q::Jitter], 0.5 * std::exp(-0.4), 1e-14);
}

void StateRefereeTest::bodiesThatEnterAndLeaveAreNoDrift() {
  auto scene =
      test::scene({test::box("a", {1, 1, 1}, 1, {0, 5, 0}), test::box("b", {1, 1, 1}, 2, {3, 0, 0})});
  scene->gravity = Vec3::Zero();
  StateReferee referee(scene, StateReferee::Contacts::All);
  const auto measured = [&](int frame, bool a, bool b) {
    std::vector<BodyState> states(2);
    states[0].active = a;
    states[1].active = b;
    for (BodyState& state : states) state.linearVelocity = Vec3(frame, 0, 0);
    StepRecord record;
    record.frame = frame;
    referee.measure(states, {}, 0.1 * frame, frame > 0 ? 0.1 : 0, record);
    return record.quantities;
  };
  measured(0, true, false);
  QCOMPARE(measured(0, true, false)[Q::EnergyDrift], 0.0);
  // a gains ½ · 1 · 1², b enters with what it has.
  QVERIFY_NEAR(measured(1, true, true)[Q::EnergyDrift], 0.5, 1e-15);
  QVERIFY_NEAR(measured(1, true, true)[Q::EnergyKinetic], 1.5, 1e-15);
  QVERIFY_NEAR(measured(1, true, false)[Q::EnergyDrift], 0.5, 1e-15);
}

QTEST_APPLESS_MAIN(StateRefereeTest)
#include "tst_state_referee.moc"
