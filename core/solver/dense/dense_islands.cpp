#include "core/solver/dense/dense_islands.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {

void eachRunning(const DenseIslands::Step& step, const std::vector<IslandOfRows>& islands,
                 const std::function<void(std::size_t island)>& solveOne) {
  constexpr std::size_t kWorthAThread = 8;  // rows outside the largest island: some ten microseconds of work.
                                            // Larger: cores idle; smaller: threads cost more than they save
  std::vector<std::size_t> running;
  std::size_t all = 0, largest = 0;
  for (std::size_t island = 0; island < islands.size(); ++island) {
    if (!step.running[island]) continue;
    running.push_back(island);
    all += islands[island].rows.size();
    largest = std::max(largest, islands[island].rows.size());
  }
  parallelFor(
      static_cast<int>(running.size()),
      [&](int index) { solveOne(running[static_cast<std::size_t>(index)]); },
      all - largest < kWorthAThread ? Work::Heavy : Work::Long);
}

}  // namespace

SolverSettings DenseIslands::settingsOf(const IslandCurve& island, SolverSettings settings) const {
  settings.tolerance = island.limits.tolerance;
  settings.maxIterations = island.limits.maxIterations;
  settings.velocityUnit = island.limits.velocityUnit;
  return settings;
}

void DenseIslands::use(const IslandOfRows& island, const DenseProblem& problem, const SolvedIsland& solved,
                       IslandCurve& curve, const WorldView& world, Step& step) const {
  const Eigen::VectorXd z = appliedImpulses(problem.problem, solved.result.z);
  writeImpulses(step.rows, island, problem, z, m_model, step.best);
  addImpulses(world, problem, z);
  const double tolerance = curve.limits.tolerance, scaled = scaledResidual(problem.problem, solved.result.z);
  curve.isDone = 1;
  curve.measured = 0;
  curve.hasNoSolution = solved.result.status == SolveStatus::NoSolution ? 1 : 0;
  // The solver's word is what counts: it has measured the same on its own scale, and may differ by rounding.
  const bool isSolved = solved.result.status == SolveStatus::Solved;
  curve.best = {isSolved              ? std::min(scaled, tolerance)
                : curve.hasNoSolution ? HUGE_VAL
                                      : std::max(scaled, std::nextafter(tolerance, HUGE_VAL)),
                solved.result.residual};
}

void DenseIslands::solve(Step& step, const SolverSettings& settings) {
  m_solved.resize(step.islands.size());
  const std::vector<IslandOfRows> islands = islandsOf(step.rows, static_cast<int>(m_solved.size()), false);
  const WorldView world = step.bodies.view();
  eachRunning(step, islands, [&](std::size_t index) {
    const IslandOfRows& island = islands[index];
    const SolverSettings own = settingsOf(step.islands[index], settings);
    const DenseProblem problem = denseProblem(world, step.rows, island, m_model);
    SolvedIsland& solved = m_solved[index];
    solved.start = unknownsOf(step.rows, island, problem, step.start, m_model);
    solved.result = m_solver->solve(problem.problem, solved.start, own);
    solved.tolerance = naturalTolerance(problem.problem, own.tolerance);
    use(island, problem, solved, step.islands[index], world, step);
  });
}

int DenseIslands::soften(Step& step, double softness, const SolverSettings& settings) {
  const std::vector<IslandOfRows> islands = islandsOf(step.rows, static_cast<int>(m_solved.size()), false);
  const WorldView world = step.bodies.view();
  const auto solver = makeSolver("auto");
  std::vector<char> isSoftened(islands.size(), 0);
  eachRunning(step, islands, [&](std::size_t index) {
    const IslandOfRows& island = islands[index];
    const DenseProblem problem = denseProblem(world, step.rows, island, m_model);
    ComplementarityProblem soft = problem.problem;
    soft.A.diagonal() += softness * soft.A.diagonal().cwiseMax(0);
    SolverSettings own = settingsOf(step.islands[index], settings);
    own.linear = LinearSolver::Direct;
    SolvedIsland& solved = m_solved[index];
    const SolverResult result = solver->solve(soft, solved.result.z, own);
    if (result.status == SolveStatus::Solved) {
      isSoftened[index] = 1;
      solved.result.z = result.z;
      solved.result.residual = naturalResidual(problem.problem, result.z);
    }
    use(island, problem, solved, step.islands[index], world, step);
  });
  return static_cast<int>(std::count(isSoftened.begin(), isSoftened.end(), 1));
}

void DenseIslands::addTo(RowSolverReport& report) const {
  const SolvedIsland* largest = nullptr;
  for (const SolvedIsland& solved : m_solved) {
    if (solved.result.z.size() > (largest ? largest->result.z.size() : 0)) largest = &solved;
    if (solved.result.status == SolveStatus::Solved || solved.result.z.size() == 0) continue;
    if (report.worst == SolveStatus::NoSolution && solved.result.status != report.worst) continue;
    report.worst = solved.result.status;
    report.message = solved.result.message;
  }
  if (!largest) return;
  report.iterations = largest->result.iterations;
  report.deliveredBy = largest->result.deliveredBy;
  report.tolerance = largest->tolerance;
  report.largestDense = static_cast<int>(largest->result.z.size());
}

const SolvedIsland* DenseIslands::solved(std::size_t island) const {
  return island < m_solved.size() && m_solved[island].result.z.size() > 0 ? &m_solved[island] : nullptr;
}

}  // namespace touchstone
