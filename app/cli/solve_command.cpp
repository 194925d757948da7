#include "app/cli/solve_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/work/exit_codes.h"
#include "app/work/problem_solvers.h"
#include "core/files/text_columns.h"
#include "core/files/written_file.h"
#include "core/store/friction_problem.h"

namespace touchstone::cli {

int solve(const std::string& file, const std::vector<std::string>& solvers, const std::string& out) {
  const StoredProblems problems = problemsOf(file);
  if (problems.islands.empty())
    throw std::invalid_argument(file + ": holds no problem; export a step with contacts");
  std::vector<std::pair<std::string, std::string>> texts;  // path and content
  for (std::size_t island = 0; island < problems.islands.size() && !out.empty(); ++island) {
    std::filesystem::path path = out;
    if (problems.islands.size() > 1)
      path.replace_filename(path.stem().string() + "-" + std::to_string(island + 1) +
                            path.extension().string());
    texts.emplace_back(path.string(), frictionProblemText(problems.islands[island].problem));
  }
  for (const auto& [path, text] : texts)
    writeNew(path, [&content = text](std::ostream& to) { to << content; });
  const std::vector<std::string> keys = solvers.empty() ? solversFor(file) : solvers;
  bool solved = true;
  std::vector<std::vector<std::string>> rows{
      {"island", "rows", "solver", "status", "iterations", "residual [m/s]", ""}};
  for (std::size_t island = 0; island < problems.islands.size(); ++island)
    for (const std::string& key : keys) {
      const auto solver = problemSolver(key);
      const StoredProblem& stored = problems.islands[island];
      const SolverResult result = solver->solve(stored.problem, stored.start, problems.settings);
      solved = solved && result.status == SolveStatus::Solved;
      char residual[32];
      std::snprintf(residual, sizeof residual, "%.3e", result.residual);
      rows.push_back({std::to_string(island + 1), std::to_string(stored.problem.b.size()), key,
                      toString(result.status), std::to_string(result.iterations.size()), residual,
                      result.message});
    }
  std::cout << inColumns(rows);
  return solved ? kDone : kSimulationFailed;
}

namespace {

struct SolveOptions {
  std::string problem, written;  ///< files; written: or empty
  std::vector<std::string> solvers;
};

}  // namespace

Declared declareSolve(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<SolveOptions>();
  command
      .add_option("problem", options->problem,
                  "JSON that the workbench exported, or a published friction problem (.dat, .hdf5)")
      ->required();
  command.add_option("--write", options->written,
                     "also write the problem as text (.dat); of several islands FILE-1.dat, …");
  command.add_option("--solvers", options->solvers, "for example lemke,newton-fb; default: all")
      ->delimiter(',');
  return [options] { return solve(options->problem, options->solvers, options->written); };
}

}  // namespace touchstone::cli
