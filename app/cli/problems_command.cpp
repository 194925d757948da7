#include "app/cli/problems_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <ostream>
#include <regex>
#include <stdexcept>

#include "app/cli/checks.h"
#include "app/cli/interrupt.h"
#include "app/work/exit_codes.h"
#include "app/work/problem_solvers.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "core/files/listed.h"
#include "core/files/written_file.h"
#include "core/solver/newton/friction_solver.h"
#include "core/statistics/performance_profile.h"
#include "core/store/friction_problem.h"
#include "core/store/harvest.h"
#include "core/store/step_problem.h"

namespace touchstone::cli {

namespace {

/// Refuses a folder with files that are named as harvested problems are: "0-lcp-lemke-000007.json".
void requireNoProblems(const std::string& folder) {
  static const std::regex kName("[0-9]+-.*-[0-9]{6,}\\.json");
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (std::regex_match(entry.path().filename().string(), kName)) requireFree(entry.path().string());
}

}  // namespace

int harvest(const std::string& file, const std::string& folder) {
  const Recording recording(file);
  noteInterrupts();
  createFolder(folder);
  requireNoProblems(folder);
  const long files = touchstone::harvest(recording, folder, [](double share) {
    throwIfInterrupted();
    printProgress(share);
  });
  std::cout << files << " files with problems in " << folder << '\n';
  if (files > 0) return kDone;
  std::cerr << file << ": has no step with a problem; record a pane of lcp, peg or nsn that has contacts\n";
  return kSimulationFailed;
}

namespace {

constexpr double kFactors[] = {1, 1.5, 2, 3, 5, 10, 30, 100, 1000};

void printProfile(const char* title, const PerformanceProfile& profile, PerformanceProfile::Measure measure) {
  std::printf("%-24s", title);
  for (const double factor : kFactors) std::printf(" %7g", factor);
  std::printf("\n");
  for (std::size_t solver = 0; solver < profile.solvers().size(); ++solver) {
    std::printf("%-24s", profile.solvers()[solver].c_str());
    for (const double factor : kFactors)
      std::printf(" %6.1f%%", 100 * profile.shareWithin(solver, factor, measure));
    std::printf("\n");
  }
}

/// True if a file begins as PerformanceProfile writes it.
bool isProfile(const std::string& file) {
  std::string head(200, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  const PerformanceProfile none({});
  const std::string columns = none.csv(), mark = PerformanceProfile::kMark;
  return head.rfind(columns, 0) == 0 || head.find(mark) != std::string::npos;
}

/// @throws std::invalid_argument if the name is taken by a file that stays
void requireWritable(const std::string& file, bool force) {
  if (!file.empty() && !(force && isProfile(file))) requireFree(file);
}

void writeProfile(const std::string& file, const std::string& text, bool force) {
  if (file.empty()) return;
  writeNew(
      file, [&text](std::ostream& to) { to << text; },
      [force](const std::string& path) { return force && isProfile(path); });
}

}  // namespace

int profile(const std::vector<std::string>& files, const std::vector<std::string>& solvers,
            const std::string& table, const std::string& figure, bool force) {
  for (const std::string& file : {table, figure}) requireWritable(file, force);
  const std::vector<std::string> keys = solvers.empty() ? solversFor(files.front()) : solvers;
  std::vector<std::unique_ptr<ComplementaritySolver>> engines;
  for (const std::string& key : keys) engines.push_back(problemSolver(key));
  PerformanceProfile profile(keys);
  for (std::size_t file = 0; file < files.size(); ++file) {
    const StoredProblems problems = problemsOf(files[file]);
    for (std::size_t island = 0; island < problems.islands.size(); ++island) {
      std::vector<ProblemOutcome> outcomes;
      for (const auto& engine : engines) {
        throwIfInterrupted();
        outcomes.push_back(outcomeOf(*engine, problems.islands[island], problems.settings));
      }
      profile.add(files[file] + ":" + std::to_string(island + 1), outcomes);
    }
    printProgress(static_cast<double>(file + 1) / static_cast<double>(files.size()));
  }
  if (profile.problemCount() == 0)
    throw std::invalid_argument(
        "profile: the files hold no problem; give files of `harvest` or of the workbench");
  std::printf("%zu problems. Share that a solver solves within a factor of the fastest:\n",
              profile.problemCount());
  printProfile("time", profile, PerformanceProfile::Measure::Time);
  std::printf("and with a residual within a factor of the smallest:\n");
  printProfile("residual", profile, PerformanceProfile::Measure::Residual);
  writeProfile(table, profile.csv(), force);
  writeProfile(figure, profile.svg(), force);
  return kDone;
}

namespace {

struct HarvestOptions {
  std::string recording, folder;
};

struct ProfileOptions {
  std::vector<std::string> problems, solvers;
  std::string table, figure;  ///< files, or empty
  bool force = false;
};

}  // namespace

Declared declareHarvest(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<HarvestOptions>();
  command.add_option("recording", options->recording, "file that `run --record` or the workbench wrote")
      ->required();
  command.add_option("--out", options->folder, "folder for PANE-FRAME.json")->required();
  return [options] { return harvest(options->recording, options->folder); };
}

Declared declareProfile(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<ProfileOptions>();
  command.add_option("problems", options->problems, "files as for solve")->required();
  command.add_option("--solvers", options->solvers, "for example lemke,newton-fb; default: all")
      ->delimiter(',');
  command.add_option("--csv", options->table, "file for time and residual of each solver on each problem");
  command.add_option("--figure", options->figure, "SVG file for the profiles of time and residual");
  command.add_flag("--force", options->force, "replace earlier profiles; never other files");
  return [&command, options] {
    refuseIdle(command, {{"--force", {"--csv", "--figure"}}});
    return profile(options->problems, options->solvers, options->table, options->figure, options->force);
  };
}

}  // namespace touchstone::cli
