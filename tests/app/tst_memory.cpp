#include <malloc.h>

#include <QtTest>
#include <algorithm>
#include <cmath>

#include "app/panels/pane_grid.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "tests/support/gui_main.h"
#include "tests/support/pour_window.h"

using namespace touchstone;

class MemoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void redrawingHoldsNoMoreMemory();
};

static double heapBytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

void MemoryTest::redrawingHoldsNoMoreMemory() {
  MainWindow window(WindowMemory::Forget);
  test::showPour(window);
  Session* session = window.session();
  ViewSettings settings = window.grid()->viewSettings();
  settings.ghost = settings.trails = settings.normals = true;
  window.grid()->setViewSettings(settings);
  session->setSpeed(0);
  session->run(1.5);
  QTRY_VERIFY_WITH_TIMEOUT(session->lastFrame() >= 300 && !session->isRunning(), 60000);
  constexpr long kFrames = 50;
  const auto scrub = [&](int rounds) {
    for (int round = 0; round < rounds; ++round)
      for (long frame = 0; frame < kFrames; ++frame) {
        session->seek(240 + frame);
        QCoreApplication::processEvents();
      }
  };
  scrub(2);  // fills caches
  // Drivers fill and empty caches of their own: what is held shows in every part.
  constexpr int kParts = 3, kRounds = 2;
  double perFrame = HUGE_VAL;
  for (int part = 0; part < kParts; ++part) {
    const double before = heapBytes();
    scrub(kRounds);
    perFrame = std::min(perFrame, (heapBytes() - before) / (kRounds * kFrames));
  }
  // VTK's glyph mappers once kept 60 kB a pane and frame.
  QVERIFY2(perFrame < 4096, qPrintable(QStringLiteral("%1 bytes a frame").arg(perFrame)));
}

TS_GUI_TEST_MAIN(MemoryTest)
#include "tst_memory.moc"
