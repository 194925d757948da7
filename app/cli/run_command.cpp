#include "app/cli/run_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <memory>
#include <new>

#include "app/cli/checks.h"
#include "app/cli/interrupt.h"
#include "app/cli/motion_command.h"
#include "app/cli/pane_options.h"
#include "app/cli/start_options.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "app/work/run_files.h"
#include "core/files/text_forms.h"
#include "core/parallel/frame_clock.h"
#include "core/parallel/parallel_for.h"
#include "core/record/placed_surface.h"
#include "core/record/stop_condition.h"
#include "core/robot/scene_readers.h"
#include "core/run/backend_table.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/run/pane_settings.h"
#include "core/scene/frame_count.h"
#include "core/scene/variation.h"
#include "core/shape/primitives.h"
#include "core/statistics/summary.h"
#include "core/store/csv.h"
#include "core/store/manifest.h"
#include "core/store/recorder.h"
#include "core/study/scene_claims.h"

namespace touchstone::cli {

namespace {

/// Describes in one line the condition that begins with the newest frame; empty: none.
std::string stopReason(const Comparison& comparison, const std::vector<StopCondition>& conditions,
                       const std::vector<std::string>& names) {
  for (int pane = 0; pane < comparison.paneCount(); ++pane) {
    const RecordPtr record = comparison.pane(pane).current();
    const RecordPtr before = comparison.history(pane).at(record->frame - 1);
    for (const StopCondition& condition : conditions)
      if (begins(condition, before.get(), *record))
        return names[pane] + ": " + toString(condition) + " at " + csvNumber(record->time) + " s (frame " +
               std::to_string(record->frame) + ")";
  }
  return {};
}

/// Outermost points of what moves in any pane, along directions all around: at the start, at the end and over
/// the run. A camera that holds them holds the bodies in all frames. The run leaves out a body of a pane that
/// was thrown out in any frame.
class Extents {
 public:
  void add(const Comparison& comparison) {
    std::vector<RecordPtr> frames;
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      frames.push_back(comparison.history(pane).frames().back());
    const Scene& scene = comparison.scene();
    for (const MovingBody& moving : movingBodies(scene, frames)) {
      Course& course = m_courses[{moving.pane, moving.body}];
      course.isThrown = course.isThrown || moving.isThrown;
      if (course.isThrown) continue;
      for (const Vec3& vertex : placedVertices(scene, *frames[moving.pane], moving.body))
        course.points.push_back(vertex);
      course.points = outermost(course.points, m_directions);
    }
    m_end = outermost(movingPoints(scene, frames), m_directions);
    if (m_start.empty()) m_start = m_end;
  }
  /// @return a CSV table; `thrown` counts the bodies of all panes that the run leaves out
  std::string table() const {
    std::vector<Vec3> pointsOfRun;
    int thrown = 0;
    for (const auto& [body, course] : m_courses) {
      thrown += course.isThrown;
      if (!course.isThrown) pointsOfRun.insert(pointsOfRun.end(), course.points.begin(), course.points.end());
    }
    const std::vector<Vec3> run = outermost(pointsOfRun, m_directions);
    std::string text = "span,thrown,x_m,y_m,z_m\n";
    for (const auto& [span, points] :
         {std::pair{"start", &m_start}, std::pair{"end", &m_end}, std::pair{"run", &run}})
      for (const Vec3& point : *points) {
        text += span + ("," + std::to_string(thrown));
        for (int axis = 0; axis < 3; ++axis) text += "," + fourDigits(point[axis]);
        text += "\n";
      }
    return text;
  }

 private:
  struct Course {
    std::vector<Vec3> points;
    bool isThrown = false;
  };
  std::map<std::pair<std::size_t, int>, Course> m_courses;  ///< by pane and body
  std::vector<Vec3> m_directions = spherePoints(1, 1), m_start, m_end;
};

constexpr char kExtents[] = "extents.csv";

/// The plan of a run, checked as far as possible before anything is written.
struct Plan {
  std::shared_ptr<const Scene> scene;
  std::vector<PaneSettings> panes;
  double dt = 0, time = 0;  ///< s
  long frames = 0;
  std::vector<StopCondition> conditions;
  std::vector<BodyQuantity> ofBodies;
};

Plan planOf(const RunOptions& options) {
  Plan plan;
  plan.dt = options.dt;
  plan.time = options.time;
  if (!options.from.empty()) {
    const Manifest manifest = readManifest(options.from);
    plan.scene = loadScene(resolveScene(options.scene.empty() ? manifest.scene : options.scene));
    checkHashes(manifest, *plan.scene, options.from);
    plan.panes = manifest.panes;
    if (plan.dt == 0) plan.dt = manifest.dt;
    if (plan.time == 0) plan.time = manifest.time;
    if (manifest.seed != 0 && options.seed == 0)
      plan.scene = varied(*plan.scene, manifest.variation, manifest.seed);
  } else {
    if (options.scene.empty())
      throw std::invalid_argument("run: no scene; give a scene file or the name of a shipped scene");
    plan.scene = loadScene(resolveScene(options.scene));
    plan.panes = panesOf({options.methods, options.sets, options.backend, options.substeps}, *plan.scene);
  }
  if (options.seed == 0 && !options.variation.empty())
    throw std::invalid_argument("--variation " + options.variation +
                                ": varies nothing without a seed; give --seed");
  if (options.seed != 0)
    plan.scene = varied(
        *plan.scene, options.variation.empty() ? usualVariation(*plan.scene) : variationOf(options.variation),
        options.seed);
  for (const std::string& text : options.quantities)
    plan.ofBodies.push_back(bodyQuantityOf(text, *plan.scene));
  if (!plan.ofBodies.empty() && options.out.empty())
    throw std::invalid_argument("--quantity " + options.quantities.front() +
                                ": is a column of a table; give --out");
  if (plan.dt == 0) plan.dt = plan.scene->dt;
  if (plan.time == 0) plan.time = plan.scene->duration;
  plan.frames = frameCount(plan.time, plan.dt);
  for (const std::string& text : options.stopOn) plan.conditions.push_back(stopConditionOf(text));
  return plan;
}

/// A run and all of its output.
class Run {
 public:
  Run(const RunOptions& options, const Plan& plan)
      : m_options(options),
        m_plan(plan),
        m_comparison(plan.scene, plan.panes, History::kNewestOnly),
        m_notes{options.commandLine, plan.time},
        m_claims(claimsOf(*plan.scene)) {
    if (plan.dt != m_comparison.dt()) m_comparison.setDt(plan.dt);
    m_comparison.setSecondsPerFrame(options.secondsPerFrame);
    const auto isForce = [](const BodyQuantity& quantity) {
      return quantity.kind == BodyQuantity::Kind::PairForce;
    };
    if (options.allContacts || m_claims.needsContacts() ||
        std::any_of(plan.ofBodies.begin(), plan.ofBodies.end(), isForce))
      m_comparison.recordAllContacts();
    m_names = paneLabels(*plan.scene, m_comparison.settings().panes);
    const bool replace = options.force;
    if (!options.out.empty())
      m_files = std::make_unique<RunFiles>(
          options.out, replace ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep,
          RunFiles::Tables{options.contacts, options.allContacts, options.poses, plan.ofBodies,
                           options.extents ? std::vector<std::string>{kExtents} : std::vector<std::string>{}},
          m_names);
    if (!options.record.empty())
      m_recorder = std::make_unique<Recorder>(options.record, m_comparison, options.commandLine,
                                              replace ? Earlier::Replace : Earlier::Keep);
    if (m_files) m_files->begin(m_comparison, m_notes);
    watch();
  }

  /// Runs until the end, or until something stops the run.
  void frames() {
    m_notes.end = kComplete;
    try {
      for (long frame = 0; frame < m_plan.frames; ++frame) {
        try {
          m_comparison.step(false);
        } catch (const FrameEnded&) {
          end("interrupted by " + interruption(), kSimulationFailed);
          break;
        }
        if (m_files) m_files->add(m_comparison);
        watch();
        m_stopped = stopReason(m_comparison, m_plan.conditions, m_names);
        if (const std::string signal = interruption(); !signal.empty())
          end("interrupted by " + signal, kSimulationFailed);
        if (m_recorder && !m_recorder->problem().empty()) end(m_recorder->problem(), kEnvironment);
        if (!m_stopped.empty() || m_notes.end != kComplete) break;
        printProgress(static_cast<double>(frame + 1) / static_cast<double>(m_plan.frames));
      }
    } catch (const std::bad_alloc&) {
      m_reserve.reset();
      end("out of memory", kSimulationFailed);
    }
    if (!m_stopped.empty() && m_notes.end == kComplete) m_notes.end = "stopped on " + m_stopped;
  }

  /// @return the exit code
  int finish() {
    takeTimeToWrite();
    const std::vector<PaneSummary> summaries = summariesOf(m_comparison, m_names);
    for (const PaneSummary& summary : summaries) m_notes.delivered.push_back(summary.delivered);
    std::string table = "Scene " + m_plan.scene->name + ", dt " + csvNumber(m_plan.dt) + " s, " +
                        csvNumber(m_plan.time) + " s\n" + startLine();
    for (const std::string& note : m_plan.scene->notes)
      table += (note[0] == '\'' ? "Body " : "") + note + "\n";
    if (m_code != kDone)
      table += "NOT COMPLETE: " + m_notes.end + " at " + csvNumber(m_comparison.time()) + " s\n";
    table += summaryTable(summaries) + claimLines(m_claims.results(verdictOf(summaries)));
    const bool recorded = m_recorder && m_recorder->problem().empty();
    if (recorded) m_recorder->finish();
    if (m_files) m_files->finish(m_comparison, table, m_notes, texts());
    std::cout << table;
    if (m_code != kDone)
      std::cerr << "run: " << m_notes.end << " at " << csvNumber(m_comparison.time()) << " s of "
                << csvNumber(m_plan.time) << " s; what was computed is written\n";
    for (int pane = 0; pane < m_comparison.paneCount(); ++pane) report(pane, summaries[pane]);
    if (!m_stopped.empty()) std::cout << "Stopped on " << m_stopped << "\n";
    if (recorded) std::cout << "Recorded to " << m_options.record << "\n";
    if (m_files) std::cout << "Written to " << m_options.out << "\n";
    return m_code;
  }

 private:
  std::string startLine() const {
    const Scene& scene = *m_plan.scene;
    if (scene.seed == 0) return {};
    return "Start of seed " + std::to_string(scene.seed) + ": bodies moved by up to " +
           csvNumber(scene.variation.position) + " m, turned by up to " +
           csvNumber(scene.variation.angle * 180 / M_PI) + " degrees, spun by up to " +
           csvNumber(scene.variation.spin) + " rad/s\n";
  }
  /// Files beside the tables.
  std::map<std::string, std::string> texts() const {
    if (!m_options.extents) return {};
    return {{kExtents, m_extents.table()}};
  }
  void end(const std::string& why, int code) {
    m_notes.end = why;
    m_code = code;
  }
  /// Takes the newest frame.
  void watch() {
    for (int pane = 0; pane < m_comparison.paneCount(); ++pane)
      m_claims.add(m_names[pane], *m_comparison.history(pane).frames().back());
    if (m_options.extents) m_extents.add(m_comparison);
  }
  void report(int pane, const PaneSummary& summary) {
    if (summary.frozenFrom < 0) return;
    m_code = std::max(m_code, kSimulationFailed);
    const RecordPtr last = m_comparison.pane(pane).current();
    std::cerr << summary.label << ": " << toString(last->status) << " at " << summary.frozenFrom
              << " s: " << last->statusText << '\n';
  }

  const RunOptions& m_options;
  const Plan& m_plan;
  Comparison m_comparison;
  RunNotes m_notes;
  std::vector<std::string> m_names;
  ClaimMeter m_claims;
  Extents m_extents;
  std::unique_ptr<RunFiles> m_files;
  std::unique_ptr<Recorder> m_recorder;
  std::string m_stopped;
  int m_code = kDone;
  /// Released when memory is exhausted, so that the results can still be written.
  std::unique_ptr<std::array<char, std::size_t(4) << 20>> m_reserve =
      std::make_unique<std::array<char, std::size_t(4) << 20>>();
};

}  // namespace

int run(const RunOptions& options) {
  if (!options.motion.empty()) return runMotion(options);
  const Plan plan = planOf(options);
  noteInterrupts();
  const ThreadLimit limit(options.threads > 0 ? options.threads : threadCount());
  Run run(options, plan);
  run.frames();
  return run.finish();
}

namespace {

/// Refuses options that would be ignored.   @throws std::invalid_argument
void refuseIdleOfRun(const CLI::App& command) {
  // --from repeats the panes of a manifest.
  const std::vector<const char*> manifest = {"--from"}, folder = {"--out"};
  refuseIdle(command, {{"--methods", {}, manifest},
                       {"--set", {}, manifest},
                       {"--backend", {}, manifest},
                       {"--substeps", {}, manifest},
                       {"--contacts", folder, {"--all-contacts"}},
                       {"--all-contacts", folder},
                       {"--poses", folder},
                       {"--extents", folder},
                       {"--force", {"--out", "--record"}}});
  if (command.count("--motion") > 0 && command.count("--tosses") == 0)
    refuseIdle(command, {{"--seed", {"--tosses"}}});
}

/// Declares the options for recorded motion.
void addMotionToRun(CLI::App& command, RunOptions& options) {
  CLI::Option* motion =
      command.add_option("--motion", options.motion,
                         "CSV with recorded motion: start as it did, print how far each method is from it");
  CLI::Option* names =
      command.add_option("--toss", options.toss, "only these tosses of it: 3,17")->delimiter(',');
  command.add_option("--tosses", options.tosses, "only so many of its tosses, drawn by --seed")
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(names)
      ->needs(motion);
  names->needs(motion);
  for (const char* other : {"--time", "--from", "--contacts", "--all-contacts", "--poses", "--extents",
                            kSecondsPerFrame, "--quantity", "--variation", "--stop-on", "--record"})
    motion->excludes(command.get_option(other));
}

}  // namespace

Declared declareRun(CLI::App& command, const CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  options->commandLine = line.called;
  command.add_option("scene", options->scene, "scene file, or the name of a shipped scene");
  command.add_option("--methods", options->methods, "methods, for example dpf,cpf,lcp,peg-lemke")
      ->delimiter(',');
  command.add_option("--backend", options->backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  command.add_option("--dt", options->dt, "frame length [s]")->check(frameLength());
  command.add_option("--time", options->time, "time to simulate [s]")->check(positiveNumber());
  command.add_option("--substeps", options->substeps, "steps per frame, all panes")
      ->check(CLI::Range(1, touchstone::kMostSubsteps));
  command.add_option("--threads", options->threads, "host threads; results do not depend on it")
      ->check(CLI::Range(1, 4096));
  addSecondsPerFrame(command, options->secondsPerFrame);
  command.add_option("--set", options->sets, "method.key=value, for example cpf.stiffness=2e4; repeatable");
  command.add_option("--out", options->out,
                     "folder for quantities.csv, convergence.csv, summary.txt and manifest.json");
  command.add_option("--from", options->from, "repeat the run of a manifest.json");
  command.add_flag("--contacts", options->contacts,
                   "also write contacts.csv, of the last substep of each frame");
  command.add_flag("--all-contacts", options->allContacts, "also write contacts.csv, of every substep");
  command.add_flag(
      "--poses", options->poses,
      "also write poses.csv (of several panes poses-PANE.csv): a trajectory file; with --contacts "
      "pose-contacts.csv beside it");
  command.add_flag("--extents", options->extents,
                   "also write extents.csv: outermost points of what moves in any pane, at the start, at the "
                   "end and over the run, for a camera that holds them");
  command.add_option(
      "--quantity", options->quantities,
      "also write body_position:NAME, body_velocity:NAME, body_spin:NAME or pair_force:A:B into "
      "quantities.csv; A and B are names or groups (a+b, stone*); repeatable");
  command.add_option("--seed", options->seed, "move the bodies at the start as studies do; 0: not")
      ->check(CLI::Range(0, touchstone::kMostSeed));
  command.add_option(
      "--variation", options->variation,
      "how far --seed moves them: position=0.05,angle_deg=180,spin=2 (as the shipped study of the scene)");
  command
      .add_option(
          "--stop-on", options->stopOn,
          "end when it begins in any pane: " + touchstone::stopConditionNames() + ", penetration_max>1e-3, …")
      ->delimiter(',');
  command.add_option(
      "--record", options->record,
      "file for a recording of every frame: opens in the workbench, replays, exports to ParaView");
  command.add_flag(
      "--force", options->force,
      "replace an earlier run in --out and an earlier recording, once the new one is whole; never "
      "other files");
  addMotionToRun(command, *options);
  return [&command, options] {
    refuseIdleOfRun(command);
    return run(*options);
  };
}

}  // namespace touchstone::cli
