#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/solver/dense/lemke_rows.h"
#include "core/solver/product/row_product.inl"
#include "tests/support/near.h"
#include "tests/support/row_models.h"

using namespace touchstone;
using namespace touchstone::test;

namespace {

/// Arrays of a solve of all islands of a model.
struct Solve {
  std::vector<std::vector<int>> units;
  std::vector<int> running;
  std::vector<SolverSettings> settings;
  std::vector<double> start, z;
  Motion velocities;
  LemkeRows lemke;

  Solve(const Model& model, const std::vector<std::vector<int>>& islands, FrictionShape friction)
      : units(islands),
        running(islands.size(), 1),
        settings(islands.size()),
        start(model.table.rows.size(), 0.0),
        z(model.table.rows.size(), 0.0),
        velocities(model.carrierCount()) {
    ModelSettings modelSettings;
    modelSettings.friction = friction;
    modelSettings.facets = 8;
    lemke.setModel(modelSettings);
  }
  LemkeRows::Step step(Model& model) {
    return {model.table.view(), model.metric(), model.free.view(), units, running, settings,
            start.data(),       z.data(),       velocities.view()};
  }
};

/// Largest failure of the rows without friction by the laws of the table, with r = 1.
double largestFailure(Model& model, Solve& solve) {
  double largest = 0;
  const RowsView rows = model.table.view();
  for (const RowUnit& unit : model.table.units) {
    std::vector<double> w(unit.rowCount), ones(unit.rowCount, 1.0);
    const Row* unitRows = rows.rows + unit.firstRow;
    const double* z = solve.z.data() + unit.firstRow;
    eachRate(rows, unit, solve.velocities.view(), [&](int row, double rate) {
      w[row] = unitRows[row].constant + rate + unitRows[row].compliance * z[row];
    });
    eachFailure(unitRows, unit.rowCount, z, w.data(), ones.data(), ones.data(), [&](int row, double failure) {
      if (unitRows[row].law != RowLaw::Disk && !(failure <= largest)) largest = failure;
    });
  }
  return largest;
}

}  // namespace

/// Islands of a table by Lemke's method, with drives at their bound.
class LemkeRowsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void lemkeSolvesBoxesWithADriveAtItsBound();
  void drivesSettleAsSweepsDo();
  void islandsThatDoNotRunKeepTheirAnswer();
  void contradictingRowsAreSoftened();
};

void LemkeRowsTest::lemkeSolvesBoxesWithADriveAtItsBound() {
  Model model(3);
  addTouches(touchesOfBoxes(false), 0.5, false, model);
  addSet(0.2, model);
  constexpr double kBound = 0.01;
  addGeneralRow(rowOf(RowLaw::Free, 0.01), 1, kJointBlock, {1, 2}, model);
  addGeneralRow(rowOf(RowLaw::Symmetric, 3, 0.001, kBound), 2, kJointBlock, {1, 2}, model);
  addGeneralRow(rowOf(RowLaw::Symmetric, 0.01, 0.001, 1e3), 3, kJointBlock, {0, 2}, model);
  addGeneralRow(rowOf(RowLaw::Unilateral, -0.2), 4, kJointBlock, {0, 2}, model);
  Solve solve(model, {model.units()}, FrictionShape::Pyramid);
  solve.lemke.solve(solve.step(model));

  const SolvedIsland& solved = *solve.lemke.solved(0);
  QVERIFY2(solved.result.status == SolveStatus::Solved, solved.result.message.c_str());
  QVERIFY(solved.scaled <= solve.settings[0].tolerance);
  const DenseProblem dense =
      solve.lemke.problem(model.table.view(), model.metric(), model.free.view(), model.units(), 0);
  QVERIFY(naturalResidual(dense.problem, solved.result.z) <= 1e-10);
  QCOMPARE(countOf(solved.held), 1);
  const int drive = model.table.units[countOf(model.table.units) - 3].firstRow;
  QCOMPARE(solved.held[0].row, drive);
  QCOMPARE(std::abs(solve.z[drive]), kBound);
  QVERIFY(std::abs(solve.z[drive + 1]) > 0);

  // Laws of the table, and ν⁺ from the impulses alone.
  QVERIFY_NEAR(largestFailure(model, solve), 0, 1e-9);
  Motion pushed = model.free;
  addImpulses(model.table.view(), model.metric(), model.units(), solve.z.data(), pushed.view());
  for (int carrier = 0; carrier < 3; ++carrier) {
    QCOMPARE(solve.velocities.linear[carrier], pushed.linear[carrier]);
    QCOMPARE(solve.velocities.angular[carrier], pushed.angular[carrier]);
  }
  for (const RowUnit& unit : model.table.units) {
    if (model.table.blocks[unit.block].form == RowForm::General) continue;
    const double* z = solve.z.data() + unit.firstRow;
    QVERIFY(std::hypot(z[1], z[2]) <= model.table.rows[unit.firstRow + 1].bound * z[0] * (1 + 1e-9) + 1e-12);
  }
  RowSolverReport report;
  solve.lemke.addTo(report);
  QCOMPARE(report.deliveredBy, std::string("lemke"));
  QCOMPARE(report.largestDense, countOf(dense.problem.b));

  // A drive with more force returns, in a second solve.
  model.table.rows[drive].bound = 1e3;
  solve.lemke.solve(solve.step(model));
  QVERIFY(solve.lemke.solved(0)->result.status == SolveStatus::Solved);
  QVERIFY(solve.lemke.solved(0)->held.empty());
  QVERIFY_NEAR(largestFailure(model, solve), 0, 1e-9);
}

/// Drives between three bodies, several of which saturate: z by clamped sweeps over their measured matrix.
void LemkeRowsTest::drivesSettleAsSweepsDo() {
  constexpr int kDrives = 6;
  constexpr double kCompliance = 2;  // of the size of A: it decides which drives return
  int held = 0, problems = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Model model(3);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int drive = 0; drive < kDrives; ++drive)
      addGeneralRow(
          rowOf(RowLaw::Symmetric, number(random), kCompliance, 0.05 + 0.2 * std::abs(number(random))),
          1000 * seed + drive, kJointBlock,
          drive % 3 == 0   ? std::vector<int>{0, 1}
          : drive % 3 == 1 ? std::vector<int>{0, 2}
                           : std::vector<int>{1, 2},
          model);
    std::vector<Expected> unknowns;
    for (int drive = 0; drive < kDrives; ++drive) unknowns.push_back(ofGeneralRow(model, drive));
    Measured measured(model, unknowns);
    measured.A.diagonal().array() = (1 + kRedundantRows) * measured.A.diagonal().array() + kCompliance;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(kDrives);
    for (int sweep = 0; sweep < 5000; ++sweep)
      for (int drive = 0; drive < kDrives; ++drive) {
        const double bound = model.table.rows[drive].bound;
        const double w = measured.A.row(drive).dot(z) + measured.b[drive];
        z[drive] = std::clamp(z[drive] - w / measured.A(drive, drive), -bound, bound);
      }
    Solve solve(model, {model.units()}, FrictionShape::Disk);
    solve.lemke.solve(solve.step(model));
    for (int drive = 0; drive < kDrives; ++drive) QVERIFY_NEAR(solve.z[drive], z[drive], 1e-8);
    const SolvedIsland& solved = *solve.lemke.solved(0);
    QVERIFY2(solved.result.status == SolveStatus::Solved, solved.result.message.c_str());
    QVERIFY(solved.scaled <= solve.settings[0].tolerance);
    QCOMPARE(countOf(solved.result.z), kDrives - countOf(solved.held));
    held += countOf(solved.held);
    ++problems;
  }
  QVERIFY(held > problems && held < kDrives * problems);
}

void LemkeRowsTest::islandsThatDoNotRunKeepTheirAnswer() {
  Model model(2);
  addTouches({{-1, 0, Vec3(0, 1, 0), Vec3(0, -0.5, 0), -0.1}, {-1, 1, Vec3(0, 1, 0), Vec3(0, 0.4, 0), -0.1}},
             0, false, model);
  Solve solve(model, {{0}, {1}}, FrictionShape::Disk);
  solve.running[1] = 0;
  solve.z[3] = 42;
  solve.velocities.linear[1] = Vec3(1, 2, 3);
  solve.lemke.solve(solve.step(model));
  QVERIFY(solve.lemke.solved(0) && !solve.lemke.solved(1));
  QVERIFY(solve.z[0] > 0);
  QCOMPARE(solve.z[3], 42.0);
  QCOMPARE(solve.velocities.linear[1], Vec3(1, 2, 3));

  // Each island alone has the bits of both together.
  const double alone = solve.z[0];
  solve.running[1] = 1;
  solve.lemke.forget();
  solve.lemke.solve(solve.step(model));
  QCOMPARE(solve.z[0], alone);
  QVERIFY(solve.lemke.solved(1));
}

/// A body between two faces that both push it: p along x, and along −x, with rates that cannot both be ≥ 0.
void LemkeRowsTest::contradictingRowsAreSoftened() {
  Model model(1);
  const Vec3 centre = model.position[0];
  model.free = Motion(1);
  addTouches({{-1, 0, Vec3(1, 0, 0), centre, -0.1}, {-1, 0, Vec3(-1, 0, 0), centre, -0.1}}, 0, false, model);
  Solve solve(model, {model.units()}, FrictionShape::Disk);
  solve.lemke.solve(solve.step(model));
  QVERIFY(solve.lemke.solved(0)->result.status == SolveStatus::NoSolution);
  QVERIFY(solve.lemke.solved(0)->scaled > 1);
  QCOMPARE(solve.lemke.soften(solve.step(model), 1e-3), 1);
  QVERIFY_NEAR(solve.velocities.linear[0].norm(), 0, 1e-9);  // both are violated alike
  QVERIFY_NEAR(solve.z[0], 100, 1e-6);                       // 1e-3 p = 0.1 m/s · 1 kg
  QVERIFY_NEAR(solve.lemke.solved(0)->result.residual, 0.1, 1e-9);
}

QTEST_APPLESS_MAIN(LemkeRowsTest)
#include "tst_lemke_rows.moc"
