#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <ostream>
#include <stdexcept>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "core/contact/nsn/friction_solver.h"
#include "core/files/listed.h"
#include "core/files/written_file.h"
#include "core/store/friction_problem.h"
#include "core/store/harvest.h"
#include "core/store/step_problem.h"

namespace touchstone::cli {

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
  if (!solver) solver = nsn::makeFrictionSolver(key);
  if (!solver)
    throw std::invalid_argument("solver '" + key +
                                "' is unknown; `touchstone-cli list` names them, and there are " +
                                listed(nsn::frictionSolvers(), " and "));
  return solver;
}

std::vector<std::string> solversFor(const std::string& file) {
  std::vector<std::string> keys;
  for (const SolverInfo& solver : solverTable()) keys.push_back(solver.key);
  if (!isFrictionProblem(file)) return keys;
  for (const std::string& key : nsn::frictionSolvers()) keys.push_back(key);
  return keys;
}

int harvest(const std::string& file, const std::string& folder) {
  const Recording recording(file);
  const long files = touchstone::harvest(recording, folder, [](double share) {
    throwIfInterrupted();
    printProgress(share);
  });
  std::cout << files << " files with problems in " << folder << '\n';
  return kDone;
}

namespace {

/// How a solver did on one problem.
struct Outcome {
  double time = HUGE_VAL;      ///< s; infinite: not solved
  double residual = HUGE_VAL;  ///< natural [m/s]
};

Outcome outcomeOf(const ComplementaritySolver& solver, const StoredProblem& stored,
                  const SolverSettings& settings) {
  constexpr int kRuns = 3;  // more: slower for nothing; fewer: one disturbance decides
  Outcome outcome;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const SolverResult result = solver.solve(stored.problem, stored.start, settings);
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.residual = std::isfinite(result.residual) ? result.residual : HUGE_VAL;
    if (result.status != SolveStatus::Solved) return {HUGE_VAL, outcome.residual};
    outcome.time = std::min(outcome.time, time);
  }
  return outcome;
}

/// Share of the problems on which `measure` is within a factor of the best solver's (Dolan and Moré 2002).
double shareWithin(const std::vector<std::vector<Outcome>>& outcomes, std::size_t solver, double factor,
                   double Outcome::*measure) {
  long within = 0;
  for (const std::vector<Outcome>& problem : outcomes) {
    double best = HUGE_VAL;
    for (const Outcome& each : problem) best = std::min(best, each.*measure);
    within += std::isfinite(problem[solver].*measure) && problem[solver].*measure <= factor * best ? 1 : 0;
  }
  return static_cast<double>(within) / static_cast<double>(outcomes.size());
}

constexpr double kFactors[] = {1, 1.5, 2, 3, 5, 10, 30, 100, 1000};

void printProfile(const char* title, const std::vector<std::string>& keys,
                  const std::vector<std::vector<Outcome>>& outcomes, double Outcome::*measure) {
  std::printf("%-12s", title);
  for (const double factor : kFactors) std::printf(" %7g", factor);
  std::printf("\n");
  for (std::size_t solver = 0; solver < keys.size(); ++solver) {
    std::printf("%-12s", keys[solver].c_str());
    for (const double factor : kFactors)
      std::printf(" %6.1f%%", 100 * shareWithin(outcomes, solver, factor, measure));
    std::printf("\n");
  }
}

}  // namespace

int profile(const std::vector<std::string>& files, const std::vector<std::string>& solvers,
            const std::string& out) {
  const std::vector<std::string> keys = solvers.empty() ? solversFor(files.front()) : solvers;
  std::vector<std::unique_ptr<ComplementaritySolver>> engines;
  for (const std::string& key : keys) engines.push_back(problemSolver(key));
  std::vector<std::vector<Outcome>> outcomes;
  std::string table = "problem,rows,solver,time_s,residual_m_per_s\n";
  for (std::size_t file = 0; file < files.size(); ++file) {
    const StoredProblems problems = problemsOf(files[file]);
    for (std::size_t island = 0; island < problems.islands.size(); ++island) {
      outcomes.emplace_back();
      for (std::size_t solver = 0; solver < keys.size(); ++solver) {
        throwIfInterrupted();
        const Outcome own = outcomeOf(*engines[solver], problems.islands[island], problems.settings);
        outcomes.back().push_back(own);
        char line[128];
        std::snprintf(line, sizeof line, ",%ld,%s,%.6g,%.6g\n",
                      static_cast<long>(problems.islands[island].problem.b.size()), keys[solver].c_str(),
                      own.time, own.residual);
        table += files[file] + ":" + std::to_string(island + 1) + line;
      }
    }
    printProgress(static_cast<double>(file + 1) / static_cast<double>(files.size()));
  }
  std::printf("%zu problems. Share that a solver solves within a factor of the fastest:\n", outcomes.size());
  printProfile("time", keys, outcomes, &Outcome::time);
  std::printf("and with a residual within a factor of the smallest:\n");
  printProfile("residual", keys, outcomes, &Outcome::residual);
  if (!out.empty()) writeWhole(out, [&table](std::ostream& to) { to << table; });
  return kDone;
}

}  // namespace touchstone::cli
