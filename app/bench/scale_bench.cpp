#include "app/bench/scale_bench.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "app/bench/bench_scenes.h"
#include "app/bench/memory_bench.h"
#include "app/bench/stopwatch.h"
#include "app/work/program_info.h"
#include "core/math/quantile.h"
#include "core/parallel/parallel_for.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/scene/replicate.h"

namespace touchstone::cli {

namespace {

constexpr const char* kScalePanes[] = {"dpf", "cpf", "lcp", "peg", "nsn"};
constexpr int kFirstSteps = 20;  // until arrays have their sizes; smaller: their growth is measured

int boundedSteps(int steps, int mostSteps) { return mostSteps > 0 ? std::min(steps, mostSteps) : steps; }

/// Wall time of the work [ms]: processor time does not become less with threads.
double wallTimeOf(const std::function<void()>& work) { return repeated({1, 0, 1}, work).front(); }

/// Steps of one simulation take one thread and two in turn, so that what slows the machine for a while falls
/// on both.
void addThreads(const std::string& pane, int mostSteps, BenchTable& table) {
  const auto scene = towersFor(pane, 1000);
  Simulation simulation(scene, paneNamed(pane), scene->dt);
  simulation.setStatesOnly(true);
  const auto step = [&simulation] { simulation.step(); };
  repeated({1, 0, boundedSteps(kFirstSteps, mostSteps)}, step);
  std::vector<double> withOne, withTwo;
  for (int pair = boundedSteps(20, mostSteps); pair > 0; --pair) {
    for (const int threads : {1, 2}) {
      const ThreadLimit limit(threads);
      (threads == 1 ? withOne : withTwo).push_back(wallTimeOf(step));
    }
  }
  const std::string name = "scale/1 to 2 threads, 1000 bodies/" + pane;
  table.add({name, "times as fast", median(withOne) / median(withTwo)});
  table.add({name + "/1 thread", "ms", median(withOne)});
  table.add({name + "/2 threads", "ms", median(withTwo)});
}

/// Frames of all panes at once and one after the other in turn.
void addPanes(int mostSteps, BenchTable& table) {
  const auto scene = loadScene(resolveScene("pour"));
  Comparison comparison(scene, suggestedPanes(*scene));
  std::vector<double> inTurn, together;
  for (int pair = boundedSteps(200, mostSteps); pair > 0; --pair) {
    inTurn.push_back(wallTimeOf([&comparison] { comparison.step(false); }));
    together.push_back(wallTimeOf([&comparison] { comparison.step(true); }));
  }
  const std::string name = "scale/four panes of pour at once";
  table.add({name, "times as fast", meanOf(inTurn) / meanOf(together)});
  table.add({name + "/one after the other", "ms", meanOf(inTurn)});
  table.add({name + "/at once", "ms", meanOf(together)});
}

/// Median processor time of a step on one thread [ms].
double stepTimeOf(const std::shared_ptr<const Scene>& scene, const std::string& pane, int mostSteps) {
  const ThreadLimit limit(1);
  Simulation simulation(scene, paneNamed(pane), scene->dt);
  simulation.setStatesOnly(true);
  const auto step = [&simulation] { simulation.step(); };
  repeated({1, 0, boundedSteps(kFirstSteps, mostSteps)}, step);
  std::vector<double> times;
  for (int count = boundedSteps(20, mostSteps); count > 0; --count) times.push_back(processorTimeOf(step));
  return median(times);
}

void addWorldsAsOne(const std::string& pane, int mostSteps, BenchTable& table) {
  constexpr int kWorlds = 64, kBodies = 20;
  const auto small = towersFor(pane, kBodies);
  const double worlds = stepTimeOf(replicated(*small, kWorlds), pane, mostSteps);
  const double scenes = kWorlds * stepTimeOf(small, pane, mostSteps);
  const double oneScene = stepTimeOf(towersFor(pane, kWorlds * kBodies), pane, mostSteps);
  const std::string name = "scale/64 worlds of 20 bodies/" + pane;
  table.add({name, "ms of processor", worlds});
  table.add({name + "/64 scenes of 20 bodies", "ms of processor", scenes});
  table.add({name + "/one scene of 1280 bodies", "ms of processor", oneScene});
  table.add({name + "/worlds over one scene", "", worlds / oneScene});
}

}  // namespace

void benchScale(int mostSteps, BenchTable& table) {
  // First, while little of the process has been used and freed.
  table.attempt("scale/memory", [&table] {
    for (const MemoryRow& row : measureMemoryOfBoxes()) table.add({row.name, "bytes", row.bytes});
  });
  for (const char* pane : kScalePanes)
    table.attempt(std::string("scale/1 to 2 threads, 1000 bodies/") + pane, [&, pane = pane] {
      if (threadCount() > 1) addThreads(pane, mostSteps, table);
    });
  table.attempt("scale/four panes of pour at once", [&] { addPanes(mostSteps, table); });
  for (const char* pane : kScalePanes)
    table.attempt(std::string("scale/64 worlds of 20 bodies/") + pane,
                  [&, pane = pane] { addWorldsAsOne(pane, mostSteps, table); });
}

}  // namespace touchstone::cli
