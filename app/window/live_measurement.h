#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/window/stall_watchdog.h"

namespace touchstone {

class MainWindow;

/// `touchstone SCENE --measure SECONDS`: runs in the window in real time and prints the displayed frames per
/// second, how long the window did not respond, and the processor time and memory of the program.
class LiveMeasurement : public QObject {
  Q_OBJECT
 public:
  LiveMeasurement(MainWindow* window, double seconds, QObject* parent = nullptr);
  void start(const QString& scene, const QStringList& methods);

 private:
  void report();
  MainWindow* m_window;
  double m_seconds;
  StallWatchdog m_watchdog;
  QElapsedTimer m_clock;
  QTimer m_memoryTimer;
  int m_shown = 0;
  double m_processorAtStart = 0;  ///< time of this program [s]
};

}  // namespace touchstone
