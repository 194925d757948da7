#include <QtTest>

#include "core/contact/complementarity/problem_detail.h"
#include "core/explain/contact_explanation.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

namespace {

PaneSettings pane(int sweeps = 100, const std::string& method = "lcp") {
  PaneSettings settings;
  settings.method = method;
  settings.solver = "pgs";
  settings.parameters["max_iterations"] = double(sweeps);
  return settings;
}

/// A cube on the ground, with gravity tilted by `angle` towards `direction` in the plane [rad].
std::shared_ptr<Scene> incline(double friction, double angle, double direction) {
  auto scene =
      test::scene({test::ground(), test::box("cube", Vec3(0.2, 0.2, 0.2), 3, Vec3(0, 0.1, 0))}, friction);
  scene->dt = 2e-3;
  scene->size = 1;
  const double along = 9.81 * std::sin(angle);
  scene->gravity = Vec3(along * std::cos(direction), -9.81 * std::cos(angle), along * std::sin(direction));
  return scene;
}

bool sameCurve(const std::vector<SolverIteration>& a, const std::vector<SolverIteration>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SolverIteration& one, const SolverIteration& other) {
                      return std::abs(one.residual - other.residual) <= 1e-9 * (1 + other.residual);
                    });
}

}  // namespace

class SweptLcpTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aCubeSticksOrSlidesAsCoulombSays_data();
  void aCubeSticksOrSlidesAsCoulombSays();
  void sweepsAreThoseOfTheProblemsMatrix_data();
  void sweepsAreThoseOfTheProblemsMatrix();
  void theInspectorTellsTheRowsOfTheCone();
  void manyCoupledRowsAreAdvisedToUseSweeps();
  void aProblemTooLargeToShowIsNamed();
};

void SweptLcpTest::aCubeSticksOrSlidesAsCoulombSays_data() {
  QTest::addColumn<QString>("way");
  QTest::addColumn<double>("share");
  QTest::addColumn<double>("direction");
  for (const char* way : {"lcp-pgs", "lcp-newton-fb-pcr", "lcp-newton-min-pcr", "lcp-newton-fb-gauss-seidel",
                          "peg-newton-fb-pcr", "peg-newton-fb-pcr exact"})
    for (double share : {0.95, 1.05, 1.5})
      for (double direction : {0.0, 0.3, 0.785})
        QTest::addRow("%s, %g x the friction angle towards %g", way, share, direction)
            << way << share << direction;
}

// The cone has no preferred direction: a pyramid would be wrong by up to 30 % between its facets.
void SweptLcpTest::aCubeSticksOrSlidesAsCoulombSays() {
  QFETCH(QString, way);
  QFETCH(double, share);
  QFETCH(double, direction);
  PaneSettings settings = paneWithStep(way.toStdString());
  settings.parameters["max_iterations"] = 500.0;
  constexpr double kFriction = 0.4;
  const double angle = share * std::atan(kFriction);
  const auto scene = incline(kFriction, angle, direction);
  Simulation simulation(scene, settings, scene->dt);
  constexpr int kFrames = 100;
  for (int frame = 0; frame < kFrames; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY(record->status == StepStatus::Ok);
    for (const Contact& contact : record->contacts)
      if (contact.normalImpulse > 1e-6 && frame > 0)
        QCOMPARE(contact.mode == ContactMode::Sticking, share < 1);
  }
  const double pull = 9.81 * (std::sin(angle) - kFriction * std::cos(angle));
  const double speed = std::max(0.0, pull) * kFrames * scene->dt;
  const Vec3 velocity = simulation.current()->bodies[1].linearVelocity;
  QVERIFY_NEAR((velocity - speed * Vec3(std::cos(direction), 0, std::sin(direction))).norm(), 0, 1e-7);
  QVERIFY_NEAR(simulation.current()->bodies[1].position.y(), 0.1, 1e-9);
}

void SweptLcpTest::sweepsAreThoseOfTheProblemsMatrix_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<double>("friction");
  QTest::addColumn<int>("before");  // frames that are not inspected
  QTest::addColumn<QString>("step");
  for (const double friction : {0.5, 0.0}) {
    QTest::addRow("lcp, friction %g", friction) << "lcp" << friction << 0 << "";
    for (const char* step : {"plain", "relinearise"})
      QTest::addRow("peg, %s, friction %g", step, friction) << "peg" << friction << 120 << step;
  }
}

// The problem that the inspector shows, with its matrix, solved by the solver for matrices. Not on a pile
// under peg: in symmetric sets rounding decides which of two rates is larger.
void SweptLcpTest::sweepsAreThoseOfTheProblemsMatrix() {
  QFETCH(QString, method);
  QFETCH(double, friction);
  QFETCH(int, before);
  QFETCH(QString, step);
  const auto scene = method == "peg" ? test::shipped("pour", friction) : test::pile(2, 2, friction);
  PaneSettings settings = pane(30, method.toStdString());
  if (!step.isEmpty()) settings.parameters["step"] = step.toStdString();
  settings.parameters["push_out"] = std::string("published");
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < before; ++frame) simulation.step();
  int sweeps = 0;
  std::size_t maxima = 0;
  for (int frame = 0; frame < (method == "peg" ? 200 : 12); ++frame) {
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    if (record->deliveredBy == "newton-fb-pcr") continue;  // a refused answer: see record->warnings
    Eigen::Index mostRows = 0;
    bool isReported = problemDetail(detail).problems.empty();
    for (const IslandAnswer& each : problemDetail(detail).problems)
      mostRows = std::max(mostRows, each.island.problem.b.size());
    for (const IslandAnswer& each : problemDetail(detail).problems) {
      const SolverResult again =
          makeSolver("pgs")->solve(each.island.problem, each.start, problemDetail(detail).solverSettings);
      const double size = 1 + again.z.norm();
      QVERIFY_NEAR((again.z - each.result.z).norm() / size, 0, 1e-9);
      QVERIFY(again.status == each.result.status);
      QVERIFY_NEAR(again.residual, each.result.residual, 1e-9 * (1 + again.residual));
      maxima += each.island.problem.maxima.size();
      sweeps += countOf(again.iterations) - 1;
      if (each.island.problem.b.size() == mostRows)
        isReported = isReported || sameCurve(record->iterations, again.iterations);
    }
    QVERIFY(isReported);
  }
  QVERIFY(sweeps > 30 || step == "relinearise");  // its last linearisation starts at the solution
  QCOMPARE(maxima > 0, method == "peg");
}

void SweptLcpTest::theInspectorTellsTheRowsOfTheCone() {
  const auto scene = incline(0.4, 0.5, 0.3);
  Simulation simulation(scene, pane(), scene->dt);
  for (int frame = 0; frame < 5; ++frame) simulation.step();
  StepDetail detail;
  const RecordPtr record = simulation.step(detail);
  const ContactExplainer explainer(scene);
  for (const Contact& contact : record->contacts) {
    const ContactExplanation explanation = explainer.explain(contact, detail, "lcp", "pgs");
    QCOMPARE(explanation.rows.size(), std::size_t(3));
    QCOMPARE(explanation.rows[0].multiplier, contact.normalImpulse);
    QVERIFY_NEAR(std::hypot(explanation.rows[1].multiplier, explanation.rows[2].multiplier),
                 contact.frictionImpulse.norm(), 1e-15);
    QVERIFY(explanation.rows[2].meaning.find("tangent 2") != std::string::npos);
    QCOMPARE(explanation.problemRows, 12);
    for (const ExplanationRow& row : explanation.rows) {
      QCOMPARE(countOf(row.residuals), explanation.iterations);
      QVERIFY(row.residual <= record->solverTolerance);
    }
  }
  QCOMPARE(record->contacts.size(), std::size_t(4));
}

void SweptLcpTest::manyCoupledRowsAreAdvisedToUseSweeps() {
  const auto scene = test::pile(3, 3, 0);
  PaneSettings settings = pane();
  settings.solver = "newton-fb";
  settings.parameters["max_iterations"] = 1.0;
  const RecordPtr dense = Simulation(scene, settings, scene->dt).step();
  QCOMPARE(dense->warnings.size(), std::size_t(1));
  QVERIFY(dense->warnings.front().find("pgs, and newton-fb with the linear solver pcr, need none") !=
          std::string::npos);
  QVERIFY(Simulation(scene, pane(), scene->dt).step()->warnings.empty());
}

void SweptLcpTest::aProblemTooLargeToShowIsNamed() {
  for (const bool shown : {true, false}) {
    const auto scene = test::pile(shown ? 2 : 5, 2);
    Simulation simulation(scene, pane(5), scene->dt);
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    const int rows = 3 * countOf(record->contacts);
    QCOMPARE(rows <= kShownRows, shown);
    QCOMPARE(problemDetail(detail).problems.size(), std::size_t(shown ? 1 : 0));
    QCOMPARE(problemDetail(detail).leftOutRows, shown ? 0 : rows);
    const ContactExplanation explanation =
        ContactExplainer(scene).explain(record->contacts.front(), detail, "lcp", "pgs");
    QCOMPARE(explanation.leftOutRows, problemDetail(detail).leftOutRows);
    QCOMPARE(explanation.problemRows, shown ? rows : 0);
    QCOMPARE(explanation.rows.empty(), !shown);
    QCOMPARE(explanation.solvedAgain, rows <= kSolvedAgainRows);
    QVERIFY(!explanation.taken.empty());
  }
}

QTEST_APPLESS_MAIN(SweptLcpTest)
#include "tst_swept_lcp.moc"
