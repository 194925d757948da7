#pragma once

#include <QTimer>
#include <functional>

namespace touchstone {

/// Tells a click from the first half of a double-click, so that a double-click does nothing but its own: what
/// a click does is done once no second one can follow.
class DelayedClick {
 public:
  DelayedClick();
  /// A button was pressed and released at one place.
  void click(const std::function<void()>& action);
  /// What the first half would have done is not done, nor what the release after it and a third click would
  /// do.
  void doubleClick();

 private:
  QTimer m_timer;
  std::function<void()> m_action;  ///< none while the timer runs: a double-click was just made
};

}  // namespace touchstone
