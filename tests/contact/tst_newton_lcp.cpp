#include <QtTest>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/problem_detail.h"
#include "core/math/count.h"
#include "core/run/simulation.h"
#include "core/solver/dense/problem.h"
#include "tests/contact/method_run.h"
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

std::shared_ptr<Scene> tumblingBox(double friction) {
  auto scene =
      test::scene({test::ground(), test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0.08, 0))}, friction);
  scene->bodies[1].orientation = Quaternion(Eigen::AngleAxisd(0.3, Vec3(1, 0.2, 0.5).normalized()));
  scene->bodies[1].angularVelocity = Vec3(1, 0, -2);
  scene->dt = 5e-3;
  scene->size = 0.1;
  return scene;
}

/// The first of the poured polygons.
std::shared_ptr<Scene> tumblingPolygon(double friction) {
  auto scene = test::shipped("pour-2d", friction);
  const auto moves = [](const Body& body) { return body.motion == Motion::Dynamic; };
  const auto first = std::find_if(scene->bodies.begin(), scene->bodies.end(), moves);
  scene->bodies.erase(std::remove_if(first + 1, scene->bodies.end(), moves), scene->bodies.end());
  return scene;
}

/// A tower of boxes without rotation.
std::shared_ptr<Scene> tower(int storeys) {
  auto scene = test::scene({test::ground()}, 0.5);
  for (int storey = 0; storey < storeys; ++storey) {
    const double shift = 0.01 * std::sin(12.9898 * storey);
    scene->bodies.push_back(
        test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(shift, 0.1 * storey + 0.05, -shift)));
  }
  scene->dt = 2e-3;
  scene->size = 0.1;
  return scene;
}

/// Rows with matrices and without.
void addBothWays() {
  QTest::addColumn<QString>("linear");
  for (const char* linear : {"direct", "pcr"}) QTest::addRow("%s", linear) << linear;
}

}  // namespace

/// Newton's method with an iterative linear solver computes lcp's step without a matrix.
class NewtonLcpTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void answersSolveTheProblemWithItsMatrix_data();
  void answersSolveTheProblemWithItsMatrix();
  void iteratesAreThoseOfTheProblemsMatrix_data();
  void iteratesAreThoseOfTheProblemsMatrix();
  void velocitiesAreThoseOfDirectSystems();
  void redundantContactsConvergeInEveryFrame_data();
  void redundantContactsConvergeInEveryFrame();
  void towersAtRestStartFromTheirAnswer_data();
  void towersAtRestStartFromTheirAnswer();
  void anotherLinearSolverStartsAnew();
  void takesProblemsWhoseMatrixWouldNotFit();
  void theLargestProblemCanBeSet();
  void iteratesThatAreNearlySolvedAreUsed_data();
  void iteratesThatAreNearlySolvedAreUsed();
  void rowsThatContradictEachOtherShareWhatIsMissing_data();
  void rowsThatContradictEachOtherShareWhatIsMissing();
};

void NewtonLcpTest::answersSolveTheProblemWithItsMatrix_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("linear");
  QTest::addColumn<double>("friction");
  for (const char* solver : {"newton-fb", "newton-min"})
    for (const char* linear : {"pcr", "pcg", "jacobi"})
      for (double friction : {0.0, 0.5})
        QTest::addRow("%s, %s, friction %g", solver, linear, friction) << solver << linear << friction;
}

void NewtonLcpTest::answersSolveTheProblemWithItsMatrix() {
  QFETCH(QString, solver);
  QFETCH(QString, linear);
  QFETCH(double, friction);
  const auto scene = test::pile(2, 1, friction);
  Simulation simulation(scene, pane(solver.toStdString(), linear.toStdString()), scene->dt);
  std::size_t rows = 0;
  for (int frame = 0; frame < 30; ++frame) {
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    for (const IslandAnswer& each : problemDetail(detail).problems) {
      const SolverResult& result = each.result;
      QVERIFY(result.status == SolveStatus::Solved);
      const Eigen::VectorXd applied = appliedImpulses(each.island.problem, result.z);
      QVERIFY_NEAR((result.z - applied).norm(), 0, 1e-15);
      QVERIFY(scaledResidual(each.island.problem, result.z) <= 1e-10);
      QCOMPARE(result.deliveredBy, solver.toStdString());
      rows += result.z.size();
    }
    QVERIFY(record->quantities[Quantity::Residual] <= record->solverTolerance || record->contacts.empty());
  }
  QVERIFY(rows > 300);
}

void NewtonLcpTest::iteratesAreThoseOfTheProblemsMatrix_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<double>("friction");
  QTest::addColumn<bool>("planar");
  for (const char* solver : {"newton-fb", "newton-min"}) {
    QTest::addRow("%s", solver) << solver << 0.0 << false;
    QTest::addRow("%s, friction", solver) << solver << 0.5 << false;
    QTest::addRow("%s, friction in the plane", solver) << solver << 0.5 << true;
  }
}

// Compared with the solver for matrices from the same start, while the box tumbles. At rest its contacts are
// redundant, and rounding of the right sides decides.
void NewtonLcpTest::iteratesAreThoseOfTheProblemsMatrix() {
  QFETCH(QString, solver);
  QFETCH(double, friction);
  QFETCH(bool, planar);
  const auto scene = planar ? tumblingPolygon(friction) : tumblingBox(friction);
  Simulation simulation(scene, pane(solver.toStdString()), scene->dt);
  int iterations = 0;
  for (int frame = 0; frame < (planar ? 150 : 20); ++frame) {
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    if (problemDetail(detail).problems.empty()) continue;
    QCOMPARE(problemDetail(detail).problems.size(), std::size_t(1));
    const IslandAnswer& each = problemDetail(detail).problems.front();
    const SolverResult again =
        makeSolver(solver.toStdString())
            ->solve(each.island.problem, each.start, problemDetail(detail).solverSettings);
    const auto& A = each.island.problem.A;  // redundant contacts share their impulse in many ways
    QVERIFY_NEAR((A * (again.z - each.result.z)).norm(), 0, 1e-9);
    QCOMPARE(record->iterations.size(), again.iterations.size());
    for (std::size_t k = 0; k < again.iterations.size(); ++k) {
      const SolverIteration &own = record->iterations[k], &other = again.iterations[k];
      QVERIFY_NEAR(own.residual, other.residual, 1e-9 * (1 + other.residual));
      QVERIFY_NEAR(own.merit, other.merit, 1e-9 * (1 + other.merit));
      // If coupled rows hold, their right side is 0 or rounding: one of the two solvers then needs no
      // iteration.
      if (k > 0 && again.iterations[k - 1].merit > 1e-16 && own.linearIterations * other.linearIterations > 0)
        QCOMPARE(own.linearIterations, other.linearIterations);
    }
    iterations += countOf(again.iterations) - 1;
  }
  QVERIFY(iterations > 10);
}

// A frictionless problem has many impulses, but one velocity.
void NewtonLcpTest::velocitiesAreThoseOfDirectSystems() {
  const auto scene = test::pile(2, 2, 0);
  PaneSettings directly = pane("newton-fb", "direct"), freely = pane();
  for (PaneSettings* settings : {&directly, &freely}) settings->parameters["tolerance"] = 1e-12;
  Simulation direct(scene, directly, scene->dt);
  for (int frame = 0; frame < 20; ++frame) {
    Simulation own(scene, freely, scene->dt);
    own.restore(direct.snapshot());
    const RecordPtr a = direct.step(), b = own.step();
    QVERIFY(a->status == StepStatus::Ok && b->status == StepStatus::Ok);
    QVERIFY_NEAR(difference(*a, *b), 0, 1e-8);
  }
}

void NewtonLcpTest::redundantContactsConvergeInEveryFrame_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("linear");
  for (const char* scene : {"heavy-stack", "incline"})
    for (const char* linear : {"direct", "pcr"}) QTest::addRow("%s, %s", scene, linear) << scene << linear;
}

// Masses from 1 to 4096: the directions come from an almost singular system. Sliding boxes: rounding of gaps
// must not redistribute the impulses of four contacts forever, together with their friction limits.
void NewtonLcpTest::redundantContactsConvergeInEveryFrame() {
  QFETCH(QString, scene);
  QFETCH(QString, linear);
  const auto shipped = test::shipped(scene.toStdString());
  Simulation simulation(shipped, pane("newton-fb", linear.toStdString()), shipped->dt);
  for (int frame = 0; frame < 500; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
  }
  QVERIFY(simulation.current()->quantities[Quantity::PenetrationMax] < 1e-10);
}

void NewtonLcpTest::towersAtRestStartFromTheirAnswer_data() { addBothWays(); }

// Normals along an axis differ from it by rounding, which must not rotate the tangents.
void NewtonLcpTest::towersAtRestStartFromTheirAnswer() {
  QFETCH(QString, linear);
  const auto scene = tower(6);
  Simulation simulation(scene, pane("newton-fb", linear.toStdString()), scene->dt);
  int warm = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    const double gravity = scene->dt * scene->gravity.norm();  // velocity from gravity in one step
    const bool isWarm = record->iterations.front().residual < 1e-5 * gravity;
    QVERIFY(frame > 0 || !isWarm);
    warm += isWarm;
  }
  QVERIFY2(warm >= 15, qPrintable(QString::number(warm)));
}

// The two ways of solving keep different state: each starts cold when it takes over.
void NewtonLcpTest::anotherLinearSolverStartsAnew() {
  const auto scene = test::pile(2, 2, 0);
  const char* ways[] = {"direct", "pcr"};
  for (int way = 0; way < 2; ++way) {
    Simulation switched(scene, pane("newton-fb", ways[way]), scene->dt);
    for (int frame = 0; frame < 20; ++frame) switched.step();
    const std::string memory = switched.contactMemory();
    Simulation fresh(scene, pane("newton-fb", ways[1 - way]), scene->dt);
    fresh.restore(switched.snapshot());
    fresh.restoreContactMemory(memory);  // from the other way: useless
    switched.setParameter("linear_solver", std::string(ways[1 - way]));
    QCOMPARE(switched.step()->stateHash, fresh.step()->stateHash);
    QVERIFY(switched.current()->status == StepStatus::Ok);
    QCOMPARE(switched.current()->iterations.back().linearIterations > 0, way == 0);
  }
}

void NewtonLcpTest::takesProblemsWhoseMatrixWouldNotFit() {
  const auto scene = test::pile(22, 4, 0);
  PaneSettings settings = pane();
  settings.parameters["max_iterations"] = 1.0;
  const RecordPtr record = Simulation(scene, settings, scene->dt).step();
  QVERIFY(countOf(record->contacts) > kLargestProblem);
  QVERIFY(!isFrozen(record->status));
  settings.parameters["linear_solver"] = std::string("direct");
  const RecordPtr stopped = Simulation(scene, settings, scene->dt).step();
  QVERIFY(stopped->status == StepStatus::Stopped);
  QVERIFY(stopped->statusText.find("largest_problem") != std::string::npos);
}

void NewtonLcpTest::theLargestProblemCanBeSet() {
  const auto scene = test::pile(2, 1, 0);
  PaneSettings settings = pane();
  for (const char* linear : {"direct", "pcr"}) {
    settings.parameters["linear_solver"] = std::string(linear);
    settings.parameters["largest_problem"] = 2000.0;
    QVERIFY(!isFrozen(Simulation(scene, settings, scene->dt).step()->status));
  }
  settings.parameters["linear_solver"] = std::string("direct");
  settings.parameters["largest_problem"] = 3.0;
  const RecordPtr stopped = Simulation(scene, settings, scene->dt).step();
  QVERIFY(stopped->status == StepStatus::Stopped);
  QVERIFY(stopped->statusText.find("the 3 of the parameter largest_problem") != std::string::npos);
}

void NewtonLcpTest::iteratesThatAreNearlySolvedAreUsed_data() { addBothWays(); }

/// With fewer iterations than the step needs, the badge shows the iterate that was used.
void NewtonLcpTest::iteratesThatAreNearlySolvedAreUsed() {
  QFETCH(QString, linear);
  const auto scene = test::pile(2, 1, 0);
  PaneSettings settings = pane("newton-fb", linear.toStdString());
  int softened = 0, used = 0;
  for (double limit = 1;; ++limit) {
    settings.parameters["max_iterations"] = limit;
    StepDetail detail;
    const RecordPtr record = Simulation(scene, settings, scene->dt).step(detail);
    if (record->status == StepStatus::Ok) break;
    QVERIFY(record->status == StepStatus::NotConverged && limit < 100);
    double worst = 0;
    for (const IslandAnswer& each : problemDetail(detail).problems)
      worst = std::max(worst, scaledResidual(each.island.problem, each.result.z));
    const bool isSoftened = record->statusText.find("softened") != std::string::npos;
    QCOMPARE(isSoftened, worst > kGoodEnough);
    ++(isSoftened ? softened : used);
  }
  QVERIFY(softened > 0 && used > 0);
}

void NewtonLcpTest::rowsThatContradictEachOtherShareWhatIsMissing_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<double>("friction");
  for (const char* solver : {"newton-fb", "newton-min"})
    for (double friction : {0.0, 0.5})
      QTest::addRow("%s, friction %g", solver, friction) << solver << friction;
}

/// A box between a floor and a ceiling that are closer than its height has contradicting rows. A second box
/// rests in another island, which is solved.
void NewtonLcpTest::rowsThatContradictEachOtherShareWhatIsMissing() {
  QFETCH(QString, solver);
  QFETCH(double, friction);
  auto scene = test::scene({test::block("floor", Vec3(2, 1, 2), Vec3(0, -0.5, 0)),
                            test::block("ceiling", Vec3(1, 1, 2), Vec3(0, 0.598, 0)),
                            test::box("box", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.049, 0)),
                            test::box("free", Vec3(0.2, 0.1, 0.2), 1, Vec3(0.8, 0.05, 0))},
                           friction);
  PaneSettings settings = pane(solver.toStdString());
  settings.parameters["push_out"] = std::string("published");
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 20; ++frame) {
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    QVERIFY(record->status == StepStatus::NotConverged);
    QVERIFY2(QString::fromStdString(record->statusText).contains("softened"), record->statusText.c_str());
    QCOMPARE(record->unsolved, 1);
    double residual = 0;  // of the applied impulses, in the given problem
    for (const IslandAnswer& each : problemDetail(detail).problems)
      residual = std::max(residual, naturalResidual(each.island.problem, each.result.z));
    QVERIFY_NEAR(record->quantities[Quantity::Residual], residual, 1e-6 * residual);
    QVERIFY(record->quantities[Quantity::NormalForce] < 1e5);
    QVERIFY(std::isfinite(record->bodies[2].position.y()));
  }
  QVERIFY_NEAR(simulation.current()->bodies[2].position.y(), 0.049, 2e-4);
  QVERIFY_NEAR(simulation.current()->bodies[3].position.y(), 0.05, 1e-6);
}

QTEST_APPLESS_MAIN(NewtonLcpTest)
#include "tst_newton_lcp.moc"
