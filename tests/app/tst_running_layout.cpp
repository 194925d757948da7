#include <QAction>
#include <QtTest>
#include <cmath>

#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "core/math/count.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_fit.h"
#include "widgets/views/scene_view.h"

using namespace touchstone;

namespace {

constexpr int kPatience = 60000;  // ms; a limit for a hanging program, not a waiting time
const QString kScenes = QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/");
const QString kBattery = QStringLiteral(TS_SOURCE_DIR "/datasets/battery/scenes/");
const QSize kSize(1280, 720);

}  // namespace

/// The layout while views draw and frames arrive.
class RunningLayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cleanup() { m_window.reset(); }
  void runningChangesNoWidth_data();
  void runningChangesNoWidth();
  void linkedCamerasShowOneSize();
  void theWheelMovesAllLinkedCameras();

 private:
  void show();
  void open(const QString& file, const QStringList& methods = {});
  void checkFit(const QSize& size, const QString& what) { test::checkFit(*m_window, size, what); }
  Session* session() { return m_window->session(); }
  PaneGrid& grid() { return *m_window->grid(); }
  std::unique_ptr<MainWindow> m_window;
};

void RunningLayoutTest::show() {
  m_window = std::make_unique<MainWindow>(WindowMemory::Forget);
  m_window->move(0, 0);
  m_window->resize(kSize);
  m_window->show();
  QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
  QApplication::setActiveWindow(m_window.get());
}

void RunningLayoutTest::open(const QString& file, const QStringList& methods) {
  m_window->open(file, methods);
  QTRY_VERIFY_WITH_TIMEOUT(session()->scene() != nullptr, kPatience);
  if (!methods.isEmpty()) QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), methods.size(), kPatience);
}

void RunningLayoutTest::runningChangesNoWidth_data() {
  QTest::addColumn<QString>("file");
  for (const char* scene : {"thin-plate", "pour", "corner-trap", "dual-trap"})
    QTest::newRow(scene) << kScenes + QLatin1String(scene) + QStringLiteral(".json");
  QTest::newRow("isotropy") << kBattery + QStringLiteral("isotropy.json");
}

void RunningLayoutTest::runningChangesNoWidth() {
  QFETCH(QString, file);
  show();
  open(file);
  QTRY_VERIFY_WITH_TIMEOUT(!grid().panes().empty(), kPatience);
  checkFit(kSize, QStringLiteral("at the start"));
  const std::vector<int> before = test::widths(grid());
  int shown = 0, changed = 0;
  connect(m_window->grid(), &PaneGrid::framesShown, this, [&] {
    ++shown;
    changed += test::widths(grid()) != before;
  });
  session()->setSpeed(0);
  session()->run(300 * session()->dt());
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() >= 300 && !session()->isRunning(), 4 * kPatience);
  QVERIFY(shown > 2);
  QCOMPARE(changed, 0);
  checkFit(kSize, QStringLiteral("after 300 frames"));
}

// The picture of a length has one size in all panes, whatever their shapes.
void RunningLayoutTest::linkedCamerasShowOneSize() {
  show();
  open(kScenes + QStringLiteral("pour.json"), {"dpf", "cpf", "lcp", "peg", "dpf-ccd"});
  const auto check = [this](const char* after) {
    QCoreApplication::processEvents();
    const CameraState first = grid().camera(0);
    const Vec3 across = (first.target - first.eye).cross(first.up).normalized() * 0.1;
    const auto length = [&](int pane) {
      const SceneView* view = grid().panes()[pane]->view();
      const QPointF ends = view->placeOf(first.target + across) - view->placeOf(first.target - across);
      return std::hypot(ends.x(), ends.y());
    };
    for (int pane = 1; pane < session()->paneCount(); ++pane) {
      const CameraState camera = grid().camera(pane);
      QVERIFY2(camera.angle == first.angle, after);
      QVERIFY2(std::abs((camera.eye - camera.target).norm() - (first.eye - first.target).norm()) < 1e-12,
               after);
      QVERIFY2((camera.eye - first.eye).norm() < 1e-12 && (camera.up - first.up).norm() < 1e-12, after);
      QVERIFY2(std::abs(length(pane) - length(0)) < 0.5 && length(0) > 5,
               qPrintable(QStringLiteral("%1: %2 and %3 px").arg(after).arg(length(0)).arg(length(pane))));
    }
  };
  check("opening");
  QTest::keyClick(m_window.get(), Qt::Key_F);
  check("F");
  for (QAction* action : m_window->actions())
    if (action->text() == QLatin1String("from +X")) action->trigger();
  check("Look along");
  QTest::keyClick(m_window.get(), Qt::Key_V);
  check("Scene view");
  QCOMPARE(grid().camera(0).eye, session()->scene()->view.eye);
  m_window->messages()->showProblem(QString(600, QLatin1Char('x')));
  check("a message");
  QVERIFY(m_window->width() == kSize.width());
  m_window->resize(1100, 800);
  check("a resize");
  QTest::keyClick(m_window.get(), Qt::Key_3);
  QTest::keyClick(m_window.get(), Qt::Key_Escape);
  check("one pane alone and back");
  session()->removePane(4);
  QTRY_COMPARE_WITH_TIMEOUT(countOf(grid().panes()), 4, kPatience);
  check("a pane less");
}

void RunningLayoutTest::theWheelMovesAllLinkedCameras() {
  show();
  open(kScenes + QStringLiteral("resting-box.json"), {"dpf", "cpf"});
  SceneView* view = grid().panes()[0]->view();
  const double before = (grid().camera(1).eye - grid().camera(1).target).norm();
  const QPoint middle = view->rect().center();
  QWheelEvent wheel(middle, view->mapToGlobal(middle), QPoint(), QPoint(0, 120), Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(view, &wheel);
  const CameraState first = grid().camera(0), second = grid().camera(1);
  QVERIFY(std::abs((first.eye - first.target).norm() - before) > 1e-3);
  QVERIFY((first.eye - second.eye).norm() < 1e-12);
}

TS_GUI_TEST_MAIN(RunningLayoutTest)
#include "tst_running_layout.moc"
