#include "app/bench/pile_bench.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "app/bench/bench_scenes.h"
#include "app/bench/stopwatch.h"
#include "app/work/program_info.h"
#include "core/math/count.h"
#include "core/math/quantile.h"
#include "core/parallel/parallel_for.h"
#include "core/referee/overlap_measurement.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"

namespace touchstone::cli {

namespace {

/// Panes of the table: the name in rows, and the words that paneFor() reads. Engines that this program was
/// built without are left out.
constexpr const char* kPilePanes[][2] = {{"lcp interactive", "lcp:accuracy=interactive"},
                                         {"lcp accurate", "lcp:accuracy=accurate"},
                                         {"peg", "peg"},
                                         {"nsn", "nsn"},
                                         {"lcp-pgs, 20 sweeps", "lcp-pgs:max_iterations=20"},
                                         {"dpf", "dpf"},
                                         {"cpf", "cpf"},
                                         {"bullet, 10 iterations", "bullet:iterations=10"},
                                         {"bullet, 100 iterations", "bullet:iterations=100"},
                                         {"ode", "ode"}};

struct PileScene {
  const char* name;
  double dt;  ///< s
  int steps;  ///< of the whole run
};

constexpr PileScene kPileScenes[] = {{"pour", 0.01, 500},           {"heavy-stack", 0.01, 300},
                                     {"100 boxes", 1.0 / 120, 480}, {"1000 boxes", 1.0 / 120, 480},
                                     {"arch", 1.0 / 120, 240},      {"tables", 1.0 / 120, 480}};

/// Largest number of steps of a run that would otherwise take minutes. Larger: the group takes longer than
/// ten minutes on a core of 2026; smaller: a pile is still falling when its run ends.
struct StepBound {
  const char* scene;
  const char* pane;  ///< empty: all panes
  int steps;
};
constexpr StepBound kStepBounds[] = {{"100 boxes", "lcp accurate", 240},
                                     {"100 boxes", "peg", 36},
                                     {"100 boxes", "nsn", 60},
                                     {"1000 boxes", "lcp interactive", 48},
                                     {"1000 boxes", "lcp accurate", 48},
                                     {"1000 boxes", "peg", 20},
                                     {"1000 boxes", "nsn", 30},
                                     {"1000 boxes", "", 120},
                                     {"arch", "nsn", 120},
                                     {"tables", "lcp accurate", 240},
                                     {"tables", "peg", 60}};

int pileStepsOf(const PileScene& scene, const std::string& pane, int mostSteps) {
  int steps = scene.steps;
  for (const StepBound& bound : kStepBounds)
    if (std::strcmp(bound.scene, scene.name) == 0 && (*bound.pane == 0 || pane == bound.pane))
      steps = std::min(steps, bound.steps);
  return mostSteps > 0 ? std::min(steps, mostSteps) : steps;
}

std::shared_ptr<const Scene> pileSceneOf(const PileScene& scene) {
  if (std::strcmp(scene.name, "100 boxes") == 0) return layersIntoBin(100, 5, 2);
  if (std::strcmp(scene.name, "1000 boxes") == 0) return layersIntoBin(1000, 10, 10);
  return loadScene(resolveScene(scene.name));
}

/// The pane in steps as long as those that the scene suggests, whatever the length of its frames. A penalty
/// method without a suggestion has that of the other one: equal springs.
PaneSettings pilePaneOf(const char* words, const Scene& scene, double dt) {
  PaneSettings settings = paneFor(words, scene);
  const bool hasOthersSprings = scene.parameters.count("cpf") && !scene.parameters.count("dpf");
  if (settings.method == "dpf" && hasOthersSprings)
    settings = withMethod(paneFor("cpf", scene), "dpf", scene);
  if (settings.substeps > 1)
    settings.substeps = static_cast<int>(std::lround(settings.substeps * std::max(1.0, dt / scene.dt)));
  return settings;
}

/// Measures of the steps of a run.
struct PileMeasures {
  std::vector<double> times;                ///< [steps] processor time of a step or substep [ms]
  std::vector<double> volumes;              ///< Σ over overlaps, of the frames that are measured [m³]
  double deepest = 0;                       ///< overlap in the last fifth of the run [m]
  std::vector<double> residuals;            ///< [steps] m/s; NaN: the method has none
  int endedByBudget = 0, notConverged = 0;  ///< steps
};

PileMeasures measurePile(const std::shared_ptr<const Scene>& scene, const PaneSettings& settings, double dt,
                         int steps) {
  const ThreadLimit limit(1);  // engines have one, and threads that wait for work would count
  Simulation simulation(scene, settings, dt);
  simulation.setStatesOnly(true);
  const std::unique_ptr<OverlapMeasurement> overlaps = makeOverlapMeasurement(
      BackendKind::Cpu, simulation.world(), makeDeviceWorld(BackendKind::Cpu, simulation.world()));
  // A hundred frames are enough for a median, and the measurement costs more than a step of an engine.
  const int stride = std::max(1, steps / 100);
  PileMeasures measures;
  for (int step = 1; step <= steps; ++step) {
    RecordPtr record;
    const double time = processorTimeOf([&] { record = simulation.step(); });
    if (isFrozen(record->status))
      throw std::runtime_error("step " + std::to_string(step) + ": " + record->statusText);
    measures.times.push_back(time / settings.substeps);
    measures.residuals.push_back(record->quantities[Quantity::Residual]);
    const bool isFailed =
        record->status == StepStatus::NotConverged || record->status == StepStatus::NoSolution;
    measures.notConverged += isFailed ? 1 : 0;
    measures.endedByBudget += !isFailed && record->endedByBudget > 0 ? 1 : 0;
    if (step % stride != 0 && step != steps) continue;
    bool isSampled = false;
    double volume = 0, depth = 0;
    for (const Overlap& overlap : overlaps->find(simulation.world(), isSampled)) {
      volume += overlap.volume;
      depth = std::max(depth, overlap.depth);
    }
    measures.volumes.push_back(volume);
    if (5 * step > 4 * steps) measures.deepest = std::max(measures.deepest, depth);
  }
  return measures;
}

/// Rows of a solver's end, of methods that have one.
void addSolverRows(const std::string& name, const PileMeasures& measures, BenchTable& table) {
  const double count = countOf(measures.times);
  const double failed = measures.notConverged / count, ended = measures.endedByBudget / count;
  const std::string unit = "of the frames";
  table.add({name + "/at tolerance", unit, std::max(0.0, 1 - failed - ended)});
  table.add({name + "/ended by budget", unit, ended});
  table.add({name + "/not converged", unit, failed});
  table.add({name + "/residual, median", "m/s", median(measures.residuals)});
  table.add({name + "/residual, largest", "m/s", quantile(measures.residuals, 1)});
}

void addPileRows(const std::string& name, const PileMeasures& measures, int wholeSteps, BenchTable& table) {
  const double count = countOf(measures.times);
  table.add({name, "ms of processor", meanOf(measures.times)});
  addPercentiles(name, "ms of processor", measures.times, table);
  table.add({name + "/steps", "", count});
  table.add({name + "/steps of the whole", "", static_cast<double>(wholeSteps)});
  table.add({name + "/overlap, median", "cm³", 1e6 * median(measures.volumes)});
  table.add({name + "/deepest, last fifth", "mm", 1e3 * measures.deepest});
  const bool hasResidual = std::any_of(measures.residuals.begin(), measures.residuals.end(),
                                       [](double residual) { return !std::isnan(residual); });
  if (hasResidual) addSolverRows(name, measures, table);
}

}  // namespace

void benchPilesBesideEngines(int mostSteps, BenchTable& table) {
  for (const PileScene& pile : kPileScenes) {
    const std::shared_ptr<const Scene> scene = pileSceneOf(pile);
    for (const auto& [pane, words] : kPilePanes) {
      if (!findMethod(paneNamed(std::string(words).substr(0, std::string(words).find(':'))).method)) continue;
      const PaneSettings settings = pilePaneOf(words, *scene, pile.dt);
      std::string name = std::string("piles/") + pile.name + "/" + pane;
      if (settings.substeps > 1) name += ", 1 of " + std::to_string(settings.substeps) + " substeps";
      const int steps = pileStepsOf(pile, pane, mostSteps);
      table.attempt(
          name, [&] { addPileRows(name, measurePile(scene, settings, pile.dt, steps), pile.steps, table); });
    }
  }
}

}  // namespace touchstone::cli
