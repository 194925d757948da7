#pragma once

#include <QtTest>

#include "app/session/session.h"
#include "app/window/main_window.h"

namespace touchstone::test {

/// Shows a window of 1280 × 720 with the shipped scene `pour`.
inline void showPour(MainWindow& window) {
  window.move(0, 0);
  window.resize(1280, 720);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  window.open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/pour.json"));
  QTRY_COMPARE_WITH_TIMEOUT(window.session()->paneCount(), 4, 20000);
}

}  // namespace touchstone::test
