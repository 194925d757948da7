#include <QtTest>
#include <cstdint>

#include "core/solver/dense/problem.h"
#include "tests/support/near.h"

using namespace touchstone;

namespace {

/// Random numbers in (−1, 1) that are the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : m_state(seed) {}
  double next() {
    m_state = m_state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(m_state >> 11) / 9007199254740992.0 * 2 - 1;
  }
  Eigen::MatrixXd matrix(int rows, int columns) {
    Eigen::MatrixXd result(rows, columns);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) result(row, column) = next();
    return result;
  }

 private:
  std::uint64_t m_state;
};

/// A = Gᵀ G, b = Gᵀ u: contacts of `freedoms` unit masses, always solvable; w is unique, z if A is regular.
ComplementarityProblem contacts(int rows, int freedoms, std::uint64_t seed) {
  Numbers numbers(seed);
  const Eigen::MatrixXd G = numbers.matrix(freedoms, rows);
  ComplementarityProblem problem;
  problem.A = G.transpose() * G;
  problem.b = G.transpose() * numbers.matrix(freedoms, 1);
  problem.symmetric = true;
  return problem;
}

ComplementarityProblem problemOf(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, int freeCount = 0) {
  ComplementarityProblem problem;
  problem.A = A;
  problem.b = b;
  problem.freeCount = freeCount;
  return problem;
}

SolverResult solve(const std::string& key, const ComplementarityProblem& problem,
                   const Eigen::VectorXd& start = {}, const SolverSettings& settings = {}) {
  return makeSolver(key)->solve(problem, start, settings);
}

SolverSettings patient() {
  SolverSettings settings;
  settings.maxIterations = 20000;
  return settings;
}

}  // namespace

class SolversTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theTableListsTheSolversInTheirOrder();
  void anUnknownKeyGivesNoSolver();
  void residualsFollowTheirDefinition();
  void twoContactsAreSolvedAsByHand();
  void anEmptyProblemIsSolved();
  void everySolverLeavesACurveThatEndsAtItsResidual();
  void solversAgreeOnRegularContacts();
  void solversAgreeOnVelocitiesOfRedundantContacts();
  void anAnswerScalesWithTheUnitsOfItsRows();
  void itsOwnAnswerAsStartNeedsNoIteration();
  void aUselessStartIsIgnored();
  void manyEqualContactsDoNotMakeLemkeCycle();
  void aContradictionIsNoSolutionForLemkeAndAuto();
  void autoFallsBackToLemkeAndSaysSo();
  void gaussSeidelRefusesRowsWithoutDiagonal();
  void freeRowsMayHaveAZeroDiagonalForNewton();
  void aSingularFreeBlockIsRefusedByLemkeWithAReason();
  void numbersThatAreNotFiniteAreNeverSuccess();
};

void SolversTest::theTableListsTheSolversInTheirOrder() {
  QStringList keys;
  for (const SolverInfo& info : solverTable()) {
    keys << QString::fromStdString(info.key);
    QVERIFY(makeSolver(info.key) != nullptr);
    QVERIFY(!info.name.empty() && !info.help.empty());
  }
  QCOMPARE(keys, QStringList({"auto", "newton-fb", "lemke", "pgs", "newton-min"}));
}

void SolversTest::anUnknownKeyGivesNoSolver() { QVERIFY(makeSolver("simplex") == nullptr); }

void SolversTest::residualsFollowTheirDefinition() {
  Eigen::MatrixXd A(3, 3);
  A << 2, 0, 0, 0, 4, 0, 0, 0, 0;
  const ComplementarityProblem problem = problemOf(A, Eigen::Vector3d(-6, 8, 1), 1);
  // w = (2·1 − 6, 4·0.5 + 8, 1) = (−4, 10, 1); rows |−4|, |min(4·0.5, 10)| = 2, |min(1·7, 1)| = 1.
  const Eigen::Vector3d z(1, 0.5, 7);
  QVERIFY_NEAR(naturalResidual(problem, z), 4, 1e-15);
  // Scaled: |−4|/√2, min(2·0.5, 10/2) = 1, min(7, 1) = 1; divided by 1 + max(6/√2, 8/2, 1).
  QVERIFY_NEAR(scaledResidual(problem, z), 4 / std::sqrt(2.0) / (1 + 6 / std::sqrt(2.0)), 1e-15);
}

void SolversTest::twoContactsAreSolvedAsByHand() {
  // Only row 0 holds: z = (3, 0), w = (0, 2·3·0.5 + 1).
  Eigen::MatrixXd A(2, 2);
  A << 1, 1, 1, 2;
  const ComplementarityProblem problem = problemOf(A, Eigen::Vector2d(-3, 1));
  for (const SolverInfo& info : solverTable()) {
    const SolverResult result = solve(info.key, problem);
    QVERIFY2(result.status == SolveStatus::Solved, info.key.c_str());
    QVERIFY_NEAR(result.z[0], 3, 1e-9);
    QVERIFY_NEAR(result.z[1], 0, 1e-9);
    QCOMPARE(result.deliveredBy, info.key == "auto" ? std::string("newton-fb") : info.key);
  }
}

void SolversTest::anEmptyProblemIsSolved() {
  for (const SolverInfo& info : solverTable()) {
    const SolverResult result = solve(info.key, ComplementarityProblem());
    QVERIFY2(result.status == SolveStatus::Solved, info.key.c_str());
    QCOMPARE(result.z.size(), Eigen::Index(0));
    QVERIFY(!result.iterations.empty());
  }
}

void SolversTest::everySolverLeavesACurveThatEndsAtItsResidual() {
  ComplementarityProblem problem = contacts(20, 60, 1);
  for (const SolverInfo& info : solverTable()) {
    const SolverResult result = solve(info.key, problem, {}, patient());
    QVERIFY2(result.status == SolveStatus::Solved, info.key.c_str());
    QVERIFY(result.iterations.size() >= 2);
    QVERIFY_NEAR(result.iterations.front().residual, naturalResidual(problem, Eigen::VectorXd::Zero(20)),
                 1e-12);
    QVERIFY_NEAR(result.iterations.back().residual, naturalResidual(problem, result.z), 1e-12);
    QVERIFY_NEAR(result.residual, naturalResidual(problem, result.z), 0);
  }
}

void SolversTest::solversAgreeOnRegularContacts() {
  for (int size : {1, 7, 40, 120}) {
    const ComplementarityProblem problem = contacts(size, 3 * size, 17);
    const Eigen::VectorXd reference = solve("lemke", problem).z;
    for (const SolverInfo& info : solverTable()) {
      const SolverResult result = solve(info.key, problem, {}, patient());
      QVERIFY2(result.status == SolveStatus::Solved, info.key.c_str());
      QVERIFY_NEAR((result.z - reference).norm(), 0, 1e-7 * (1 + reference.norm()));
    }
  }
}

void SolversTest::solversAgreeOnVelocitiesOfRedundantContacts() {
  for (int size : {8, 60, 160}) {
    const ComplementarityProblem problem = contacts(size, size / 4, 23);  // rank a quarter of the rows
    const Eigen::VectorXd reference = problem.A * solve("lemke", problem).z + problem.b;
    for (const char* key : {"auto", "newton-fb", "pgs"}) {
      const SolverResult result = solve(key, problem, {}, patient());
      QVERIFY2(result.status == SolveStatus::Solved, key);
      QVERIFY_NEAR((problem.A * result.z + problem.b - reference).norm(), 0, 1e-6);
    }
  }
}

void SolversTest::anAnswerScalesWithTheUnitsOfItsRows() {
  // D A D, D b has the solution D⁻¹ z. Powers of two, so that the scaling itself does not round.
  const ComplementarityProblem problem = contacts(30, 90, 5);
  Eigen::VectorXd scale(30);
  for (int row = 0; row < 30; ++row) scale[row] = std::ldexp(1.0, 3 * (row % 7) - 9);
  const ComplementarityProblem scaled =
      problemOf(scale.asDiagonal() * problem.A * scale.asDiagonal(), scale.cwiseProduct(problem.b));
  for (const char* key : {"lemke", "newton-fb", "auto", "pgs"}) {
    const SolverResult one = solve(key, problem, {}, patient()), other = solve(key, scaled, {}, patient());
    QCOMPARE(other.status, SolveStatus::Solved);
    QCOMPARE(other.iterations.size(), one.iterations.size());
    QVERIFY_NEAR((scale.cwiseProduct(other.z) - one.z).norm(), 0, 1e-12 * one.z.norm());
    QVERIFY_NEAR(scaledResidual(scaled, other.z), scaledResidual(problem, one.z), 1e-13);
  }
}

void SolversTest::itsOwnAnswerAsStartNeedsNoIteration() {
  const ComplementarityProblem problem = contacts(40, 120, 3);
  const Eigen::VectorXd answer = solve("lemke", problem).z;
  for (const char* key : {"auto", "newton-fb", "newton-min", "pgs"}) {
    const SolverResult result = solve(key, problem, answer);
    QCOMPARE(result.status, SolveStatus::Solved);
    QCOMPARE(result.iterations.size(), std::size_t(1));
  }
}

void SolversTest::aUselessStartIsIgnored() {
  const ComplementarityProblem problem = contacts(10, 30, 3);
  const Eigen::VectorXd nan = Eigen::VectorXd::Constant(10, std::nan(""));
  const Eigen::VectorXd wrongSize = Eigen::VectorXd::Ones(3);
  for (const SolverInfo& info : solverTable())
    for (const Eigen::VectorXd& start : {nan, wrongSize})
      QVERIFY2(solve(info.key, problem, start, patient()).status == SolveStatus::Solved, info.key.c_str());
}

void SolversTest::manyEqualContactsDoNotMakeLemkeCycle() {
  // Every contact six times: all ratios tie.
  const ComplementarityProblem single = contacts(12, 24, 9);
  Eigen::MatrixXd repeat = Eigen::MatrixXd::Zero(12, 72);
  for (int row = 0; row < 72; ++row) repeat(row % 12, row) = 1;
  const ComplementarityProblem problem =
      problemOf(repeat.transpose() * single.A * repeat, repeat.transpose() * single.b);
  const SolverResult result = solve("lemke", problem);
  QCOMPARE(result.status, SolveStatus::Solved);
  QVERIFY(result.iterations.size() < 500);
  QVERIFY_NEAR((repeat * result.z - solve("lemke", single).z).norm(), 0, 1e-10);
}

void SolversTest::aContradictionIsNoSolutionForLemkeAndAuto() {
  // One body between two walls that both push it by 1 m/s towards the other: w0 = z0 − z1 − 1, w1 = −w0 − 2.
  Eigen::MatrixXd A(2, 2);
  A << 1, -1, -1, 1;
  for (const char* key : {"lemke", "auto"}) {
    const SolverResult result = solve(key, problemOf(A, Eigen::Vector2d(-1, -1)));
    QCOMPARE(result.status, SolveStatus::NoSolution);
    QVERIFY(!result.message.empty());
    QVERIFY(result.z.allFinite());
  }
  QCOMPARE(solve("newton-fb", problemOf(A, Eigen::Vector2d(-1, -1))).status, SolveStatus::NotConverged);
}

void SolversTest::autoFallsBackToLemkeAndSaysSo() {
  SolverSettings settings;
  settings.maxIterations = 0;  // no iteration for Newton
  const ComplementarityProblem problem = contacts(10, 30, 11);
  const SolverResult result = solve("auto", problem, {}, settings);
  QCOMPARE(result.status, SolveStatus::Solved);
  QCOMPARE(result.deliveredBy, std::string("lemke"));
}

void SolversTest::gaussSeidelRefusesRowsWithoutDiagonal() {
  Eigen::MatrixXd A(2, 2);
  A << 1, 1, -1, 0;
  const SolverResult result = solve("pgs", problemOf(A, Eigen::Vector2d(-1, 2)));
  QCOMPARE(result.status, SolveStatus::NotConverged);
  QVERIFY2(result.message.find("row 1") != std::string::npos, result.message.c_str());
}

void SolversTest::freeRowsMayHaveAZeroDiagonalForNewton() {
  // Free velocity x of a unit mass and a free joint force f that holds it at 0, together with one contact:
  //   0 = x − f − z − 2,  0 = x,  w = x + z/2 − 1 ≥ 0 ⊥ z ≥ 0:  x = 0, z = 2, f = −4
  Eigen::MatrixXd A(3, 3);
  A << 1, -1, -1, 1, 0, 0, 1, 0, 0.5;
  const ComplementarityProblem problem = problemOf(A, Eigen::Vector3d(-2, 0, -1), 2);
  for (const char* key : {"newton-fb", "newton-min", "lemke", "auto", "pgs"}) {
    const SolverResult result = solve(key, problem, {}, patient());
    QVERIFY2(result.status == SolveStatus::Solved, key);
    QVERIFY_NEAR((result.z - Eigen::Vector3d(0, -4, 2)).norm(), 0, 1e-8);
  }
}

void SolversTest::aSingularFreeBlockIsRefusedByLemkeWithAReason() {
  // The free block is 0, yet the whole is regular: 0 = z − 1, w = x + z − 3: z = 1, x = 2.
  Eigen::MatrixXd A(2, 2);
  A << 0, 1, 1, 1;
  const ComplementarityProblem problem = problemOf(A, Eigen::Vector2d(-1, -3), 1);
  const SolverResult lemke = solve("lemke", problem);
  QCOMPARE(lemke.status, SolveStatus::NotConverged);
  QVERIFY(lemke.message.find("singular") != std::string::npos);
  for (const char* key : {"newton-fb", "auto"}) {
    const SolverResult result = solve(key, problem);
    QCOMPARE(result.status, SolveStatus::Solved);
    QVERIFY_NEAR((result.z - Eigen::Vector2d(2, 1)).norm(), 0, 1e-8);
  }
}

void SolversTest::numbersThatAreNotFiniteAreNeverSuccess() {
  ComplementarityProblem problem = contacts(5, 15, 2);
  problem.A(2, 3) = std::nan("");
  for (const SolverInfo& info : solverTable()) {
    const SolverResult result = solve(info.key, problem);
    QVERIFY2(result.status == SolveStatus::NotConverged, info.key.c_str());
    QVERIFY(!result.message.empty() && !result.iterations.empty());
    QCOMPARE(result.z.size(), Eigen::Index(5));
  }
}

QTEST_APPLESS_MAIN(SolversTest)
#include "tst_solvers.moc"
