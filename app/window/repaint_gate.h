#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

class QWidget;

namespace touchstone {

/// Repaints of a window while frames arrive: one for each shown frame.
/// Views, plots and labels change in turns of their own. Each repaint composes the whole window, which takes
/// longer than all changes where OpenGL is software. What the user does is painted at once.
class RepaintGate : public QObject {
  Q_OBJECT
 public:
  /// Filters the events of the application that concern the window.
  explicit RepaintGate(QWidget* window);
  bool eventFilter(QObject* watched, QEvent* event) override;

  /// @param closed  true while frames arrive
  void setClosed(bool closed);
  /// Lets the next repaint pass: all panes show the same time.
  void letPass();
  /// @param milliseconds  after which a change is painted although no frame was shown
  void setPatience(int milliseconds) { m_patience.setInterval(milliseconds); }
  /// Repaints of the window so far.
  long repaints() const { return m_repaints; }

 private:
  QWidget* m_window;
  QTimer m_patience;           ///< ends the waiting of a repaint that was held back
  QElapsedTimer m_sinceInput;  ///< invalid before the first event of mouse or keys
  bool m_isClosed = false;
  bool m_mayPass = false;  ///< the next one
  bool m_isHeld = false;   ///< a repaint was held back; Qt asks for no other one
  long m_repaints = 0;
};

}  // namespace touchstone
