#include <QtTest>
#include <cmath>

#include "core/solver/dense/problem.h"
#include "core/solver/rows/ncp_function.h"
#include "core/store/step_problem.h"
#include "tests/support/friction_problem.h"
#include "tests/support/near.h"

using namespace touchstone;
using json = nlohmann::json;

namespace {

/// One contact, diagonal A: w = a z + b.
ComplementarityProblem oneContact(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double friction) {
  ComplementarityProblem problem;
  problem.A = a.asDiagonal();
  problem.b = b;
  problem.symmetric = true;
  problem.disks = {{0, 1, 2, friction}};
  return problem;
}

/// A solver and its linear solver.
struct Way {
  const char* solver;
  LinearSolver linear;
};
const Way kSweeps{"pgs", LinearSolver::Direct};
const Way kWays[] = {kSweeps,
                     {"newton-fb", LinearSolver::Direct},
                     {"newton-fb", LinearSolver::Pcr},
                     {"newton-fb", LinearSolver::Pcg},
                     {"newton-fb", LinearSolver::GaussSeidel},
                     {"newton-min", LinearSolver::Direct}};

SolverResult solved(const ComplementarityProblem& problem, const Way& way = kSweeps,
                    double tolerance = 1e-10) {
  SolverSettings settings;
  settings.tolerance = tolerance;
  settings.maxIterations = way.solver == kSweeps.solver ? 2000 : 100;
  settings.linear = way.linear;
  return makeSolver(way.solver)->solve(problem, {}, settings);
}

}  // namespace

class FrictionDisksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aProjectionKeepsWhatIsInside();
  void theScaleIsTheLargestEigenvalue();
  void rowsOfADiskAreThoseOfItsProjection();
  void oneContactIsSolvedAsByHand_data() { addWays(); }
  void oneContactIsSolvedAsByHand();
  void residualsFollowTheirDefinition();
  void thePlaneHasOneTangent_data() { addWays(); }
  void thePlaneHasOneTangent();
  void whoCannotTakeThemSaysWhy();
  void freeRowsComeBeforeThem();
  void referenceProblems_data();
  void referenceProblems();

 private:
  static void addWays() {
    QTest::addColumn<int>("way");
    for (int way = 0; way < static_cast<int>(std::size(kWays)); ++way)
      QTest::addRow("%s, %s", kWays[way].solver, toString(kWays[way].linear)) << way;
  }
};

void FrictionDisksTest::aProjectionKeepsWhatIsInside() {
  double x = 0.3, y = -0.4;
  projectOnDisk(0.5, x, y);
  QCOMPARE(x, 0.3);
  projectOnDisk(0.25, x, y);
  QVERIFY_NEAR(x, 0.15, 1e-16);
  QVERIFY_NEAR(y, -0.2, 1e-16);
  projectOnDisk(-1, x, y);
  QVERIFY(x == 0 && y == 0);
}

void FrictionDisksTest::theScaleIsTheLargestEigenvalue() {
  QVERIFY_NEAR(diskScale(2, 0, 3), 3, 0);
  QVERIFY_NEAR(diskScale(2, 1, 2), 3, 1e-15);
  QVERIFY_NEAR(diskScale(1, 2, 4), 5, 1e-15);
  QCOMPARE(diskScale(0, 0, 0), 1.0);
}

/// Compares |F|² and the derivatives with differences of y − proj(y − v), at a fixed limit.
void FrictionDisksTest::rowsOfADiskAreThoseOfItsProjection() {
  constexpr double kStep = 1e-6;
  const auto functionOf = [](double limit, const Eigen::Vector2d& y, const Eigen::Vector2d& v) {
    Eigen::Vector2d p = y - v;
    projectOnDisk(limit, p.x(), p.y());
    return Eigen::Vector2d(y - p);
  };
  const Eigen::Vector2d y(0.3, -0.2), v(-0.5, 0.4);
  for (double limit : {2.0, 0.6, 0.05, 0.0}) {  // sticks, slips, hardly touches, does not touch
    const DiskRows rows = diskRows(limit, y.x(), y.y(), v.x(), v.y());
    QVERIFY_NEAR(std::hypot(rows.x, rows.y), 1, 1e-15);
    Eigen::Matrix2d turn;
    turn << rows.x, rows.y, -rows.y, rows.x;
    const Eigen::Vector2d value = functionOf(limit, y, v);
    QVERIFY_NEAR((turn * value - Eigen::Vector2d(rows.along.value, rows.across.value)).norm(), 0, 1e-15);
    QVERIFY_NEAR(diskMerit(limit, y.x(), y.y(), v.x(), v.y()), value.squaredNorm(), 1e-15);
    for (int k = 0; k < 2; ++k) {
      const Eigen::Vector2d step = kStep * turn.transpose().col(k);
      const Eigen::Vector2d dy = (functionOf(limit, y + step, v) - functionOf(limit, y - step, v)),
                            dv = (functionOf(limit, y, v + step) - functionOf(limit, y, v - step));
      const NcpValue& own = k == 0 ? rows.along : rows.across;
      Eigen::Vector2d expectedY = Eigen::Vector2d::Zero(), expectedV = expectedY;
      expectedY[k] = own.dy;
      expectedV[k] = own.dv;
      QVERIFY_NEAR((turn * dy / (2 * kStep) - expectedY).norm(), 0, 1e-9);
      QVERIFY_NEAR((turn * dv / (2 * kStep) - expectedV).norm(), 0, 1e-9);
    }
  }
}

void FrictionDisksTest::oneContactIsSolvedAsByHand() {
  QFETCH(int, way);
  // p = 2 stops the approach of 1 m/s. Limit 1: a slip of (0.3, 0.4) m/s needs 0.5 / 2, which is available; a
  // slip of (3, 4) m/s does not end.
  const SolverResult sticks = solved(oneContact({0.5, 2, 2}, {-1, 0.3, 0.4}, 0.5), kWays[way]);
  QVERIFY(sticks.status == SolveStatus::Solved);
  QVERIFY_NEAR((sticks.z - Eigen::Vector3d(2, -0.15, -0.2)).norm(), 0, 1e-8);
  const SolverResult slides = solved(oneContact({0.5, 2, 2}, {-1, 3, 4}, 0.5), kWays[way]);
  QVERIFY(slides.status == SolveStatus::Solved);
  QVERIFY_NEAR((slides.z - Eigen::Vector3d(2, -0.6, -0.8)).norm(), 0, 1e-8);
  QVERIFY_NEAR(slides.residual, 0, 1e-10);
}

void FrictionDisksTest::residualsFollowTheirDefinition() {
  const ComplementarityProblem problem = oneContact({0.5, 2, 2}, {-1, 3, 4}, 0.5);
  const Eigen::Vector3d z(2, 0, 0);
  // w_n = 0; without friction on a limit of 1: r |0 − proj(−(3, 4) / 2)| = 2 · 1
  const Eigen::VectorXd rows = rowResiduals(problem, z, problem.A * z + problem.b);
  QVERIFY_NEAR((rows - Eigen::Vector3d(0, 2, 2)).norm(), 0, 1e-15);
  QVERIFY_NEAR(naturalResidual(problem, z), 2, 1e-15);
  // s = √2 on the tangents, √0.5 on the normal; max|b/s| = 4/√2
  QVERIFY_NEAR(scaledResidual(problem, z), std::sqrt(2.0) / (1 + 4 / std::sqrt(2.0)), 1e-15);
}

void FrictionDisksTest::thePlaneHasOneTangent() {
  QFETCH(int, way);
  ComplementarityProblem problem;
  problem.A = Eigen::Vector2d(0.5, 2).asDiagonal();
  problem.symmetric = true;
  problem.disks = {{0, 1, 1, 0.5}};
  for (double side : {1.0, -1.0}) {
    problem.b = Eigen::Vector2d(-1, -9 * side);
    const SolverResult result = solved(problem, kWays[way]);
    QVERIFY(result.status == SolveStatus::Solved);
    QVERIFY_NEAR((result.z - Eigen::Vector2d(2, side)).norm(), 0, 1e-8);
  }
}

void FrictionDisksTest::whoCannotTakeThemSaysWhy() {
  const SolverResult pivots = makeSolver("lemke")->solve(oneContact({1, 1, 1}, {-1, 1, 0}, 0.5), {}, {});
  QVERIFY(pivots.status == SolveStatus::NotConverged);
  QVERIFY2(pivots.message.find("choose newton-fb or pgs") != std::string::npos, pivots.message.c_str());
  const SolverResult either = makeSolver("auto")->solve(oneContact({1, 1, 1}, {-1, 1, 0}, 0.5), {}, {});
  QVERIFY(either.status == SolveStatus::Solved);
  QCOMPARE(either.deliveredBy, std::string("newton-fb"));
}

/// A joint's row before those of a contact: kept by Newton's solvers, eliminated for pgs.
void FrictionDisksTest::freeRowsComeBeforeThem() {
  ComplementarityProblem problem;
  problem.A.resize(4, 4);
  problem.A << 2, 0.5, 0, 0.2, 0.5, 1, 0, 0, 0, 0, 1, 0, 0.2, 0, 0, 1;
  problem.b = Eigen::Vector4d(0.3, -1, 0.9, 0.1);
  problem.symmetric = true;
  problem.freeCount = 1;
  problem.disks = {{1, 2, 2, 0.5}};
  Eigen::VectorXd first;
  for (const char* key : {"newton-fb", "newton-min", "pgs", "auto"}) {
    SolverSettings settings;
    settings.maxIterations = 2000;
    const SolverResult result = makeSolver(key)->solve(problem, {}, settings);
    QVERIFY2(result.status == SolveStatus::Solved, result.message.c_str());
    QVERIFY2(std::abs((problem.A * result.z + problem.b)[0]) < 1e-9, key);
    if (first.size() == 0) first = result.z;
    QVERIFY2((result.z - first).norm() < 1e-8, key);
  }
  QVERIFY(first[1] > 0 && first[2] < 0);  // it is pressed, and friction opposes the slip
}

void FrictionDisksTest::referenceProblems_data() {
  QTest::addColumn<int>("number");
  QTest::addColumn<int>("way");
  int number = 0;
  for (const json& file : test::referenceFiles(QStringLiteral("friction-problems")))
    for (const json& each : file.at("friction")) {
      for (int way = 0; way < static_cast<int>(std::size(kWays)); ++way)
        QTest::addRow("%s: %s, %s", each.at("kind").get<std::string>().c_str(), kWays[way].solver,
                      toString(kWays[way].linear))
            << number << way;
      ++number;
    }
}

void FrictionDisksTest::referenceProblems() {
  QFETCH(int, number);
  QFETCH(int, way);
  const json file = test::referenceFiles(QStringLiteral("friction-problems")).front();
  const json& given = file.at("friction").at(number);
  const Eigen::VectorXd q = test::vectorOf(given.at("q")), u = test::vectorOf(given.at("u"));
  const ComplementarityProblem problem = test::frictionProblem(given);
  const SolverResult result = solved(problem, kWays[way], 1e-9);
  const Eigen::VectorXd w = problem.A * result.z + problem.b;
  QVERIFY_NEAR(result.residual, naturalResidual(problem, result.z), 0);
  // A known property of Gauss–Seidel: weight moves by one box per sweep.
  const std::string kind = given.at("kind").get<std::string>();
  const bool sweeps = kWays[way].solver == kSweeps.solver;
  const bool tooHeavy =
      (sweeps || kWays[way].linear == LinearSolver::GaussSeidel) &&
      (kind.find("ratio 64,") != std::string::npos || kind.find("ratio 4096,") != std::string::npos);
  QVERIFY(result.status == (tooHeavy ? SolveStatus::NotConverged : SolveStatus::Solved));
  if (tooHeavy) return;
  for (int contact = 0; contact < given.at("nc").get<int>(); ++contact) {
    const Eigen::Vector3d r = result.z.segment<3>(3 * contact), v = w.segment<3>(3 * contact);
    const double limit = problem.disks[contact].friction * r[0];
    // Sweeps never leave the cone; Newton's iterates approach it from outside as well.
    const double outside = sweeps ? 1e-12 * limit : 1e-7 * (1 + std::abs(limit));
    QVERIFY(r[0] >= -outside && r.tail<2>().norm() <= limit + outside);
    QVERIFY(v[0] > -1e-6 * (1 + q.norm()));
    if (v.tail<2>().norm() > 1e-4 * q.norm())  // slips: opposite to it, on the cone
      QVERIFY_NEAR((r.tail<2>() + limit * v.tail<2>().normalized()).norm(), 0, 1e-4 * (1 + limit));
  }
  if (given.value("velocities_agree", false)) QVERIFY_NEAR((w - u).norm(), 0, 1e-6 * (1 + q.norm()));
}

QTEST_APPLESS_MAIN(FrictionDisksTest)
#include "tst_friction_disks.moc"
