#include <QtTest>

#include "core/parallel/parallel_for.h"
#include "core/solver/dense/problem.h"
#include "core/solver/linear/batched_krylov.h"
#include "core/solver/linear/linear.h"
#include "tests/support/near.h"
#include "tests/support/separate_device.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using nlohmann::json;

/// Iterative linear solvers alone and inside Newton's method.
class LinearTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void eachSolvesAPositiveDefiniteSystem_data();
  void eachSolvesAPositiveDefiniteSystem();
  void krylovSolversEndAfterAsManyStepsAsEigenvalues();
  void aSingularConsistentSystemIsSolved_data() {
    keyRows({"pcr", "pcg", "pcg-best", "gauss-seidel", "jacobi"});
  }
  void aSingularConsistentSystemIsSolved();
  void newtonSolvesTheSymmetricReferenceProblemsWithEach_data();
  void newtonSolvesTheSymmetricReferenceProblemsWithEach();
  void unsymmetricProblemsAreRefusedWithTheReason();
  void largeSystemsGiveTheSameBitsOnAnyNumberOfThreads_data() { krylovAndJacobi(); }
  void largeSystemsGiveTheSameBitsOnAnyNumberOfThreads();
  void anEngineSolvesWithinTheMatrixThatItKeeps_data() { krylovAndJacobi(); }
  void anEngineSolvesWithinTheMatrixThatItKeeps();
  void newtonGivesTheSameBitsOnAnotherBackend_data() { krylovAndJacobi(); }
  void newtonGivesTheSameBitsOnAnotherBackend();
  void aBackendWithoutAnEngineIsNamed();
  void pcgEndsAtItsLastIterateAndPcgBestAtItsBest();
  void aParameterChoosesBetweenBoth();

 private:
  static void keyRows(std::initializer_list<const char*> keys) {
    QTest::addColumn<QString>("key");
    for (const char* key : keys) QTest::newRow(key) << key;
  }
  static void krylovAndJacobi() { keyRows({"pcr", "pcg", "pcg-best", "jacobi"}); }
};

/// The discrete Laplacian with a shift: eigenvalues in (shift, 4 + shift).
static Eigen::MatrixXd laplacian(int size, double shift) {
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(size, size);
  for (int row = 0; row < size; ++row) {
    S(row, row) = 2 + shift;
    if (row > 0) S(row, row - 1) = S(row - 1, row) = -1;
  }
  return S;
}

void LinearTest::eachSolvesAPositiveDefiniteSystem_data() {
  keyRows({"direct", "pcr", "pcg", "pcg-best", "gauss-seidel", "jacobi"});
}

void LinearTest::anEngineSolvesWithinTheMatrixThatItKeeps() {
  QFETCH(QString, key);
  const LinearSolver solver = linearSolverOf(qPrintable(key));
  const Eigen::MatrixXd A = laplacian(90, 0.2);
  const std::vector<int> rows{1, 2, 3, 7, 8, 30, 31, 32, 33, 34, 89};
  const Eigen::VectorXd added = Eigen::VectorXd::LinSpaced(11, 0, 2),
                        x = Eigen::VectorXd::LinSpaced(11, -1, 2);
  Eigen::MatrixXd S = A(rows, rows);
  S.diagonal() += added;
  const Eigen::VectorXd r = S * x;
  const LinearResult expected = solveLinear(solver, S, r, 1e-11, 3000);
  const auto separate = test::separateBatchedKrylov();
  const BatchedKrylovLease host(BackendKind::Cpu);
  for (BatchedKrylov* engine : {host.operator->(), separate.get()}) {
    engine->setMatrix(A);
    QVERIFY_NEAR(
        (engine->multiply(Eigen::VectorXd::LinSpaced(90, 0, 1)) - A * Eigen::VectorXd::LinSpaced(90, 0, 1))
            .norm(),
        0, 1e-13);
    for (int again = 0; again < 2; ++again) {
      const LinearResult result = engine->solveWithin(solver, rows, added, r, 1e-11, 3000);
      QVERIFY_NEAR((result.x - x).norm(), 0, 1e-9);
      QVERIFY(result.x == expected.x && result.iterations == expected.iterations);
    }
  }
}

/// Some contacts stay open: Newton's systems are parts of the matrix.
void LinearTest::newtonGivesTheSameBitsOnAnotherBackend() {
  QFETCH(QString, key);
  registerBatchedKrylov(BackendKind::Cuda, test::separateBatchedKrylov);
  ComplementarityProblem problem;
  problem.A = laplacian(60, 0.5);
  problem.b.resize(60);
  for (int row = 0; row < 60; ++row) problem.b[row] = std::sin(0.6 * row) - 0.2;
  problem.symmetric = true;
  for (const char* solver : {"newton-fb", "newton-min"}) {
    SolverSettings settings;
    settings.tolerance = 1e-9;
    settings.linear = linearSolverOf(qPrintable(key));
    settings.linearIterations = 3000;
    const SolverResult host = makeSolver(solver)->solve(problem, {}, settings);
    settings.backend = BackendKind::Cuda;
    const SolverResult device = makeSolver(solver)->solve(problem, {}, settings);
    QVERIFY2(host.status == SolveStatus::Solved, host.message.c_str());
    QVERIFY(device.z == host.z);
    QVERIFY(host.z.minCoeff() < 1e-9 && host.z.maxCoeff() > 0.1);
    SolverSettings direct;
    direct.tolerance = 1e-12;
    QVERIFY_NEAR((makeSolver(solver)->solve(problem, {}, direct).z - host.z).norm(), 0, 1e-7);
  }
  registerBatchedKrylov(BackendKind::Cuda, []() -> std::unique_ptr<BatchedKrylov> {
    throw std::runtime_error("no CUDA device can be used on this machine");
  });
}

void LinearTest::eachSolvesAPositiveDefiniteSystem() {
  QFETCH(QString, key);
  const LinearSolver solver = linearSolverOf(qPrintable(key));
  QCOMPARE(QString(toString(solver)), key);
  const Eigen::MatrixXd S = laplacian(30, 1);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(30, -1, 2);
  const LinearResult result = solveLinear(solver, S, S * x, 1e-12, 2000);
  QVERIFY_NEAR((result.x - x).norm(), 0, 1e-10);
  QVERIFY(result.residual <= 1e-12);
}

void LinearTest::krylovSolversEndAfterAsManyStepsAsEigenvalues() {
  // Two distinct eigenvalues, equal diagonal: two steps.
  Eigen::MatrixXd S = 3 * Eigen::MatrixXd::Identity(20, 20);
  for (int row = 0; row < 20; row += 2) S(row, row + 1) = S(row + 1, row) = 1;
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(20, 1, 5);
  for (LinearSolver solver : {LinearSolver::Pcg, LinearSolver::Pcr})
    QVERIFY(solveLinear(solver, S, r, 1e-12, 100).iterations <= 3);
}

/// Redundant contacts: the solution is not unique, the product is. LU gives any or none.
void LinearTest::aSingularConsistentSystemIsSolved() {
  QFETCH(QString, key);
  Eigen::MatrixXd G(3, 6);
  G << 1, 1, 0, 0, 1, 2, 0, 1, 1, 0, 2, 1, 1, 0, 0, 1, 0, 1;
  const Eigen::MatrixXd S = G.transpose() * G;
  const Eigen::VectorXd r = S * Eigen::VectorXd::LinSpaced(6, 1, 2);
  const LinearResult result = solveLinear(linearSolverOf(qPrintable(key)), S, r, 1e-9, 5000);
  QVERIFY_NEAR((S * result.x - r).norm(), 0, 1e-8 * r.norm());
}

void LinearTest::newtonSolvesTheSymmetricReferenceProblemsWithEach_data() {
  keyRows({"pcr", "pcg", "pcg-best"});
}

void LinearTest::newtonSolvesTheSymmetricReferenceProblemsWithEach() {
  QFETCH(QString, key);
  int solved = 0;
  for (const json& file : test::referenceFiles(QStringLiteral("lcp-problems")))
    for (const json& c : file["problems"]) {
      if (!c["symmetric"].get<bool>() || c["status"] != "solvable") continue;
      ComplementarityProblem problem;
      const int n = static_cast<int>(c["b"].size());
      problem.A.resize(n, n);
      problem.b.resize(n);
      problem.symmetric = true;
      for (int row = 0; row < n; ++row) {
        problem.b[row] = c["b"][row];
        for (int column = 0; column < n; ++column) problem.A(row, column) = c["A"][row][column];
      }
      SolverSettings settings;
      settings.tolerance = 1e-9;
      settings.linear = linearSolverOf(qPrintable(key));
      const SolverResult result = makeSolver("newton-fb")->solve(problem, {}, settings);
      QVERIFY2(result.status == SolveStatus::Solved, result.message.c_str());
      ++solved;
    }
  QVERIFY(solved > 0);
}

void LinearTest::unsymmetricProblemsAreRefusedWithTheReason() {
  ComplementarityProblem problem;
  problem.A = Eigen::MatrixXd::Identity(2, 2);
  problem.A(0, 1) = 1;
  problem.b = -Eigen::VectorXd::Ones(2);
  SolverSettings settings;
  settings.linear = LinearSolver::Pcg;
  const SolverResult result = makeSolver("newton-fb")->solve(problem, {}, settings);
  QVERIFY(result.status == SolveStatus::NotConverged);
  QVERIFY(result.message.find("pcg needs a symmetric matrix") != std::string::npos);
}

void LinearTest::largeSystemsGiveTheSameBitsOnAnyNumberOfThreads() {
  QFETCH(QString, key);
  const Eigen::MatrixXd S = laplacian(777, 0.5);  // several parts of columns, the last one short
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(777, -1, 2);
  const LinearResult many = solveLinear(linearSolverOf(qPrintable(key)), S, S * x, 1e-11, 500);
  QVERIFY_NEAR((many.x - x).norm() / x.norm(), 0, 1e-9);
  const ThreadLimit one(1);
  const LinearResult single = solveLinear(linearSolverOf(qPrintable(key)), S, S * x, 1e-11, 500);
  QCOMPARE(single.iterations, many.iterations);
  QVERIFY(single.x == many.x);
}

void LinearTest::aBackendWithoutAnEngineIsNamed() {
  const Eigen::MatrixXd S = laplacian(3, 1);
  QVERIFY_EXCEPTION_THROWN(solveLinear(LinearSolver::Pcr, S, S.col(0), 1e-10, 10, BackendKind::Cuda),
                           std::runtime_error);
}

/// Saad 2003, algorithm 9.1, step by step. @return iterates from the first one on
static std::vector<Eigen::VectorXd> publishedPcg(const Eigen::MatrixXd& S, const Eigen::VectorXd& right,
                                                 int count) {
  const Eigen::VectorXd inverse = S.diagonal().cwiseInverse();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size()), r = right, z = inverse.cwiseProduct(r), p = z;
  std::vector<Eigen::VectorXd> iterates;
  for (int k = 0; k < count; ++k) {
    const double product = r.dot(z), alpha = product / p.dot(S * p);
    x += alpha * p;
    r -= alpha * (S * p);
    z = inverse.cwiseProduct(r);
    p = z + r.dot(z) / product * p;
    iterates.push_back(x);
  }
  return iterates;
}

/// As many iterations as make the residual rise; on another backend likewise.
void LinearTest::pcgEndsAtItsLastIterateAndPcgBestAtItsBest() {
  constexpr int kSize = 24, kMost = 12;
  // A wide spectrum without a pattern on the diagonal.
  Eigen::MatrixXd G(kSize, kSize);
  for (int row = 0; row < kSize; ++row)
    for (int column = 0; column < kSize; ++column)
      G(row, column) = std::sin(1.0 + 7.3 * row + 3.1 * column * row) * std::pow(0.6, column);
  const Eigen::MatrixXd S = G * G.transpose() + 1e-6 * Eigen::MatrixXd::Identity(kSize, kSize);
  const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(kSize, -1, 2);
  const std::vector<Eigen::VectorXd> iterates = publishedPcg(S, right, kMost);
  double least = 1, last = 1;
  Eigen::VectorXd best = Eigen::VectorXd::Zero(kSize);
  int count = 0;
  while (count < kMost && !(last > 1.5 * least)) {
    const Eigen::VectorXd& x = iterates[count++];
    last = (right - S * x).norm() / right.norm();
    if (last < least) {
      least = last;
      best = x;
    }
  }
  QVERIFY(last > 1.5 * least);  // or nothing is seen
  const Eigen::VectorXd& end = iterates[count - 1];
  const auto separate = test::separateBatchedKrylov();
  const BatchedKrylovLease host(BackendKind::Cpu);
  for (BatchedKrylov* engine : {host.operator->(), separate.get()}) {
    const LinearResult published = engine->solve(LinearSolver::Pcg, S, right, 0, count),
                       kept = engine->solve(LinearSolver::PcgBest, S, right, 0, count);
    QCOMPARE(published.iterations, count);
    QVERIFY_NEAR((published.x - end).norm(), 0, 1e-9 * end.norm());
    QVERIFY_NEAR(published.residual, last, 1e-9 * last);
    QVERIFY_NEAR((kept.x - best).norm(), 0, 1e-9 * end.norm());
    QVERIFY_NEAR(kept.residual, least, 1e-9);
  }
}

void LinearTest::aParameterChoosesBetweenBoth() {
  QVERIFY(linearSolverOf("pcg", "last") == LinearSolver::Pcg);
  QVERIFY(linearSolverOf("pcg", "best") == LinearSolver::PcgBest);
  for (const char* key : {"direct", "pcr", "gauss-seidel", "jacobi"})
    QCOMPARE(QString(toString(linearSolverOf(key, "best"))), QString(key));
}

QTEST_APPLESS_MAIN(LinearTest)
#include "tst_linear.moc"
