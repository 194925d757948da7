#include <QtTest>
#include <cmath>

#include "tests/support/near.h"
#include "tests/support/row_scenes.h"
#include "tests/support/row_solves.h"

using namespace touchstone;
using namespace touchstone::test;

namespace {

// Solvers stop at a scaled residual of 1e-12. The worst conditioned scene makes 1e-11 m/s of it.
// Larger: faults of single rows pass; smaller: the last digits of a solver fail.
constexpr double kResidual = 1e-11;  // m/s
// Lemke's method adds kRedundantRows = 1e-10 to the diagonal of joints, with impulses below 1 N·s and A below
// 1/kg · 10. Larger: another problem passes as the same one; smaller: this softness fails.
// Newton in body space ends where the softness of its rows meets rounding, at some 1e-10.
constexpr double kSoftResidual = 1e-9;  // m/s
constexpr double kAgreement = 1e-9;     // m/s, rad/s. Residuals of 1e-11 m/s times the condition of A
constexpr double kRounding = 1e-13;     // m/s, rad/s. Sums of 10 terms of size 10; sweeps add up 500 changes

/// Index of the largest rate of a Maximum and its Members.
int activeOf(const Model& model, const RowUnit& unit, RowAnswer& answer, double& largest) {
  std::vector<double> w(unit.rowCount);
  setRates(model.table.view(), unit, answer.velocities.view(), answer.z.data() + unit.firstRow, w.data());
  int active = 0;
  for (int row = unit.groupRows; row < unit.rowCount; ++row)
    if (w[row] > w[active]) active = row;
  largest = w[active];
  return active;
}

bool takes(const SolverChoice& solver, const NamedModel& scene) {
  return solver.kind != RowSolverKind::Lemke || !scene.hasFriction;  // a pyramid has another answer
}

/// Adds a row of data for each solver.
void addSolvers() {
  QTest::addColumn<int>("number");
  const std::vector<SolverChoice> solvers = everySolver();
  for (int number = 0; number < countOf(solvers); ++number) QTest::newRow(solvers[number].name) << number;
}

/// Message of a check that fails.
QByteArray message(const NamedModel& scene, const char* quantity, double value) {
  return QStringLiteral("%1: %2 %3").arg(scene.name, quantity).arg(value, 0, 'g', 17).toUtf8();
}

/// True if bits of all entries are equal.
bool haveSameBits(const Vec3& one, const Vec3& other) {
  return one.x() == other.x() && one.y() == other.y() && one.z() == other.z();
}
bool haveSameBits(const Motion& one, const Motion& other) {
  for (int carrier = 0; carrier < countOf(one.linear); ++carrier)
    if (!haveSameBits(one.linear[carrier], other.linear[carrier]) ||
        !haveSameBits(one.angular[carrier], other.angular[carrier]))
      return false;
  return true;
}

}  // namespace

/// Every solver of rows on tables with one answer: contacts, joints, sets, surfaces, and all of them
/// together.
class EverySolverTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void scenesHoldWhatTheyName();
  void everySolverFindsTheSameVelocities_data();
  void everySolverFindsTheSameVelocities();
  void unfinishedAnswersAreReportedAsTheyAre_data();
  void unfinishedAnswersAreReportedAsTheyAre();
  void anIslandAloneHasTheSameBits_data();
  void anIslandAloneHasTheSameBits();
  void islandsThatDoNotRunKeepTheirVelocities_data();
  void islandsThatDoNotRunKeepTheirVelocities();
  void compliantRowsEndInAFewIterations();
  void moreSweepsHoldJointsBetter();
  void autoLeavesAStartThatIsWorseThanNone();
};

void EverySolverTest::scenesHoldWhatTheyName() {
  ChainRows rows;
  const Model links = chain(&rows);
  const RowAnswer held = RowSolve(links, kReference, 200).solve();
  QCOMPARE(held.z[rows.dryFriction], -links.table.rows[rows.dryFriction].bound);
  QVERIFY(held.z[rows.limit] > 0.01);
  QCOMPARE(held.z[rows.saturated], links.table.rows[rows.saturated].bound);
  QVERIFY(std::abs(held.z[rows.drive]) > 0.01 && std::abs(held.z[rows.drive]) < 1);
  QVERIFY(std::abs(held.z[rows.stuck]) > 0.001 && std::abs(held.z[rows.stuck]) < 1);
  QCOMPARE(held.z[rows.given], links.table.rows[rows.given].bound);
  QVERIFY(std::abs(held.z[rows.mimic]) > 1e-5);

  const Model primaries = sets(0.4);
  RowAnswer pushed = RowSolve(primaries, kReference, 200).solve();
  std::vector<bool> isPrimary, isOpen;
  for (const RowUnit& unit : primaries.table.units) {
    if (primaries.table.rows[unit.firstRow].law != RowLaw::Maximum) continue;
    double largest = 0;
    isPrimary.push_back(activeOf(primaries, unit, pushed, largest) == 0);
    isOpen.push_back(largest > 1e-3);
    QCOMPARE(pushed.z[unit.firstRow] > 0.01, !isOpen.back());
  }
  QCOMPARE(isPrimary, (std::vector<bool>{true, false, false}));
  QCOMPARE(isOpen, (std::vector<bool>{false, false, true}));

  int open = 0, sticking = 0, sliding = 0;
  const Model towers = stacks(0.5, 1.5);
  const RowAnswer fallen = RowSolve(towers, kReference, 200).solve();
  for (const RowUnit& unit : towers.table.units) {
    const double *z = fallen.z.data() + unit.firstRow,
                 limit = towers.table.rows[unit.firstRow + 1].bound * z[0];
    if (!(z[0] > 1e-6))
      ++open;
    else if (std::hypot(z[1], z[2]) < 0.99 * limit)
      ++sticking;
    else
      ++sliding;
  }
  QVERIFY2(open > 0 && sticking > 0 && sliding > 0,
           qPrintable(QStringLiteral("%1 open, %2 stick, %3 slide").arg(open).arg(sticking).arg(sliding)));
}

void EverySolverTest::everySolverFindsTheSameVelocities_data() { addSolvers(); }

void EverySolverTest::everySolverFindsTheSameVelocities() {
  QFETCH(int, number);
  const SolverChoice solver = everySolver()[number];
  const bool isSoft = solver.kind == RowSolverKind::Lemke || solver.kind == RowSolverKind::NewtonCarrier;
  for (const NamedModel& scene : everyScene()) {
    if (!takes(solver, scene)) continue;
    const RowAnswer expected = RowSolve(scene.model, kReference, kReference.iterations).solve();
    RowSolve solve(scene.model, solver, solver.iterations, solver.tolerance);
    const RowAnswer answer = solve.solve();
    const RowSolverReport report = solve.solver->report();
    QVERIFY2(report.unsolved == 0, message(scene, "unsolved islands", report.residual));
    const AnswerMeasure measure = measured(scene.model, answer);
    QVERIFY2(measure.residual <= (isSoft ? kSoftResidual : kResidual),
             message(scene, "residual", measure.residual));
    QVERIFY2(measure.momentum <= kRounding, message(scene, "momentum", measure.momentum));
    QVERIFY2(measure.rates <= kRounding, message(scene, "rates", measure.rates));
    QVERIFY2(measure.laws <= kRounding, message(scene, "laws", measure.laws));
    const double apart = largestDifference(answer.velocities, expected.velocities);
    QVERIFY2(apart <= kAgreement, message(scene, "velocities", apart));
    // At its end an answer is brought to what laws allow, by as much as it fails.
    QVERIFY_NEAR(report.residual, measure.residual, isSoft ? kSoftResidual : kResidual);
  }
}

void EverySolverTest::unfinishedAnswersAreReportedAsTheyAre_data() { addSolvers(); }

/// Residuals of solvers that end early against those of their impulses and velocities. Newton's method brings
/// its impulses to what their laws allow after its last iterate, which report() is about; residualOfAnswers()
/// is about the answer.
void EverySolverTest::unfinishedAnswersAreReportedAsTheyAre() {
  QFETCH(int, number);
  const SolverChoice solver = everySolver()[number];
  for (const NamedModel& scene : everyScene()) {
    if (!takes(solver, scene)) continue;
    for (const int iterations : {1, 2, 4}) {
      RowSolve solve(scene.model, solver, iterations);
      const RowAnswer answer = solve.solve();
      const AnswerMeasure measure = measured(scene.model, answer);
      QVERIFY2(measure.momentum <= kRounding, message(scene, "momentum", measure.momentum));
      if (measure.residual <= 1e-6) continue;  // Lemke's method has ended; or 1e-12 of it is rounding
      const double reported = solve.solver->report().residual;
      if (solver.kind == RowSolverKind::Pgs) QVERIFY_NEAR(reported / measure.residual, 1, 1e-12);
      solve.solver->noteUnsolved();
      QVERIFY_NEAR(solve.solver->residualOfAnswers() / measure.residual, 1, 1e-12);
    }
  }
}

void EverySolverTest::anIslandAloneHasTheSameBits_data() { addSolvers(); }

void EverySolverTest::anIslandAloneHasTheSameBits() {
  constexpr int kIslands = 9;
  QFETCH(int, number);
  const SolverChoice solver = everySolver()[number];
  const Model whole = allTogether(solver.kind != RowSolverKind::Lemke);
  RowSolve solve(whole, solver, solver.iterations);
  const RowAnswer answer = solve.solve();
  const std::vector<int> islands = solve.islandOfBlocks(whole);
  QCOMPARE(solve.solver->islandCount(), kIslands);
  for (int island = 0; island < kIslands; ++island) {
    const Part part = islandOf(whole, islands, island);
    RowSolve partSolve(part.model, solver, solver.iterations);
    QCOMPARE(partSolve.solver->islandCount(), 1);
    const RowAnswer alone = partSolve.solve();
    for (int row = 0; row < countOf(part.rows); ++row) QVERIFY(alone.z[row] == answer.z[part.rows[row]]);
    for (int carrier = 0; carrier < countOf(part.carriers); ++carrier) {
      const int place = part.carriers[carrier];
      QVERIFY(haveSameBits(alone.velocities.linear[carrier], answer.velocities.linear[place]));
      QVERIFY(haveSameBits(alone.velocities.angular[carrier], answer.velocities.angular[place]));
    }
    const IslandCurve &curve = solve.solver->islands()[island], &curveAlone = partSolve.solver->islands()[0];
    QCOMPARE(curveAlone.measured, curve.measured);
    QVERIFY(curveAlone.best.natural == curve.best.natural && curveAlone.best.scaled == curve.best.scaled);
  }
}

void EverySolverTest::islandsThatDoNotRunKeepTheirVelocities_data() { addSolvers(); }

/// All islands are solved, then every second one again, while carriers of the others have velocities that no
/// solver has given them.
void EverySolverTest::islandsThatDoNotRunKeepTheirVelocities() {
  QFETCH(int, number);
  const SolverChoice solver = everySolver()[number];
  const Model whole = allTogether(solver.kind != RowSolverKind::Lemke);
  const int carriers = whole.carrierCount();
  int changed = 0;
  for (const int resting : {0, 1}) {  // the large island is the last one, and even
    RowSolve solve(whole, solver, solver.iterations);
    const RowAnswer first = solve.solve();
    const std::vector<int> islands = solve.islandOfBlocks(whole);
    const auto runAgain = [&] {
      for (int island = 0; island < solve.solver->islandCount(); ++island)
        solve.solver->running()[island] = island % 2 == resting ? 0 : 1;
      solve.solver->freeVelocities();
      solve.solver->start(false);
      return solve.solve();
    };
    const RowAnswer second = runAgain();
    QVERIFY(haveSameBits(second.velocities, first.velocities));
    QVERIFY(second.z == first.z);

    Motion other = first.velocities;
    for (int block = 0; block < countOf(islands); ++block)
      for (const int carrier : carriersOf(whole.table, block))
        if (islands[block] % 2 == resting) {
          other.linear[carrier] = Vec3(carrier, 2, 3);
          other.angular[carrier] = Vec3(4, 5, 6);
        }
    solve.velocities() = other;
    const RowAnswer third = runAgain();
    for (int carrier = 0; carrier < carriers; ++carrier)
      if (!haveSameBits(third.velocities.linear[carrier], other.linear[carrier]) ||
          !haveSameBits(third.velocities.angular[carrier], other.angular[carrier]))
        ++changed;
  }
  QCOMPARE(changed, 0);
}

/// The minimum map is linear between bounds: with all derivatives, compliances among them, the chain ends two
/// iterations after its start.
void EverySolverTest::compliantRowsEndInAFewIterations() {
  const Model links = chain();
  for (const SolverChoice& solver : everySolver()) {
    if (solver.kind != RowSolverKind::NewtonMin && solver.kind != RowSolverKind::NewtonMinOnHost) continue;
    RowSolve solve(links, solver, solver.iterations);
    solve.solve();
    QVERIFY2(countOf(solve.solver->report().iterations) <= 5, solver.name);
  }
}

void EverySolverTest::moreSweepsHoldJointsBetter() {
  const Model links = chain();
  double before = HUGE_VAL;
  for (const int sweeps : {1, 5, 25, 125}) {
    RowSolve solve(links, everySolver().back(), sweeps);
    const RowAnswer answer = solve.solve();
    const double residual = measured(links, answer).residual;
    QVERIFY_NEAR(solve.solver->report().residual, residual, 1e-15);
    QVERIFY2(residual < before / 1.5, qPrintable(QString::number(sweeps)));
    before = residual;
  }
}

/// Impulses of another problem, a thousand times too large, are no start: the answer is that from nothing,
/// bit by bit.
void EverySolverTest::autoLeavesAStartThatIsWorseThanNone() {
  for (const SolverChoice& solver : everySolver()) {
    if (!isAuto(solver)) continue;
    const Model towers = stacks(0.5, 1.5);
    const RowAnswer fromNothing = RowSolve(towers, solver, solver.iterations).solve();
    RowSolve solve(towers, solver, solver.iterations);
    for (int row = 0; row < countOf(towers.table.rows); ++row)
      solve.solver->startImpulses()[row] = row % 2 == 0 ? 1000 : -300;
    const RowAnswer answer = solve.solve();
    QVERIFY2(haveSameBits(answer.velocities, fromNothing.velocities), solver.name);
    QVERIFY2(answer.z == fromNothing.z, solver.name);
  }
}

QTEST_APPLESS_MAIN(EverySolverTest)
#include "tst_every_solver.moc"
