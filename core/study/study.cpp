#include "core/study/study.h"

#include <algorithm>
#include <cmath>

#include "core/math/quantile.h"
#include "core/scene/frame_count.h"
#include "core/scene/variation.h"

namespace touchstone {

namespace {

/// Why a run ends at this frame, or empty. A rise of energy without a supply does not end it: the method
/// continues.
std::string crashOf(const StepRecord& record, double crashSpeed) {
  if (record.status != StepStatus::Ok && record.status != StepStatus::Energy) {
    std::string text = std::string(toString(record.status)) + ": " + record.statusText;
    std::replace(text.begin(), text.end(), ',', ';');  // so that readers that split lines at commas work too
    return text;
  }
  for (const BodyState& body : record.bodies)
    if (body.active && body.linearVelocity.norm() > crashSpeed) return "too fast";
  return {};
}

}  // namespace

std::optional<StudyRun> runOne(const Study& study, std::shared_ptr<const Scene> scene, const StudyPane& pane,
                               double dt, int seed, const std::function<bool()>& goesOn) {
  Simulation simulation(varied(*scene, study.variation, seed), pane.settings, dt);
  StudyRun run;
  run.pane = pane.label;
  run.dt = dt;
  run.seed = seed;
  std::vector<double> overlaps, times;
  long traps = 0, solves = 0;
  const long frames = frameCount(study.time, dt);
  while (run.frames < frames && run.crashedAt < 0) {
    if (goesOn && !goesOn()) return std::nullopt;
    const RecordPtr record = simulation.step();
    run.unsolved += record->unsolved;
    run.reason = crashOf(*record, study.crashSpeed);
    if (!run.reason.empty()) {
      run.crashedAt = record->time;
      break;
    }
    ++run.frames;
    overlaps.push_back(record->quantities[Quantity::Overlap]);
    times.push_back(record->quantities[Quantity::TimeStep]);
    run.depthMax = std::max(run.depthMax, record->quantities[Quantity::PenetrationMax]);
    traps += record->quantities[Quantity::Traps] > 0;
    solves += record->solves;
    run.bisected += record->parts > record->substeps;
  }
  const double counted = static_cast<double>(std::max(1l, run.frames));
  run.overlapMedian = median(overlaps);
  run.overlapQuartile = quantile(overlaps, 0.75);
  run.overlapMax = quantile(overlaps, 1);
  run.trapShare = static_cast<double>(traps) / counted;
  run.solves = static_cast<double>(solves) / counted;
  run.milliseconds = median(times);
  return run;
}

}  // namespace touchstone
