#include <utility>

#include "app/session/session_commands.h"
#include "app/session/session_send.h"
#include "core/engine/engine.h"
#include "core/run/pane_name.h"

// Edits: all use the undo stack, which sends them. Panes and branches are identified by ids from the session,
// because their order may have changed at the time of an undo.

namespace touchstone {

void Session::undo() {
  if (!isGuarded()) m_undo.undo();
}

void Session::redo() {
  if (!isGuarded()) m_undo.redo();
}

// Time

void Session::goTo(int branch, long frame) {
  pause();
  m_goingTo = Place{branch, frame};
  send([branch](SimulationWorker& worker) { worker.showBranch(branch); });
  Q_EMIT noted(tr("Branch %1 is shown").arg(branch + 1));
}

void Session::restart() {
  if (paneCount() == 0 || isGuarded()) return;
  if (lastFrame() == 0 && !isComputing()) {
    Q_EMIT noted(tr("The panes stand at t = 0 already"));
    return;
  }
  withSpaceForBranch([this] { restartNow(); });
}

/// A new branch may replace an old one.
void Session::withSpaceForBranch(const std::function<void()>& begin) {
  m_loop = false;
  pause();
  if (nextToGo() >= 0 && !isRepeatable(nextToGo()) && unsavedSeconds(nextToGo()) >= m_longRun) {
    Q_EMIT forgetting(nextToGo(), begin);
  } else {
    begin();
  }
}

void Session::restartNow() {
  const int from = branchNow(), to = m_nextBranch++;
  const long frame = m_cursor;
  const auto first = [this, to] {
    m_goingTo = Place{to, -1};
    send([to](SimulationWorker& worker) { worker.restart(to); });
  };
  m_undo.push(new SessionCommand(
      tr("restart"), first, [this, from, frame] { goTo(from, frame); }, [this, to] { goTo(to, -1); }));
  Q_EMIT noted(tr("Restarted at t = 0; what was recorded stays as branch %1").arg(from + 1));
}

void Session::fork(int pane) {
  if (pane < 0 || pane >= paneCount() || isGuarded()) return;
  if (!shown(pane) && !isRebuilding(pane)) {
    Q_EMIT failed(tr("%1 has no frame at this time; select a pane that has one, and fork from it.")
                      .arg(paneLabel(pane)));
    return;
  }
  if (const RecordPtr record = shown(pane); record && !hasData(*record)) {
    Q_EMIT failed(tr("%1 has no data at this time; select a pane that has some, and fork from it.")
                      .arg(paneLabel(pane)));
    return;
  }
  withSpaceForBranch([this, id = paneId(pane), frame = m_cursor] { forkNow(id, frame); });
}

void Session::forkNow(int id, long frame) {
  const int pane = indexOf(id), from = branchNow(), to = m_nextBranch++;
  if (pane < 0) return;
  m_changedBranches.insert(to);
  const QString source = spanAt(pane, frame).label;
  const auto first = [this, id, frame, to] {
    m_goingTo = Place{to, -1};
    send([id, frame, to](SimulationWorker& worker) { worker.fork(id, frame, to); });
  };
  m_undo.push(new SessionCommand(
      tr("fork from %1").arg(source), first, [this, from, frame] { goTo(from, frame); },
      [this, to] { goTo(to, -1); }));
  Q_EMIT noted(tr("Forked: all panes go on from the state of %1 at t = %2 s; what came after it stays as "
                  "branch %3")
                   .arg(source)
                   .arg(timeAt(frame), 0, 'f', 3)
                   .arg(from + 1));
}

void Session::showBranch(int branch) {
  if (branch == branchNow() || isGuarded()) return;
  const int from = branchNow();
  const long frame = m_cursor;
  m_undo.push(new SessionCommand(
      tr("branch"), [this, branch] { goTo(branch, -1); }, [this, from, frame] { goTo(from, frame); }));
}

QString Session::branchLabel(const BranchInfo& branch) const {
  QString text = QStringLiteral("%1: ").arg(branch.id + 1);
  if (branch.source.empty()) {
    text += tr("from the start");
  } else {
    text += tr("forked from %1 at %2 s")
                .arg(shortName(*scene(), paneNamed(branch.source)))
                .arg(branch.fromTime, 0, 'f', 3);
  }
  const bool isShown = branch.id == this->branch();
  return text + tr(", to %1 s").arg(isShown ? timeAt(lastFrame()) : branch.lastTime, 0, 'f', 3);
}

// Values

void Session::editDt(double dt) {
  noteChange();
  m_undo.push(new SessionCommand(tr("frame length"), 1, m_state.dt, dt, [this](double value) {
    send([value](SimulationWorker& worker) { worker.setDt(value); });
  }));
}

/// True if the pane can run with these settings. If not, reports the reason, and widgets show the present
/// settings again.
bool Session::canRun(const PaneSettings& settings) {
  const std::string problem = scene() ? refusal(*scene(), settings) : std::string();
  if (problem.empty()) return true;
  Q_EMIT failed(QString::fromStdString(problem));
  Q_EMIT panesChanged();
  return false;
}

void Session::editParameter(int pane, const std::string& key, const ParameterValue& value) {
  PaneState& state = m_state.panes[pane];
  PaneSettings settings = state.settings;
  settings.parameters[key] = value;
  if (!canRun(settings)) return;
  noteChange();
  const ParameterValue before = state.values[key];
  state.values[key] = value;
  state.settings = settings;
  const auto apply = [this, paneId = state.id, key](const ParameterValue& next) {
    send([paneId, key, next](SimulationWorker& worker) { worker.setParameter(paneId, key, next); });
    if (const int index = indexOf(paneId); index >= 0)
      Q_EMIT noted(
          tr("%1: %2 = %3")
              .arg(paneLabel(index), QString::fromStdString(key), QString::fromStdString(toString(next))));
  };
  const int id = static_cast<int>(qHash(QString::fromStdString(key)) % 100000) * 1000 + state.id + 2000;
  m_undo.push(new SessionCommand(QString::fromStdString(key), id, before, value, apply));
}

void Session::editDrive(const std::string& joint, const ParameterValue& target) {
  const std::string key = kDriveKey + joint;
  ParameterValue before = std::string(kAutomatic);
  for (PaneState& state : m_state.panes) {
    PaneSettings settings = state.settings;
    settings.parameters[key] = target;
    if (!canRun(settings)) return;
    if (const auto known = state.settings.parameters.find(key); known != state.settings.parameters.end())
      before = known->second;
  }
  noteChange();
  for (PaneState& state : m_state.panes) state.settings.parameters[key] = target;
  const auto apply = [this, key, joint](const ParameterValue& next) {
    for (const PaneState& state : m_state.panes)
      send([id = state.id, key, next](SimulationWorker& worker) { worker.setParameter(id, key, next); });
    Q_EMIT noted(
        tr("Drive %1 = %2").arg(QString::fromStdString(joint), QString::fromStdString(toString(next))));
  };
  const int id = static_cast<int>(qHash(QString::fromStdString(key)) % 100000) * 1000 + 1999;
  m_undo.push(new SessionCommand(QString::fromStdString(key), id, before, target, apply));
}

void Session::editSubsteps(int pane, int substeps) {
  noteChange();
  PaneState& state = m_state.panes[pane];
  const int before = std::exchange(state.settings.substeps, substeps);
  const auto apply = [this, id = state.id](int value) {
    send([id, value](SimulationWorker& worker) { worker.setSubsteps(id, value); });
    if (const int index = indexOf(id); index >= 0)
      Q_EMIT noted(tr("%1: substeps = %2").arg(paneLabel(index)).arg(value));
  };
  m_undo.push(new SessionCommand(tr("substeps"), 10 + state.id, before, substeps, apply));
}

void Session::editPane(int pane, const PaneSettings& settings) {
  if (!canRun(settings)) return;
  noteChange();
  const auto apply = [this, id = paneId(pane)](const PaneSettings& value) {
    send([id, value](SimulationWorker& worker) { worker.setPane(id, value); });
  };
  m_undo.push(new SessionCommand(tr("method"), -1, m_state.panes[pane].settings, settings, apply));
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

void Session::setReference(int id) {
  m_reference = id;
  Q_EMIT referenceChanged();
}

void Session::editReference(int pane) {
  const int before = m_reference, id = paneId(pane);
  if (id == before) return;
  m_undo.push(new SessionCommand(tr("reference"), -1, before, id, [this](int value) {
    setReference(value);
    if (const int index = indexOf(value); index >= 0)
      Q_EMIT noted(tr("The others are compared with %1").arg(paneLabel(index)));
  }));
}

// Adding, removing and moving panes

bool Session::fits() {
  if (paneCount() >= kMostPanes) Q_EMIT failed(tr("Six panes are the most; remove one first."));
  return paneCount() < kMostPanes;
}

void Session::sendRemove(int id) {
  send([id](SimulationWorker& worker) { worker.removePane(id); });
}

void Session::sendRestore(int id, int to) {
  send([id, to](SimulationWorker& worker) { worker.restorePane(id, to); });
}

void Session::addPane(const PaneSettings& settings) {
  if (isGuarded() || !fits() || !canRun(settings)) return;
  noteChange();
  const int id = m_nextPane++, source = paneCount() > 0 ? paneId(m_selected) : -1;
  const auto first = [this, settings, id, source] {
    send([settings, id, source](SimulationWorker& worker) { worker.addPane(settings, id, source); });
  };
  m_undo.push(new SessionCommand(
      tr("add pane"), first, [this, id] { sendRemove(id); }, [this, id] { sendRestore(id, kMostPanes); }));
  const EngineInfo* engine = findEngine(settings.method);
  if (source >= 0 && !(engine && engine->isPlayed))  // that has states of its own
    Q_EMIT noted(
        tr("%1 begins in the state of %2").arg(shortName(*scene(), settings), paneLabel(m_selected)));
}

void Session::duplicatePane(int pane) {
  if (isGuarded() || !fits()) return;
  const int id = m_nextPane++;
  const auto first = [this, source = paneId(pane), id] {
    send([source, id](SimulationWorker& worker) { worker.duplicatePane(source, id); });
  };
  m_undo.push(new SessionCommand(
      tr("duplicate"), first, [this, id] { sendRemove(id); }, [this, id] { sendRestore(id, kMostPanes); }));
}

void Session::removePane(int pane) {
  if (isGuarded()) return;
  if (paneCount() <= 1) {
    Q_EMIT failed(tr("The last pane stays; change its method instead."));
    return;
  }
  m_undo.push(new SessionCommand(
      tr("remove %1").arg(paneLabel(pane)), [this, id = paneId(pane)] { sendRemove(id); },
      [this, id = paneId(pane), pane] { sendRestore(id, pane); }));
}

void Session::movePane(int pane, int to) {
  if (pane == to || pane < 0 || to < 0 || pane >= paneCount() || to >= paneCount() || isGuarded()) return;
  m_undo.push(new SessionCommand(tr("order of panes"), -1, pane, to, [this, id = paneId(pane)](int place) {
    send([id, place](SimulationWorker& worker) { worker.movePane(id, place); });
  }));
}

}  // namespace touchstone
