#include <QtTest>

#include "core/contact/step_detail.h"
#include "core/run/simulation.h"
#include "core/solver/problem.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

namespace {

PaneSettings pane(const std::string& solver = "newton-fb", const std::string& linear = "pcr") {
  PaneSettings settings;
  settings.method = "lcp";
  settings.solver = solver;
  settings.parameters["linear_solver"] = linear;
  return settings;
}

double difference(const StepRecord& a, const StepRecord& b) {
  double largest = 0;
  for (std::size_t body = 0; body < a.bodies.size(); ++body) {
    const BodyState &own = a.bodies[body], &other = b.bodies[body];
    largest = std::max(largest, (own.linearVelocity - other.linearVelocity).norm());
    largest = std::max(largest, (own.angularVelocity - other.angularVelocity).norm());
  }
  return largest;
}

}  // namespace

/// Newton's method with an iterative linear solver takes the step of lcp without a matrix.
class NewtonLcpTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void answersSolveTheProblemWithItsMatrix_data();
  void answersSolveTheProblemWithItsMatrix();
  void iteratesAreThoseOfTheProblemsMatrix_data();
  void iteratesAreThoseOfTheProblemsMatrix();
  void velocitiesAreThoseOfDirectSystems();
  void frictionIsRefusedWithTheReason();
  void anotherLinearSolverStartsAnew();
  void takesProblemsThatHaveNoRoomForAMatrix();
};

void NewtonLcpTest::answersSolveTheProblemWithItsMatrix_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("linear");
  for (const char* solver : {"newton-fb", "newton-min"})
    for (const char* linear : {"pcr", "pcg", "jacobi"})
      QTest::addRow("%s, %s", solver, linear) << solver << linear;
}

void NewtonLcpTest::answersSolveTheProblemWithItsMatrix() {
  QFETCH(QString, solver);
  QFETCH(QString, linear);
  const auto scene = test::pile(2, 1, 0);
  Simulation simulation(scene, pane(solver.toStdString(), linear.toStdString()), scene->dt);
  std::size_t rows = 0;
  for (int frame = 0; frame < 30; ++frame) {
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    for (const IslandAnswer& each : detail.problems) {
      const SolverResult& result = each.result;
      QVERIFY(result.status == SolveStatus::Solved);
      QVERIFY(result.z.minCoeff() >= 0);
      QVERIFY(scaledResidual(each.island.problem, result.z) <= 1e-10);
      QCOMPARE(result.deliveredBy, solver.toStdString());
      rows += static_cast<std::size_t>(result.z.size());
    }
    QVERIFY(record->quantities[Quantity::Residual] <= record->solverTolerance || record->contacts.empty());
  }
  QVERIFY(rows > 300);
}

void NewtonLcpTest::iteratesAreThoseOfTheProblemsMatrix_data() {
  QTest::addColumn<QString>("solver");
  QTest::newRow("newton-fb") << "newton-fb";
  QTest::newRow("newton-min") << "newton-min";
}

// The solver for matrices, from the same start, while the box tumbles. At rest its contacts are redundant,
// and right sides of rounding alone decide.
void NewtonLcpTest::iteratesAreThoseOfTheProblemsMatrix() {
  QFETCH(QString, solver);
  auto scene = test::scene({test::ground(), test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0.06, 0))});
  scene->bodies[1].orientation = Quaternion(Eigen::AngleAxisd(0.3, Vec3(1, 0.2, 0.5).normalized()));
  scene->bodies[1].angularVelocity = Vec3(1, 0, -2);
  scene->bodies[1].position.y() = 0.08;
  scene->dt = 5e-3;
  scene->size = 0.1;
  Simulation simulation(scene, pane(solver.toStdString()), scene->dt);
  int iterations = 0;
  for (int frame = 0; frame < 20; ++frame) {
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    if (detail.problems.empty()) continue;
    QCOMPARE(detail.problems.size(), std::size_t(1));
    const IslandAnswer& each = detail.problems.front();
    const SolverResult again =
        makeSolver(solver.toStdString())->solve(each.island.problem, each.start, detail.solverSettings);
    const auto& A = each.island.problem.A;  // redundant contacts share their impulse in many ways
    QVERIFY_NEAR((A * (again.z - each.result.z)).norm(), 0, 1e-9);
    QCOMPARE(record->iterations.size(), again.iterations.size());
    for (std::size_t k = 0; k < again.iterations.size(); ++k) {
      const SolverIteration &own = record->iterations[k], &other = again.iterations[k];
      QVERIFY_NEAR(own.residual, other.residual, 1e-9 * (1 + other.residual));
      QVERIFY_NEAR(own.merit, other.merit, 1e-9 * (1 + other.merit));
      if (k > 0 && again.iterations[k - 1].merit > 1e-16)
        QCOMPARE(own.linearIterations, other.linearIterations);
    }
    iterations += static_cast<int>(again.iterations.size()) - 1;
  }
  QVERIFY(iterations > 10);
}

// A frictionless problem has many impulses, but one velocity.
void NewtonLcpTest::velocitiesAreThoseOfDirectSystems() {
  const auto scene = test::pile(2, 2, 0);
  Simulation direct(scene, pane("newton-fb", "direct"), scene->dt);
  for (int frame = 0; frame < 20; ++frame) {
    Simulation own(scene, pane(), scene->dt);
    own.restore(direct.snapshot());
    const RecordPtr a = direct.step(), b = own.step();
    QVERIFY(a->status == StepStatus::Ok && b->status == StepStatus::Ok);
    QVERIFY_NEAR(difference(*a, *b), 0, 1e-8);
  }
}

void NewtonLcpTest::frictionIsRefusedWithTheReason() {
  const auto scene = test::pile(1, 1, 0.5);
  Simulation simulation(scene, pane(), scene->dt);
  for (int frame = 0; frame < 10; ++frame) simulation.step();
  const RecordPtr record = simulation.current();
  QVERIFY(record->status == StepStatus::NotConverged);
  QVERIFY(record->statusText.find("needs a symmetric matrix") != std::string::npos);
}

// The two ways of solving remember other things: each starts from nothing when it takes over.
void NewtonLcpTest::anotherLinearSolverStartsAnew() {
  const auto scene = test::pile(2, 2, 0);
  const char* ways[] = {"direct", "pcr"};
  for (int way = 0; way < 2; ++way) {
    Simulation switched(scene, pane("newton-fb", ways[way]), scene->dt);
    for (int frame = 0; frame < 20; ++frame) switched.step();
    const std::string memory = switched.contactMemory();
    Simulation fresh(scene, pane("newton-fb", ways[1 - way]), scene->dt);
    fresh.restore(switched.snapshot());
    fresh.restoreContactMemory(memory);  // of the other way: of no use
    switched.setParameter("linear_solver", std::string(ways[1 - way]));
    QCOMPARE(switched.step()->stateHash, fresh.step()->stateHash);
    QVERIFY(switched.current()->status == StepStatus::Ok);
    QCOMPARE(switched.current()->iterations.back().linearIterations > 0, way == 0);
  }
}

void NewtonLcpTest::takesProblemsThatHaveNoRoomForAMatrix() {
  const auto scene = test::pile(22, 4, 0);
  PaneSettings settings = pane();
  settings.parameters["max_iterations"] = 1.0;
  const RecordPtr record = Simulation(scene, settings, scene->dt).step();
  QVERIFY(static_cast<int>(record->contacts.size()) > kLargestProblem);
  QVERIFY(!stands(record->status));
  settings.parameters["linear_solver"] = std::string("direct");
  QVERIFY(stands(Simulation(scene, settings, scene->dt).step()->status));
}

QTEST_APPLESS_MAIN(NewtonLcpTest)
#include "tst_newton_lcp.moc"
