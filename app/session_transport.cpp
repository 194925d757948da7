#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "app/session_commands.h"
#include "app/session_send.h"

namespace touchstone {

namespace {

constexpr int kShortestTick = 16;  // ms, of playback: one frame of a usual screen

}  // namespace

// Transport

void Session::open(const QString& path, const QStringList& methods) {
  send([path, methods](SimulationWorker& worker) { worker.open(path, methods); });
}

void Session::openAs(const QString& path, const command::SetAll& all) {
  send([path, all](SimulationWorker& worker) { worker.openAs(path, all); });
}

void Session::run(double until) {
  if (paneCount() == 0) return;
  if (m_loop) {
    m_playback.start(kShortestTick);
    m_sinceEdit.start();
    Q_EMIT runningChanged();
    return;
  }
  if (m_cursor < lastFrame()) {
    const int source = m_selected;
    const long frame = m_cursor;
    Q_EMIT noted(tr("Forked: all panes go on from the state of %1 at t = %2 s")
                     .arg(paneLabel(source))
                     .arg(timeAt(frame), 0, 'f', 3));
    send([source, frame](SimulationWorker& worker) { worker.fork(source, frame); });
  }
  m_live = true;
  m_until = until;
  send([until](SimulationWorker& worker) { worker.run(until); });
  Q_EMIT cursorMoved();
}

void Session::pause() {
  if (m_playback.isActive()) {
    m_playback.stop();
    Q_EMIT runningChanged();
  }
  send([](SimulationWorker& worker) { worker.pause(); });
}

void Session::toggleRunning() { isRunning() ? pause() : run(); }

void Session::restart() {
  m_playback.stop();
  m_live = true;
  send([](SimulationWorker& worker) {
    worker.pause();
    worker.restart();
  });
  Q_EMIT noted(tr("Restarted at t = 0"));
  Q_EMIT runningChanged();
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

void Session::goLive() { setCursor(lastFrame(), true); }

void Session::setCursor(long frame, bool live) {
  const bool isLive = live || frame == lastFrame();
  if (frame == m_cursor && isLive == m_live) return;
  m_cursor = frame;
  m_live = isLive;
  Q_EMIT cursorMoved();
}

// Playback moves through what is recorded by the wall clock, from the end back to the start.
void Session::onPlaybackTick() {
  const double speed = m_speed > 0 ? m_speed : 4;
  const double elapsed = 1e-3 * static_cast<double>(m_sinceEdit.elapsed());
  const long frames = std::lround(elapsed * speed / std::max(m_state.dt, 1e-9));
  if (frames < 1) return;
  m_sinceEdit.restart();
  const long count = lastFrame() - firstFrame() + 1;  // around the end, however late the tick came
  setCursor(firstFrame() + (m_cursor - firstFrame() + frames) % count, false);
}

void Session::setSpeed(double speed) {
  m_speed = speed;
  send([speed](SimulationWorker& worker) { worker.setSpeed(speed); });
}

void Session::setLooping(bool loop) {
  if (loop == m_loop) return;
  if (isRunning()) pause();
  m_loop = loop;
  Q_EMIT runningChanged();
}

void Session::setConcurrent(bool concurrently) {
  send([concurrently](SimulationWorker& worker) { worker.setConcurrent(concurrently); });
}

void Session::setHistoryBudget(std::size_t bytes) {
  send([bytes](SimulationWorker& worker) { worker.setHistoryBudget(bytes); });
}

void Session::setPauseOn(TimelineEventKind kind, bool pause) {
  if (pause) {
    m_pauseOn.insert(kind);
  } else {
    m_pauseOn.erase(kind);
  }
}

void Session::selectPane(int pane) {
  if (pane == m_selected || pane < 0 || pane >= paneCount()) return;
  m_selected = pane;
  Q_EMIT selectionChanged();
}

// Edits: all go over the undo stack, which sends them.

void Session::editDt(double dt) {
  m_undo.push(new SessionCommand(tr("frame length"), 1, m_state.dt, dt, [this](double value) {
    send([value](SimulationWorker& worker) { worker.setDt(value); });
  }));
}

void Session::editParameter(int pane, const std::string& key, const ParameterValue& value) {
  const ParameterValue before = m_state.panes[pane].values[key];
  m_state.panes[pane].values[key] = value;
  m_state.panes[pane].settings.parameters[key] = value;
  const auto apply = [this, pane, key](const ParameterValue& next) {
    send([pane, key, next](SimulationWorker& worker) { worker.setParameter(pane, key, next); });
    Q_EMIT noted(
        tr("%1: %2 = %3")
            .arg(paneLabel(pane), QString::fromStdString(key), QString::fromStdString(toString(next))));
  };
  const int id = static_cast<int>(qHash(QString::fromStdString(key)) % 100000) * 10 + pane + 2;
  m_undo.push(new SessionCommand(QString::fromStdString(key), id, before, value, apply));
}

void Session::editSubsteps(int pane, int substeps) {
  const int before = m_state.panes[pane].settings.substeps;
  m_state.panes[pane].settings.substeps = substeps;
  m_undo.push(new SessionCommand(tr("substeps"), 10 + pane, before, substeps, [this, pane](int value) {
    send([pane, value](SimulationWorker& worker) { worker.setSubsteps(pane, value); });
    Q_EMIT noted(tr("%1: substeps = %2").arg(paneLabel(pane)).arg(value));
  }));
}

void Session::editPane(int pane, const PaneSettings& settings) {
  const PaneSettings before = m_state.panes[pane].settings;
  m_undo.push(new SessionCommand(tr("method"), -1, before, settings, [this, pane](const PaneSettings& value) {
    send([pane, value](SimulationWorker& worker) { worker.setPane(pane, value); });
  }));
}

void Session::editBackend(BackendKind backend, int pane) {
  std::vector<int> moved;
  for (int index = 0; index < paneCount(); ++index)
    if ((pane < 0 || index == pane) && m_state.panes[index].settings.backend != backend)
      moved.push_back(index);
  if (moved.empty()) return;
  m_undo.beginMacro(tr("backend"));  // one click, one undo
  for (int index : moved) {
    PaneSettings settings = m_state.panes[index].settings;
    settings.backend = backend;
    editPane(index, settings);
  }
  m_undo.endMacro();
}

void Session::setDefaultBackend(BackendKind backend) {
  send([backend](SimulationWorker& worker) { worker.setDefaultBackend(backend); });
}

bool Session::runsOnCuda(int pane) const {
  const PaneSettings& settings = m_state.panes[pane].settings;
  return settings.backend == BackendKind::Cuda && hasStepper(BackendKind::Cuda);
}

void Session::addPane(const PaneSettings& settings) {
  if (paneCount() >= kMostPanes) {
    Q_EMIT failed(tr("Six panes are the most; remove one first."));
    return;
  }
  m_undo.clear();
  send([settings](SimulationWorker& worker) { worker.addPane(settings); });
}

void Session::removePane(int pane) {
  if (paneCount() <= 1) {
    Q_EMIT failed(tr("The last pane stays; change its method instead."));
    return;
  }
  m_undo.clear();
  send([pane](SimulationWorker& worker) { worker.removePane(pane); });
}

void Session::pull(const std::optional<Spring>& spring) {
  send([spring](SimulationWorker& worker) { worker.pull(spring); });
}

void Session::setAll(const command::SetAll& all) {
  m_undo.clear();
  send([all](SimulationWorker& worker) { worker.setAll(all); });
}

void Session::record(const QString& path) {
  const QString command = QCoreApplication::arguments().join(QLatin1Char(' '));
  send([path, command](SimulationWorker& worker) { worker.record(path, command); });
}

void Session::writeRecording(const QString& path) {
  send([path](SimulationWorker& worker) { worker.writeRecording(path); });
}

void Session::explain(int pane) {
  const long frame = m_cursor;
  send([pane, frame](SimulationWorker& worker) { worker.explain(pane, frame); });
}

void Session::resolve(int pane, const std::string& solver) {
  const long frame = m_cursor;
  send([pane, frame, solver](SimulationWorker& worker) { worker.resolve(pane, frame, solver); });
}

void Session::exportProblem(int pane, const QString& path) {
  const long frame = m_cursor;
  send([pane, frame, path](SimulationWorker& worker) { worker.exportProblem(pane, frame, path); });
}

std::vector<Resolved> Session::resolvedAtCursor() const {
  std::vector<Resolved> here;
  for (const Resolved& each : m_resolved)
    if (each.frame == m_cursor && each.pane < paneCount()) here.push_back(each);
  return here;
}

void Session::stopRecording() {
  send([](SimulationWorker& worker) { worker.stopRecording(); });
}

void Session::movePane(int pane, int to) {
  if (pane == to || pane < 0 || to < 0 || pane >= paneCount() || to >= paneCount()) return;
  m_undo.clear();
  m_costPane = -1;
  send([pane, to](SimulationWorker& worker) { worker.movePane(pane, to); });
}

void Session::writeManifest(const QString& path, const QString& command) {
  send([path, command](SimulationWorker& worker) { worker.writeManifest(path, command); });
}

}  // namespace touchstone
