#include <utility>

#include "app/session/session_commands.h"
#include "app/session/session_send.h"
#include "core/engine/engine.h"
#include "core/math/count.h"
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
  const bool isFull = paneCount() + countOf(branchPanes()) >= kMostPanes;
  if (isFull) Q_EMIT failed(tr("Six panes are the most; remove one first."));
  return !isFull;
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
