#include "app/cli/backend_bench.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>

#include "app/cli/commands.h"
#include "core/contact/piece_engine.h"
#include "core/geometry/convex_hull.h"
#include "core/math/quantile.h"
#include "core/parallel/parallel_for.h"
#include "core/referee/overlap_engine.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/scene/primitives.h"
#include "core/scene/replicate.h"
#include "core/solver/matrix_engine.h"

namespace touchstone::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kEdge = 0.1;      // m, of the boxes
constexpr double kDensity = 1000;  // kg/m³
constexpr double kOverlap = 5e-4;  // m, between boxes of a tower at the start: what penalty forces come to
constexpr int kStoreys = 10;

Body towerBox(const std::shared_ptr<const Shape>& shape, int number, double overlap) {
  const int tower = number / kStoreys, storey = number % kStoreys;
  Body body;
  body.name = std::to_string(number);
  body.shape = shape;
  body.volume = kEdge * kEdge * kEdge;
  body.mass = kDensity * body.volume;
  body.inertia = Mat3::Identity() * (body.mass * kEdge * kEdge / 6);
  // Towers of shifted boxes, each in contact with its neighbours above and below, on a square grid.
  const double shift = 0.01 * std::sin(12.9898 * number);
  body.position = Vec3(1.3 * kEdge * (tower % 32) + shift, (kEdge - overlap) * (storey + 0.5),
                       1.3 * kEdge * (tower / 32) - shift);
  return body;
}

std::shared_ptr<const Shape> boxShape() {
  auto shape = std::make_shared<Shape>();
  Polytope hull;
  const std::string problem = convexHull(boxPoints(Vec3::Constant(kEdge)), hull);
  if (!problem.empty()) throw std::logic_error(problem);
  shape->pieces.push_back(hull);
  shape->surfaces.push_back(triangulated(hull));
  shape->radius = 0.5 * std::sqrt(3.0) * kEdge;
  return shape;
}

/// All boxes are in contact at once.
std::shared_ptr<Scene> pile(int bodies, double overlap = kOverlap) {
  auto scene = std::make_shared<Scene>();
  scene->name = "pile-" + std::to_string(bodies);
  scene->file = scene->name;
  scene->dt = 2e-3;
  scene->size = 1;
  Material stone;
  stone.staticFriction = stone.dynamicFriction = 0.5;
  scene->materials.push_back(stone);
  Body ground;
  ground.name = "ground";
  ground.motion = Motion::Static;
  auto plane = std::make_shared<Shape>();
  plane->kind = Shape::Kind::Plane;
  ground.shape = plane;
  scene->bodies.push_back(ground);
  const auto shape = boxShape();
  for (int number = 0; number < bodies; ++number) scene->bodies.push_back(towerBox(shape, number, overlap));
  return scene;
}

bool isPenalty(const std::string& pane) { return !findMethod(paneWithStep(pane).method)->staysOnHost; }

/// In balance soon: penalty forces need depth.
std::shared_ptr<Scene> pileFor(const std::string& pane, int bodies) {
  return pile(bodies, isPenalty(pane) ? kOverlap : 0);
}

struct Timing {
  double step = 0;      // ms, median
  PhaseTimes phases{};  // ms, of the last step
  double launches = 0;  // per step
  double contacts = 0;
  BackendKind ranOn = BackendKind::Cpu;
};

enum class Records { StatesOnly, Full };

Timing measure(const std::shared_ptr<const Scene>& scene, const std::string& pane, BackendKind backend,
               int steps, Records records) {
  // Until all arrays have their sizes; on CUDA, until steps are graphs.
  const int warmUp = backend == BackendKind::Cuda ? 20 : 3;
  PaneSettings settings = paneWithStep(pane);
  settings.backend = backend;
  Simulation simulation(scene, settings, scene->dt);
  simulation.setStatesOnly(records == Records::StatesOnly);
  for (int step = 0; step < warmUp; ++step) simulation.step();
  const long before = simulation.launches();
  std::vector<double> times;
  for (int step = 0; step < steps; ++step) {
    const Clock::time_point start = Clock::now();
    simulation.step();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  Timing timing;
  timing.step = median(times);
  timing.phases = simulation.current()->times;
  timing.launches = static_cast<double>(simulation.launches() - before) / steps;
  timing.contacts = static_cast<double>(simulation.current()->contacts.size());
  timing.ranOn = simulation.backend();
  if (timing.ranOn != backend)
    std::fprintf(stderr, "%s: %s\n", pane.c_str(), simulation.backendNote().c_str());
  return timing;
}

void addPile(int bodies, const std::string& pane, BackendKind backend, std::vector<BenchRow>& rows) {
  const std::string name = "pile-" + std::to_string(bodies) + "/" + keyOf(backend) + "/" + pane;
  const int steps = bodies > 5000 ? 5 : 11;
  const auto scene = pileFor(pane, bodies);
  const Timing timing = measure(scene, pane, backend, steps, Records::StatesOnly);
  if (timing.ranOn != backend) return;
  const Timing full = measure(scene, pane, backend, steps, Records::Full);
  rows.push_back({name, "steps per s", 1e3 / timing.step});
  rows.push_back({name + "/recorded and measured", "steps per s", 1e3 / full.step});
  rows.push_back({name + "/contacts", "", full.contacts});
  const char* phases[] = {"predict", "broad phase", "narrow phase", "assemble", "solve", "integrate"};
  for (int phase = 0; phase < 6; ++phase)
    rows.push_back({name + "/" + phases[phase], "ms", timing.phases[phase]});
  if (backend == BackendKind::Cuda) rows.push_back({name + "/launches", "per step", timing.launches});
}

/// 20 boxes in two towers, each copy with a stiffness (or mass) of its own: what a stability map runs.
void addWorlds(const std::string& pane, BackendKind backend, std::vector<BenchRow>& rows) {
  const bool cuda = backend == BackendKind::Cuda;
  const int copies = cuda ? 4096 : 64;
  const double share = 1.0 / copies;
  const auto scene = replicated(*pileFor(pane, 20), copies, [&](int copy) {
    CopyVariation variation;
    if (isPenalty(pane)) {
      variation.parameters[pane]["stiffness"] = 5e3 * (1 + share * copy);
    } else {
      variation.change = [share, copy](Body& body) { body.mass *= 1 + share * copy; };
    }
    return variation;
  });
  ThreadLimit one(cuda ? threadCount() : 1);  // so that the row can be held against any number of cores
  const Timing timing = measure(scene, pane, backend, 11, Records::StatesOnly);
  if (timing.ranOn != backend) return;
  rows.push_back({"worlds/" + std::string(cuda ? "cuda" : "cpu, one core") + "/" + std::to_string(copies) +
                      " × 20 bodies/" + pane,
                  "world steps per s", 1e3 * copies / timing.step});
}

/// Median of some repetitions [ms].
double medianTime(const std::function<void()>& work) {
  std::vector<double> times;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const Clock::time_point start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return median(times);
}

/// Broad and narrow phase of the complementarity models, which no dense solver could follow at this size.
void addSets(BackendKind backend, std::vector<BenchRow>& rows) {
  const auto scene = pile(10000);
  World world = makeWorld(scene);
  const std::shared_ptr<BackendWorld> there = makeBackendWorld(backend, world);
  there->predict(world, scene->dt);
  const std::unique_ptr<PieceEngine> engine = makePieceEngine(backend, world, there);
  GapRule rule;
  rule.margin = 5e-3;
  rule.gravity = scene->gravity.norm();
  engine->setRules({rule});
  std::vector<double> broads, narrows;
  for (int repeat = 0; repeat < 7; ++repeat) {
    PhaseTimes times{};
    engine->begin(world);
    engine->await(times);
    broads.push_back(times[static_cast<int>(Phase::BroadPhase)]);
    narrows.push_back(times[static_cast<int>(Phase::NarrowPhase)]);
  }
  const double broad = median(broads), narrow = median(narrows);
  const std::string name = std::string("sets/") + keyOf(backend) + "/pile-10000";
  rows.push_back({name + "/broad phase", "ms", broad});
  rows.push_back({name + "/narrow phase", "ms", narrow});
  rows.push_back({name + "/pairs of pieces", "", static_cast<double>(engine->fetchPairs().size())});
  const double contacts = static_cast<double>(engine->fetchContacts().size());
  rows.push_back({name + "/contacts", "", contacts});
  rows.push_back({name + "/contacts per ms", "", contacts / narrow});
}

/// What the Referee does after every frame.
void addOverlaps(BackendKind backend, std::vector<BenchRow>& rows) {
  const World world = makeWorld(pile(10000));
  const std::unique_ptr<OverlapEngine> engine =
      makeOverlapEngine(backend, world, makeBackendWorld(backend, world));
  bool sampled = false;
  std::size_t count = 0;
  const double time = medianTime([&] { count = engine->find(world, sampled).size(); });
  const std::string name = std::string("overlaps/") + keyOf(backend) + "/pile-10000";
  rows.push_back({name, "ms", time});
  rows.push_back({name + "/overlapping pairs", "", static_cast<double>(count)});
}

/// Conjugate residuals on a dense system of n rows: what of the memory's own speed its matrix products reach.
void addPcr(BackendKind backend, std::vector<BenchRow>& rows) {
  const bool cuda = backend == BackendKind::Cuda;
  const int n = cuda ? 16384 : 4096;
  Eigen::MatrixXd S(n, n);
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < n; ++row) {
      const double distance = row - column;
      S(row, column) = (row == column ? 4.0 : 0.0) + std::exp(-0.01 * distance * distance);
    }
  const MatrixEngineLease engine(backend);
  engine->solve(LinearSolver::Pcr, S, Eigen::VectorXd::Ones(n), 0, 3);
  const auto gigabytesPerSecond = [](const std::function<double()>& work) {
    std::vector<double> rates;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Clock::time_point start = Clock::now();
      const double bytes = work();
      rates.push_back(1e-9 * bytes / std::chrono::duration<double>(Clock::now() - start).count());
    }
    return median(rates);
  };
  const double copy = gigabytesPerSecond([&] { return engine->copyMatrix(); });
  const double pcr = gigabytesPerSecond([&] { return engine->iteratePcr(20); });
  const std::string name = std::string("pcr/") + keyOf(backend) + "/" + std::to_string(n) + " rows";
  rows.push_back({name, "GB/s", pcr});
  rows.push_back({name + "/copy of the same size", "GB/s", copy});
  rows.push_back({name + "/share of copy bandwidth", "", pcr / copy});
}

}  // namespace

std::vector<BenchRow> measureBackend(BackendKind backend, const BenchGroups& groups) {
  std::vector<BenchRow> rows;
  if (groups.pcr) addPcr(backend, rows);
  if (groups.sets) addSets(backend, rows);
  if (groups.overlaps) addOverlaps(backend, rows);
  if (groups.piles)
    for (const char* pane :
         {"dpf", "cpf", "lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "peg-newton-fb-pcr exact"})
      for (int bodies : {100, 1000, 10000}) addPile(bodies, pane, backend, rows);
  if (groups.worlds)
    for (const char* pane : {"dpf", "cpf", "lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr"})
      addWorlds(pane, backend, rows);
  return rows;
}

}  // namespace touchstone::cli
