#include <QtTest>
#include <cmath>

#include "core/run/step_problem.h"
#include "core/solver/problem.h"
#include "tests/support/near.h"
#include "tests/support/vectors.h"

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

SolverResult solved(const ComplementarityProblem& problem, double tolerance = 1e-10, int sweeps = 2000) {
  SolverSettings settings;
  settings.tolerance = tolerance;
  settings.maxIterations = sweeps;
  return makeSolver("pgs")->solve(problem, {}, settings);
}

}  // namespace

class FrictionDisksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aProjectionKeepsWhatIsInside();
  void theScaleIsTheLargestEigenvalue();
  void oneContactIsSolvedAsByHand();
  void residualsFollowTheirDefinition();
  void thePlaneHasOneTangent();
  void otherSolversRefuseWithAReason();
  void referenceProblems_data();
  void referenceProblems();
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

void FrictionDisksTest::oneContactIsSolvedAsByHand() {
  // p = 2 stops the approach of 1 m/s. Limit 1: a slip of (0.3, 0.4) m/s needs 0.5 / 2, which it has; one of
  // (3, 4) m/s does not end.
  const SolverResult sticks = solved(oneContact({0.5, 2, 2}, {-1, 0.3, 0.4}, 0.5));
  QVERIFY(sticks.status == SolveStatus::Solved);
  QVERIFY_NEAR((sticks.z - Eigen::Vector3d(2, -0.15, -0.2)).norm(), 0, 1e-12);
  const SolverResult slides = solved(oneContact({0.5, 2, 2}, {-1, 3, 4}, 0.5));
  QVERIFY(slides.status == SolveStatus::Solved);
  QVERIFY_NEAR((slides.z - Eigen::Vector3d(2, -0.6, -0.8)).norm(), 0, 1e-12);
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
  ComplementarityProblem problem;
  problem.A = Eigen::Vector2d(0.5, 2).asDiagonal();
  problem.b = Eigen::Vector2d(-1, -9);
  problem.disks = {{0, 1, 1, 0.5}};
  const SolverResult result = solved(problem);
  QVERIFY(result.status == SolveStatus::Solved);
  QVERIFY_NEAR((result.z - Eigen::Vector2d(2, 1)).norm(), 0, 1e-12);
}

void FrictionDisksTest::otherSolversRefuseWithAReason() {
  for (const char* key : {"auto", "newton-fb", "newton-min", "lemke"}) {
    const SolverResult result = makeSolver(key)->solve(oneContact({1, 1, 1}, {-1, 1, 0}, 0.5), {}, {});
    QVERIFY(result.status == SolveStatus::NotConverged);
    QVERIFY2(result.message.find("choose pgs") != std::string::npos, result.message.c_str());
  }
  ComplementarityProblem withFree = oneContact({1, 1, 1}, {-1, 1, 0}, 0.5);
  withFree.freeCount = 1;
  QVERIFY(solved(withFree).message.find("free rows") != std::string::npos);
}

void FrictionDisksTest::referenceProblems_data() {
  QTest::addColumn<int>("number");
  int number = 0;
  for (const json& file : test::referenceFiles(QStringLiteral("friction-problems")))
    for (const json& each : file.at("friction"))
      QTest::addRow("%s", each.at("kind").get<std::string>().c_str()) << number++;
}

void FrictionDisksTest::referenceProblems() {
  QFETCH(int, number);
  const json file = test::referenceFiles(QStringLiteral("friction-problems")).front();
  const json& given = file.at("friction").at(static_cast<std::size_t>(number));
  const Eigen::VectorXd q = test::vectorOf(given.at("q")), u = test::vectorOf(given.at("u"));
  ComplementarityProblem problem;
  problem.b = q;
  problem.A = test::matrixOf(given.at("W"));
  for (int contact = 0; contact < given.at("nc").get<int>(); ++contact) {
    const json& mu = given.at("mu");
    problem.disks.push_back(
        {3 * contact, 3 * contact + 1, 2, mu.is_array() ? mu.at(contact).get<double>() : mu.get<double>()});
  }
  const SolverResult result = solved(problem, 1e-9);
  const Eigen::VectorXd w = problem.A * result.z + problem.b;
  QVERIFY_NEAR(result.residual, naturalResidual(problem, result.z), 0);
  // What Gauss–Seidel is known for: weight passes on by one box and sweep.
  const std::string kind = given.at("kind").get<std::string>();
  const bool tooHeavy =
      kind.find("ratio 64,") != std::string::npos || kind.find("ratio 4096,") != std::string::npos;
  QVERIFY(result.status == (tooHeavy ? SolveStatus::NotConverged : SolveStatus::Solved));
  if (tooHeavy) return;
  for (int contact = 0; contact < given.at("nc").get<int>(); ++contact) {
    const Eigen::Vector3d r = result.z.segment<3>(3 * contact), v = w.segment<3>(3 * contact);
    const double limit = problem.disks[static_cast<std::size_t>(contact)].friction * r[0];
    QVERIFY(r[0] >= 0 && r.tail<2>().norm() <= limit * (1 + 1e-12));
    QVERIFY(v[0] > -1e-6 * (1 + q.norm()));
    if (v.tail<2>().norm() > 1e-4 * q.norm())  // slips: against it, on the cone
      QVERIFY_NEAR((r.tail<2>() + limit * v.tail<2>().normalized()).norm(), 0, 1e-4 * (1 + limit));
  }
  if (given.value("velocities_agree", false)) QVERIFY_NEAR((w - u).norm(), 0, 1e-6 * (1 + q.norm()));
}

QTEST_APPLESS_MAIN(FrictionDisksTest)
#include "tst_friction_disks.moc"
