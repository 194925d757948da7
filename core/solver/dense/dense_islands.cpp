#include "core/solver/dense/dense_islands.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {

void eachRunning(const DenseIslands::Step& step, const std::vector<IslandOfRows>& islands,
                 const std::function<void(std::size_t island)>& solveOne) {
  constexpr std::size_t kWorthAThread = 8;  // rows outside the largest island: some ten microseconds of work.
                                            // Larger: cores idle; smaller: threads cost more than they save
  std::vector<std::size_t> running;
  std::size_t total = 0, largest = 0;
  for (std::size_t island = 0; island < islands.size(); ++island) {
    if (!step.running[island]) continue;
    running.push_back(island);
    total += islands[island].rows.size();
    largest = std::max(largest, islands[island].rows.size());
  }
  parallelFor(
      countOf(running), [&](int index) { solveOne(running[index]); },
      total - largest < kWorthAThread ? Work::Heavy : Work::Long);
}

}  // namespace

SolverSettings DenseIslands::settingsOf(const IslandCurve& island, SolverSettings settings) const {
  settings.tolerance = island.limits.tolerance;
  settings.maxIterations = island.limits.maxIterations;
  settings.velocityUnit = island.limits.velocityUnit;
  return settings;
}

void DenseIslands::holdRows(const Step& step, const WorldView& world) {
  m_held.resize(step.islands.size());
  for (std::size_t island = 0; island < m_held.size(); ++island)
    if (step.running[island]) m_held[island] = {};
  if (step.constraints.empty()) return;
  std::vector<int> islandOf(world.bodyCount, -1);
  for (const RowPair& pair : step.rows.pairs)
    for (const int body : {pair.bodyA, pair.bodyB})
      if (isDynamic(world, body)) islandOf[body] = pair.island;
  for (std::size_t row = 0; row < step.constraints.size(); ++row) {
    const ConstraintRow& constraint = step.constraints[row];
    for (const int body :
         {constraint.jacobian.bodyA, constraint.jacobian.bodyB, constraint.led.bodyA, constraint.led.bodyB}) {
      if (!canMove(world, body)) continue;
      const std::size_t island = islandOf[body];
      if (!step.running[island]) break;
      if (constraint.isPrescribed && constraint.bound == 0) break;  // it does nothing
      HeldRows& held = m_held[island];
      held.rows.push_back(static_cast<int>(row));
      held.fixed.push_back(constraint.isPrescribed ? constraint.bound : 0);
      break;
    }
  }
}

DenseProblem DenseIslands::problem(const WorldView& world, const HostRows& rows, const IslandOfRows& island,
                                   std::size_t index, const std::vector<ConstraintRow>& constraints) const {
  if (index >= m_held.size() || m_held[index].rows.empty()) return denseProblem(world, rows, island, m_model);
  const HeldRows& held = m_held[index];
  std::vector<ConstraintRow> free, unilateral;
  for (std::size_t k = 0; k < held.rows.size(); ++k) {
    const ConstraintRow& row = constraints[held.rows[k]];
    if (held.fixed[k] != 0)
      addImpulse(world, row, held.fixed[k]);
    else
      (row.isUnilateral ? unilateral : free).push_back(row);
  }
  return withConstraints(world, denseProblem(world, rows, island, m_model), free, unilateral);
}

struct DenseIslands::KeptBodies {
  struct Kept {
    int body;
    Vec3 linear, angular;
  };
  std::vector<Kept> bodies;
  KeptBodies(const Step& step, const IslandOfRows& island, const HeldRows& held, const WorldView& world) {
    const auto keep = [this, &world](int body) {
      if (canMove(world, body))
        bodies.push_back({body, world.nextLinearVelocity[body], world.nextAngularVelocity[body]});
    };
    for (const int pair : island.pairs) {
      keep(step.rows.pairs[pair].bodyA);
      keep(step.rows.pairs[pair].bodyB);
    }
    for (const int row : held.rows) {
      const ConstraintRow& constraint = step.constraints[row];
      for (const int body :
           {constraint.jacobian.bodyA, constraint.jacobian.bodyB, constraint.led.bodyA, constraint.led.bodyB})
        keep(body);
    }
  }
  void putBack(const WorldView& world) const {
    for (const Kept& kept : bodies) {
      world.nextLinearVelocity[kept.body] = kept.linear;
      world.nextAngularVelocity[kept.body] = kept.angular;
    }
  }
};

bool DenseIslands::findLargest(HeldRows& held, const WorldView& world, const Step& step) const {
  bool isChanged = false;
  for (std::size_t k = 0; k < held.rows.size(); ++k) {
    const std::size_t row = held.rows[k];
    const ConstraintRow& constraint = step.constraints[row];
    if (constraint.isPrescribed || !std::isfinite(constraint.bound)) continue;
    const double impulse = step.constraintImpulses[row];
    if (held.fixed[k] == 0) {
      constexpr double kRounding = 1e-12;
      if (!(std::abs(impulse) > (1 + kRounding) * constraint.bound)) continue;
      held.fixed[k] = impulse > 0 ? constraint.bound : -constraint.bound;
    } else {
      // It may be less than its largest where it no longer opposes what remains of its rate.
      if (!(held.fixed[k] * (rateOf(world, constraint) + constraint.softness * held.fixed[k]) > 0)) continue;
      held.fixed[k] = 0;
    }
    isChanged = true;
  }
  return isChanged;
}

void DenseIslands::use(const IslandOfRows& island, const DenseProblem& problem, const SolvedIsland& solved,
                       const HeldRows& held, IslandCurve& curve, const WorldView& world, Step& step) const {
  const Eigen::VectorXd z = appliedImpulses(problem.problem, solved.result.z);
  writeImpulses(step.rows, island, problem, z, m_model, step.best);
  addImpulses(world, problem, z);
  Eigen::Index free = 0, unilateral = z.size();
  for (std::size_t k = 0; k < held.rows.size(); ++k)
    if (held.fixed[k] == 0 && step.constraints[held.rows[k]].isUnilateral) --unilateral;
  for (std::size_t k = 0; k < held.rows.size(); ++k) {
    const std::size_t row = held.rows[k];
    step.constraintImpulses[row] = held.fixed[k] != 0                   ? held.fixed[k]
                                   : step.constraints[row].isUnilateral ? z[unilateral++]
                                                                        : z[free++];
  }
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
  // Each round prescribes one more drive at least, or lets one go.
  constexpr int kMostRounds = 20;
  m_solved.resize(step.islands.size());
  const std::vector<IslandOfRows> islands = islandsOf(step.rows, countOf(m_solved), false);
  const WorldView world = step.bodies.view();
  holdRows(step, world);
  eachRunning(step, islands, [&](std::size_t index) {
    const IslandOfRows& island = islands[index];
    const SolverSettings islandSettings = settingsOf(step.islands[index], settings);
    SolvedIsland& solved = m_solved[index];
    HeldRows& held = m_held[index];
    const KeptBodies before(step, island, held, world);
    for (int round = 0; round < kMostRounds; ++round) {
      const DenseProblem problem = this->problem(world, step.rows, island, index, step.constraints);
      solved.start = unknownsOf(step.rows, island, problem, step.start, m_model);
      solved.result = m_solver->solve(problem.problem, solved.start, islandSettings);
      solved.tolerance = naturalTolerance(problem.problem, islandSettings.tolerance);
      use(island, problem, solved, held, step.islands[index], world, step);
      const HeldRows answered = held;
      if (!findLargest(held, world, step)) return;
      if (round + 1 == kMostRounds) {
        held = answered;
        solved.result.status = SolveStatus::NotConverged;
        solved.result.message = "which drives are at their largest force did not settle";
        double& scaled = step.islands[index].best.scaled;
        scaled = std::max(scaled, std::nextafter(islandSettings.tolerance, HUGE_VAL));
        return;
      }
      before.putBack(world);
    }
  });
}

int DenseIslands::soften(Step& step, double softness, const SolverSettings& settings) {
  const std::vector<IslandOfRows> islands = islandsOf(step.rows, countOf(m_solved), false);
  const WorldView world = step.bodies.view();
  const auto solver = makeSolver("auto");
  std::vector<char> isSoftened(islands.size(), 0);
  eachRunning(step, islands, [&](std::size_t index) {
    const IslandOfRows& island = islands[index];
    const DenseProblem problem = this->problem(world, step.rows, island, index, step.constraints);
    ComplementarityProblem soft = problem.problem;
    auto ofContacts = soft.A.diagonal().tail(soft.A.rows() - soft.freeCount);  // joints stay as they are
    ofContacts += softness * ofContacts.cwiseMax(0);
    SolverSettings directSettings = settingsOf(step.islands[index], settings);
    directSettings.linear = LinearSolver::Direct;
    SolvedIsland& solved = m_solved[index];
    const SolverResult result = solver->solve(soft, solved.result.z, directSettings);
    if (result.status == SolveStatus::Solved) {
      isSoftened[index] = 1;
      solved.result.z = result.z;
      solved.result.residual = naturalResidual(problem.problem, result.z);
    }
    use(island, problem, solved, m_held[index], step.islands[index], world, step);
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
  report.largestDense = countOf(largest->result.z);
}

const SolvedIsland* DenseIslands::solved(std::size_t island) const {
  return island < m_solved.size() && m_solved[island].result.z.size() > 0 ? &m_solved[island] : nullptr;
}

}  // namespace touchstone
