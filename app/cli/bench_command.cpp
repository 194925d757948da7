#include "app/cli/bench_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "app/bench/bench_comparison.h"
#include "app/bench/bench_groups.h"
#include "app/bench/bench_page.h"
#include "app/bench/bench_table.h"
#include "app/bench/engine_bench.h"
#include "app/bench/memory_bench.h"
#include "app/bench/paper_bench.h"
#include "app/bench/pile_bench.h"
#include "app/bench/processor_time.h"
#include "app/bench/scale_bench.h"
#include "app/bench/simulation_bench.h"
#include "app/bench/window_bench.h"
#include "app/cli/checks.h"
#include "app/work/exit_codes.h"
#include "core/files/json_file.h"
#include "core/files/scene_error.h"
#include "core/run/backend_table.h"
#include "core/solver/linear/linear.h"
#include "core/store/provenance.h"

namespace touchstone::cli {

namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::localtime(&now));
  return text;
}

/// @throws std::runtime_error for a requested backend that cannot be used
std::vector<BackendKind> backendsToMeasure(const BenchOptions& options) {
  std::vector<BackendKind> backends;
  for (const BackendInfo& backend : backendTable()) {
    if (!std::count(options.backends.begin(), options.backends.end(), backend.key)) continue;
    if (backend.usable)
      backends.push_back(backend.kind);
    else if (options.backendsGiven)
      throw std::runtime_error("backend " + backend.key + ": " + backend.state);
  }
  return backends;
}

/// True if the filter chooses a group: it is its name, or it is a part of its name and the name of no other.
bool means(const std::string& filter, const std::string& group) {
  const std::vector<BenchGroup>& groups = benchGroupTable();
  const bool isName = std::any_of(groups.begin(), groups.end(),
                                  [&filter](const BenchGroup& other) { return other.name == filter; });
  return isName ? group == filter : group.find(filter) != std::string::npos;
}

/// @throws std::invalid_argument for one that chooses nothing
std::vector<std::string> filtersOf(const BenchOptions& options) {
  std::vector<std::string> filters;
  std::istringstream text(options.filter);
  for (std::string filter; std::getline(text, filter, ',');) {
    const std::vector<BenchGroup>& groups = benchGroupTable();
    const auto isMeant = [&filter](const BenchGroup& group) { return means(filter, group.name); };
    if (std::none_of(groups.begin(), groups.end(), isMeant))
      throw std::invalid_argument("bench: there is no benchmark '" + filter + "'; choose from " +
                                  benchGroups());
    filters.push_back(filter);
  }
  return filters;
}

using Wanted = std::function<bool(const std::string& name)>;

Wanted wantedOf(const std::vector<std::string>& filters) {
  return [filters](const std::string& name) {
    return filters.empty() || std::any_of(filters.begin(), filters.end(),
                                          [&name](const std::string& filter) { return means(filter, name); });
  };
}

/// Everything that is chosen, once.
void measureRound(const Wanted& wanted, const std::vector<BackendKind>& backends, int mostSteps, bool isFirst,
                  BenchTable& table) {
  const auto measure = [&](const std::string& group, const auto& benchmark) {
    if (wanted(group)) table.attempt(group, benchmark);
  };
  measure("pairs", [&table] { benchKernel(table); });
  for (const BackendKind backend : backends) {
    const auto on = [&](const char* group, void (*benchmark)(BackendKind, BenchTable&)) {
      if (wanted(group))
        table.attempt(std::string(group) + "/" + keyOf(backend), [&] { benchmark(backend, table); });
    };
    on("pairs", benchPairs);
    on(toString(LinearSolver::Pcr), benchPcr);
    on("sets", benchSets);
    on("overlaps", benchOverlaps);
    on("pile", benchPiles);
    on("wall", benchWalls);
    on("worlds", benchWorlds);
  }
  compareWorlds(table);
  measure("nsn", [&table] { benchNsn(table); });
  measure("soft", [&table] { benchSoft(table); });
  measure("stacks", [&table] { benchStacks(table); });
  measure("piles", [&] { benchPilesBesideEngines(mostSteps, table); });
  measure("scale", [&] { benchScale(mostSteps, table); });
  const std::pair<const char*, double> scenes[] = {
      {"pour", 6}, {"pour-2d", 5}, {"heavy-stack", 1}, {"resting-box", 1}, {"meshes", 0.5}};
  for (const auto& [name, time] : scenes)
    measure(name, [&, name = name, time = time] { benchScene(name, time, table); });
  measure("window", [&table] { benchWindow(table); });
  if (!isFirst) return;  // memory that a round has freed is what the next one takes, and nothing grows
  measure("memory", [&table] {
    for (const MemoryRow& row : measureMemory()) table.add({row.name, "bytes", row.bytes});
  });
}

int roundsOf(const BenchOptions& options) {
  if (options.rounds > 0) return options.rounds;
  return !options.compared.empty() || options.format == BenchFormat::Json ? 3 : 1;
}

/// One round after the other, each with everything, so that what slows the machine for a while does not fall
/// on one row alone.
BenchTable measureRounds(const Wanted& wanted, const std::vector<BackendKind>& backends, int rounds,
                         int mostSteps, bool prints) {
  BenchTable medians(prints && rounds > 1);
  std::vector<std::vector<BenchRow>> values;
  for (int round = 0; round < rounds; ++round) {
    if (prints && rounds > 1) std::cout << "Round " << round + 1 << " of " << rounds << "\n" << std::flush;
    BenchTable table(prints);
    measureRound(wanted, backends, mostSteps, round == 0, table);
    if (prints && rounds > 1) std::cout << "\n" << std::flush;
    values.push_back(table.rows());
    medians.addFailuresOf(table);
  }
  if (prints && rounds > 1) std::cout << "Medians of the rounds\n" << std::flush;
  for (const BenchRow& row : rowsOfRounds(values)) medians.add(row);
  return medians;
}

BenchResult resultNow(const std::vector<BenchRow>& rows, int rounds) {
  BenchResult now;
  now.rounds = rounds;
  now.rows = rows;
  for (const BackendInfo& backend : backendTable()) now.backends[backend.key] = backend.state;
  return now;
}

/// @throws SceneError for a file that cannot be compared with
BenchResult resultToCompare(const BenchOptions& options) {
  const BenchResult then = benchResultOf(
      readJson(options.compared, "give a file that `touchstone-cli bench --json` wrote"), options.compared);
  const std::string problem = otherMachine(then, resultNow({}, 1));
  if (!problem.empty() && !options.otherMachine)
    throw SceneError(options.compared, "backends", "is of another machine (" + problem + ")",
                     "measure both on one machine, or give --other-machine");
  return then;
}

/// True for a missing row whose benchmark was chosen, and the backend in its name, if it has one.
bool wasMeasured(const std::string& name, const Wanted& wanted, const std::vector<BackendKind>& backends) {
  if (!wanted(benchGroupOf(name))) return false;
  for (const BackendInfo& backend : backendTable())
    if ((name + "/").find("/" + backend.key + "/") != std::string::npos)
      return std::count(backends.begin(), backends.end(), backend.kind) > 0;
  return true;
}

}  // namespace

int bench(const BenchOptions& options) {
  const Wanted wanted = wantedOf(filtersOf(options));
  const std::vector<BackendKind> backends = backendsToMeasure(options);
  const BenchResult then = options.compared.empty() ? BenchResult() : resultToCompare(options);
  const bool prints = options.format == BenchFormat::Text;
  if (prints) std::cout << provenanceText() << "\n" << today() << "\n\n" << std::flush;
  const ProcessorTime start = processorTime();
  const int rounds = roundsOf(options);
  const BenchTable table = measureRounds(wanted, backends, rounds, options.mostSteps, prints);
  const double others = shareOfOthers(start, processorTime());
  if (options.format == BenchFormat::Markdown)
    std::cout << benchPage({options.commandLine, today(), others}, table);
  if (options.format == BenchFormat::Json) {
    nlohmann::ordered_json out = provenance();
    out["date"] = today();
    out["rounds"] = rounds;
    if (!std::isnan(others)) out["share_of_others"] = others;
    table.write(out);
    std::cout << out.dump(2) << '\n';
  }
  bool isWorse = false;
  if (!options.compared.empty()) {
    const auto isChosen = [&](const std::string& name) { return wasMeasured(name, wanted, backends); };
    const std::vector<BenchChange> changes =
        changesOf(then, resultNow(table.rows(), rounds), options.threshold / 100, isChosen);
    std::ostream& out = prints ? std::cout : std::cerr;  // the JSON or the page stays alone
    out << (prints ? "\n" : "") << comparisonText(changes, options.threshold / 100);
    if (!std::isnan(others))
      out << "Other programs took " << shownNumber(std::round(100 * others))
          << " % of the processors' time meanwhile.\n";
    const bool isCompared = std::any_of(changes.begin(), changes.end(), [](const BenchChange& change) {
      return change.verdict != BenchVerdict::New && change.verdict != BenchVerdict::Gone;
    });
    if (!isCompared)
      std::cerr << options.compared << ": holds no row that is measured here; nothing is compared\n";
    isWorse = hasSlower(changes) || !isCompared;
  }
  return table.hasFailed() || isWorse ? kSimulationFailed : kDone;
}

namespace {

/// Declares the options for rounds, and for a comparison with an earlier file.
void addComparison(CLI::App& command, BenchOptions& options) {
  command
      .add_option("--rounds", options.rounds,
                  "measure everything so often, in turn, and take medians; default: 3 with --compare or "
                  "--json, else 1")
      ->check(CLI::Range(1, 100));
  CLI::Option* compared = command.add_option(
      "--compare", options.compared,
      "file of an earlier `bench --json`: say which rows moved by more than noise; exit code "
      "1 if one became slower, 2 if it is of another machine");
  command.add_option("--threshold", options.threshold, "differences up to this many percent are none")
      ->check(numberFrom(0, 1000))
      ->capture_default_str()
      ->needs(compared);
  command
      .add_flag("--other-machine", options.otherMachine,
                "compare with a file of another machine all the same")
      ->needs(compared);
}

}  // namespace

Declared declareBench(CLI::App& command, const CommandLine& line) {
  const auto options = std::make_shared<BenchOptions>();
  options->commandLine = line.named;
  command.add_option(
      "filter", options->filter,
      "only the group of this name, or all with this in their name (pairs,pour: or that), of " +
          benchGroups());
  command
      .add_option("--steps", options->mostSteps,
                  "take at most so many steps in each run of piles and scale; default: as many as they have")
      ->check(CLI::Range(1, 100000));
  CLI::Option* backends =
      command
          .add_option("--backend", options->backends, "for example cpu,cuda; default: all that can be used")
          ->delimiter(',')
          ->check(CLI::IsMember({"cpu", "cuda"}));
  CLI::Option* asJson = command.add_flag("--json", "as JSON");
  CLI::Option* asPage = command.add_flag("--markdown", "as a page of Markdown, like BENCHMARKS.md");
  asPage->excludes(asJson);
  addComparison(command, *options);
  return [backends, asJson, asPage, options] {
    options->backendsGiven = backends->count() > 0;
    if (asJson->count() > 0) options->format = BenchFormat::Json;
    if (asPage->count() > 0) options->format = BenchFormat::Markdown;
    return bench(*options);
  };
}

}  // namespace touchstone::cli
