#include <QtTest>

#include "core/statistics/performance_profile.h"
#include "tests/support/near.h"

using namespace touchstone;

class PerformanceProfileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsWhatIsWithinAFactorOfTheBest();
  void unsolvedProblemsCountForNoFactor();
  void stairsRiseWhereAProblemComesIn();
  void outcomesAreThoseOfTheSolver();
};

static ProblemOutcome outcome(double time, double residual, bool isSolved = true) {
  ProblemOutcome own;
  own.result.status = isSolved ? SolveStatus::Solved : SolveStatus::NotConverged;
  own.time = isSolved ? time : HUGE_VAL;
  own.residual = residual;
  return own;
}

/// Three problems: a is twice, four times and just as fast as b.
static PerformanceProfile threeProblems() {
  PerformanceProfile profile({"a", "b"});
  profile.add("one", {outcome(1, 1e-9), outcome(2, 1e-10)});
  profile.add("two", {outcome(1, 1e-9), outcome(4, 1e-9)});
  profile.add("three", {outcome(3, 1e-9), outcome(3, 1e-12)});
  return profile;
}

using Measure = PerformanceProfile::Measure;

void PerformanceProfileTest::countsWhatIsWithinAFactorOfTheBest() {
  const PerformanceProfile profile = threeProblems();
  QVERIFY_NEAR(profile.shareWithin(0, 1, Measure::Time), 1.0, 1e-15);
  QVERIFY_NEAR(profile.shareWithin(1, 1, Measure::Time), 1.0 / 3, 1e-15);
  QVERIFY_NEAR(profile.shareWithin(1, 2, Measure::Time), 2.0 / 3, 1e-15);
  QVERIFY_NEAR(profile.shareWithin(1, 4, Measure::Time), 1.0, 1e-15);
  QVERIFY_NEAR(profile.shareWithin(0, 1, Measure::Residual), 1.0 / 3, 1e-15);
  QVERIFY_NEAR(profile.shareWithin(0, 11, Measure::Residual), 2.0 / 3, 1e-15);
}

void PerformanceProfileTest::unsolvedProblemsCountForNoFactor() {
  PerformanceProfile profile = threeProblems();
  profile.add("four", {outcome(1, 1e-30, false), outcome(5, 1e-9)});
  QVERIFY_NEAR(profile.shareWithin(0, 1e300, Measure::Time), 0.75, 1e-15);
  QVERIFY_NEAR(profile.shareWithin(0, 1e300, Measure::Residual), 0.75, 1e-15);
  QVERIFY_NEAR(profile.shareWithin(1, 1, Measure::Time), 0.5, 1e-15);
}

void PerformanceProfileTest::stairsRiseWhereAProblemComesIn() {
  const std::vector<PerformanceProfile::Stair> stairs = threeProblems().stairs(1, Measure::Time);
  QCOMPARE(stairs.size(), std::size_t(3));
  QVERIFY(stairs[0].factor == 1 && stairs[1].factor == 2 && stairs[2].factor == 4);
  QVERIFY_NEAR(stairs[0].share, 1.0 / 3, 1e-15);
  QVERIFY_NEAR(stairs[2].share, 1.0, 1e-15);
  const std::string figure = threeProblems().svg();
  QVERIFY(figure.find(">a</text>") != std::string::npos && figure.find(">b</text>") != std::string::npos);
}

void PerformanceProfileTest::outcomesAreThoseOfTheSolver() {
  StoredProblem stored;
  stored.problem.A = Eigen::MatrixXd::Identity(2, 2);
  stored.problem.b = Eigen::Vector2d(-1, 2);
  stored.problem.symmetric = true;
  stored.start = Eigen::VectorXd::Zero(2);
  const ProblemOutcome own = outcomeOf(*makeSolver("lemke"), stored, SolverSettings());
  QVERIFY(own.result.status == SolveStatus::Solved && own.time > 0 && own.time < 1e6);
  QVERIFY_NEAR(own.result.z[0], 1, 1e-12);
  QVERIFY(own.residual < 1e-12);
}

QTEST_APPLESS_MAIN(PerformanceProfileTest)
#include "tst_performance_profile.moc"
