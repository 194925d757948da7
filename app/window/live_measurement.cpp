#include "app/window/live_measurement.h"

#include <QCoreApplication>
#include <algorithm>
#include <cstdio>

#include "app/bench/processor_time.h"
#include "app/bench/window_bench.h"
#include "app/panels/pane_grid.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "core/files/scene_error.h"

namespace touchstone {

namespace {

double residentMebibytes() { return processMemory("VmRSS") / (1 << 20); }

}  // namespace

LiveMeasurement::LiveMeasurement(MainWindow* window, double seconds, QObject* parent)
    : QObject(parent), m_window(window), m_seconds(seconds) {}

void LiveMeasurement::start(const QString& scene, const QStringList& methods) {
  Session* session = m_window->session();
  connect(session, &Session::sceneChanged, this, [this, session] {
    // After the window has drawn the scene for the first time, so that opening does not count.
    QTimer::singleShot(500, this, [this, session] {
      connect(m_window->grid(), &PaneGrid::framesShown, this, [this] { ++m_shown; });
      session->run();
      m_clock.start();
      m_processorAtStart = cli::processorTime().own;
      m_watchdog.start();
      QTimer::singleShot(static_cast<int>(1000 * m_seconds), this, &LiveMeasurement::report);
      // Growth of memory over a long run would reveal a leak.
      connect(&m_memoryTimer, &QTimer::timeout, this, [this, session] {
        std::printf("after %6.0f s: frame %ld, %.0f MiB\n", 1e-3 * static_cast<double>(m_clock.elapsed()),
                    session->lastFrame(), residentMebibytes());
        std::fflush(stdout);
      });
      if (m_seconds >= 120) m_memoryTimer.start(60000);
    });
  });
  const auto tell = [session](const QString& text) {
    std::fprintf(stderr, "touchstone: %s\n", printable(text.toStdString()).c_str());
    if (!session->scene()) QCoreApplication::exit(kBadInput);
  };
  connect(session, &Session::failed, this, tell);
  connect(m_window, &MainWindow::problemReported, this, tell);
  m_window->open(scene, methods);
}

void LiveMeasurement::report() {
  m_watchdog.stop();
  const double seconds = 1e-3 * static_cast<double>(m_clock.elapsed());
  Session* session = m_window->session();
  cli::WindowSpeed speed;
  speed.framesPerSecond = m_shown / seconds;
  speed.simulated = session->timeAt(session->lastFrame());
  speed.medianStall = m_watchdog.percentile(0.5);
  speed.stallOf99 = m_watchdog.percentile(0.99);
  speed.longestStall = m_watchdog.longest();
  speed.lateAnswers = 100 * m_watchdog.share(50);
  speed.processorPerFrame = 1e3 * (cli::processorTime().own - m_processorAtStart) / std::max(m_shown, 1);
  speed.memory = residentMebibytes();
  std::printf("%s, %d panes, window %d x %d, %.0f s, %ld frames, %d answers\n%s",
              session->scene()->name.c_str(), session->paneCount(), m_window->width(), m_window->height(),
              seconds, session->lastFrame(), m_watchdog.answers(), cli::windowSpeedText(speed).c_str());
  std::fflush(stdout);
  QCoreApplication::exit(0);
}

}  // namespace touchstone
