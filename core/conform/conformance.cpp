#include "core/conform/conformance.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>

#include "core/conform/kit.h"
#include "core/conform/side_by_side.h"
#include "core/engine/engine.h"
#include "core/files/csv_reader.h"
#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/files/sha256.h"
#include "core/files/text_forms.h"
#include "core/files/written_file.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "core/scene/frame_count.h"
#include "core/scene/scene_file.h"
#include "core/trajectory/trajectory_file.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

bool needsContacts(const Phenomenon& phenomenon, const std::string& run) {
  return std::any_of(phenomenon.measures.begin(), phenomenon.measures.end(), [&](const Measure& measure) {
    return std::count(measure.runs.begin(), measure.runs.end(), run) > 0 &&
           findTrajectoryQuantity(measure.query.quantity)->needsContacts;
  });
}

/// Builds a trajectory frame by frame from the records of a pane.
class TrajectoryOfPane {
 public:
  TrajectoryOfPane(std::shared_ptr<const Scene> scene, const std::string& name, double step, bool contacts)
      : m_trajectory(std::make_shared<Trajectory>()) {
    m_trajectory->given.assign(scene->bodies.size(), 1);
    m_trajectory->scene = std::move(scene);
    m_trajectory->name = name;
    m_trajectory->engine = "touchstone";
    m_trajectory->step = step;
    m_trajectory->hasContacts = contacts;
  }
  void add(const StepRecord& record) {
    Trajectory& trajectory = *m_trajectory;
    if (!trajectory.status.empty() && isFrozen(trajectory.status.back())) return;
    trajectory.times.push_back(record.time);
    trajectory.states.push_back(record.bodies);
    m_pushedOut += record.pushOutAngularMomentum;
    trajectory.pushOutAngularMomentum.push_back(m_pushedOut);
    trajectory.status.push_back(record.status);
    if (record.status != StepStatus::Ok && trajectory.statusText.empty())
      trajectory.statusText = record.statusText;
    if (!trajectory.hasContacts) return;
    trajectory.contacts.push_back(record.contacts);
    for (const std::vector<Contact>& earlier : record.earlierContacts)
      trajectory.contacts.back().insert(trajectory.contacts.back().end(), earlier.begin(), earlier.end());
  }
  std::shared_ptr<const Trajectory> result() const { return m_trajectory; }

 private:
  std::shared_ptr<Trajectory> m_trajectory;
  Vec3 m_pushedOut = Vec3::Zero();
};

/// One run of a phenomenon to be computed.
struct Task {
  const Phenomenon* phenomenon = nullptr;
  PhenomenonRun run;  ///< with the edits of a control
  const Control* control = nullptr;
  std::string folder;  ///< below the options' folder; empty: nothing is written
};

class Runner {
 public:
  Runner(const Task& task, const ConformOptions& options, ColumnClocks& clocks)
      : m_task(task), m_options(options), m_clocks(clocks) {}

  ConformRun run(const std::function<void(double share)>& progress) {
    m_result.phenomenon = m_task.phenomenon->name;
    m_result.run = m_task.run.id;
    loadTheScene();
    m_result.dt = m_asked = m_task.run.dt > 0 ? m_task.run.dt : m_scene->dt;
    m_result.time = m_task.run.time > 0 ? m_task.run.time : m_scene->duration;
    m_result.columns.resize(m_options.columns.size());
    std::vector<int> paneOf(m_options.columns.size(), -1);
    std::vector<PaneSettings> panes;
    for (std::size_t column = 0; column < m_options.columns.size(); ++column) {
      if (m_options.columns[column].isForeign()) {
        readForeign(column);
        continue;
      }
      PaneSettings settings;
      if (!isRunBy(column, settings)) continue;
      if (const std::string problem = m_clocks.problem(column); !problem.empty()) {
        fails(column, problem);
        continue;
      }
      paneOf[column] = countOf(panes);
      takeAccurateForms(settings);
      panes.push_back(settings);
    }
    scaleSteps(panes);
    for (std::size_t column = 0; column < paneOf.size(); ++column)
      if (paneOf[column] >= 0)
        m_result.columns[column].model = modelOf(*m_scene, panes[paneOf[column]], m_result.dt);
    if (!panes.empty()) step(panes, paneOf, progress);
    return m_result;
  }

 private:
  void loadTheScene() {
    const SourceFile source = sceneSourceOf(m_task.run, m_options.settings == ConformSettings::Published);
    m_result.sceneHash = source.hash;
    m_result.sceneSha256 = sha256(*source.bytes);
    std::string path = m_task.run.scene;
    const bool isChanged = *source.bytes != readFile(path, "give the path of a scene file");
    if (isChanged && !m_options.folder.empty() && !m_task.folder.empty())
      path = (fs::path(m_options.folder) / m_task.folder / kChangedScene).string();
    m_scene = readScene(path, source);
  }

  void takesNoPart(std::size_t column, const std::string& why) { m_result.columns[column].problem = why; }

  void fails(std::size_t column, const std::string& why) {
    takesNoPart(column, why);
    m_result.columns[column].hasFailed = true;
  }

  /// Settings of a column in this run. @return false: it is left out
  bool isRunBy(std::size_t column, PaneSettings& settings) {
    const std::string& label = m_options.columns[column].label;
    settings = paneFor(label, *m_scene);
    const MethodInfo* method = findMethod(settings.method);
    for (const auto& [name, why] : m_task.run.without)
      if (name == settings.method || name == paneName(settings)) {
        takesNoPart(column, why);
        return false;
      }
    if (m_task.run.substeps > 0) settings.substeps = m_task.run.substeps;
    for (const auto& [key, value] : m_task.run.parameters) {
      if (method && !findParameter(*method, key)) {
        takesNoPart(column, method->shortName + " has no " + key);
        return false;
      }
      settings.parameters[key] = value;
    }
    const std::string problem = refusal(*m_scene, settings);
    if (!problem.empty()) {
      takesNoPart(column, problem);
      return false;
    }
    return true;
  }

  void scaleSteps(std::vector<PaneSettings>& panes) {
    const auto scaled = [this](const PaneSettings& pane) { return pane.substeps / m_options.stepFactor; };
    const bool isBySubsteps = std::all_of(panes.begin(), panes.end(), [&](const PaneSettings& pane) {
      const double substeps = scaled(pane);
      return substeps >= 1 && substeps <= kMostSubsteps && substeps == std::round(substeps);
    });
    if (!isBySubsteps)
      m_result.dt *= m_options.stepFactor;
    else
      for (PaneSettings& pane : panes) pane.substeps = static_cast<int>(scaled(pane));
  }

  /// Iterations that an engine is set to in each step; none, if its number is not known.
  static int iterationsOf(const ParameterValues& values) {
    const auto value = values.find("iterations");
    const double* number = value == values.end() ? nullptr : std::get_if<double>(&value->second);
    return number ? static_cast<int>(*number) : RunEffort::kNotTold;
  }

  RunEffort effortAtStart(const PaneSettings& pane, const ParameterValues& values) const {
    RunEffort effort;
    effort.asked = m_asked;
    effort.interval = m_result.dt;
    effort.step = m_result.dt / pane.substeps;
    effort.substeps = pane.substeps;
    effort.processor = 0;
    const EngineInfo* engine = findEngine(pane.method);
    effort.precision = engine ? engine->precision : "double";
    effort.iterations = engine ? iterationsOf(values) : 0;
    effort.iterationSum = engine ? RunEffort::kNotTold : 0;
    return effort;
  }

  /// Adds a frame of all panes. @param passed  processor time of it [s], which panes share as their clock
  /// times
  static void addFrame(const std::vector<RecordPtr>& records, double passed,
                       std::vector<RunEffort>& efforts) {
    const auto stepTime = [](const StepRecord& record) {
      double sum = 0;
      if (isFrozen(record.status)) return sum;  // it repeats its last record
      for (int phase = 0; phase < static_cast<int>(Phase::Measure); ++phase) sum += record.times[phase];
      return sum;
    };
    double total = 0;
    for (const RecordPtr& record : records)
      if (!isFrozen(record->status))
        total += stepTime(*record) + record->times[static_cast<int>(Phase::Measure)];
    for (std::size_t pane = 0; pane < records.size(); ++pane) {
      RunEffort& effort = efforts[pane];
      if (total > 0) effort.processor += passed * stepTime(*records[pane]) / total;
      if (effort.iterationSum == RunEffort::kNotTold || isFrozen(records[pane]->status)) continue;
      const auto iterations = countOf(records[pane]->iterations);
      effort.iterations = std::max(effort.iterations, iterations);
      effort.iterationSum += iterations;
    }
  }

  void step(const std::vector<PaneSettings>& panes, const std::vector<int>& paneOf,
            const std::function<void(double share)>& progress) {
    Comparison comparison(m_scene, panes, History::kNewestOnly);
    if (m_result.dt != comparison.dt()) comparison.setDt(m_result.dt);
    const bool contacts = needsContacts(*m_task.phenomenon, m_task.run.id);
    if (contacts) comparison.recordAllContacts();
    std::unique_ptr<ConformObserver> observer;
    if (m_options.observe && !m_task.folder.empty()) {
      observer = m_options.observe(m_task.folder, comparison, m_result.time);
      m_result.folder = m_task.folder;
    }
    std::vector<TrajectoryOfPane> trajectories;
    std::vector<RunEffort> efforts;
    for (std::size_t pane = 0; pane < panes.size(); ++pane) {
      const EngineInfo* engine = findEngine(panes[pane].method);
      trajectories.emplace_back(m_scene, paneName(panes[pane]), m_result.dt / panes[pane].substeps,
                                contacts && (!engine || engine->tellsContacts));
      trajectories.back().add(*comparison.pane(static_cast<int>(pane)).current());
      efforts.push_back(effortAtStart(panes[pane], comparison.pane(static_cast<int>(pane)).parameters()));
    }
    const long frames = frameCount(m_result.time, m_result.dt);
    std::string failure;
    std::vector<std::string> ends(panes.size());  // why the clock has ended a pane
    for (long frame = 0; frame < frames; ++frame) {
      for (std::size_t column = 0; column < paneOf.size(); ++column)
        if (paneOf[column] >= 0) comparison.limitNextFrame(paneOf[column], m_clocks.nextFrame(column));
      try {
        const double before = threadSeconds();
        const std::vector<RecordPtr> records = comparison.step(false);
        addFrame(records, threadSeconds() - before, efforts);
      } catch (const std::exception& error) {
        failure = error.what();
        break;
      }
      for (std::size_t pane = 0; pane < panes.size(); ++pane)
        trajectories[pane].add(*comparison.pane(static_cast<int>(pane)).current());
      useClocks(comparison, paneOf, ends);
      if (observer) observer->stepped(comparison);
      if (progress) progress(static_cast<double>(frame + 1) / static_cast<double>(frames));
    }
    if (observer) observer->finished(comparison);
    for (std::size_t column = 0; column < paneOf.size(); ++column) {
      if (paneOf[column] < 0) continue;
      ColumnRun& result = m_result.columns[column];
      result.trajectory = trajectories[paneOf[column]].result();
      result.effort = efforts[paneOf[column]];
      for (const StepStatus status : result.trajectory->status) result.notOk += status != StepStatus::Ok;
      const std::string& end = ends[paneOf[column]];
      if (!failure.empty() || !end.empty()) fails(column, failure.empty() ? end : failure);
    }
  }

  /// Adds the times of the newest frame to those of the columns.
  void useClocks(const Comparison& comparison, const std::vector<int>& paneOf,
                 std::vector<std::string>& ends) {
    for (std::size_t column = 0; column < paneOf.size(); ++column) {
      if (paneOf[column] < 0) continue;
      const Simulation& simulation = comparison.pane(paneOf[column]);
      std::string& end = ends[paneOf[column]];
      if (!end.empty()) continue;
      if (simulation.isEndedByClock()) {
        m_clocks.add(column, m_clocks.nextFrame(column));
        end = m_clocks.problem(column);
        if (end.empty()) end = simulation.current()->statusText;
      } else if (!isFrozen(simulation.current()->status)) {
        double milliseconds = 0;
        for (const double phase : simulation.current()->times) milliseconds += phase;
        m_clocks.add(column, 1e-3 * milliseconds);
      }
    }
  }

  void noteEffort(const Trajectory& trajectory, const std::string& file, const std::string& contacts,
                  RunEffort& effort) const {
    effort.asked = m_asked;
    effort.step = trajectory.step;
    for (std::size_t sample = 1; sample < trajectory.sampleCount(); ++sample)
      effort.interval = std::max(effort.interval, trajectory.times[sample] - trajectory.times[sample - 1]);
    const double substeps = effort.step > 0 ? std::round(effort.interval / effort.step) : 0;
    effort.substeps = static_cast<int>(std::clamp(substeps, 0.0, 1.0 * kMostSubsteps));
    effort.iterations = trajectory.iterations;
    effort.precision = trajectory.precision;
    effort.processor = trajectory.processorTime;
    effort.isDistrusted = trajectory.distrusted;
    effort.fileHash = sha256OfFile(file);
    if (!contacts.empty()) effort.contactsHash = sha256OfFile(contacts);
  }

  /// Parameters that the settings change are those of our methods: files are of the scene with its own.
  std::shared_ptr<const Scene> sceneOfFiles() const {
    if (m_options.settings == ConformSettings::Battery) return m_scene;
    return readScene(m_task.run.scene, sceneSourceOf(m_task.run));
  }

  /// Reads FOLDER/SCENE.RUN.csv, or FOLDER/SCENE.csv for the first run of that scene.
  void readForeign(std::size_t column) {
    ColumnRun& result = m_result.columns[column];
    result.model = unknownModel();
    const CardColumn& foreign = m_options.columns[column];
    const std::string path = trajectoryIn(foreign.folder, *m_task.phenomenon, m_task.run);
    if (path.empty()) {
      result.problem = "no file " + trajectoryNames(*m_task.phenomenon, m_task.run).front();
      return;
    }
    try {
      TrajectoryOptions options;
      options.key = foreign.label;
      options.distrustsVelocities = true;
      const std::string contacts = contactsNameOf(path);
      std::error_code ignored;
      if (fs::is_regular_file(contacts, ignored)) options.contacts = contacts;
      const std::shared_ptr<const Scene> scene = sceneOfFiles();
      requireScene(*scene, path);
      std::vector<std::string> warnings;
      result.trajectory = std::make_shared<Trajectory>(readTrajectory(scene, path, options, &warnings));
      noteEffort(*result.trajectory, path, options.contacts, result.effort);
      try {
        result.model = declaredModel(result.trajectory->model, result.trajectory->step);
      } catch (const std::invalid_argument& error) {
        throw SceneError(path, "", std::string("# ") + error.what(), "correct the header");
      }
      if (result.trajectory->integrator == kSemiImplicitEuler) result.model.words.insert(kSemiImplicitEuler);
      for (const std::string& warning : warnings)
        if (m_options.warn) m_options.warn(warning);
    } catch (const std::exception& error) {
      result.problem = error.what();
      result.hasFailed = true;
    }
  }

  /// Refuses a trajectory whose header names another scene than that of the run.
  static void requireScene(const Scene& scene, const std::string& path) {
    CsvReader file(path, "give a trajectory file");
    const TrajectoryHeader header = readTrajectoryHeader(file, "touchstone_trajectory");
    const auto source = scene.sources.find(fs::path(scene.file).filename().string());
    if (header.sceneHash.empty() || source == scene.sources.end()) return;
    if (header.sceneHash == sha256(*source->second.bytes)) return;
    throw SceneError(path, "", "is of another scene than its run (scene_sha256 differs)",
                     "run the scene of `touchstone-cli conform --kit`");
  }

  const Task& m_task;
  const ConformOptions& m_options;
  double m_asked = 0;  ///< frame of the phenomenon's run [s]
  ColumnClocks& m_clocks;
  std::shared_ptr<const Scene> m_scene;
  ConformRun m_result;
};

const ConformRun& runOf(const std::vector<ConformRun>& runs, const std::string& phenomenon,
                        const std::string& id) {
  return *std::find_if(runs.begin(), runs.end(),
                       [&](const ConformRun& run) { return run.phenomenon == phenomenon && run.run == id; });
}

/// @param exact  see judged()
CardNumber numberOf(const Phenomenon& phenomenon, const Measure& measure, std::size_t column,
                    const ConformOptions& options, const std::vector<ConformRun>& runs,
                    std::optional<double> exact = {}) {
  std::vector<MeasuredRun> measured;
  const ColumnRun* missing = nullptr;
  CardNumber number;
  for (const std::string& id : measure.runs) {
    const ConformRun& run = runOf(runs, phenomenon.name, id);
    const ColumnRun& columnRun = run.columns[column];
    if (!columnRun.trajectory || columnRun.hasFailed) missing = &columnRun;
    measured.push_back({columnRun.trajectory.get(), run.dt, run.time});
  }
  const ConformRun& last = runOf(runs, phenomenon.name, measure.runs.back());
  if (missing) {
    number.measure = measure.id;
    number.unit = measure.unit;
    number.value = number.model = number.deviation = NAN;
    number.reference = measure.exact ? *measure.exact : NAN;
    number.tolerance = measure.exact ? measure.tolerance.of(*measure.exact) : 0;
    number.verdict = missing->hasFailed ? Verdict::Failed : Verdict::NotApplicable;
    number.reason = missing->problem;
  } else {
    number =
        judged(measure, last.columns[column].model, options.columns[column].isForeign(), measured, exact);
    const auto isDistrusted = [](const MeasuredRun& run) { return run.trajectory->distrusted; };
    const auto found = std::find_if(measured.begin(), measured.end(), isDistrusted);
    if (found != measured.end())
      number.reason = "from poses at " + std::to_string(found->trajectory->replacedVelocities) + " of " +
                      std::to_string(found->trajectory->givenVelocities) +
                      " samples, which the velocities of the file contradict" +
                      (number.reason.empty() ? "" : "; " + number.reason);
  }
  number.phenomenon = phenomenon.name;
  number.run =
      measure.runs.size() > 1 ? measure.runs.front() + "…" + measure.runs.back() : measure.runs.back();
  number.column = options.columns[column].label;
  number.runFolder = last.folder;
  if (!last.folder.empty()) number.manifest = last.folder + "/manifest.json";
  number.sceneHash = last.sceneHash;
  for (const std::string& id : measure.runs)
    number.notOk += runOf(runs, phenomenon.name, id).columns[column].notOk;
  return number;
}

std::string shown(const CardNumber& number) {
  return fourDigits(number.value) + (number.unit.empty() ? "" : " " + number.unit);
}

/// Puts numbers of other measures of the same column into a reason, for "{id}".
/// @param numbers  of one phenomenon in one column
void fillReasons(const std::vector<CardNumber*>& numbers) {
  for (CardNumber* number : numbers)
    for (const CardNumber* other : numbers) {
      const std::string mark = "{" + other->measure + "}";
      const std::size_t position = number->reason.find(mark);
      if (position == std::string::npos) continue;
      number->reason.replace(position, mark.size(), std::isnan(other->value) ? "?" : shown(*other));
    }
}

/// Deviation in tolerances; −1: it is not judged.
double badness(const CardNumber& number) {
  if (std::isnan(number.value) || std::isnan(number.reference) || number.verdict == Verdict::NotApplicable)
    return -1;
  if (number.tolerance <= 0) return number.verdict == Verdict::Agrees ? 0 : 1;  // a bound
  return std::abs(number.value - number.reference) / number.tolerance;
}

}  // namespace

CardCell cellOf(const Phenomenon& phenomenon, const std::vector<CardNumber*>& numbers) {
  CardCell cell;
  std::string notApplicable;
  const CardNumber* worst = nullptr;
  int wrong = 0, judged = 0;
  for (const CardNumber* number : numbers) {
    cell.notOk = std::max(cell.notOk, number->notOk);
    if (number->verdict == Verdict::NotApplicable) {
      if (notApplicable.empty()) notApplicable = number->reason;
      continue;
    }
    if (number->verdict > cell.verdict) {
      cell.verdict = number->verdict;
      cell.reason = number->reason;
    }
    const auto measure =
        std::find_if(phenomenon.measures.begin(), phenomenon.measures.end(),
                     [&](const Measure& candidate) { return candidate.id == number->measure; });
    if (number->verdict != Verdict::Shown && measure->exact) {  // bounds are shown with the count
      ++judged;
      wrong += number->verdict != Verdict::Agrees;
    }
    if (measure->query.quantity != phenomenon.measures.front().query.quantity) continue;
    if (badness(*number) > (worst ? badness(*worst) : -1)) worst = number;
  }
  if (cell.verdict == Verdict::NotApplicable) cell.reason = notApplicable;
  switch (phenomenon.primary) {
    case Primary::Wrong:
      cell.text = std::to_string(wrong) + " of " + std::to_string(judged);
      break;
    case Primary::Right:
      cell.text = std::to_string(judged - wrong) + " of " + std::to_string(judged);
      break;
    case Primary::Worst:
      cell.text = worst ? shown(*worst) : "";
      break;
    case Primary::Measure:
      for (const CardNumber* number : numbers)
        if (number->measure == phenomenon.primaryMeasure && !std::isnan(number->value))
          cell.text = shown(*number);
      break;
  }
  if (judged == 0 && phenomenon.primary != Primary::Measure) cell.text.clear();
  return cell;
}

namespace {

/// The measure whose course is drawn: the primary one, or the first that has a course.
const Measure& drawnMeasure(const Phenomenon& phenomenon) {
  for (const Measure& measure : phenomenon.measures)
    if (measure.id == phenomenon.primaryMeasure) return measure;
  return phenomenon.measures.front();
}

/// At most this many points of a course: a larger value makes files that no browser likes, a smaller one
/// hides impacts.
constexpr std::size_t kPoints = 160;
std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>>& course) {
  if (course.size() <= kPoints) return course;
  std::vector<std::pair<double, double>> few;
  for (std::size_t point = 0; point < kPoints; ++point)
    few.push_back(course[point * (course.size() - 1) / (kPoints - 1)]);
  return few;
}

std::vector<Task> tasksOf(const std::vector<Phenomenon>& phenomena) {
  std::vector<Task> tasks;
  for (const Phenomenon& phenomenon : phenomena)
    for (const PhenomenonRun& run : phenomenon.runs)
      tasks.push_back({&phenomenon, run, nullptr, "runs/" + phenomenon.name + "." + run.id});
  return tasks;
}

/// Runs that a control needs: those of the measures that it turns. None for one that only judges otherwise.
std::vector<Task> controlTasksOf(const std::vector<Phenomenon>& phenomena) {
  std::vector<Task> tasks;
  for (const Phenomenon& phenomenon : phenomena)
    for (const Control& control : phenomenon.controls) {
      if (control.edits.empty()) continue;
      for (const PhenomenonRun& run : phenomenon.runs) {
        const bool isNeeded =
            std::any_of(phenomenon.measures.begin(), phenomenon.measures.end(), [&](const Measure& measure) {
              return std::count(control.turns.begin(), control.turns.end(), measure.id) > 0 &&
                     std::count(measure.runs.begin(), measure.runs.end(), run.id) > 0;
            });
        if (!isNeeded) continue;
        tasks.push_back({&phenomenon, run, &control, ""});
        tasks.back().run.edits.insert(tasks.back().run.edits.end(), control.edits.begin(),
                                      control.edits.end());
      }
    }
  return tasks;
}

std::vector<ConformRun> computed(const std::vector<Task>& tasks, const ConformOptions& options,
                                 ColumnClocks& clocks, double first, double share) {
  std::vector<ConformRun> runs(tasks.size());
  std::mutex mutex;
  double done = 0;
  onThreads(tasks.size(), options.jobs, [&](std::size_t index) {
    double before = 0;
    runs[index] = Runner(tasks[index], options, clocks).run([&](double now) {
      if (!options.progress) return;
      const std::lock_guard<std::mutex> lock(mutex);
      done += now - before;
      before = now;
      options.progress(first + share * done / static_cast<double>(tasks.size()));
    });
  });
  return runs;
}

CardRun cardRunOf(const ConformRun& run, const ConformOptions& options) {
  CardRun result{run.phenomenon, run.run, run.sceneHash, run.sceneSha256, run.dt, run.time, {}};
  for (std::size_t column = 0; column < options.columns.size(); ++column)
    if (options.columns[column].isForeign()) {
      std::set<std::string>& words = result.declared[options.columns[column].label];
      const ColumnRun& foreign = run.columns[column];
      if (!foreign.trajectory) continue;
      words.insert(foreign.trajectory->model.begin(), foreign.trajectory->model.end());
      if (foreign.model.words.count(kSemiImplicitEuler)) words.insert(kSemiImplicitEuler);
    }
  return result;
}

void judgeControls(const std::vector<Task>& tasks, const std::vector<ConformRun>& changed,
                   const std::vector<ConformRun>& runs, const ConformOptions& options, Card& card) {
  const auto verdictOf = [&](const std::string& phenomenon, const std::string& measure,
                             const std::string& column) {
    for (const CardNumber& number : card.numbers)
      if (number.phenomenon == phenomenon && number.measure == measure && number.column == column)
        return number.verdict;
    return Verdict::NotApplicable;
  };
  for (const Phenomenon& phenomenon : card.phenomena)
    for (std::size_t index = 0; index < phenomenon.controls.size(); ++index) {
      const Control& control = phenomenon.controls[index];
      std::vector<ConformRun> controlRuns = runs;
      for (std::size_t task = 0; task < tasks.size(); ++task) {
        if (tasks[task].phenomenon->name != phenomenon.name) continue;
        if (tasks[task].control != &tasks[task].phenomenon->controls[index]) continue;
        for (ConformRun& run : controlRuns)
          if (run.phenomenon == changed[task].phenomenon && run.run == changed[task].run) run = changed[task];
      }
      for (const Measure& measure : phenomenon.measures) {
        if (std::count(control.turns.begin(), control.turns.end(), measure.id) == 0) continue;
        const auto exact = control.exact.find(measure.id);
        for (std::size_t column = 0; column < options.columns.size(); ++column) {
          const std::string& label = options.columns[column].label;
          if (verdictOf(phenomenon.name, measure.id, label) != Verdict::Agrees) continue;
          // A change of the scene says nothing of files of others.
          if (!control.edits.empty() && options.columns[column].isForeign()) continue;
          const CardNumber after =
              numberOf(phenomenon, measure, column, options, controlRuns,
                       exact == control.exact.end() ? std::optional<double>() : exact->second);
          card.controls.push_back(
              {phenomenon.name, measure.id, label, Verdict::Agrees, after.verdict, after.value});
        }
      }
    }
}

}  // namespace

void ColumnClocks::add(std::size_t column, double seconds) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  m_used[column] += seconds;
}

double ColumnClocks::nextFrame(std::size_t column) const {
  const double frame = m_options.secondsPerFrame, limit = m_options.secondsPerColumn;
  if (!(limit > 0)) return frame;
  const std::lock_guard<std::mutex> lock(m_mutex);
  const double rest = std::max(limit - m_used[column], std::numeric_limits<double>::min());
  return frame > 0 ? std::min(frame, rest) : rest;
}

std::string ColumnClocks::problem(std::size_t column) const {
  const double limit = m_options.secondsPerColumn;
  const std::lock_guard<std::mutex> lock(m_mutex);
  if (!(limit > 0) || m_used[column] < limit * (1 - 1e-9)) return {};  // but for rounding of the sum
  return "the clock ended the column: it took longer than " + fourDigits(limit) +
         " s. Give --seconds-per-column 0 for none, or a longer time";
}

const char* toString(ConformSettings settings) {
  return settings == ConformSettings::Battery ? "battery" : "published";
}

Card conform(const std::vector<Phenomenon>& phenomena, const ConformOptions& options, bool controls) {
  Card card;
  card.settings = options.settings;
  card.phenomena = phenomena;
  for (const CardColumn& column : options.columns) {
    card.columns.push_back(column.label);
    if (column.isForeign()) card.foreign.insert(column.label);
  }
  const std::vector<Task> tasks = tasksOf(phenomena);
  const std::vector<Task> controlTasks = controls ? controlTasksOf(phenomena) : std::vector<Task>();
  const double share =
      static_cast<double>(tasks.size()) / static_cast<double>(tasks.size() + controlTasks.size());
  ColumnClocks clocks(options);
  const std::vector<ConformRun> runs = computed(tasks, options, clocks, 0, share);
  for (const ConformRun& run : runs) card.runs.push_back(cardRunOf(run, options));
  for (const Phenomenon& phenomenon : card.phenomena) {
    const std::size_t begin = card.numbers.size(), columns = options.columns.size();
    for (const Measure& measure : phenomenon.measures)
      for (std::size_t column = 0; column < columns; ++column)
        card.numbers.push_back(numberOf(phenomenon, measure, column, options, runs));
    card.cells.emplace_back();
    const Measure& drawn = drawnMeasure(phenomenon);
    for (std::size_t column = 0; column < columns; ++column) {
      std::vector<CardNumber*> numbers;
      for (std::size_t measure = 0; measure < phenomenon.measures.size(); ++measure)
        numbers.push_back(&card.numbers[begin + measure * columns + column]);
      fillReasons(numbers);
      card.cells.back().push_back(cellOf(phenomenon, numbers));
      const ConformRun& run = runOf(runs, phenomenon.name, drawn.runs.back());
      const ColumnRun& columnRun = run.columns[column];
      card.models[phenomenon.name + "/" + options.columns[column].label] = columnRun.model.text;
      if (!columnRun.trajectory || columnRun.hasFailed) continue;
      card.curves.push_back({phenomenon.name, drawn.id, options.columns[column].label,
                             thinned(courseOf(drawn.query, {columnRun.trajectory.get(), run.dt, run.time}))});
    }
  }
  for (std::size_t column = 0; column < options.columns.size(); ++column)
    for (const ConformRun& run : runs)
      if (run.columns[column].trajectory)
        card.efforts.push_back(
            {run.phenomenon, run.run, options.columns[column].label, run.columns[column].effort});
  if (controls)
    judgeControls(controlTasks, computed(controlTasks, options, clocks, share, 1 - share), runs, options,
                  card);
  return card;
}

}  // namespace touchstone
