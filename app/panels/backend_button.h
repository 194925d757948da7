#pragma once

#include <QToolButton>
#include <array>
#include <functional>

#include "core/parallel/backend_kind.h"

class QAction;
class QMenu;

namespace touchstone {

class Session;

/// Adds "CPU" and "CUDA" to a menu as a choice; CUDA is grey where it cannot be used, with the reason.
/// @param chosen  called with what was clicked   @return both actions, CPU first
std::array<QAction*, 2> addBackendActions(QMenu* menu, const std::function<void(BackendKind)>& chosen);

/// In the status bar: where the panes run, and a menu that moves all of them while they run.
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
