#include <QtTest>

#include "core/solver/dense/problem.h"
#include "core/solver/solver_traits.h"
#include "tests/support/near.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using nlohmann::json;

Q_DECLARE_METATYPE(const json*)

/// Reference problems with known solutions: every solver is compared with the solution and with the others.
class LcpVectorsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { m_files = test::referenceFiles(QStringLiteral("lcp-problems")); }
  void lemkeSolvesWhatIsSolvableAndSaysWhatIsNot_data() { problemRows("problems"); }
  void lemkeSolvesWhatIsSolvableAndSaysWhatIsNot();
  void autoSolvesEverySolvableProblem_data() { problemRows("problems", isSolvable); }
  void autoSolvesEverySolvableProblem();
  void newtonSolvesEverySymmetricProblem_data() {
    problemRows("problems", [](const json& c) { return isSolvable(c) && c["symmetric"].get<bool>(); });
  }
  void newtonSolvesEverySymmetricProblem();
  void noSolverClaimsWhatItDidNotReach_data() { problemRows("problems"); }
  void noSolverClaimsWhatItDidNotReach();
  void mixedProblemsAgreeInTheFreePart_data() { problemRows("mlcp"); }
  void mixedProblemsAgreeInTheFreePart();

 private:
  static bool isAny(const json&) { return true; }
  static bool isSolvable(const json& c) { return c["status"] != "none"; }

  /// One row for each problem that the test is about.
  void problemRows(const char* part, bool (*isWanted)(const json&) = isAny) {
    QTest::addColumn<const json*>("reference");
    for (std::size_t file = 0; file < m_files.size(); ++file)
      for (std::size_t index = 0; index < m_files[file][part].size(); ++index) {
        if (!isWanted(m_files[file][part][index])) continue;
        QTest::newRow(qPrintable(
            QStringLiteral("%1 %2 %3")
                .arg(file)
                .arg(index)
                .arg(QString::fromStdString(m_files[file][part][index].value("kind", std::string(part))))))
            << static_cast<const json*>(&m_files[file][part][index]);
      }
  }
  std::vector<json> m_files;
};

static ComplementarityProblem problemOf(const json& c) {
  ComplementarityProblem problem;
  problem.A = test::matrixOf(c["A"]);
  problem.b = test::vectorOf(c["b"]);
  return problem;
}

static SolverSettings tight() {
  SolverSettings settings;
  settings.tolerance = 1e-9;
  settings.maxIterations = 200;
  return settings;
}

void LcpVectorsTest::lemkeSolvesWhatIsSolvableAndSaysWhatIsNot() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const ComplementarityProblem problem = problemOf(c);
  if (c["status"] == "none") {
    for (const char* key : {"lemke", "auto"})
      QVERIFY2(makeSolver(key)->solve(problem, {}, tight()).status == SolveStatus::NoSolution, key);
    return;
  }
  const SolverResult result = makeSolver("lemke")->solve(problem, {}, tight());
  QVERIFY2(result.status == SolveStatus::Solved, result.message.c_str());
  QVERIFY_NEAR(scaledResidual(problem, result.z), 0, 1e-9);
  QVERIFY(!result.iterations.empty());
  if (!c["unique"].get<bool>()) return;
  const Eigen::VectorXd expected = test::vectorOf(c["z"]);
  QVERIFY_NEAR((result.z - expected).cwiseAbs().maxCoeff(), 0, 1e-6 * (1 + expected.cwiseAbs().maxCoeff()));
}

void LcpVectorsTest::autoSolvesEverySolvableProblem() {
  QFETCH(const json*, reference);
  const ComplementarityProblem problem = problemOf(*reference);
  const SolverResult result = makeSolver("auto")->solve(problem, {}, tight());
  QVERIFY2(result.status == SolveStatus::Solved, result.message.c_str());
  QVERIFY_NEAR(scaledResidual(problem, result.z), 0, 1e-9);
  QVERIFY(result.deliveredBy == "newton-fb" || result.deliveredBy == "lemke");
}

void LcpVectorsTest::newtonSolvesEverySymmetricProblem() {
  QFETCH(const json*, reference);
  const ComplementarityProblem problem = problemOf(*reference);
  const SolverResult result = makeSolver("newton-fb")->solve(problem, {}, tight());
  QVERIFY2(result.status == SolveStatus::Solved, result.message.c_str());
  QVERIFY_NEAR(scaledResidual(problem, result.z), 0, 1e-9);
}

void LcpVectorsTest::noSolverClaimsWhatItDidNotReach() {
  QFETCH(const json*, reference);
  const ComplementarityProblem problem = problemOf(*reference);
  for (const SolverTraits& info : storedSolvers())
    for (double tolerance : {1e-3, 1e-9, 1e-15}) {
      SolverSettings settings;
      settings.tolerance = tolerance;
      const SolverResult result = makeSolver(info.key)->solve(problem, {}, settings);
      QCOMPARE(result.z.size(), problem.b.size());
      QVERIFY2(!result.iterations.empty(), info.key.c_str());
      QVERIFY_NEAR(result.residual, naturalResidual(problem, result.z), 1e-12 * (1 + result.residual));
      if (result.status == SolveStatus::Solved)
        QVERIFY_NEAR(scaledResidual(problem, result.z), 0, tolerance);
      else
        QVERIFY2(!result.message.empty(), info.key.c_str());
      if ((*reference)["status"] == "none") QVERIFY2(result.status != SolveStatus::Solved, info.key.c_str());
    }
}

void LcpVectorsTest::mixedProblemsAgreeInTheFreePart() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const Eigen::MatrixXd M11 = test::matrixOf(c["M11"]), M12 = test::matrixOf(c["M12"]),
                        M21 = test::matrixOf(c["M21"]), M22 = test::matrixOf(c["M22"]);
  ComplementarityProblem problem;
  problem.freeCount = static_cast<int>(M11.rows());
  problem.A.resize(M11.rows() + M21.rows(), M11.cols() + M12.cols());
  problem.A << M11, M12, M21, M22;
  problem.b.resize(problem.A.rows());
  problem.b << test::vectorOf(c["b1"]), test::vectorOf(c["b2"]);
  for (const char* key : {"lemke", "newton-fb", "auto"}) {
    const SolverResult result = makeSolver(key)->solve(problem, {}, tight());
    QVERIFY2(result.status == SolveStatus::Solved, key);
    const Eigen::VectorXd v = test::vectorOf(c["v"]);
    QVERIFY_NEAR((result.z.head(problem.freeCount) - v).cwiseAbs().maxCoeff(), 0,
                 1e-6 * (1 + v.cwiseAbs().maxCoeff()));
  }
}

QTEST_APPLESS_MAIN(LcpVectorsTest)
#include "tst_lcp_vectors.moc"
