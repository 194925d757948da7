#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "app/cli/backend_bench.h"
#include "app/cli/commands.h"
#include "app/cli/memory_bench.h"
#include "core/contact/pair_engine.h"
#include "core/math/quantile.h"
#include "core/parallel/parallel_for.h"
#include "core/run/backend_table.h"
#include "core/run/comparison.h"
#include "core/run/provenance.h"
#include "core/scene/listed.h"

namespace touchstone::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kGroups[] = {"pairs", "pile",    "worlds",      "sets",        "overlaps", "pcr",
                                   "pour",  "pour-2d", "heavy-stack", "resting-box", "meshes",   "memory"};

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::localtime(&now));
  return text;
}

/// Pairs as broad phase delivers them: features of size 1 within a step's motion of each other; fixed seed.
std::vector<PairInput> randomPairs(int count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-0.5, 0.5), motion(-0.15, 0.15);
  std::vector<PairInput> pairs(count);
  for (int index = 0; index < count; ++index) {
    PairInput& pair = pairs[index];
    pair.kind = index % 2 ? FeaturePairKind::EdgeEdge : FeaturePairKind::VertexFace;
    pair.oneSided = index % 2 == 0;
    pair.stiffness = 1e4;
    pair.dt = 1e-3;
    for (int row = 0; row < 4; ++row) {
      pair.x0[row] = Vec3(place(random), place(random), place(random));
      pair.x1[row] = pair.x0[row] + Vec3(motion(random), motion(random), motion(random));
    }
  }
  return pairs;
}

void benchPairs(const BackendInfo& backend, int count, std::vector<BenchRow>& rows) {
  const std::vector<PairInput> pairs = randomPairs(count);
  const auto engine = makePairEngine(backend.kind);
  engine->send(pairs);
  std::vector<double> times;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const Clock::time_point start = Clock::now();
    engine->evaluate();
    times.push_back(millisecondsSince(start));
  }
  rows.push_back(
      {"pairs/" + backend.key + "/ccd+impulse", "million pairs per ms", 1e-6 * count / median(times)});
}

void benchKernel(std::vector<BenchRow>& rows) {
  const std::vector<PairInput> pairs = randomPairs(100000);
  std::vector<double> times;
  double sum = 0;  // keeps the work from being optimised away
  for (int repeat = 0; repeat < 7; ++repeat) {
    const Clock::time_point start = Clock::now();
    for (const PairInput& pair : pairs) sum += evaluatePair(pair).endDepth;
    times.push_back(millisecondsSince(start));
  }
  rows.push_back({"pairs/one core/ccd+impulse", "µs per pair",
                  1e3 * median(times) / static_cast<double>(pairs.size()) + 0 * sum});
}

void benchScene(const std::string& name, double time, std::vector<BenchRow>& rows) {
  const auto scene = loadScene(resolveScene(name));
  std::vector<PaneSettings> panes = suggestedPanes(*scene);
  std::vector<std::string> names;
  for (const PaneSettings& pane : panes) names.push_back(pane.method);
  if (std::count(names.begin(), names.end(), "peg")) {
    PaneSettings exact = panes[std::find(names.begin(), names.end(), "peg") - names.begin()];
    exact.parameters["step"] = std::string("exact");
    panes.push_back(exact);
    names.push_back("peg exact");
  }
  Comparison comparison(scene, panes);
  std::vector<std::vector<double>> times(panes.size());
  const long frames = std::lround(time / scene->dt);
  for (long frame = 0; frame < frames; ++frame) {
    const std::vector<RecordPtr> records = comparison.step(false);
    for (std::size_t pane = 0; pane < records.size(); ++pane)
      times[pane].push_back(records[pane]->quantities[Quantity::TimeStep]);
  }
  std::map<std::string, double> medians;
  for (std::size_t pane = 0; pane < panes.size(); ++pane) {
    medians[names[pane]] = median(times[pane]);
    rows.push_back({"step/" + name + "/" + names[pane], "ms per frame (median)", medians[names[pane]]});
  }
  if (medians.count("cpf") && medians.count("dpf"))
    rows.push_back({"ratio/" + name + "/cpf over dpf", "", medians["cpf"] / medians["dpf"]});
  if (medians.count("peg") && medians.count("lcp"))
    rows.push_back({"ratio/" + name + "/peg over lcp", "", medians["peg"] / medians["lcp"]});
}

}  // namespace

std::string benchGroups() { return listed(kGroups); }

int bench(const BenchOptions& options) {
  const auto wanted = [&options](const std::string& name) {
    return options.filter.empty() || name.find(options.filter) != std::string::npos;
  };
  if (std::none_of(std::begin(kGroups), std::end(kGroups), wanted))
    throw std::invalid_argument("bench: there is no benchmark '" + options.filter + "'; choose from " +
                                benchGroups());
  std::vector<BenchRow> rows;
  if (wanted("pairs")) benchKernel(rows);
  for (const BackendInfo& backend : backendTable()) {
    if (!std::count(options.backends.begin(), options.backends.end(), backend.key)) continue;
    if (!backend.usable) {
      if (options.backendsGiven) throw std::runtime_error("backend " + backend.key + ": " + backend.state);
      continue;
    }
    if (wanted("pairs")) benchPairs(backend, backend.kind == BackendKind::Cuda ? 4'000'000 : 400'000, rows);
    const BenchGroups groups{wanted("pile"), wanted("worlds"), wanted("sets"), wanted("overlaps"),
                             wanted("pcr")};
    for (const BenchRow& row : measureBackend(backend.kind, groups)) rows.push_back(row);
  }
  if (wanted("pour")) benchScene("pour", 6, rows);
  if (wanted("pour-2d")) benchScene("pour-2d", 5, rows);
  if (wanted("heavy-stack")) benchScene("heavy-stack", 1, rows);
  if (wanted("resting-box")) benchScene("resting-box", 1, rows);
  if (wanted("meshes")) benchScene("meshes", 0.5, rows);
  if (wanted("memory"))
    for (const MemoryRow& row : measureMemory()) rows.push_back({row.name, "bytes", row.bytes});
  if (options.json) {
    nlohmann::ordered_json out = provenance();
    out["date"] = today();
    for (const BenchRow& row : rows)
      out["rows"].push_back({{"name", row.name}, {"unit", row.unit}, {"value", row.value}});
    std::cout << out.dump(2) << '\n';
  } else {
    std::cout << provenanceText() << "\n" << today() << "\n\n" << std::flush;
    for (const BenchRow& row : rows)
      std::printf("%-48s %12.4g %s\n", row.name.c_str(), row.value, row.unit.c_str());
  }
  return kDone;
}

}  // namespace touchstone::cli
