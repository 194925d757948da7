#include "app/bench/simulation_bench.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "app/bench/bench_scenes.h"
#include "app/bench/stopwatch.h"
#include "app/work/program_info.h"
#include "core/math/quantile.h"
#include "core/parallel/parallel_for.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/scene/replicate.h"
#include "core/world/world.h"

namespace touchstone::cli {

namespace {

constexpr const char* kWorldPanes[] = {"dpf", "cpf", "lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr"};

constexpr int kStepPhases = static_cast<int>(Phase::Measure);  // phases before Measure

enum class Records { StatesOnly, Full };

struct Timing {
  std::vector<double> steps;                ///< ms
  std::vector<double> phases[kStepPhases];  ///< ms
  std::vector<double> rest;                 ///< ms outside all phases
  double sent = 0, kernels = 0;             ///< per step
  std::vector<double> contacts, bodies;     ///< of every tenth step; bodies: dynamic bodies with contacts
};

/// Throws if the pane did not run as requested, because the measurement would be useless.
void demandThatItRan(const Simulation& simulation, BackendKind backend) {
  if (!simulation.backendNote().empty()) throw std::runtime_error(simulation.backendNote());
  if (simulation.backend() != backend) throw std::runtime_error("it ran on another backend");
  if (isFrozen(simulation.current()->status)) throw std::runtime_error(simulation.current()->statusText);
  const auto& replicas = simulation.world().replicaFrozen;
  const auto frozen = std::count(replicas.begin(), replicas.end(), 1);
  if (frozen > 0) throw std::runtime_error(std::to_string(frozen) + " replicas diverged and are frozen");
}

double bodiesInContact(const Scene& scene, const std::vector<Contact>& contacts) {
  std::vector<char> has(scene.bodies.size(), 0);
  for (const Contact& contact : contacts)
    for (const int body : {contact.bodyA, contact.bodyB})
      has[body] = scene.bodies[body].motion == Motion::Dynamic;
  return static_cast<double>(std::count(has.begin(), has.end(), 1));
}

Timing measure(const std::shared_ptr<const Scene>& scene, const std::string& pane, BackendKind backend,
               const Efforts& efforts, Records records) {
  PaneSettings settings = paneWithStep(pane);
  settings.backend = backend;
  Simulation simulation(scene, settings, scene->dt);
  simulation.setStatesOnly(records == Records::StatesOnly);
  std::vector<PhaseTimes> phases;
  std::vector<RecordPtr> some;  // evaluated later, so that the device is busy while the host does not measure
  const auto step = [&] {
    demandThatItRan(simulation, backend);  // checked in each step: a CPU may take very long
    const RecordPtr record = simulation.step();
    if (phases.size() % 10 == 0) some.push_back(record);
    phases.push_back(record->times);
  };
  repeated(efforts.before, step);
  phases.clear();
  some.clear();
  const Launches before = simulation.launches();
  Timing timing;
  timing.steps = repeated(efforts.measured, step);
  demandThatItRan(simulation, backend);
  for (const RecordPtr& record : some) {
    timing.contacts.push_back(static_cast<double>(record->contacts.size()));
    timing.bodies.push_back(bodiesInContact(*scene, record->contacts));
  }
  const std::size_t count = phases.size();
  for (std::size_t step = 0; step < count; ++step) {
    const PhaseTimes& times = phases[step];
    for (int phase = 0; phase < kStepPhases; ++phase) timing.phases[phase].push_back(times[phase]);
    timing.rest.push_back(
        std::max(0.0, timing.steps[step] - std::accumulate(times.begin(), times.end(), 0.0)));
  }
  const Launches made = simulation.launches() - before;
  timing.sent = static_cast<double>(made.sent) / static_cast<double>(count);
  timing.kernels = static_cast<double>(made.kernels) / static_cast<double>(count);
  return timing;
}

/// Steps until all arrays have their sizes and, on CUDA, steps are graphs. A smaller number measures
/// allocation; a larger one takes longer. The number is the same for all backends, because the cost of a step
/// changes while the boxes settle.
constexpr Effort kStepsBefore{20, 0, 20};

Efforts effortsOfSteps(BackendKind backend, std::size_t bodies) {
  const int steps = backend == BackendKind::Cuda ? 60 : bodies > 5000 ? 5 : 11;
  return {kStepsBefore, {steps, 0, steps}};
}

void addSteps(const std::shared_ptr<const Scene>& scene, const std::string& pane, BackendKind backend,
              BenchTable& table) {
  const std::string name = scene->name + "/" + keyOf(backend) + "/" + pane;
  table.attempt(name, [&] {
    const Efforts efforts = effortsOfSteps(backend, scene->bodies.size());
    const Timing timing = measure(scene, pane, backend, efforts, Records::StatesOnly);
    const Timing full = measure(scene, pane, backend, efforts, Records::Full);
    table.add(throughputRow(name, "steps per s", 1e3, timing.steps));
    table.add(throughputRow(name + "/recorded and measured", "steps per s", 1e3, full.steps));
    table.add(medianRow(name + "/contacts", "", full.contacts));
    table.add(medianRow(name + "/bodies in contact", "", full.bodies));
    const char* phases[kStepPhases] = {"predict",  "broad phase", "narrow phase",
                                       "assemble", "solve",       "integrate"};
    for (int phase = 0; phase < kStepPhases; ++phase)
      table.add(medianRow(name + "/" + phases[phase], "ms", timing.phases[phase]));
    table.add(medianRow(name + "/rest of the frame", "ms", timing.rest));
    if (backend != BackendKind::Cuda) return;
    table.add({name + "/launches", "per step, a graph is one", timing.sent});
    table.add({name + "/kernels", "per step", timing.kernels});
  });
}

std::string nameOfWorlds(BackendKind backend, int replicas) {
  return std::string("worlds/") + (backend == BackendKind::Cuda ? "cuda" : "cpu, one core") + "/" +
         std::to_string(replicas) + " × 20 bodies/";
}
int replicasOn(BackendKind backend) { return backend == BackendKind::Cuda ? 4096 : 64; }

/// 20 boxes in two towers; each replica has its own stiffness (or mass), as in a stability map.
void addWorlds(const std::string& pane, BackendKind backend, BenchTable& table) {
  const int replicas = replicasOn(backend);
  const double share = 1.0 / replicas;
  const auto scene = replicated(*towersFor(pane, 20), replicas, [&](int replica) {
    ReplicaVariation variation;
    if (isPenalty(pane)) {
      variation.parameters[pane]["stiffness"] = 5e3 * (1 + share * replica);
    } else {
      variation.change = [share, replica](Body& body) { body.mass *= 1 + share * replica; };
    }
    return variation;
  });
  // One thread, so that the row can be compared with any number of cores.
  ThreadLimit limit(backend == BackendKind::Cuda ? threadCount() : 1);
  const Efforts efforts = backend == BackendKind::Cuda ? effortsOfSteps(backend, scene->bodies.size())
                                                       : Efforts{kStepsBefore, {11, 1, 60}};
  const Timing timing = measure(scene, pane, backend, efforts, Records::StatesOnly);
  table.add(throughputRow(nameOfWorlds(backend, replicas) + pane, "world steps per s", 1e3 * replicas,
                          timing.steps));
}

}  // namespace

void benchPiles(BackendKind backend, BenchTable& table) {
  for (const char* pane :
       {"dpf", "cpf", "lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "peg-newton-fb-pcr exact"})
    for (int bodies : {100, 1000, 10000}) addSteps(towersFor(pane, bodies), pane, backend, table);
}

void benchWalls(BackendKind backend, BenchTable& table) {
  for (const char* pane : {"lcp-pgs", "peg-pgs"})  // Newton takes seconds per step
    addSteps(wall(1000), pane, backend, table);
}

void benchWorlds(BackendKind backend, BenchTable& table) {
  for (const char* pane : kWorldPanes)
    table.attempt(nameOfWorlds(backend, replicasOn(backend)) + pane,
                  [&] { addWorlds(pane, backend, table); });
}

void compareWorlds(BenchTable& table) {
  for (const char* pane : kWorldPanes) {
    const auto rateOn = [&](BackendKind backend) {
      return table.valueOf(nameOfWorlds(backend, replicasOn(backend)) + pane);
    };
    const double ratio = rateOn(BackendKind::Cuda) / (100 * rateOn(BackendKind::Cpu));
    if (ratio > 0) table.add({std::string("worlds/cuda over 100 cores/") + pane, "", ratio});
  }
}

void benchStacks(BenchTable& table) {
  struct Stack {
    std::shared_ptr<Scene> scene;
    double before, time;  ///< [s]
  };
  const Stack stacks[] = {{alignedTowers(10), 0.1, 0.5},
                          {alignedTowers(100), 0.1, 0.3},
                          {alignedTowers(1000), 0.1, 0.1},
                          {droppedIntoBin(100), 0, 1.5},
                          {droppedIntoBin(1000), 0, 0.75}};
  for (const Stack& stack : stacks)
    for (const char* pane : {"dpf", "cpf", "lcp", "peg"}) {
      const std::string name = "stacks/" + stack.scene->name + "/" + pane;
      table.attempt(name, [&, pane = pane] {
        Simulation simulation(stack.scene, paneNamed(pane), stack.scene->dt);
        std::vector<double> times;
        double deepest = 0;
        int unsolved = 0;
        while (simulation.world().time < stack.before + stack.time) {
          const RecordPtr record = simulation.step();
          if (simulation.world().time <= stack.before) continue;
          times.push_back(record->quantities[Quantity::TimeStep]);
          deepest = std::max(deepest, record->quantities[Quantity::PenetrationMax]);
          unsolved += record->status == StepStatus::NotConverged || record->status == StepStatus::NoSolution;
        }
        table.add(medianRow(name, "ms per frame", times));
        table.add({name + "/not solved", "of the frames", unsolved / static_cast<double>(times.size())});
        table.add({name + "/deepest", "m", deepest});
      });
    }
}

void benchScene(const std::string& name, double time, BenchTable& table) {
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
  const long frames = std::lround(time / scene->dt);
  std::map<std::string, double> medians;
  for (std::size_t pane = 0; pane < panes.size(); ++pane) {
    const ThreadLimit limit(1);  // threads that wait for work would count
    Simulation simulation(scene, panes[pane], scene->dt);
    simulation.setStatesOnly(true);
    std::vector<double> times;
    for (long frame = 0; frame < frames; ++frame)
      times.push_back(processorTimeOf([&simulation] { simulation.step(); }));
    const BenchRow row = medianRow("step/" + name + "/" + names[pane], "ms of processor per frame", times);
    table.add(row);
    table.add({row.name + "/99 %", "ms of processor", interpolatedQuantile(times, 0.99)});
    medians[names[pane]] = row.value;
  }
  if (medians.count("cpf") && medians.count("dpf"))
    table.add({"ratio/" + name + "/cpf over dpf", "", medians["cpf"] / medians["dpf"]});
  if (medians.count("peg") && medians.count("lcp"))
    table.add({"ratio/" + name + "/peg over lcp", "", medians["peg"] / medians["lcp"]});
}

}  // namespace touchstone::cli
