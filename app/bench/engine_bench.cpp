#include "app/bench/engine_bench.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "app/bench/bench_scenes.h"
#include "app/bench/stopwatch.h"
#include "core/contact/cpf/batched_pairs.h"
#include "core/contact/step_detail.h"
#include "core/math/quantile.h"
#include "core/referee/overlap_measurement.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/scene/scene.h"
#include "core/solver/linear/batched_krylov.h"

namespace touchstone::cli {

namespace {

constexpr int kBoxes = 10000;

/// Random features of size 1 that are within a step's motion of each other; fixed seed.
std::vector<PairPath> randomPairs(int count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-0.5, 0.5), motion(-0.15, 0.15);
  std::vector<PairPath> pairs(count);
  for (int index = 0; index < count; ++index) {
    PairPath& pair = pairs[index];
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

std::vector<double> timesOfPairs(BackendKind backend, const std::vector<PairPath>& pairs) {
  const auto engine = makeBatchedPairs(backend);
  engine->send(pairs);
  return timesOf(effortsOn(backend), [&engine] { engine->evaluate(); });
}

std::string nameOf(const char* what, BackendKind backend, const std::string& scene) {
  return std::string(what) + "/" + keyOf(backend) + "/" + scene;
}

}  // namespace

void benchKernel(BenchTable& table) {
  const std::vector<PairPath> pairs = randomPairs(100000);
  double sum = 0;  // prevents that the compiler removes the work
  std::vector<double> times = timesOf(effortsOn(BackendKind::Cpu), [&] {
    for (const PairPath& pair : pairs) sum += evaluatePair(pair).endDepth;
  });
  for (double& time : times) time *= 1e3 / static_cast<double>(pairs.size());
  BenchRow row = medianRow("pairs/one core/ccd+impulse", "µs per pair", times);
  row.value += 0 * sum;
  table.add(row);
}

void benchPairs(BackendKind backend, BenchTable& table) {
  const std::string unit = "million pairs per ms", name = nameOf("pairs", backend, "ccd+impulse");
  std::vector<PairPath> pairs = randomPairs(backend == BackendKind::Cuda ? 4'000'000 : 400'000);
  const double pairCount = static_cast<double>(pairs.size());
  table.add(rateRow(name, unit, 1e-6 * pairCount, timesOfPairs(backend, pairs)));
  const auto cannot = [](const PairPath& pair) { return cannotCross(motionOf(pair)); };
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(), cannot), pairs.end());
  const double some = static_cast<double>(pairs.size());
  const double touching = static_cast<double>(std::count_if(pairs.begin(), pairs.end(), touches));
  table.add({name + "/share that may cross", "", some / pairCount});
  table.add({name + "/share that touches", "", touching / pairCount});
  table.add(rateRow(name + "/of those that may cross", unit, 1e-6 * some, timesOfPairs(backend, pairs)));
}

void benchSets(BackendKind backend, BenchTable& table) {
  const auto scene = towers(kBoxes);
  PaneSettings settings = paneWithStep("peg-pgs");
  settings.backend = backend;
  settings.parameters["margin"] = 5e-3;
  settings.parameters["max_iterations"] = 1.0;
  Simulation simulation(scene, settings, scene->dt);
  const Snapshot start = simulation.snapshot();
  std::vector<PhaseTimes> phases;
  const auto find = [&] {
    simulation.restore(start);
    phases.push_back(simulation.step()->times);
    if (simulation.backend() != backend) throw std::runtime_error(simulation.backendNote());
  };
  repeated(effortsOn(backend).before, find);
  phases.clear();
  repeated(effortsOn(backend).measured, find);
  simulation.restore(start);
  StepDetail inside;
  const RecordPtr record = simulation.step(inside);
  const auto timesIn = [&phases](Phase phase) {
    std::vector<double> times;
    for (const PhaseTimes& measured : phases) times.push_back(measured[static_cast<int>(phase)]);
    return times;
  };
  const std::string name = nameOf("sets", backend, scene->name);
  const std::vector<double> narrow = timesIn(Phase::NarrowPhase);
  table.add(medianRow(name + "/broad phase", "ms", timesIn(Phase::BroadPhase)));
  table.add(medianRow(name + "/narrow phase", "ms", narrow));
  table.add({name + "/pairs of pieces", "", static_cast<double>(inside.pieces.size())});
  const double contacts = static_cast<double>(record->contacts.size());
  table.add({name + "/contacts", "", contacts});
  table.add(rateRow(name + "/contacts per ms", "", contacts, narrow));
}

void benchOverlaps(BackendKind backend, BenchTable& table) {
  const auto scene = towers(kBoxes);
  const World world = makeWorld(scene);
  const std::unique_ptr<OverlapMeasurement> engine =
      makeOverlapMeasurement(backend, world, makeDeviceWorld(backend, world));
  bool sampled = false;
  std::size_t count = 0;
  const std::string name = nameOf("overlaps", backend, scene->name);
  table.add(medianRow(name, "ms",
                      timesOf(effortsOn(backend), [&] { count = engine->find(world, sampled).size(); })));
  table.add({name + "/overlapping pairs", "", static_cast<double>(count)});
}

void benchPcr(BackendKind backend, BenchTable& table) {
  const bool cuda = backend == BackendKind::Cuda;
  const int n = cuda ? 16384 : 4096;
  Eigen::MatrixXd S(n, n);
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < n; ++row) {
      const double distance = row - column;
      S(row, column) = (row == column ? 4.0 : 0.0) + std::exp(-0.01 * distance * distance);
    }
  // A new engine, because one from the pool would keep gigabytes until the program ends.
  const std::unique_ptr<BatchedKrylov> engine = makeBatchedKrylov(backend);
  engine->solve(LinearSolver::Pcr, S, Eigen::VectorXd::Ones(n), 0, 3);
  const std::string name = nameOf(toString(LinearSolver::Pcr), backend, std::to_string(n) + " rows");
  double bytes = 0;
  const auto addRate = [&](const std::string& what, const Efforts& efforts,
                           const std::function<double()>& work) {
    const std::vector<double> times = timesOf(efforts, [&] { bytes = work(); });
    table.add(rateRow(name + what, "GB/s", 1e-6 * bytes, times));
    return 1e-6 * bytes / median(times);
  };
  const Efforts ofCopies = effortsOn(backend);
  const double byLoop =
      addRate("/copy by a loop", ofCopies, [&] { return engine->copyMatrix(CopyBy::Loop); });
  const double byDriver =
      addRate("/copy by the driver", ofCopies, [&] { return engine->copyMatrix(CopyBy::Driver); });
  const Efforts ofIterations{{1, 0, 1}, {5, 0, 5}};
  const double pcr = addRate("", ofIterations, [&] { return engine->iteratePcr(cuda ? 100 : 20); });
  table.add({name + "/share of copy bandwidth", "", pcr / std::max(byLoop, byDriver)});
}

}  // namespace touchstone::cli
