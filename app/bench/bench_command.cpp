#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "app/bench/bench_groups.h"
#include "app/bench/bench_page.h"
#include "app/bench/bench_table.h"
#include "app/bench/engine_bench.h"
#include "app/bench/memory_bench.h"
#include "app/bench/paper_bench.h"
#include "app/bench/processor_time.h"
#include "app/bench/simulation_bench.h"
#include "app/cli/commands.h"
#include "core/run/backend_table.h"
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

/// @throws std::invalid_argument for one that chooses nothing
std::vector<std::string> filtersOf(const BenchOptions& options) {
  std::vector<std::string> filters;
  std::istringstream text(options.filter);
  for (std::string filter; std::getline(text, filter, ',');) {
    const std::vector<BenchGroup>& groups = benchGroupTable();
    const auto isMeant = [&filter](const BenchGroup& group) {
      return std::string(group.name).find(filter) != std::string::npos;
    };
    if (std::none_of(groups.begin(), groups.end(), isMeant))
      throw std::invalid_argument("bench: there is no benchmark '" + filter + "'; choose from " +
                                  benchGroups());
    filters.push_back(filter);
  }
  return filters;
}

}  // namespace

int bench(const BenchOptions& options) {
  const std::vector<std::string> filters = filtersOf(options);
  const auto wanted = [&filters](const std::string& name) {
    return filters.empty() || std::any_of(filters.begin(), filters.end(), [&name](const std::string& filter) {
             return name.find(filter) != std::string::npos;
           });
  };
  const std::vector<BackendKind> backends = backendsToMeasure(options);
  const bool prints = options.format == BenchFormat::Text;
  if (prints) std::cout << provenanceText() << "\n" << today() << "\n\n" << std::flush;
  const ProcessorTime start = processorTime();
  BenchTable table(prints);
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
    on("pcr", benchPcr);
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
  const std::pair<const char*, double> scenes[] = {
      {"pour", 6}, {"pour-2d", 5}, {"heavy-stack", 1}, {"resting-box", 1}, {"meshes", 0.5}};
  for (const auto& [name, time] : scenes)
    measure(name, [&, name = name, time = time] { benchScene(name, time, table); });
  measure("memory", [&table] {
    for (const MemoryRow& row : measureMemory()) table.add({row.name, "bytes", row.bytes});
  });
  if (options.format == BenchFormat::Markdown)
    std::cout << benchPage({options.commandLine, today(), shareOfOthers(start, processorTime())}, table);
  if (options.format == BenchFormat::Json) {
    nlohmann::ordered_json out = provenance();
    out["date"] = today();
    table.write(out);
    std::cout << out.dump(2) << '\n';
  }
  return table.hasFailed() ? kSimulationFailed : kDone;
}

}  // namespace touchstone::cli
