#include <QtTest>
#include <cmath>
#include <random>

#include "tests/support/near.h"
#include "tests/support/row_scenes.h"
#include "tests/support/row_solves.h"

using namespace touchstone;
using namespace touchstone::test;

namespace {

/// A start that obeys no law: impulses between −0.2 and 1 N·s, of Members 0.
std::vector<double> startOf(const Model& model, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-0.2, 1);
  std::vector<double> z;
  for (const Row& row : model.table.rows) z.push_back(row.law == RowLaw::Member ? 0 : number(random));
  return z;
}

/// Velocities ν̃ + H⁻¹ Fᵀ z.
Motion pushedBy(const Model& model, const std::vector<double>& z) {
  Motion pushed = model.free;
  addImpulses(model.table.view(), model.metric(), model.units(), z.data(), pushed.view());
  return pushed;
}

/// Largest failure of each island. @param islands  [blocks]
std::vector<double> residualsOfIslands(const Model& model, const std::vector<double>& z,
                                       const std::vector<int>& islands, int count) {
  const AnswerMeasure measure = measured(model, {z, pushedBy(model, z)});
  if (!(measure.laws <= 1e-12 * measure.residual)) return std::vector<double>(count, NAN);
  std::vector<double> residuals(count, 0.0);
  for (int block = 0; block < countOf(islands); ++block) {
    const RowBlock& rows = model.table.blocks[block];
    for (int row = rows.firstRow; row < rows.firstRow + rows.rowCount; ++row)
      residuals[islands[block]] = std::max(residuals[islands[block]], measure.failures[row]);
  }
  return residuals;
}

/// Places of the units of an island.
std::vector<int> unitsOf(const Model& model, const std::vector<int>& islands, int island) {
  std::vector<int> units;
  for (int unit = 0; unit < countOf(model.table.units); ++unit)
    if (islands[model.table.units[unit].block] == island) units.push_back(unit);
  return units;
}

/// Solvers whose curve begins with the start. Lemke's curve is that of its pivots, also where `auto` falls
/// back on it, which it does without friction.
bool beginsWithStart(const SolverChoice& solver, bool hasFriction) {
  return solver.kind != RowSolverKind::Lemke && (!isAuto(solver) || hasFriction);
}

void addScenes() {
  QTest::addColumn<int>("number");
  const std::vector<NamedModel> scenes = everyScene();
  for (int number = 0; number < countOf(scenes); ++number) QTest::newRow(scenes[number].name) << number;
}

}  // namespace

/// One residual for all solvers: that of a start of theirs is one number.
class OneResidualTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void curvesBeginWithTheResidualOfTheStart_data();
  void curvesBeginWithTheResidualOfTheStart();
  void contactsFailAsTheirDenseProblemSays_data();
  void contactsFailAsTheirDenseProblemSays();
  void solversStopAtTheIterateThatReachesTheTolerance_data();
  void solversStopAtTheIterateThatReachesTheTolerance();
};

void OneResidualTest::curvesBeginWithTheResidualOfTheStart_data() { addScenes(); }

void OneResidualTest::curvesBeginWithTheResidualOfTheStart() {
  QFETCH(int, number);
  const NamedModel scene = everyScene()[number];
  const bool hasChain = QString(scene.name).startsWith("all");  // whose island has no friction
  for (const unsigned seed : {1, 2, 3}) {
    const std::vector<double> z = startOf(scene.model, seed);
    std::vector<double> ofReference;
    for (const SolverChoice& solver : everySolver()) {
      if (!beginsWithStart(solver, scene.hasFriction && !hasChain)) continue;
      for (const int iterations : {0, 1}) {
        RowSolve solve(scene.model, solver, iterations);
        std::copy(z.begin(), z.end(), solve.solver->startImpulses());
        solve.solve();
        const std::vector<int> islands = solve.islandOfBlocks(scene.model);
        const std::vector<double> expected =
            residualsOfIslands(scene.model, z, islands, solve.solver->islandCount());
        const RowSolverReport report = solve.solver->report();
        if (isAuto(solver)) {  // each begins with its own start, which is none where this one is a bad guess
          QVERIFY(countOf(report.iterations) > iterations);
          continue;
        }
        QCOMPARE(countOf(report.iterations), iterations + 1);
        std::vector<int> rows(expected.size(), 0);
        for (const RowUnit& unit : scene.model.table.units) rows[islands[unit.block]] += unit.rowCount;
        const auto largest = std::max_element(rows.begin(), rows.end()) - rows.begin();
        QVERIFY2(std::fabs(report.iterations.front().residual / expected[largest] - 1) < 1e-12, solver.name);
        if (iterations > 0) continue;
        std::vector<double> ofIslands;
        for (int island = 0; island < countOf(expected); ++island) {
          ofIslands.push_back(solve.solver->islands()[island].best.natural);
          QVERIFY_NEAR(ofIslands[island] / expected[island], 1, 1e-12);
        }
        if (ofReference.empty()) ofReference = ofIslands;
        // Sweeps push carriers block by block, Newton's method by the sum of all pushes.
        // So does Newton in body space, to velocities relative to those without impulses.
        if (sweeps(solver) || solver.kind == RowSolverKind::NewtonCarrier) continue;
        QVERIFY2(ofIslands == ofReference, solver.name);
      }
    }
  }
}

void OneResidualTest::contactsFailAsTheirDenseProblemSays_data() {
  QTest::addColumn<int>("number");
  const std::vector<NamedModel> scenes = everyScene();
  for (int number = 0; number < countOf(scenes); ++number) {
    const QString name = scenes[number].name;
    if (name.startsWith("stacks") || name.startsWith("surfaces") || name.startsWith("net"))
      QTest::newRow(scenes[number].name) << number;
  }
}

void OneResidualTest::contactsFailAsTheirDenseProblemSays() {
  QFETCH(int, number);
  NamedModel scene = everyScene()[number];
  Model& model = scene.model;
  for (const unsigned seed : {1, 2, 3}) {
    const std::vector<double> z = startOf(model, seed);
    for (const SolverChoice& solver : everySolver()) {
      if (!beginsWithStart(solver, scene.hasFriction) || isAuto(solver)) continue;
      RowSolve solve(model, solver, 0);
      std::vector<double> start = z;
      for (int row = 0; row < countOf(start); ++row)  // rows without friction are not in the dense problem
        if (model.table.rows[row].law == RowLaw::Disk && !scene.hasFriction) start[row] = 0;
      std::copy(start.begin(), start.end(), solve.solver->startImpulses());
      solve.solve();
      const std::vector<int> islands = solve.islandOfBlocks(model);
      for (int island = 0; island < solve.solver->islandCount(); ++island) {
        const DenseProblem dense = denseProblem(model.table.view(), model.metric(), model.free.view(),
                                                unitsOf(model, islands, island), ModelSettings());
        const double residual =
            naturalResidual(dense.problem, unknownsOf(model.table.view(), dense, start.data()));
        QVERIFY_NEAR(solve.solver->islands()[island].best.natural / residual, 1, 1e-12);
      }
    }
  }
}

void OneResidualTest::solversStopAtTheIterateThatReachesTheTolerance_data() { addScenes(); }

/// The tolerance is the least residual of the first iterates. Tolerances decide how far iterative linear
/// solvers go, so that only sweeps and direct systems have the same iterates again.
void OneResidualTest::solversStopAtTheIterateThatReachesTheTolerance() {
  QFETCH(int, number);
  const NamedModel scene = everyScene()[number];
  for (const SolverChoice& solver : everySolver()) {
    const bool isDirect =
        solver.kind == RowSolverKind::NewtonFbOnHost || solver.kind == RowSolverKind::NewtonMinOnHost;
    if (solver.kind != RowSolverKind::Pgs && (!isDirect || solver.linear != LinearSolver::Direct)) continue;
    for (const int iterations : {0, 1, 3}) {
      RowSolve early(scene.model, solver, iterations);
      early.solve();
      const IslandCurve& first = early.solver->islands()[0];
      RowSolve late(scene.model, solver, 100, first.best.scaled);
      late.solve();
      const IslandCurve& second = late.solver->islands()[0];
      QVERIFY2(second.isSolved(), solver.name);
      QVERIFY(second.best.scaled == first.best.scaled && second.best.natural == first.best.natural);
      QVERIFY(second.measured <= iterations + 1);
      if (iterations == 0) QCOMPARE(second.measured, 1);
    }
  }
}

QTEST_APPLESS_MAIN(OneResidualTest)
#include "tst_one_residual.moc"
