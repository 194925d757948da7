#include "app/session/worker.h"

#include <QFile>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <exception>
#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

#include "app/session/mesh_scene.h"
#include "app/session/session.h"
#include "app/work/export_names.h"
#include "core/contact/complementarity/problem_detail.h"
#include "core/files/scene_error.h"
#include "core/files/written_file.h"
#include "core/math/count.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/store/command_check.h"
#include "core/store/manifest.h"
#include "core/store/recording.h"
#include "core/store/step_problem.h"

namespace touchstone {

namespace {

constexpr std::size_t kMostPanes = Session::kMostPanes;

// A run that is behind its pace by more than this continues from the present time. A larger value makes it
// rush after a pause; a smaller one slows runs down at every short delay.
constexpr double kLargestLag = 0.25;  // s

// [ms] Larger values leave the user without progress; smaller ones flash it on short reads, or slow reading
// down.
constexpr qint64 kShowsProgressAfter = 500, kProgressEvery = 50;

/// @throws SceneError and std::invalid_argument for refused methods
std::vector<PaneSettings> panesNamed(const Scene& scene, const QStringList& methods) {
  std::vector<std::string> names;
  for (const QString& method : methods) names.push_back(method.toStdString());
  const std::vector<PaneSettings> panes = panesFor(names, scene);
  requireRunnable(scene, panes);
  return panes;
}

}  // namespace

SimulationWorker::SimulationWorker(QObject* parent)
    : QObject(parent), m_tick(new QTimer(this)), m_catchUp(new QTimer(this)) {
  m_tick->setSingleShot(true);
  m_tick->setTimerType(Qt::PreciseTimer);
  connect(m_tick, &QTimer::timeout, this, &SimulationWorker::advance);
  m_catchUp->setSingleShot(true);
  connect(m_catchUp, &QTimer::timeout, this, &SimulationWorker::catchUp);
}

SimulationWorker::~SimulationWorker() { stopRecording(); }

// The only place where exceptions of core are caught: they become a text for the window.
template <class Command>
bool SimulationWorker::attempt(const Command& command) {
  try {
    command();
    return true;
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromStdString(error.what()));
  } catch (...) {
    Q_EMIT failed(tr("The simulation failed for an unknown reason."));
  }
  return false;
}

void SimulationWorker::yieldToWindow() {
#if defined(__linux__)
  // Lower priority of the thread. A larger value starves the simulation on a busy machine; a smaller one
  // makes the window slow.
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
#endif
}

RestingBranch SimulationWorker::stateOf(const Branch& branch) const {
  RestingBranch state;
  state.id = branch.info.id;
  auto spans = settingsSpans(branch.start, branch.log);
  for (const ComparedPane& pane : branch.panes) {
    if (spans[pane.id].empty()) spans[pane.id].push_back({-1, pane.end.settings, branch.dt});
    state.panes.push_back({pane.id, pane.end.settings, {}, std::move(spans[pane.id])});
    state.histories.push_back(m_watched.count(state.id) ? pane.history : History());
  }
  return state;
}

ComparisonStatePtr SimulationWorker::state() const {
  auto state = std::make_shared<ComparisonState>();
  if (!m_comparison) return state;
  state->scene = m_comparison->scenePtr();
  state->dt = m_comparison->dt();
  state->branches = m_comparison->branches();
  state->branch = m_comparison->branch();
  state->nextToGo = m_comparison->nextToGo();
  for (const BranchInfo& info : state->branches)
    if (const Branch* branch = m_comparison->restingBranch(info.id))
      state->resting.push_back(stateOf(*branch));
  for (const LoggedCommand& logged : m_comparison->log())
    if (std::holds_alternative<command::Fork>(logged.command)) state->forks.push_back(logged.frame);
  auto spans = settingsSpans(m_comparison->start(), m_comparison->log());
  for (int pane = 0; pane < m_comparison->paneCount(); ++pane) {
    const int id = m_comparison->paneId(pane);
    const Simulation& simulation = m_comparison->pane(pane);
    // The log of a file may not name every pane.
    if (spans[id].empty()) spans[id].push_back({-1, simulation.settings(), m_comparison->dt()});
    state->panes.push_back({id, simulation.settings(), simulation.parameters(), std::move(spans[id])});
    state->histories.push_back(m_comparison->history(pane));
  }
  return state;
}

std::string SimulationWorker::sceneFileOf(const QString& path) const {
  return (isMeshFile(path) ? writeMeshScene(path, m_meshFolder.path()) : path).toStdString();
}

void SimulationWorker::openRecording(const std::string& file) {
  QElapsedTimer clock;
  clock.start();
  qint64 next = kShowsProgressAfter;
  const ReadingProgress progress = [&](long done, long total) {
    if (clock.elapsed() >= next) {
      Q_EMIT opening(static_cast<int>(done), static_cast<int>(total));
      next = clock.elapsed() + kProgressEvery;
    }
    return !m_openingCancelled;
  };
  try {
    const auto recording = std::make_shared<Recording>(file, progress);
    if (recording->now().panes.size() > kMostPanes)
      throw SceneError(file, "", "holds " + std::to_string(recording->now().panes.size()) + " panes",
                       "a window shows at most " + std::to_string(kMostPanes) + "; use touchstone-cli");
    show(Recording::resume(recording, progress));
  } catch (const ReadingCancelled&) {
    Q_EMIT openingCancelled();
  }
}

void SimulationWorker::open(const QString& path, const QStringList& methods) {
  attempt([&] {
    const std::string file = sceneFileOf(path);
    if (isRecording(file)) {
      openRecording(file);
      return;
    }
    const std::shared_ptr<const Scene> scene = loadScene(file);
    std::vector<PaneSettings> panes = panesNamed(*scene, methods);
    for (PaneSettings& pane : panes) pane.backend = m_defaultBackend;
    show(std::make_unique<Comparison>(scene, panes, m_historyBudget));
  });
}

void SimulationWorker::openAs(const QString& path, const command::SetAll& comparison) {
  attempt([&] {
    const std::shared_ptr<const Scene> scene = loadScene(sceneFileOf(path));
    const std::string problem = problemOf(*scene, comparison);
    if (!problem.empty())
      throw SceneError(path.toStdString(), "", "cannot run the panes of the session: " + problem,
                       "correct its comparison");
    show(Comparison::resumed(scene, comparison, {}, comparison, {}));
  });
}

void SimulationWorker::show(std::unique_ptr<Comparison> comparison) {
  setRunning(false);
  stopRecording();
  m_pending.clear();
  m_returning.clear();
  m_watched.clear();
  m_comparison = std::move(comparison);
  m_comparison->setSecondsPerFrame(m_secondsPerFrame);
  Q_EMIT opened(state());
}

void SimulationWorker::run(double until) {
  if (!m_comparison || m_comparison->paneCount() == 0) return;
  m_until = until;
  startPacing();
  setRunning(true);
  m_tick->start(0);
}

// Sends all frames before the end of the run; after that the history changes only by commands.
void SimulationWorker::pause() {
  send();
  setRunning(false);
}

void SimulationWorker::setRunning(bool running) {
  if (!running) m_tick->stop();
  if (m_running == running) return;
  m_running = running;
  Q_EMIT runningChanged(running);
}

void SimulationWorker::startPacing() {
  m_clock.start();
  m_pacedFrom = m_comparison ? m_comparison->time() : 0;
}

// Computes one frame if its time has come; then the next tick. Ticks come from the event loop, so that
// commands are handled between any two frames.
void SimulationWorker::advance() {
  if (!m_running) return;
  if (countOf(m_pending) >= kFramesPerBatch) return;  // acknowledge() continues
  const double dt = m_comparison->dt();
  if (m_speed > 0) {
    const double due = (m_comparison->time() - m_pacedFrom) / m_speed;
    const double now = 1e-3 * m_clock.elapsed();
    if (now < due) {
      m_tick->start(static_cast<int>(std::ceil(1000 * (due - now))));
      return;
    }
    if (now - due > kLargestLag) startPacing();
  }
  const bool done = attempt([&] { stepOnce(); });
  checkRecorder();
  flush();
  if (!done || m_comparison->time() > m_until - 0.5 * dt) {
    pause();
    return;
  }
  m_tick->start(0);
}

void SimulationWorker::stepOnce() {
  const std::size_t commands = m_comparison->log().size();
  m_pending.push_back(m_comparison->step(m_concurrent));
  if (m_comparison->log().size() == commands) return;
  // A pane has left its device: its settings have changed.
  for (int pane = 0; pane < m_comparison->paneCount(); ++pane)
    if (!m_comparison->pane(pane).backendNote().empty() &&
        m_comparison->pane(pane).settings().backend == BackendKind::Cpu)
      Q_EMIT failed(QString::fromStdString(findMethod(m_comparison->pane(pane).settings().method)->shortName +
                                           ": " + m_comparison->pane(pane).backendNote()));
  m_pending.clear();
  Q_EMIT changed(state());
}

void SimulationWorker::flush() {
  if (m_inFlight < kBatchesInFlight) send();
}

void SimulationWorker::send() {
  if (m_pending.empty()) return;
  ++m_inFlight;
  Q_EMIT stepped(std::make_shared<const FrameBatch>(std::move(m_pending)));
  m_pending.clear();
}

void SimulationWorker::acknowledge() {
  if (m_inFlight > 0) --m_inFlight;
  flush();
  if (m_running && !m_tick->isActive()) m_tick->start(0);
}

void SimulationWorker::step(int frames) {
  if (!m_comparison || m_comparison->paneCount() == 0) return;
  setRunning(false);
  attempt([&] {
    for (int frame = 0; frame < frames; ++frame) stepOnce();
  });
  checkRecorder();
  flush();
}

/// @throws std::invalid_argument if the pane no longer exists
int SimulationWorker::indexOf(int pane) const {
  const int index = m_comparison->indexOf(pane);
  if (index < 0) throw std::invalid_argument("That pane is no longer there.");
  return index;
}

// After a command that rewrites the histories, pending frames are part of the sent state.
template <class Change>
void SimulationWorker::change(const Change& change) {
  if (!m_comparison) return;
  attempt(change);
  checkRecorder();
  m_pending.clear();
  startPacing();
  Q_EMIT changed(state());
}

// A recording contains one branch: the present file ends, and later frames go to another one.
template <class Change>
void SimulationWorker::changeBranch(int wanted, const Change& change) {
  if (!m_comparison) return;
  const int before = m_comparison->branch();
  m_comparison->observe(nullptr);
  attempt(change);
  m_comparison->observe(m_recorder.get());
  if (m_comparison->branch() != before) {
    m_returning.clear();
    if (m_recorder) {
      const QString path = QString::fromStdString(m_recorder->path());
      m_recorder.reset();
      record(freePath(path), QString::fromStdString(m_recordCommand));
      if (!m_recorder) Q_EMIT recordingChanged(QString());
    }
  }
  Q_EMIT branchTried(wanted);
  this->change([] {});
}

void SimulationWorker::restart(int branch) {
  changeBranch(branch, [&] { m_comparison->restart(branch); });
}
void SimulationWorker::fork(int pane, long frame, int branch) {
  changeBranch(branch, [&] {
    if (!m_comparison->fork(indexOf(pane), frame, branch))
      throw std::invalid_argument("Frame " + std::to_string(frame) +
                                  " is no longer kept: fork at another one.");
  });
}
void SimulationWorker::showBranch(int branch) {
  changeBranch(branch, [&] { m_comparison->showBranch(branch); });
}
void SimulationWorker::removeBranch(int branch) {
  change([&] { m_comparison->removeBranch(branch); });
}
void SimulationWorker::restoreBranch(int branch) {
  change([&] { m_comparison->restoreBranch(branch); });
}
void SimulationWorker::watchBranches(const std::set<int>& branches) {
  m_watched = branches;
  change([] {});
}
void SimulationWorker::setSecondsPerFrame(double seconds) {
  m_secondsPerFrame = seconds;
  if (m_comparison) m_comparison->setSecondsPerFrame(seconds);
}
void SimulationWorker::setDt(double dt) {
  change([&] { m_comparison->setDt(dt); });
}
void SimulationWorker::setParameter(int pane, const std::string& key, const ParameterValue& value) {
  change([&] { m_comparison->setParameter(indexOf(pane), key, value); });
}
void SimulationWorker::setSubsteps(int pane, int substeps) {
  change([&] { m_comparison->setSubsteps(indexOf(pane), substeps); });
}
void SimulationWorker::setPane(int pane, const PaneSettings& settings) {
  change([&] { m_comparison->setPane(indexOf(pane), settings); });
}
void SimulationWorker::addPane(const PaneSettings& settings, int id, int source) {
  change([&] { m_comparison->addPane(settings, id, source); });
}
void SimulationWorker::duplicatePane(int pane, int id) {
  change([&] { m_comparison->duplicatePane(indexOf(pane), id); });
}
void SimulationWorker::movePane(int pane, int to) {
  change([&] { m_comparison->movePane(indexOf(pane), to); });
}

// A pane that has not returned yet stays removed.
void SimulationWorker::removePane(int pane) {
  const auto returning =
      std::find_if(m_returning.begin(), m_returning.end(),
                   [pane](const command::RestorePane& command) { return command.id == pane; });
  if (returning != m_returning.end()) {
    m_returning.erase(returning);
  } else {
    change([&] { m_comparison->removePane(indexOf(pane)); });
  }
}

void SimulationWorker::restorePane(int pane, int to) {
  if (!m_comparison) return;
  const bool known = attempt([&] {
    if (const long missed = m_comparison->missedBy(pane); missed > 0) Q_EMIT catchingUp(pane, missed);
  });
  if (!known) return;
  m_returning.push_back({pane, to});
  catchUp();
}

// Works for a slice of time, so that commands are handled and the other panes continue in between.
void SimulationWorker::catchUp() {
  // [ms] A larger slice delays commands; a smaller one makes the pane return later.
  constexpr qint64 kSlice = 20;
  if (m_returning.empty()) return;
  const command::RestorePane first = m_returning.front();
  QElapsedTimer clock;
  clock.start();
  bool behind = true;
  const bool known = attempt([&] {
    while (behind && clock.elapsed() < kSlice) behind = m_comparison->catchUp(first.id);
  });
  if (!known || !behind) m_returning.erase(m_returning.begin());
  if (known && !behind) change([&] { m_comparison->restorePane(first.id, first.to); });
  if (!m_returning.empty()) m_catchUp->start(0);
}

// Changes nothing visible before the next frame.
void SimulationWorker::pull(const std::optional<Spring>& spring) {
  if (!m_comparison) return;
  attempt([&] { m_comparison->pull(spring); });
  checkRecorder();
}

void SimulationWorker::record(const QString& path, const QString& command) {
  if (!m_comparison) return;
  stopRecording();
  attempt([&] {
    m_recordCommand = command.toStdString();
    m_recorder =
        std::make_unique<Recorder>(path.toStdString(), *m_comparison, m_recordCommand, Earlier::Replace);
    Q_EMIT recordingChanged(path);
  });
}

void SimulationWorker::stopRecording() {
  if (!m_recorder) return;
  attempt([&] {
    if (m_recorder->problem().empty()) m_recorder->finish();
  });
  m_recorder.reset();
  Q_EMIT recordingChanged(QString());
}

void SimulationWorker::writeRecording(const QString& path) {
  if (!m_comparison) return;
  const bool done = attempt([&] { Recorder(path.toStdString(), *m_comparison, std::string()).finish(); });
  m_comparison->observe(m_recorder.get());
  if (done) Q_EMIT recordingWritten(path);
}

void SimulationWorker::writeBranches(const std::map<int, QString>& paths) {
  if (!m_comparison) return;
  const int shown = m_comparison->branch();
  m_comparison->observe(nullptr);
  const bool done = attempt([&] {
    for (const auto& [branch, path] : paths) {
      m_comparison->showBranch(branch);
      Recorder(path.toStdString(), *m_comparison, std::string());
      Q_EMIT recordingWritten(path);
    }
  });
  attempt([&] { m_comparison->showBranch(shown); });
  m_comparison->observe(m_recorder.get());
  Q_EMIT branchesWritten(done);
}

// A full disk ends the recording, not the run.
void SimulationWorker::checkRecorder() {
  if (!m_recorder || m_recorder->problem().empty()) return;
  Q_EMIT failed(tr("The recording has ended: %1. The run goes on; what was recorded before is kept.")
                    .arg(QString::fromStdString(m_recorder->problem())));
  stopRecording();
}

void SimulationWorker::setSpeed(double speed) {
  m_speed = speed;
  startPacing();
}

void SimulationWorker::setConcurrent(bool concurrently) { m_concurrent = concurrently; }

void SimulationWorker::rebuild(const BranchPane& pane, long frame) {
  // [frames] Stepping and scrubbing need the neighbours next. A larger value makes each request slower; a
  // smaller one needs more requests.
  constexpr long kAround = 12;
  if (!m_comparison) return;
  std::vector<RecordPtr> records;
  const auto compute = [&](long first) {
    records = m_comparison->rebuiltOf(pane.branch, pane.pane, first, frame + kAround);
  };
  attempt([&] {
    compute(std::max(frame - kAround, 1L));
    // A base frame in between ends the computation before it.
    if (records.empty() || records.back()->frame < frame) compute(frame);
  });
  Q_EMIT rebuilt(pane, frame, records);
}

void SimulationWorker::explain(int pane, long frame) {
  const int index = m_comparison ? m_comparison->indexOf(pane) : -1;
  if (index < 0) return;
  auto explained = std::make_shared<Explained>();
  explained->pane = pane;
  explained->frame = frame;
  attempt([&] {
    if (m_comparison->explain(index, frame, explained->detail))
      explained->record = m_comparison->history(index).at(frame);
  });
  Q_EMIT this->explained(explained);
}

namespace {

/// @throws std::runtime_error if there is no problem, or none that is shown
void requireProblem(const StepDetail& detail) {
  if (problemDetail(detail).problems.empty() && problemDetail(detail).leftOutRows > 0)
    throw std::runtime_error("This step's problem has " + std::to_string(problemDetail(detail).leftOutRows) +
                             " rows; problems of up to " + std::to_string(kShownRows) +
                             " are solved again and exported. Take a scene with fewer contacts.");
  if (problemDetail(detail).problems.empty())
    throw std::runtime_error("This step has no complementarity problem: it has no contacts.");
}

/// @param problems  at least one
const IslandAnswer& largestProblem(const std::vector<IslandAnswer>& problems) {
  const auto isSmaller = [](const IslandAnswer& a, const IslandAnswer& b) {
    return a.island.problem.b.size() < b.island.problem.b.size();
  };
  return *std::max_element(problems.begin(), problems.end(), isSmaller);
}

}  // namespace

void SimulationWorker::resolve(int pane, long frame, const std::string& solver) {
  StepDetail detail;
  if (!m_comparison) return;
  attempt([&] {
    m_comparison->explain(indexOf(pane), frame, detail);
    requireProblem(detail);
    const IslandAnswer& answer = largestProblem(problemDetail(detail).problems);
    const ComplementarityProblem& problem = answer.island.problem;
    Resolved resolved{pane, frame, solver, {}, countOf(problem.b)};
    resolved.result = makeSolver(solver)->solve(problem, answer.start, problemDetail(detail).solverSettings);
    Q_EMIT this->resolved(resolved);
  });
}

void SimulationWorker::exportProblem(int pane, long frame, const QString& path) {
  StepDetail detail;
  if (!m_comparison) return;
  attempt([&] {
    m_comparison->explain(indexOf(pane), frame, detail);
    requireProblem(detail);
    const auto spans = settingsSpans(m_comparison->start(), m_comparison->log());
    const PaneSettings& settings = spanAt(spans.at(pane), frame).settings;
    const std::string text = problemText(detail, m_comparison->scene(), paneName(settings));
    writeWhole(path.toStdString(), [&](std::ostream& out) { out << text; });
    Q_EMIT wrote(path);
  });
}

void SimulationWorker::writeManifest(const QString& path, const QString& command) {
  if (!m_comparison) return;
  attempt([&] {
    const std::string text =
        manifestText(*m_comparison, {command.toStdString(), m_comparison->time(), kComplete});
    writeWhole(path.toStdString(), [&](std::ostream& out) { out << text; });
    Q_EMIT manifestWritten(path);
  });
}

}  // namespace touchstone
