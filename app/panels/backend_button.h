#pragma once

#include <QToolButton>
#include <array>
#include <functional>

#include "core/parallel/backend_kind.h"

class QAction;
class QMenu;

namespace touchstone {

class Session;

/// Adds the choice of "CPU" and "CUDA" to a menu. If CUDA cannot be used, it is greyed out with the reason.
/// @param chosen  called with the clicked backend   @return both actions, CPU first
std::array<QAction*, 2> addBackendActions(QMenu* menu, const std::function<void(BackendKind)>& chosen);

/// Part of the status bar: shows where the panes run, with a menu that moves all of them during a run.
class BackendButton : public QToolButton {
  Q_OBJECT
 public:
  explicit BackendButton(Session* session, QWidget* parent = nullptr);

 private:
  void refresh();

  Session* m_session;
  std::array<QAction*, 2> m_actions;
};

}  // namespace touchstone
