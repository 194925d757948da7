#include "app/window/repaint_gate.h"

#include <QLabel>
#include <QtTest>

#include "app/panels/pane_grid.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "tests/support/gui_main.h"
#include "tests/support/pour_window.h"

using namespace touchstone;

/// Repaints of a window while frames arrive.
class RepaintGateTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void aClosedGateKeepsChangesForTheNextFrame();
  void aChangeIsPaintedWithoutAFrameAfterAWhile();
  void inputIsPaintedAtOnce();
  void aPausePaintsWhatWasKept();
  void aRunPaintsOnceAFrame();

 private:
  /// Delivers all events, so that a repaint that the gate lets pass has happened.
  static void deliver() {
    for (int turn = 0; turn < 10; ++turn) QCoreApplication::processEvents();
  }
  long change() {
    const long before = m_gate->repaints();
    m_label->setText(m_label->text() + QLatin1Char('x'));
    deliver();
    return m_gate->repaints() - before;
  }
  std::unique_ptr<QLabel> m_label;
  RepaintGate* m_gate = nullptr;
};

void RepaintGateTest::init() {
  m_label = std::make_unique<QLabel>(QStringLiteral("x"));
  m_label->setFixedSize(300, 40);
  m_gate = new RepaintGate(m_label.get());
  m_label->show();
  QVERIFY(QTest::qWaitForWindowExposed(m_label.get()));
  deliver();
}

void RepaintGateTest::aClosedGateKeepsChangesForTheNextFrame() {
  QCOMPARE(change(), 1L);
  m_gate->setClosed(true);
  m_gate->setPatience(1000000);
  QCOMPARE(change(), 0L);
  QCOMPARE(change(), 0L);
  const long before = m_gate->repaints();
  m_gate->letPass();
  deliver();
  QCOMPARE(m_gate->repaints() - before, 1L);
  QCOMPARE(change(), 0L);
  m_gate->letPass();
  deliver();
  m_gate->letPass();  // before the change
  QCOMPARE(change(), 1L);
}

void RepaintGateTest::aChangeIsPaintedWithoutAFrameAfterAWhile() {
  m_gate->setClosed(true);
  m_gate->setPatience(20);
  const long before = m_gate->repaints();
  m_label->setText(QStringLiteral("changed"));
  QTRY_COMPARE(m_gate->repaints() - before, 1L);
}

void RepaintGateTest::inputIsPaintedAtOnce() {
  m_gate->setClosed(true);
  m_gate->setPatience(1000000);
  QCOMPARE(change(), 0L);
  const long before = m_gate->repaints();
  QTest::mouseClick(m_label.get(), Qt::LeftButton);
  deliver();
  QCOMPARE(m_gate->repaints() - before, 1L);
}

void RepaintGateTest::aPausePaintsWhatWasKept() {
  m_gate->setClosed(true);
  m_gate->setPatience(1000000);
  QCOMPARE(change(), 0L);
  const long before = m_gate->repaints();
  m_gate->setClosed(false);
  deliver();
  QCOMPARE(m_gate->repaints() - before, 1L);
  QCOMPARE(change(), 1L);
}

void RepaintGateTest::aRunPaintsOnceAFrame() {
  MainWindow window(WindowMemory::Forget);
  test::showPour(window);
  auto* gate = window.findChild<RepaintGate*>();
  QVERIFY(gate);
  gate->setPatience(1000000);
  QSignalSpy shown(window.grid(), &PaneGrid::framesShown);
  window.session()->run();
  QTRY_VERIFY_WITH_TIMEOUT(shown.size() > 2, 60000);
  const long before = gate->repaints();
  shown.clear();
  QTRY_VERIFY_WITH_TIMEOUT(shown.size() >= 10, 60000);
  const long repaints = gate->repaints() - before;
  QVERIFY2(repaints > 5 && repaints <= shown.size() + 1, qPrintable(QString::number(repaints)));
  window.session()->pause();
}

TS_GUI_TEST_MAIN(RepaintGateTest)
#include "tst_repaint_gate.moc"
