#include "app/work/problem_solvers.h"

#include <stdexcept>

#include "core/files/listed.h"
#include "core/solver/newton/friction_solver.h"
#include "core/solver/solver_traits.h"
#include "core/store/friction_problem.h"

namespace touchstone {

StoredProblems problemsOf(const std::string& file) {
  if (!isFrictionProblem(file)) return readProblems(file);
  StoredProblems problems;
  problems.islands.push_back({readFrictionProblem(file), {}});
  problems.settings.maxIterations = 5000;
  problems.settings.tolerance = 1e-8;
  return problems;
}

std::unique_ptr<ComplementaritySolver> problemSolver(const std::string& key) {
  auto solver = makeSolver(key);
  if (!solver) solver = makeFrictionSolver(key);
  if (!solver)
    throw std::invalid_argument("solver '" + key +
                                "' is unknown; `touchstone-cli list` names them, and there are " +
                                listed(frictionSolvers(), " and "));
  return solver;
}

std::vector<std::string> solversFor(const std::string& file) {
  std::vector<std::string> keys;
  for (const SolverTraits& solver : storedSolvers()) keys.push_back(solver.key);
  if (!isFrictionProblem(file)) return keys;
  for (const std::string& key : frictionSolvers()) keys.push_back(key);
  return keys;
}

}  // namespace touchstone
