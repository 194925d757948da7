#include <QDeadlineTimer>
#include <QGuiApplication>
#include <QScreen>
#include <QtTest>
#include <set>

#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "app/window/stall_watchdog.h"
#include "tests/support/gui_main.h"
#include "tests/support/pour_window.h"
#include "widgets/views/scene_view.h"

using namespace touchstone;

class StallsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theWatchdogHearsADeafWindow();
  void theWindowListensWhileFourPanesRun();
  void viewsStayOnTheScreenWhenTheWindowChangesInARun();

 private:
  /// Colours on the screen, which may differ from what the widget would draw.
  static std::size_t coloursOnScreen(const QWidget& widget) {
    const QPoint corner = widget.mapToGlobal(QPoint());
    const QImage image = QGuiApplication::primaryScreen()
                             ->grabWindow(0, corner.x(), corner.y(), widget.width(), widget.height())
                             .toImage();
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); y += 4)
      for (int x = 0; x < image.width(); x += 4) colours.insert(image.pixel(x, y));
    return colours.size();
  }
};

void StallsTest::theWatchdogHearsADeafWindow() {
  StallWatchdog watchdog;
  watchdog.start();
  QTRY_VERIFY(watchdog.answers() > 10);
  const int before = watchdog.answers();
  const QDeadlineTimer deaf(150);
  while (!deaf.hasExpired()) {
  }
  QTRY_VERIFY(watchdog.answers() > before + 3);
  watchdog.stop();
  QVERIFY(watchdog.longest() >= 100);
  QVERIFY(watchdog.share(100) > 0 && watchdog.share(100) < 0.5);
  QVERIFY(watchdog.percentile(0.5) <= watchdog.longest());
}

// Prints the measured delays; `touchstone pour --measure 20` measures without the overhead of a test.
void StallsTest::theWindowListensWhileFourPanesRun() {
  MainWindow window(WindowMemory::Forget);
  test::showPour(window);
  QSignalSpy shown(window.grid(), &PaneGrid::framesShown);
  StallWatchdog watchdog;
  window.session()->run();
  watchdog.start();
  QTRY_VERIFY_WITH_TIMEOUT(shown.size() > 20, 30000);
  watchdog.stop();
  window.session()->pause();
  qInfo("%d answers: median %.0f ms, 99 %% %.0f ms, longest %.0f ms", watchdog.answers(),
        watchdog.percentile(0.5), watchdog.percentile(0.99), watchdog.longest());
  // One pane per turn: the window responds several times while all panes draw one time.
  QVERIFY(watchdog.answers() > 2 * shown.size());
}

void StallsTest::viewsStayOnTheScreenWhenTheWindowChangesInARun() {
  if (QGuiApplication::platformName() != QLatin1String("xcb")) QSKIP("needs a screen that can be read");
  MainWindow window(WindowMemory::Forget);
  test::showPour(window);
  QSignalSpy shown(window.grid(), &PaneGrid::framesShown);
  window.session()->run();
  QTRY_VERIFY_WITH_TIMEOUT(shown.size() > 3, 30000);
  for (const QSize& size : {QSize(1180, 680), QSize(1280, 720)}) {
    window.resize(size);
    shown.clear();
    QTRY_VERIFY_WITH_TIMEOUT(shown.size() > 3, 30000);
    for (PaneWidget* pane : window.grid()->panes())
      QTRY_VERIFY_WITH_TIMEOUT(coloursOnScreen(*pane->view()) > 30, 30000);
  }
  window.session()->pause();
}

TS_GUI_TEST_MAIN(StallsTest)
#include "tst_stalls.moc"
