#include <QtTest>

#include "core/solver/newton/friction_solver.h"
#include "tests/support/friction_problem.h"
#include "tests/support/near.h"

using namespace touchstone;
using nlohmann::json;
Q_DECLARE_METATYPE(const nlohmann::json*)

/// The forms of NSN's friction on problems with known velocities.
class FrictionSolverTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { m_files = test::referenceFiles(QStringLiteral("friction-problems")); }
  void splitAndFullSolveEveryProblem_data();
  void splitAndFullSolveEveryProblem();
  void theWeightSolvesManyAndNeverClaimsMore();
  void otherRowsAreRefused();

 private:
  std::vector<json> m_files;
};

static SolverSettings settings() {
  SolverSettings own;
  own.maxIterations = 100;
  own.tolerance = 1e-8;
  return own;
}

void FrictionSolverTest::splitAndFullSolveEveryProblem_data() {
  QTest::addColumn<const json*>("problem");
  QTest::addColumn<QString>("solver");
  for (std::size_t file = 0; file < m_files.size(); ++file) {
    int index = 0;
    for (const json& c : m_files[file]["friction"]) {
      for (const char* solver : {"nsn-split", "nsn-full"})
        QTest::newRow(qPrintable(QStringLiteral("%1 %2 %3 %4")
                                     .arg(file)
                                     .arg(index)
                                     .arg(solver, QString::fromStdString(c["kind"]))))
            << &c << QString::fromUtf8(solver);
      ++index;
    }
  }
}

void FrictionSolverTest::splitAndFullSolveEveryProblem() {
  QFETCH(const json*, problem);
  QFETCH(QString, solver);
  const json& c = *problem;
  const ComplementarityProblem own = test::frictionProblem(c);
  const SolverResult result = makeFrictionSolver(solver.toStdString())->solve(own, {}, settings());
  QVERIFY2(result.status == SolveStatus::Solved,
           qPrintable(QStringLiteral("%1, residual %2").arg(result.message.c_str()).arg(result.residual)));
  if (!c["velocities_agree"].get<bool>()) return;
  const Eigen::VectorXd u = own.A * result.z + own.b, expected = test::vectorOf(c["u"]);
  QVERIFY_NEAR((u - expected).norm(), 0, 1e-5 * (1 + expected.norm()));
}

/// As published it cycles where several contacts carry a body that slides.
void FrictionSolverTest::theWeightSolvesManyAndNeverClaimsMore() {
  int solved = 0, all = 0;
  for (const json& c : m_files.front()["friction"]) {
    const ComplementarityProblem own = test::frictionProblem(c);
    const SolverResult result = makeFrictionSolver("nsn-w")->solve(own, {}, settings());
    ++all;
    if (result.status != SolveStatus::Solved) continue;
    ++solved;
    QVERIFY(scaledResidual(own, result.z) <= 1e-8);
  }
  QVERIFY2(solved >= all / 2 && solved < all, qPrintable(QStringLiteral("%1 of %2").arg(solved).arg(all)));
}

void FrictionSolverTest::otherRowsAreRefused() {
  ComplementarityProblem problem;
  problem.A = Eigen::MatrixXd::Identity(2, 2);
  problem.b = Eigen::VectorXd::Constant(2, -1);
  QVERIFY(makeFrictionSolver("nsn-split")->solve(problem, {}, settings()).status == SolveStatus::Solved);
  problem.freeCount = 1;
  const SolverResult result = makeFrictionSolver("nsn-split")->solve(problem, {}, settings());
  QVERIFY(result.status == SolveStatus::NotConverged && result.message.find("contacts") != std::string::npos);
  QVERIFY(!makeFrictionSolver("nsn"));
}

QTEST_APPLESS_MAIN(FrictionSolverTest)
#include "tst_friction_solver.moc"
