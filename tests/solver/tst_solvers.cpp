#include <QtTest>
#include <cstdint>

#include "core/solver/dense/problem.h"
#include "core/solver/solver_traits.h"
#include "tests/support/near.h"

using namespace touchstone;

Q_DECLARE_METATYPE(LinearSolver)

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
  void newtonEndsWithinAStepOfAnActiveContact();
  void newtonAddsNothingThatRedundantContactsCancel();
  void aStepThatOnlyRisesIsNoWholeOne();
  void iterativeDirectionsAreAsGoodAsTheirTolerance_data();
  void iterativeDirectionsAreAsGoodAsTheirTolerance();
};

void SolversTest::theTableListsTheSolversInTheirOrder() {
  QStringList keys;
  for (const SolverTraits& info : solverTable()) {
    keys << QString::fromStdString(info.key);
    QCOMPARE(makeSolver(info.key) != nullptr, info.takesStored);
    QVERIFY(!info.name.empty() && !info.help.empty());
  }
  QCOMPARE(keys, QStringList(
                     {"auto", "newton-fb", "lemke", "pgs", "pgs-conjugate", "newton-carrier", "newton-min"}));
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
  for (const SolverTraits& info : storedSolvers()) {
    const SolverResult result = solve(info.key, problem);
    QVERIFY2(result.status == SolveStatus::Solved, info.key.c_str());
    QVERIFY_NEAR(result.z[0], 3, 1e-9);
    QVERIFY_NEAR(result.z[1], 0, 1e-9);
    QCOMPARE(result.deliveredBy, info.key == "auto" ? std::string("newton-fb") : info.key);
  }
}

void SolversTest::anEmptyProblemIsSolved() {
  for (const SolverTraits& info : storedSolvers()) {
    const SolverResult result = solve(info.key, ComplementarityProblem());
    QVERIFY2(result.status == SolveStatus::Solved, info.key.c_str());
    QCOMPARE(result.z.size(), Eigen::Index(0));
    QVERIFY(!result.iterations.empty());
  }
}

void SolversTest::everySolverLeavesACurveThatEndsAtItsResidual() {
  ComplementarityProblem problem = contacts(20, 60, 1);
  for (const SolverTraits& info : storedSolvers()) {
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
    for (const SolverTraits& info : storedSolvers()) {
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
  for (const SolverTraits& info : storedSolvers())
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
  for (const SolverTraits& info : storedSolvers()) {
    const SolverResult result = solve(info.key, problem);
    QVERIFY2(result.status == SolveStatus::NotConverged, info.key.c_str());
    QVERIFY(!result.message.empty() && !result.iterations.empty());
    QCOMPARE(result.z.size(), Eigen::Index(5));
  }
}

/// w = z − 1: Newton's step is 1 / (1 + 1e-8) with the shift of its matrix, so that 1e-8 is left.
void SolversTest::newtonEndsWithinAStepOfAnActiveContact() {
  const SolverResult result =
      solve("newton-min", problemOf(Eigen::MatrixXd::Ones(1, 1), Eigen::VectorXd::Constant(1, -1)));
  QCOMPARE(result.status, SolveStatus::Solved);
  QVERIFY_NEAR(result.iterations.at(1).residual, 0, 2e-8);
}

/// A plate on its four corners, in units in which A has 1 on its diagonal: column i of G is (1, x_i, z_i) /
/// √3 with x, z = ±1, so that G Gᵀ = 4/3. A velocity u of approach is stopped by ¾ Gᵀ u and any multiple of
/// (1, −1, 1, −1) on top. The shift leaves that out, but for rounding, 1e-16 / 1e-8; without it the matrix is
/// singular, and with one near rounding any multiple comes.
void SolversTest::newtonAddsNothingThatRedundantContactsCancel() {
  Eigen::MatrixXd G(3, 4);
  G << 1, 1, 1, 1, 1, 1, -1, -1, 1, -1, -1, 1;
  G /= std::sqrt(3.0);
  const Eigen::Vector3d u(1, 0.3, -0.2);
  const SolverResult result = solve("newton-min", problemOf(G.transpose() * G, -G.transpose() * u));
  QCOMPARE(result.status, SolveStatus::Solved);
  QVERIFY_NEAR((result.z - 0.75 * G.transpose() * u).norm(), 0, 1e-6);
}

/// Of positive principal minors, so with one answer: (0, 2, 0) with w = (3.5, 0, 2.5). From 0 rows 2 and 3
/// hold, Newton points to (0, 7, −10), and the merit, 2.125 at first, is higher at all of 1, ½, ¼ and ⅛ of
/// the way. At 3/4, (0, 5.25, −7.5), only row 2 holds, and the next step ends; whole steps go round for ever.
void SolversTest::aStepThatOnlyRisesIsNoWholeOne() {
  Eigen::MatrixXd A(3, 3);
  A << 1, 0.25, 0.5, -1, 1, 0.5, -2, 1.5, 1;
  const SolverResult result = solve("newton-min", problemOf(A, Eigen::Vector3d(3, -2, -0.5)));
  QCOMPARE(result.status, SolveStatus::Solved);
  QVERIFY_NEAR((result.z - Eigen::Vector3d(0, 2, 0)).norm(), 0, 1e-9);
  // (0, 5.25, −7.5): w = (0.5625, −0.5, −0.125).
  QVERIFY_NEAR(result.iterations.at(1).residual, 7.5, 1e-6);
}

void SolversTest::iterativeDirectionsAreAsGoodAsTheirTolerance_data() {
  QTest::addColumn<LinearSolver>("linear");
  QTest::addColumn<int>("most");
  // Conjugate residuals: |r_k| ≤ 2 q^k |r_0| with q = (√3 − 1) / (√3 + 1) for eigenvalues in [1/2, 3/2] (Saad
  // 2003, 6.11.3) is 1e-6 at k = 12. Gradients: the same bound in the norm of the matrix, √3 more.
  QTest::newRow("pcr") << LinearSolver::Pcr << 12;
  QTest::newRow("pcg") << LinearSolver::Pcg << 12;
  QTest::newRow("gauss-seidel") << LinearSolver::GaussSeidel << 200;
  QTest::newRow("jacobi") << LinearSolver::Jacobi << 200;
}

/// A chain of 60 contacts that all hold: 1 on the diagonal, 1/4 beside it. The minimum map is linear there,
/// so that the first step leaves what its linear system does: 1e-6 of |b| (and the shift's 1e-8 of |z| ≤ 2
/// |b|).
void SolversTest::iterativeDirectionsAreAsGoodAsTheirTolerance() {
  QFETCH(LinearSolver, linear);
  QFETCH(int, most);
  constexpr int kRows = 60;
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(kRows, kRows);
  for (int row = 1; row < kRows; ++row) A(row, row - 1) = A(row - 1, row) = 0.25;
  Eigen::VectorXd b(kRows);  // an even row has −2, an odd one −1 − 1/2 at most: each impulse stays positive
  for (int row = 0; row < kRows; ++row) b[row] = row % 2 == 0 ? -2 : -1 - 0.5 * (row % 7) / 6;
  ComplementarityProblem problem = problemOf(A, b);
  problem.symmetric = true;
  SolverSettings settings;
  settings.tolerance = 1e-12;
  settings.linear = linear;
  const SolverResult result = solve("newton-min", problem, {}, settings);
  QVERIFY2(result.status == SolveStatus::Solved, result.message.c_str());
  QVERIFY(result.z.minCoeff() > 0);
  const SolverIteration& first = result.iterations.at(1);
  QVERIFY_NEAR(first.linearResidual, 0, 1e-6);
  QVERIFY_NEAR(first.residual, 0, 1.02e-6 * b.norm());
  QVERIFY2(first.linearIterations <= most, qPrintable(QString::number(first.linearIterations)));
}

QTEST_APPLESS_MAIN(SolversTest)
#include "tst_solvers.moc"
