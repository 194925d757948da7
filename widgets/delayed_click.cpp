#include "widgets/delayed_click.h"

#include <QGuiApplication>
#include <QStyleHints>
#include <utility>

namespace touchstone {

namespace {

void run(const std::function<void()>& action) {
  if (action) action();
}

}  // namespace

DelayedClick::DelayedClick() {
  m_timer.setSingleShot(true);
  QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { run(std::exchange(m_action, nullptr)); });
}

void DelayedClick::click(const std::function<void()>& action) {
  if (m_timer.isActive() && !m_action) return;
  const std::function<void()> before = std::exchange(m_action, action);  // at another place
  m_timer.start(QGuiApplication::styleHints()->mouseDoubleClickInterval());
  run(before);
}

void DelayedClick::doubleClick() {
  m_action = nullptr;
  m_timer.start(QGuiApplication::styleHints()->mouseDoubleClickInterval());
}

}  // namespace touchstone
