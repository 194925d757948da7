#include "core/solver/dense/lemke_rows.h"

#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/product/row_product.inl"

namespace touchstone {

namespace {

/// Runs solveOne(island) for all islands that run.
template <class Solve>
void eachRunning(const LemkeRows::Step& step, const Solve& solveOne) {
  constexpr int kWorthAThread = 8;  // units outside the largest island: some ten microseconds of work.
                                    // Larger: cores idle; smaller: threads cost more than they save
  std::vector<int> running;
  int total = 0, largest = 0;
  for (int island = 0; island < countOf(step.units); ++island) {
    if (!step.running[island]) continue;
    running.push_back(island);
    total += countOf(step.units[island]);
    largest = std::max(largest, countOf(step.units[island]));
  }
  parallelFor(
      countOf(running), [&](int index) { solveOne(running[index]); },
      total - largest < kWorthAThread ? Work::Heavy : Work::Long);
}

/// The held row of a table, or the end.
std::vector<HeldImpulse>::iterator findHeld(std::vector<HeldImpulse>& held, int row) {
  return std::find_if(held.begin(), held.end(),
                      [row](const HeldImpulse& impulse) { return impulse.row == row; });
}

/// Holds Symmetric rows beyond their bound, and releases those that no longer oppose their rate.
/// @param step  with impulses and velocities of the answer   @return true if a row changed
bool updateHeld(const LemkeRows::Step& step, const std::vector<int>& units, std::vector<HeldImpulse>& held) {
  constexpr double kRounding = 1e-12;  // share of the bound. Larger: drives exceed their bound; smaller: a
                                       // drive at its bound is held and released in turn
  bool isChanged = false;
  for (const int index : units) {
    const RowUnit& unit = step.rows.units[index];
    eachRate(step.rows, unit, step.velocities, [&](int rowOfUnit, double rate) {
      const int row = unit.firstRow + rowOfUnit;
      const Row& asked = step.rows.rows[row];
      if (asked.law != RowLaw::Symmetric || !(asked.bound > 0) || (asked.flags & kTransient)) return;
      const double impulse = step.z[row];
      const auto found = findHeld(held, row);
      if (found == held.end()) {
        if (!(std::abs(impulse) > (1 + kRounding) * asked.bound)) return;
        held.push_back({row, impulse > 0 ? asked.bound : -asked.bound});
      } else {
        // w of the row, which would shrink with a smaller impulse if it has its sign
        if (!(impulse * (asked.constant + rate + asked.compliance * impulse) > 0)) return;
        held.erase(found);
      }
      isChanged = true;
    });
  }
  return isChanged;
}

}  // namespace

LemkeRows::LemkeRows() : m_solver(makeSolver("lemke")) {}

DenseProblem LemkeRows::problem(const RowsView& rows, const CarrierMetric& metric,
                                const CarrierVelocities& free, const std::vector<int>& units,
                                int island) const {
  const bool isKnown = island < countOf(m_solved);
  return denseProblem(rows, metric, free, units, m_model,
                      isKnown ? m_solved[island].held : std::vector<HeldImpulse>());
}

void LemkeRows::apply(const Step& step, int island, const DenseProblem& dense) {
  SolvedIsland& solved = m_solved[island];
  writeImpulses(step.rows, dense, appliedImpulses(dense.problem, solved.result.z), step.z);
  for (const int unit : dense.units) {
    const RowBlock& block = step.rows.blocks[step.rows.units[unit].block];
    for (int k = 0; k < block.carrierCount; ++k) {
      const int carrier = step.rows.carriersOf(block)[k];
      step.velocities.linear[carrier] = step.free.linear[carrier];
      step.velocities.angular[carrier] = step.free.angular[carrier];
    }
  }
  addImpulses(step.rows, step.metric, dense.units, step.z, step.velocities);

  // The status of the solver decides, because its own measure differs from this one by rounding.
  const double tolerance = step.settings[island].tolerance;
  solved.scaled = scaledResidual(dense.problem, solved.result.z);
  if (solved.result.status == SolveStatus::Solved)
    solved.scaled = std::min(solved.scaled, tolerance);
  else if (solved.result.status == SolveStatus::NoSolution)
    solved.scaled = HUGE_VAL;
  else
    solved.scaled = std::max(solved.scaled, std::nextafter(tolerance, HUGE_VAL));
}

void LemkeRows::solveIsland(const Step& step, int island) {
  // Each round holds or releases one row at least. Larger: a cycle costs more; smaller: chains of drives that
  // saturate one after another end early.
  constexpr int kMostRounds = 20;
  SolvedIsland& solved = m_solved[island];
  solved.held.clear();
  for (int round = 1;; ++round) {
    const DenseProblem dense = problem(step, island);
    solved.start = unknownsOf(step.rows, dense, step.start);
    solved.result = m_solver->solve(dense.problem, solved.start, step.settings[island]);
    solved.tolerance = naturalTolerance(dense.problem, step.settings[island].tolerance);
    apply(step, island, dense);
    const std::vector<HeldImpulse> answered = solved.held;
    if (!updateHeld(step, step.units[island], solved.held)) return;
    if (round < kMostRounds) continue;
    solved.held = answered;
    solved.result.status = SolveStatus::NotConverged;
    solved.result.message = "which drives are at their largest force did not settle";
    solved.scaled = std::max(solved.scaled, std::nextafter(step.settings[island].tolerance, HUGE_VAL));
    return;
  }
}

void LemkeRows::solve(const Step& step) {
  m_solved.resize(step.units.size());
  eachRunning(step, [&](int island) { solveIsland(step, island); });
}

int LemkeRows::soften(const Step& step, double softness) {
  const auto solver = makeSolver("auto");
  std::vector<char> isSoftened(m_solved.size(), 0);
  eachRunning(step, [&](int island) {
    const DenseProblem dense = problem(step, island);
    ComplementarityProblem soft = dense.problem;
    auto unilateral = soft.A.diagonal().tail(soft.A.rows() - soft.freeCount);
    unilateral += softness * unilateral.cwiseMax(0);
    SolverSettings settings = step.settings[island];
    settings.linear = LinearSolver::Direct;
    SolvedIsland& solved = m_solved[island];
    const SolverResult result = solver->solve(soft, solved.result.z, settings);
    if (result.status == SolveStatus::Solved) {
      isSoftened[island] = 1;
      solved.result.z = result.z;
      solved.result.residual = naturalResidual(dense.problem, result.z);
    }
    apply(step, island, dense);
  });
  return static_cast<int>(std::count(isSoftened.begin(), isSoftened.end(), 1));
}

void LemkeRows::addTo(RowSolverReport& report) const {
  const SolvedIsland* largest = nullptr;
  for (const SolvedIsland& solved : m_solved) {
    if (solved.result.z.size() > (largest ? largest->result.z.size() : 0)) largest = &solved;
    if (solved.result.status == SolveStatus::Solved || solved.result.z.size() == 0) continue;
    if (report.worst == SolveStatus::NoSolution && solved.result.status != report.worst) continue;
    report.worst = solved.result.status;
    report.message = solved.result.message;
  }
  if (!largest) return;
  const SolvedIsland& drawn = *largest;
  report.iterations = drawn.result.iterations;
  report.deliveredBy = drawn.result.deliveredBy;
  report.tolerance = drawn.tolerance;
  report.largestDense = countOf(drawn.result.z);
}

const SolvedIsland* LemkeRows::solved(int island) const {
  const bool isKnown = island < countOf(m_solved) && !m_solved[island].result.deliveredBy.empty();
  return isKnown ? &m_solved[island] : nullptr;
}

}  // namespace touchstone
