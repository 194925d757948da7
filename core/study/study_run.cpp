#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "core/conform/conformance.h"
#include "core/contact/manifold/continuous_penalty.h"
#include "core/math/not_a_number.h"
#include "core/math/quantile.h"
#include "core/parallel/frame_clock.h"
#include "core/run/pane_name.h"
#include "core/scene/frame_count.h"
#include "core/scene/variation.h"
#include "core/study/run_table.h"
#include "core/study/study.h"

namespace touchstone {

namespace {

using Goes = std::function<bool()>;
using Budget = std::shared_ptr<ExpressionBudget>;

/// Why a run ends at this frame, or empty. A rise of energy without a supply does not end it: the method
/// continues.
std::string failureOf(const StepRecord& record, bool stops, double crashSpeed) {
  const bool isUnanswered =
      record.status == StepStatus::NoSolution || record.status == StepStatus::NotConverged;
  if (isFrozen(record.status) || (stops && isUnanswered)) {
    std::string text = std::string(toString(record.status)) + ": " + record.statusText;
    std::replace(text.begin(), text.end(), ',', ';');  // so that readers that split lines at commas work too
    return text;
  }
  for (const BodyState& body : record.bodies)
    if (body.active && body.linearVelocity.norm() > crashSpeed) return "too fast";
  return {};
}

std::optional<StudyRun> runFrames(const Study& study, const StudyTask& task, const Goes& goesOn,
                                  double secondsPerFrame, const Budget& budget) {
  const bool stops = study.panes[task.pane].stopsOnFailure;
  Simulation simulation(varied(*task.scene, study.variation, task.seed), task.settings, task.dt);
  simulation.setSecondsPerFrame(secondsPerFrame);
  RunTable rows(study, task.scene.get(), budget);
  if (rows.needsContacts()) simulation.recordAllContacts();
  StudyRun run;
  std::vector<double> times;
  long solves = 0;
  const long frames = frameCount(task.time, task.dt);
  while (run.frames < frames && run.failedAt < 0) {
    if (goesOn && !goesOn()) return std::nullopt;
    const RecordPtr record = simulation.step();
    run.unsolved += record->unsolved;
    run.reason = failureOf(*record, stops, study.crashSpeed);
    if (!run.reason.empty()) {
      run.failedAt = record->time;
      break;
    }
    ++run.frames;
    rows.add(*record);
    times.push_back(record->quantities[Quantity::TimeStep]);
    solves += record->solves;
    run.bisected += record->parts > record->substeps;
  }
  run.solves = static_cast<double>(solves) / static_cast<double>(std::max(1l, run.frames));
  run.milliseconds = median(times);
  measure(study, task, rows.table(), run);
  return run;
}

/// Solves the last frame again from zero, without what the method remembers of the frames before.
std::optional<StudyRun> runIterations(const Study& study, const StudyTask& task, const Goes& goesOn,
                                      double secondsPerFrame, const Budget& budget) {
  Simulation simulation(varied(*task.scene, study.variation, task.seed), task.settings, task.dt);
  simulation.setSecondsPerFrame(secondsPerFrame);
  StudyRun run;
  const long frames = frameCount(task.time, task.dt);
  for (; run.frames + 1 < frames; ++run.frames) {
    if (goesOn && !goesOn()) return std::nullopt;
    const RecordPtr record = simulation.step();
    // A step that is not solved is what such a study may ask for.
    run.reason = failureOf(*record, false, study.crashSpeed);
    if (run.reason.empty()) continue;
    run.failedAt = record->time;
    run.values.assign(study.quantities.size(), kNaN);
    run.series.assign(study.quantities.size(), {});
    run.milliseconds = kNaN;
    return run;
  }
  simulation.restore(simulation.snapshot());
  const RecordPtr record = simulation.step();
  ++run.frames;
  run.unsolved = record->unsolved;
  run.solves = record->solves;
  run.milliseconds = record->quantities[Quantity::TimeStep];
  ExpressionTable table("run", columnsOfRun(study), budget);
  double number = 0;
  for (const SolverIteration& iteration : record->iterations) {
    ++number;
    if (study.kind == StudyKind::Iterations)
      table.add({number, iteration.residual, iteration.merit, iteration.stepSize, iteration.normal,
                 iteration.friction, iteration.joints, iteration.momentum, iteration.linearResidual,
                 static_cast<double>(iteration.linearIterations), record->solverTolerance});
    else
      for (std::size_t inner = 0; inner < iteration.linear.size(); ++inner)
        table.add({number, static_cast<double>(inner + 1), static_cast<double>(iteration.linear[inner])});
  }
  measure(study, task, table, run);
  return run;
}

/// Values by the names of columns; NaN where there is none.
std::vector<Cell> cellsBy(const std::map<std::string, double>& values, const ExpressionTable& table) {
  std::vector<Cell> cells;
  for (const std::string& column : table.columns()) {
    const auto value = values.find(column);
    cells.emplace_back(value == values.end() ? kNaN : value->second);
  }
  return cells;
}

StudyRun runFormula(const Study& study, const StudyTask& task, const Budget& budget) {
  ExpressionTable table("run", columnsOfRun(study), budget);
  std::map<std::string, double> names = task.constants;
  for (double x : study.grid) {
    names["x"] = x;
    table.add(cellsBy(names, table));
  }
  StudyRun run;
  measure(study, task, table, run);
  return run;
}

/// A triangle that turns about one of its edges by an angle in the step, and a vertex that is carried along,
/// at some distance from the edge, and ends at the depth below it. (At a constant depth both laws agree.)
/// @param begin  step fraction at which the vertex gets below the triangle; 0: it is inside for the whole
/// step and sinks from a fifth of the depth
PairPath turningFace(double angle, double distance, double depth, double begin) {
  PairPath path;
  const auto turned = [](const Vec3& p, double by) -> Vec3 {
    return Vec3(std::cos(by) * p.x() - std::sin(by) * p.y(), std::sin(by) * p.x() + std::cos(by) * p.y(),
                p.z());
  };
  const Vec3 rows[4] = {Vec3(distance, -depth, 0), Vec3(0, 0, 0.1), Vec3(0.2, 0, 0), Vec3(0, 0, -0.1)};
  for (int row = 0; row < 4; ++row) {
    path.x0[row] = rows[row];
    path.x1[row] = turned(rows[row], angle);
  }
  path.x0[0].y() = -depth / 5;
  if (motionOf(path).m0.y() < 0) {
    std::swap(path.x0[1], path.x0[3]);
    std::swap(path.x1[1], path.x1[3]);
  }
  if (begin > 0) {
    // The gap at `begin` is linear in the height at which the vertex starts.
    const auto mean = [&path, begin](int row) {
      return Vec3((1 - begin) * path.x0[row] + begin * path.x1[row]);
    };
    path.x0[0].y() = 0;
    const Vec3 normal = motionOf(path).m(begin);
    path.x0[0].y() = -normal.dot(mean(0) - mean(1)) / ((1 - begin) * normal.y());
  }
  path.tracked = !(begin > 0);
  path.stiffness = 1e4;
  path.dt = 1e-3;
  path.weights[0] = 1;
  const double along = distance / 0.2;
  path.weights[2] = along;
  path.weights[1] = path.weights[3] = (1 - along) / 2;
  return path;
}

/// Microseconds of an evaluation, median of some batches.
double microseconds(const PairPath& path) {
  // Evaluations of a batch, and batches. More take longer; fewer measure the clock.
  constexpr int kBatch = 500, kBatches = 9;
  std::vector<double> times;
  double keep = 0;  // so that the work is not left out
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < kBatch; ++k) keep += evaluatePair(path).intervals[0].impulseClosed.x();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / kBatch);
  }
  return std::isnan(keep) ? kNaN : median(times);
}

StudyRun runPairPath(const Study& study, const StudyTask& task, const Budget& budget) {
  ExpressionTable table("run", columnsOfRun(study), budget);
  std::map<std::string, double> names = task.constants;
  const auto valueOr = [&names](const char* name, double standard) {
    const auto found = names.find(name);
    return found == names.end() ? standard : found->second;
  };
  const double angle = valueOr("turn_deg", 1) * M_PI / 180, depth = valueOr("depth", 1e-3),
               begin = valueOr("begin", 0);
  const bool byQuadrature = valueOr("by_quadrature", 0) != 0;
  for (int row = 1; row <= 9; ++row) {
    PairPath path = turningFace(angle, 0.02 * row, depth, begin);
    path.quadrature = byQuadrature;
    names["closed_us"] = row == 1 ? microseconds(path) : kNaN;
    path.quadrature = true;
    names["quadrature_us"] = row == 1 ? microseconds(path) : kNaN;
    const PairImpulse impulse = evaluatePair(path);
    const PenetrationInterval& interval = impulse.intervals[0];
    const Vec3 closed = byQuadrature ? interval.impulseExact : interval.impulseClosed;
    names["closed"] = impulse.intervalCount > 0 ? closed.norm() : 0;
    names["quadrature"] = impulse.intervalCount > 0 ? interval.impulseExact.norm() : 0;
    table.add(cellsBy(names, table));
  }
  StudyRun run;
  measure(study, task, table, run);
  return run;
}

std::optional<StudyRun> runPhenomenon(const Study& study, const StudyTask& task, const Goes& goesOn,
                                      double secondsPerFrame, const Budget& budget) {
  namespace fs = std::filesystem;
  struct Aborted {};
  const std::string scenes = (fs::path(task.phenomenon).parent_path().parent_path() / "scenes").string();
  ConformOptions options;
  options.columns = {{wordsOf(task.settings), ""}};
  options.secondsPerFrame = secondsPerFrame;
  options.progress = [&goesOn](double) {
    if (goesOn && !goesOn()) throw Aborted();
  };
  ExpressionTable table("run", columnsOfRun(study), budget);
  StudyRun run;
  try {
    const Phenomenon phenomenon = loadPhenomenon(task.phenomenon, scenes);
    const Card card = conform({phenomenon}, options, false);
    for (const CardNumber& number : card.numbers) {
      const bool isPrimary =
          phenomenon.primary != Primary::Measure || number.measure == phenomenon.primaryMeasure;
      table.add({number.measure, number.value, number.reference, number.model, number.tolerance,
                 number.deviation, std::string(wordOf(number.verdict)), isPrimary ? 1.0 : 0.0});
      run.frames += number.notOk;
      if (number.verdict == Verdict::Failed) run.reason = number.reason;
    }
  } catch (const Aborted&) {
    return std::nullopt;
  }
  if (!run.reason.empty()) run.failedAt = 0;
  measure(study, task, table, run);
  return run;
}

}  // namespace

std::optional<StudyRun> runOne(const Study& study, const StudyTask& task, const Goes& goesOn,
                               double secondsPerFrame) {
  const auto budget = std::make_shared<ExpressionBudget>(ExpressionBudget::Clock::Processor, goesOn);
  try {
    switch (study.kind) {
      case StudyKind::Frames:
        return runFrames(study, task, goesOn, secondsPerFrame, budget);
      case StudyKind::Iterations:
      case StudyKind::Inner:
        return runIterations(study, task, goesOn, secondsPerFrame, budget);
      case StudyKind::Formula:
        return runFormula(study, task, budget);
      case StudyKind::PairPath:
        return runPairPath(study, task, budget);
      case StudyKind::Phenomenon:
        return runPhenomenon(study, task, goesOn, secondsPerFrame, budget);
    }
  } catch (const EvaluationStopped&) {
  } catch (const FrameEnded&) {
  }
  return std::nullopt;
}

}  // namespace touchstone
