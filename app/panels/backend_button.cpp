#include "app/panels/backend_button.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

#include "app/session/session.h"
#include "core/contact/method_info.h"
#include "core/run/backend_table.h"

namespace touchstone {

std::array<QAction*, 2> addBackendActions(QMenu* menu, const std::function<void(BackendKind)>& chosen) {
  menu->setToolTipsVisible(true);
  auto* group = new QActionGroup(menu);
  std::array<QAction*, 2> actions{};
  for (const BackendInfo& backend : backendTable()) {
    const bool cpu = backend.kind == BackendKind::Cpu;
    const QString state = QString::fromStdString(backend.state);
    // The device or the reason; the tooltip has the whole sentence.
    const QString head = state.section(QLatin1Char(';'), 0, 0);
    QAction* action = menu->addAction((cpu ? QObject::tr("CPU (%1)") : QObject::tr("CUDA (%1)")).arg(head));
    action->setToolTip(state);
    action->setCheckable(true);
    action->setEnabled(backend.usable);
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, menu, [chosen, kind = backend.kind] { chosen(kind); });
    actions[cpu ? 0 : 1] = action;
  }
  return actions;
}

BackendButton::BackendButton(Session* session, QWidget* parent) : QToolButton(parent), m_session(session) {
  auto* menu = new QMenu(this);
  menu->addSection(tr("All panes on"));
  m_actions = addBackendActions(menu, [this](BackendKind kind) { m_session->editBackend(kind); });
  setMenu(menu);
  setPopupMode(QToolButton::InstantPopup);
  setAutoRaise(true);
  setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(tr("Backend"));
  connect(session, &Session::sceneChanged, this, &BackendButton::refresh);
  connect(session, &Session::panesChanged, this, &BackendButton::refresh);
  refresh();
}

void BackendButton::refresh() {
  int onCuda = 0;
  for (int pane = 0; pane < m_session->paneCount(); ++pane) onCuda += m_session->runsOnCuda(pane);
  const int count = m_session->paneCount();
  setText(onCuda == 0       ? tr("CPU")
          : onCuda == count ? tr("CUDA")
                            : tr("CPU + CUDA (%1 of %2 panes)").arg(onCuda).arg(count));
  m_actions[0]->setChecked(onCuda == 0);
  m_actions[1]->setChecked(onCuda > 0);
  QStringList lines{tr("Where the panes are computed; click to change it while they run.")};
  for (const BackendInfo& backend : backendTable())
    lines << (backend.kind == BackendKind::Cpu ? tr("CPU: %1") : tr("CUDA: %1"))
                 .arg(QString::fromStdString(backend.state));
  for (int pane = 0; pane < count; ++pane) {
    const PaneSettings& settings = m_session->pane(pane).settings;
    const MethodInfo* method = findMethod(settings.method);
    if (!m_session->runsOnCuda(pane) || !method || !method->staysOnHost) continue;
    const QString onHost = QString::fromStdString(method->staysOnHost(settings.solver));
    if (!onHost.isEmpty()) lines << tr("%1: on the CPU are %2.").arg(m_session->paneLabel(pane), onHost);
  }
  setToolTip(lines.join(QLatin1Char('\n')));
}

}  // namespace touchstone
