#include "app/window/repaint_gate.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

namespace touchstone {

RepaintGate::RepaintGate(QWidget* window) : QObject(window), m_window(window) {
  // [ms] A larger value delays what a slow scene has computed; a smaller one repaints twice between frames.
  constexpr int kPatience = 150;
  m_patience.setSingleShot(true);
  m_patience.setInterval(kPatience);
  connect(&m_patience, &QTimer::timeout, this, &RepaintGate::letPass);
  qApp->installEventFilter(this);
}

void RepaintGate::setClosed(bool closed) {
  m_isClosed = closed;
  m_sinceInput.invalidate();
  if (!closed) letPass();
}

void RepaintGate::letPass() {
  m_patience.stop();
  m_mayPass = true;
  if (!m_isHeld) return;
  m_isHeld = false;
  QCoreApplication::postEvent(m_window, new QEvent(QEvent::UpdateRequest), Qt::LowEventPriority);
}

bool RepaintGate::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseMove:
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonRelease:
    case QEvent::Wheel:
    case QEvent::KeyPress:
    case QEvent::KeyRelease:
    case QEvent::Enter:
    case QEvent::Leave:
    case QEvent::Resize:
      m_sinceInput.start();
      if (m_isHeld) letPass();
      return false;
    case QEvent::UpdateRequest:
      break;
    default:
      return false;
  }
  if (watched != m_window) return false;
  // [ms] The effect of an event is painted within it. A larger value repaints more often after the mouse has
  // moved; a smaller one delays what follows in the next turns of the event loop.
  constexpr qint64 kEffect = 100;
  const bool isInput = m_sinceInput.isValid() && m_sinceInput.elapsed() < kEffect;
  if (m_isClosed && !m_mayPass && !isInput) {
    m_isHeld = true;
    if (!m_patience.isActive()) m_patience.start();
    return true;
  }
  m_mayPass = false;
  m_isHeld = false;
  m_patience.stop();
  ++m_repaints;
  return false;
}

}  // namespace touchstone
