#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <cmath>

#include "app/session/session_send.h"
#include "app/work/export_names.h"
#include "core/run/stepper.h"

namespace touchstone {

namespace {

// [ms] Tick of playback: one frame of a usual screen. A larger value makes playback jerky; a smaller one
// draws frames that no screen shows.
constexpr int kShortestTick = 16;
// Simulated seconds per second of playback at the speed "max". A larger value skips more frames; a smaller
// one makes long records slow.
constexpr double kFastest = 16;

}  // namespace

void Session::open(const QString& path, const QStringList& methods) {
  if (isGuarded()) return;
  m_worker->allowOpening();
  send([path, methods](SimulationWorker& worker) { worker.open(path, methods); });
}

void Session::openAs(const QString& path, const command::SetAll& comparison) {
  if (isGuarded()) return;
  send([path, comparison](SimulationWorker& worker) { worker.openAs(path, comparison); });
}

void Session::cancelOpening() { m_worker->cancelOpening(); }

bool Session::isGuarded() {
  if (!m_guard.isEmpty()) Q_EMIT failed(m_guard);
  return !m_guard.isEmpty();
}

void Session::run(double until) {
  if (paneCount() == 0 || isGuarded()) return;
  m_until = until;
  if (!m_loop && m_cursor >= lastFrame()) {
    compute();
    return;
  }
  m_playback.start(kShortestTick);
  m_sinceTick.start();
  Q_EMIT runningChanged();
}

void Session::compute() {
  m_playback.stop();
  m_live = true;
  m_starting = !m_running;
  send([until = m_until](SimulationWorker& worker) { worker.run(until); });
  Q_EMIT runningChanged();
  Q_EMIT cursorMoved();
}

void Session::pause() {
  m_playback.stop();
  m_starting = false;
  send([](SimulationWorker& worker) { worker.pause(); });
  Q_EMIT runningChanged();
}

void Session::toggleRunning() {
  if (isRunning()) {
    pause();
    return;
  }
  // The event of the scene ends at its duration; after it the user decides whether to go on.
  const double end = scene() ? scene()->duration : 0;
  const bool isBefore = paneCount() > 0 && !m_loop && timeAt(m_cursor) < end - 0.5 * dt();
  run(isBefore ? end : std::numeric_limits<double>::infinity());
}

void Session::step(int frames) {
  if (paneCount() == 0) return;
  if (isRunning()) pause();
  const long wanted = m_cursor + frames;
  if (wanted <= lastFrame()) {
    setCursor(std::max(wanted, firstFrame()), wanted == lastFrame());
    return;
  }
  const int missing = static_cast<int>(wanted - lastFrame());
  setCursor(lastFrame(), true);
  send([missing](SimulationWorker& worker) { worker.step(missing); });
}

void Session::seek(long frame) {
  if (isRunning()) pause();
  setCursor(std::clamp(frame, firstFrame(), lastFrame()), false);
}

void Session::goLive() {
  if (m_playback.isActive()) pause();
  setCursor(lastFrame(), true);
}

void Session::setCursor(long frame, bool live) {
  const bool isLive = live || frame == lastFrame();
  if (frame == m_cursor && isLive == m_live) return;
  m_cursor = frame;
  m_live = isLive;
  Q_EMIT cursorMoved();
}

/// The last frame whose time is at most `seconds` later.
long Session::frameAfter(long frame, double seconds) const {
  // s. A larger value plays a frame before its time; a smaller one lets rounding skip a frame.
  constexpr double kRounding = 1e-9;
  const double until = timeAt(frame) + seconds + kRounding;
  long low = frame, high = lastFrame();
  while (low < high) {
    const long middle = low + (high - low + 1) / 2;
    if (timeAt(middle) <= until) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Moves through the record by the wall clock. Waits for frames that are computed again.
void Session::onPlaybackTick() {
  if (isRebuildingAny()) {
    m_sinceTick.restart();
    return;
  }
  const double speed = m_speed > 0 ? m_speed : kFastest;
  long next = frameAfter(m_cursor, 1e-3 * static_cast<double>(m_sinceTick.elapsed()) * speed);
  if (m_loop && m_cursor == lastFrame()) {
    m_sinceTick.restart();
    setCursor(firstFrame(), false);
    return;
  }
  const bool isAtEnd = m_cursor == lastFrame();
  if (next == m_cursor && !isAtEnd) return;
  m_sinceTick.restart();
  if (m_loop) {
    setCursor(next, false);
    return;
  }
  const long stop = firstStop(m_cursor, next);
  const bool isDue = timeAt(next) > m_until - 0.5 * m_state.dt;
  if (stop >= 0) next = stop;
  setCursor(next, false);
  if (stop >= 0 || isDue) {
    pause();
    m_until = std::numeric_limits<double>::infinity();
    if (stop < 0) tellEnd();
  } else if (next == lastFrame()) {
    compute();
  }
}

void Session::setSpeed(double speed) {
  m_speed = speed;
  send([speed](SimulationWorker& worker) { worker.setSpeed(speed); });
}

void Session::setLooping(bool loop) {
  if (loop == m_loop) return;
  if (isRunning()) pause();
  if (loop && firstFrame() == lastFrame()) {
    Q_EMIT noted(tr("Nothing is recorded that could be played again: press Space to run"));
    Q_EMIT runningChanged();
    return;
  }
  m_loop = loop;
  if (loop) run();
  Q_EMIT runningChanged();
}

void Session::setConcurrent(bool concurrently) {
  send([concurrently](SimulationWorker& worker) { worker.setConcurrent(concurrently); });
}

void Session::setHistoryBudget(std::size_t bytes) {
  send([bytes](SimulationWorker& worker) { worker.setHistoryBudget(bytes); });
}

void Session::setSecondsPerFrame(double seconds) {
  send([seconds](SimulationWorker& worker) { worker.setSecondsPerFrame(seconds); });
}

void Session::setPauseOn(TimelineEventKind kind, bool pause) {
  if (pause) {
    m_pauseOn.insert(kind);
  } else {
    m_pauseOn.erase(kind);
  }
}

void Session::selectJoint(int joint) {
  if (joint == m_selectedJoint || joint < 0) return;
  m_selectedJoint = joint;
  Q_EMIT jointSelected();
}

void Session::selectPane(int pane) {
  if (pane == m_selected || pane < 0 || pane >= paneCount()) return;
  m_selected = pane;
  Q_EMIT selectionChanged();
}

void Session::setDefaultBackend(BackendKind backend) {
  send([backend](SimulationWorker& worker) { worker.setDefaultBackend(backend); });
}

bool Session::runsOnCuda(int pane) const {
  const PaneSettings& settings = m_state.panes[pane].settings;
  return settings.backend == BackendKind::Cuda && hasStepper(BackendKind::Cuda);
}

void Session::pull(const std::optional<Spring>& spring) {
  if (spring) m_changedBranches.insert(branchNow());
  send([spring](SimulationWorker& worker) { worker.pull(spring); });
}

void Session::record(const QString& path) {
  const QString command = QCoreApplication::arguments().join(QLatin1Char(' '));
  send([path, command](SimulationWorker& worker) { worker.record(path, command); });
}

void Session::stopRecording() {
  send([](SimulationWorker& worker) { worker.stopRecording(); });
}

void Session::writeRecording(const QString& path) {
  send([path](SimulationWorker& worker) { worker.writeRecording(path); });
}

void Session::saveBranches(const QString& path) {
  const QFileInfo file(path);
  std::map<int, QString> paths;
  for (const BranchInfo& branch : branches()) {
    if (!(unsavedSeconds(branch.id) > 0)) continue;
    const QString next =
        QStringLiteral("%1-branch-%2.%3").arg(file.completeBaseName()).arg(branch.id + 1).arg(file.suffix());
    paths[branch.id] = branch.id == this->branch() ? path : freePath(file.dir().filePath(next));
    m_saving[paths[branch.id]] = branch.id;
  }
  send([paths](SimulationWorker& worker) { worker.writeBranches(paths); });
}

void Session::explain(int pane) {
  send([id = paneId(pane), frame = m_cursor](SimulationWorker& worker) { worker.explain(id, frame); });
}

void Session::resolve(int pane, const std::string& solver) {
  send([id = paneId(pane), frame = m_cursor, solver](SimulationWorker& worker) {
    worker.resolve(id, frame, solver);
  });
}

void Session::exportProblem(int pane, const QString& path) {
  send([id = paneId(pane), frame = m_cursor, path](SimulationWorker& worker) {
    worker.exportProblem(id, frame, path);
  });
}

std::vector<Resolved> Session::resolvedAtCursor() const {
  std::vector<Resolved> resolved;
  for (const Resolved& answer : m_resolved)
    if (answer.frame == m_cursor && indexOf(answer.pane) >= 0) resolved.push_back(answer);
  return resolved;
}

void Session::writeManifest(const QString& path, const QString& command) {
  send([path, command](SimulationWorker& worker) { worker.writeManifest(path, command); });
}

}  // namespace touchstone
