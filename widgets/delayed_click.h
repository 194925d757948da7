#pragma once

#include <QTimer>
#include <functional>

namespace touchstone {

/// Delays the action of a click until no second click can follow, so that a double-click performs only its
/// own action.
class DelayedClick {
 public:
  DelayedClick();
  /// Call this when a button was pressed and released at the same place.
  void click(const std::function<void()>& action);
  /// Cancels the action of the first click, of the release that follows, and of a third click.
  void doubleClick();

 private:
  QTimer m_timer;
  std::function<void()> m_action;  ///< empty while the timer runs after a double-click
};

}  // namespace touchstone
