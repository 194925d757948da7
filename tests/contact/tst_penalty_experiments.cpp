#include <QtTest>
#include <cmath>

#include "core/run/simulation.h"
#include "core/scene/scene.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// The published experiments of the penalty methods (stability limits, the particle with varying stiffness,
/// the thin plate, friction on an incline), each compared with its analytic or published result.
class PenaltyExperimentsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theStabilityLimitIsThatOfTheory_data();
  void theStabilityLimitIsThatOfTheory();
  void aWaveringStiffnessThrowsTheParticle_data();
  void aWaveringStiffnessThrowsTheParticle();
  void thePlateStopsTheBallOnlyWithMemory_data();
  void thePlateStopsTheBallOnlyWithMemory();
  void boxesOnTheInclineFollowCoulomb_data();
  void boxesOnTheInclineFollowCoulomb();
  void dividingTheStiffnessMakesRestIndependentOfThePairs();
  void theEntryPointExertsACouple();
};

static PaneSettings pane(const std::string& method, const ParameterValues& values) {
  PaneSettings settings;
  settings.method = method;
  settings.parameters = values;
  return settings;
}

/// A point of 1 kg that cannot rotate, `depth` below its plane.
static std::shared_ptr<Scene> pointScene(double height) {
  Body body = test::box("point", Vec3(0.02, 0.02, 0.02), 1, Vec3(0, height, 0));
  body.shape = test::shipped("particle")->bodies[1].shape;
  body.inertia = 1000 * Mat3::Identity();
  return test::scene({test::ground(), body});
}

/// Starts at the depth of rest times (1 + 1e-9) and tests whether the deviation grows to 1e-3 of it.
static bool isStable(const QString& method, const ParameterValues& values, double share, double dt) {
  const double k = 1e4, rest = (1 - share * dt * dt * k) * 9.81 / k;
  auto scene = pointScene(0.02 - rest * (1 + 1e-9));
  ParameterValues all = values;
  all["stiffness"] = k;
  Simulation simulation(scene, pane(method.toStdString(), all), dt);
  for (int step = 0; step < 4000; ++step) {
    const double depth = 0.02 - simulation.step()->bodies[1].position.y();
    if (!(std::abs(depth - rest) < 1e-3 * std::abs(rest))) return false;
  }
  return true;
}

void PenaltyExperimentsTest::theStabilityLimitIsThatOfTheory_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("evaluate");
  QTest::addColumn<double>("share");  // θ: share of the step that the path contains
  QTest::addColumn<double>("limit");  // × √(m/k)
  QTest::newRow("dpf start") << "dpf"
                             << "start" << 0.0 << 2.0;
  QTest::newRow("cpf") << "cpf"
                       << "" << 0.5 << std::sqrt(2.0);
}

void PenaltyExperimentsTest::theStabilityLimitIsThatOfTheory() {
  QFETCH(QString, method);
  QFETCH(QString, evaluate);
  QFETCH(double, share);
  QFETCH(double, limit);
  ParameterValues values;
  if (!evaluate.isEmpty()) values["evaluate"] = evaluate.toStdString();
  const double scale = 1e-2;  // √(m/k) [s]
  // For σ = 2 CPF rests at no depth at all, so that its limit is approached from below only up to the
  // tolerance.
  QVERIFY(isStable(method, values, share, 0.99 * limit * scale));
  QVERIFY(!isStable(method, values, share, 1.01 * limit * scale));
}

void PenaltyExperimentsTest::aWaveringStiffnessThrowsTheParticle_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<double>("perturbation");
  QTest::addColumn<bool>("fails");  // rises above 1.5 times the drop within 10 s
  QTest::newRow("dpf, 5 %") << "dpf" << 0.05 << false;
  QTest::newRow("dpf, first failure") << "dpf" << 0.101 << true;
  QTest::newRow("dpf, 25 %") << "dpf" << 0.25 << true;
  QTest::newRow("cpf, 25 %") << "cpf" << 0.25 << false;
  QTest::newRow("cpf, 50 %") << "cpf" << 0.50 << false;
  QTest::newRow("cpf, first failure") << "cpf" << 0.578 << true;
}

void PenaltyExperimentsTest::aWaveringStiffnessThrowsTheParticle() {
  QFETCH(QString, method);
  QFETCH(double, perturbation);
  QFETCH(bool, fails);
  Simulation simulation(
      test::shipped("particle"),
      pane(method.toStdString(),
           {{"stiffness", 1e4}, {"stiffness_perturbation", perturbation}, {"stiffness_frequency", 100.0}}),
      2e-3);
  double highest = 0;
  for (int step = 0; step < 5000; ++step)
    highest = std::max(highest, simulation.step()->bodies[1].position.y() - 0.02);
  QCOMPARE(highest > 0.15, fails);
}

void PenaltyExperimentsTest::thePlateStopsTheBallOnlyWithMemory_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("contacts");
  QTest::addColumn<double>("speed");  // afterwards, up [m/s]
  QTest::addColumn<double>("tolerance");
  // The speeds of the page; ours are 2.7 m/s higher, because edge pairs act in addition to vertices.
  QTest::newRow("dpf passes") << "dpf"
                              << "features" << -20.0 << 0.0;
  QTest::newRow("dpf-ccd returns") << "dpf-ccd"
                                   << "features" << 8.2 << 3.0;
  QTest::newRow("cpf returns") << "cpf"
                               << "features" << 11.9 << 3.0;
  // Three springs at the corners of the first face, ω = √(3 k/m). A path that contains θ of the step damps
  // with ζ = θ ω h / 2, and the returning speed is exp(−π ζ) of 20 m/s, with θ = 1 and ½.
  const double omega = std::sqrt(3 * 2000.0);
  QTest::newRow("dpf passes, by faces") << "dpf"
                                        << "faces" << -20.0 << 0.0;
  QTest::newRow("dpf-ccd returns, by faces") << "dpf-ccd"
                                             << "faces" << 20 * std::exp(-M_PI * 0.5e-3 * omega) << 0.3;
  QTest::newRow("cpf returns, by faces") << "cpf"
                                         << "faces" << 20 * std::exp(-M_PI * 0.25e-3 * omega) << 0.3;
}

void PenaltyExperimentsTest::thePlateStopsTheBallOnlyWithMemory() {
  QFETCH(QString, method);
  QFETCH(QString, contacts);
  QFETCH(double, speed);
  QFETCH(double, tolerance);
  Simulation simulation(
      test::shipped("thin-plate"),
      pane(method.toStdString(), {{"stiffness", 2000.0}, {"contacts", contacts.toStdString()}}), 1e-3);
  // It arrives after 13 steps and returns after half a period of its springs: 41 steps for three springs.
  for (int step = 0; step < 60; ++step) simulation.step();
  const BodyState& ball = simulation.current()->bodies[1];
  QVERIFY(speed < 0 ? ball.position.y() < 0 : ball.position.y() > 0);
  if (speed > 0) QVERIFY_NEAR(ball.linearVelocity.y(), speed, tolerance);
}

void PenaltyExperimentsTest::boxesOnTheInclineFollowCoulomb_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "cpf", "lcp", "peg"}) QTest::newRow(method) << method;
}

void PenaltyExperimentsTest::boxesOnTheInclineFollowCoulomb() {
  QFETCH(QString, method);
  const auto scene = test::shipped("incline");
  PaneSettings settings = pane(method.toStdString(), {});
  settings.substeps = method.contains("pf") ? 10 : 1;
  Simulation simulation(scene, settings, 1e-3);
  Vec3 stuck = Vec3::Zero();  // after the springs carry the weight
  for (int step = 0; step < 2000; ++step)
    if (simulation.step()->frame == 1000) stuck = simulation.current()->bodies[1].position;
  const double angle = std::atan(1.02 * 0.5);
  const double expected = 2 * 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  const BodyState &below = simulation.current()->bodies[1], &above = simulation.current()->bodies[3];
  // Springs and dampers creep: 1.2 mm in the second second. LCP and PEG hold exactly.
  QVERIFY_NEAR((below.position - stuck).norm(), 0, method.contains("pf") ? 2e-3 : 1e-9);
  // Penalty boxes first sink onto their springs; LCP and PEG are exact for a facet along the slope.
  QVERIFY_NEAR(above.linearVelocity.norm(), expected, 0.01 * expected + (method.contains("pf") ? 2e-3 : 0));
  // The curves that plots draw with those of the methods.
  QCOMPARE(scene->analytic.size(), std::size_t(3));
  QVERIFY_NEAR(scene->analytic[0].at(2), 0.5 * expected * expected, 1e-10);
  for (const AnalyticCurve& curve : scene->analytic) {
    const double found = simulation.current()->quantities[findQuantity(curve.quantity)->quantity];
    QVERIFY_NEAR(found, curve.at(2), (method.contains("pf") ? 0.04 : 0.01) * curve.at(2));
  }
}

void PenaltyExperimentsTest::dividingTheStiffnessMakesRestIndependentOfThePairs() {
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) {
    auto scene = test::scene({test::ground(), test::box("box", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.0495, 0))});
    Simulation simulation(
        scene, pane(method, {{"stiffness", 1e4}, {"damping", 20.0}, {"normalise", std::string("pairs")}}),
        1e-3);
    for (int step = 0; step < 4000; ++step) simulation.step();
    // Four corners share k. The depth is m g / k, minus the part of the step that the path contains (θ σ) and
    // the part of the predicted fall that the damper carries, c h g.
    const double theta = std::string(method) == "dpf" ? 0 : std::string(method) == "cpf" ? 0.5 : 1;
    const double depth = (1 - theta * 1e-6 * 1e4 - 20 * 1e-3) * 9.81 / 1e4;
    QVERIFY_NEAR(0.05 - simulation.current()->bodies[1].position.y(), depth, 1e-6);
  }
}

/// point = entry leaves the couple (p − q) × I while the pair slides; point = current does not. Uses pairs of
/// features, as published: corners of faces start again in each step.
void PenaltyExperimentsTest::theEntryPointExertsACouple() {
  const auto error = [](const char* point) {
    Body plate = test::box("plate", Vec3(0.6, 0.05, 0.3), 1, Vec3(0, 0, 0));
    Body slider = test::box("slider", Vec3(0.1, 0.1, 0.1), 0.3, Vec3(-0.15, 0.0745, 0));
    slider.linearVelocity = Vec3(3, -0.2, 0);
    auto scene = test::scene({plate, slider});
    scene->gravity = Vec3::Zero();
    Simulation simulation(
        scene,
        pane("cpf",
             {{"stiffness", 5e3}, {"contacts", std::string("features")}, {"point", std::string(point)}}),
        1e-3);
    double worst = 0;
    for (int step = 0; step < 40; ++step)
      worst = std::max(worst, simulation.step()->quantities[Quantity::MomentumAngularError]);
    return worst;
  };
  QVERIFY_NEAR(error("current"), 0, 1e-12);
  QVERIFY(error("entry") > 1e-4);
}

QTEST_APPLESS_MAIN(PenaltyExperimentsTest)
#include "tst_penalty_experiments.moc"
