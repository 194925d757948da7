#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "app/cli/commands.h"
#include "core/parallel/parallel_for.h"
#include "core/run/backend_table.h"
#include "core/run/comparison.h"

namespace touchstone::cli {

namespace {

// Long enough for contact in every shipped scene, short enough to wait for.
constexpr int kFrames = 150;

struct Row {
  std::string scene, method, check, result;
  bool passed;
};

void print(const Row& row) {
  std::printf("%-4s  %-14s %-6s %-34s %s\n", row.passed ? "ok" : "FAIL", row.scene.c_str(),
              row.method.c_str(), row.check.c_str(), row.result.c_str());
  std::fflush(stdout);
}

std::string text(const char* pattern, double value) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, pattern, value);
  return buffer;
}

std::vector<RecordPtr> records(const std::shared_ptr<const Scene>& scene, const PaneSettings& settings,
                               int frames) {
  Simulation simulation(scene, settings, scene->dt);
  std::vector<RecordPtr> result;
  for (int frame = 0; frame < frames; ++frame) result.push_back(simulation.step());
  return result;
}

double stateDifference(const StepRecord& a, const StepRecord& b) {
  double largest = 0;
  for (std::size_t body = 0; body < a.bodies.size(); ++body)
    largest =
        std::max(largest, (a.bodies[body].position - b.bodies[body].position).norm() +
                              a.dt * (a.bodies[body].linearVelocity - b.bodies[body].linearVelocity).norm());
  return largest;
}

Row threadsAgree(const std::shared_ptr<const Scene>& scene, const PaneSettings& settings,
                 const std::vector<RecordPtr>& many) {
  const ThreadLimit one(1);
  const std::vector<RecordPtr> single = records(scene, settings, kFrames);
  for (int frame = 0; frame < kFrames; ++frame)
    if (single[frame]->stateHash != many[frame]->stateHash)
      return {scene->name, settings.method, "same bits on any number of threads",
              "differs from frame " + std::to_string(frame + 1), false};
  return {scene->name, settings.method, "same bits on any number of threads",
          std::to_string(kFrames) + " frames", true};
}

/// Momentum may change only by gravity and by what static bodies give: the record's error, relative to the
/// momentum that gravity alone would have brought in that time.
Row momentumBalances(const Scene& scene, const std::vector<RecordPtr>& run) {
  double worst = 0, scale = 0;
  for (const RecordPtr& record : run) {
    if (record->status == StepStatus::Diverged)
      break;  // the pane stands still from here on, without its weight
    const double error = record->quantities[Quantity::MomentumLinearError];
    if (std::isfinite(error)) worst = std::max(worst, error);
    double mass = 0;
    for (const Body& body : scene.bodies) mass += body.mass;
    scale = std::max({scale, mass * scene.gravity.norm() * record->time, record->normalImpulseSum});
  }
  return {scene.name, run.back()->method, "linear momentum balances", text("largest error %.1e N·s", worst),
          worst <= 1e-9 * scale};
}

/// The first frame from the same state; later frames may part, since contact is chaotic.
Row backendsAgree(const std::shared_ptr<const Scene>& scene, PaneSettings settings,
                  const std::vector<RecordPtr>& cpu) {
  settings.backend = BackendKind::Cuda;
  const std::vector<RecordPtr> gpu = records(scene, settings, kFrames);
  int frame = 0;
  while (frame + 1 < kFrames && cpu[frame]->contacts.empty()) ++frame;
  const double difference = stateDifference(*cpu[frame], *gpu[frame]);
  return {scene->name, settings.method, "CUDA agrees with CPU at first contact",
          text("state differs by %.1e m", difference),
          difference <= 1e-11 * scene->size && cpu[frame]->contacts.size() == gpu[frame]->contacts.size()};
}

}  // namespace

int verify(const std::string& backend) {
  for (const BackendInfo& info : backendTable())
    if (info.key == backend && !info.usable)
      throw std::runtime_error("backend " + backend + ": " + info.state + "; use --backend cpu");
  bool passed = true;
  const auto note = [&passed](const Row& row) {
    print(row);
    passed = passed && row.passed;
  };
  for (const std::string& path : findScenes(datasetsFolder() + "/scenes")) {
    const auto scene = loadScene(path);
    std::vector<std::string> problems;
    for (const PaneSettings& settings : suggestedPanes(*scene, &problems)) {
      const std::vector<RecordPtr> run = records(scene, settings, kFrames);
      note(threadsAgree(scene, settings, run));
      note(momentumBalances(*scene, run));
      if (backend == "cuda") note(backendsAgree(scene, settings, run));
    }
    for (const std::string& problem : problems) std::printf("-     %s\n", problem.c_str());
  }
  std::cout << (passed ? "All checks passed.\n" : "Some checks FAILED.\n");
  return passed ? kDone : kSimulationFailed;
}

}  // namespace touchstone::cli
