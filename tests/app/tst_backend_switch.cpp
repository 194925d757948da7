#include <QMenu>
#include <QToolButton>
#include <QtTest>
#include <atomic>

#include "app/panels/backend_button.h"
#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "core/contact/step_detail.h"
#include "core/run/backend_table.h"
#include "tests/support/gui_main.h"
#include "tests/support/pour_window.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

namespace {

std::atomic<bool> lost{false};

/// A host in the role of a device, which can be lost.
class TestDevice : public test::WrappedStepper {
 public:
  using WrappedStepper::WrappedStepper;
  void step(World& world, double dt, Recorded recorded, StepRecord& record, StepDetail* detail) override {
    WrappedStepper::step(world, dt, recorded, record, detail);
    if (lost) throw std::runtime_error("CUDA: loop (96 items) failed: unspecified launch failure");
  }
};

}  // namespace

/// The window shows where panes run, and changes it during a run.
class BackendSwitchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void withoutADeviceCudaIsGreyAndSaysWhy();
  void panesMoveWhileTheyRun();
  void aLostDeviceIsSaidAndThePaneGoesOn();

 private:
  static BackendButton* button(MainWindow& window) { return window.findChild<BackendButton*>(); }
  static void shoot(MainWindow& window, const char* name) {
    const QString folder = qEnvironmentVariable("TS_SHOTS");
    if (folder.isEmpty()) return;
    window.saveScreenshot(folder + QLatin1Char('/') + QLatin1String(name));
  }
  static void useTestDevice() {
    setCudaState(true,
                 "test device, driver for CUDA 13.0; the whole step of dpf, dpf-ccd and cpf runs on it");
    test::useSeparateDevice();
    test::useStepper<TestDevice>();
  }
  static QString backendShown(MainWindow& window, int pane) {
    const RecordPtr record = window.session()->shown(pane);
    return record ? QString::fromStdString(record->backend) : QString();
  }
};

void BackendSwitchTest::withoutADeviceCudaIsGreyAndSaysWhy() {
  setCudaState(false, "built with CUDA, but no device can be used (no driver); runs on the CPU");
  MainWindow window(WindowMemory::Forget);
  test::showPour(window);
  QCOMPARE(button(window)->text(), QStringLiteral("CPU"));
  QVERIFY(button(window)->toolTip().contains(QStringLiteral("no device can be used")));
  QAction* cuda = nullptr;
  for (QAction* action : button(window)->menu()->actions())
    if (action->text().startsWith(QStringLiteral("CUDA"))) cuda = action;
  QVERIFY(cuda && !cuda->isEnabled());
  QVERIFY(cuda->toolTip().contains(QStringLiteral("no driver")));
}

void BackendSwitchTest::panesMoveWhileTheyRun() {
  useTestDevice();
  MainWindow window(WindowMemory::Forget);
  test::showPour(window);
  Session& session = *window.session();
  session.run();
  QTRY_VERIFY_WITH_TIMEOUT(session.lastFrame() > 20, 20000);
  QAction* cuda = nullptr;
  for (QAction* action : button(window)->menu()->actions())
    if (action->text().startsWith(QStringLiteral("CUDA"))) cuda = action;
  QVERIFY(cuda && cuda->isEnabled());
  cuda->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(button(window)->text(), QStringLiteral("CUDA"), 10000);
  QTRY_COMPARE_WITH_TIMEOUT(backendShown(window, 0), QStringLiteral("cuda"), 10000);
  QTRY_COMPARE_WITH_TIMEOUT(backendShown(window, 2), QStringLiteral("cuda"), 10000);  // lcp
  QVERIFY(button(window)->toolTip().contains(QStringLiteral(": on the CPU are the matrices of islands")));
  QVERIFY(session.isRunning());
  const long frame = session.lastFrame();
  QTRY_VERIFY_WITH_TIMEOUT(session.lastFrame() > frame + 20, 20000);
  shoot(window, "on-cuda.png");
  session.pause();
  session.undoStack()->undo();
  QTRY_COMPARE_WITH_TIMEOUT(button(window)->text(), QStringLiteral("CPU"), 10000);
  session.step(1);
  QTRY_COMPARE_WITH_TIMEOUT(backendShown(window, 0), QStringLiteral("cpu"), 10000);
}

void BackendSwitchTest::aLostDeviceIsSaidAndThePaneGoesOn() {
  useTestDevice();
  lost = false;
  MainWindow window(WindowMemory::Forget);
  test::showPour(window);
  Session& session = *window.session();
  session.editBackend(BackendKind::Cuda, 1);
  session.run();
  QTRY_COMPARE_WITH_TIMEOUT(backendShown(window, 1), QStringLiteral("cuda"), 10000);
  QCOMPARE(button(window)->text(), QStringLiteral("CPU + CUDA (1 of 4 panes)"));
  QTRY_VERIFY_WITH_TIMEOUT(session.lastFrame() > 20, 20000);
  lost = true;
  QTRY_COMPARE_WITH_TIMEOUT(button(window)->text(), QStringLiteral("CPU"), 10000);
  const long frame = session.lastFrame();
  QTRY_VERIFY_WITH_TIMEOUT(session.lastFrame() > frame + 10, 20000);
  QVERIFY(session.isRunning());
  auto* messages = window.findChild<MessageBar*>();
  QVERIFY(messages->text().contains(QStringLiteral("unspecified launch failure")));
  QVERIFY(messages->text().contains(QStringLiteral("continues on the CPU")));
  QCOMPARE(session.firstFrame(), 0L);  // nothing recorded is lost
  shoot(window, "device-lost.png");
  session.pause();
  lost = false;
}

TS_GUI_TEST_MAIN(BackendSwitchTest)
#include "tst_backend_switch.moc"
