#pragma once

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>
#include <memory>

#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/panels/transport_bar.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "widgets/delayed_click.h"
#include "widgets/timeline/timeline.h"
#include "widgets/views/scene_view.h"

namespace touchstone::test {

inline constexpr int kPatience = 60000;  // ms; a limit for a hanging program, not a waiting time

/// A window, and functions that drive it with mouse and keyboard events.
class WindowDriver {
 public:
  std::unique_ptr<MainWindow> window;

  void show() {
    window = std::make_unique<MainWindow>(WindowMemory::Forget);
    window->resize(1280, 720);
    window->show();
    QVERIFY(QTest::qWaitForWindowExposed(window.get()));
    activate();
  }
  /// Replaces the window manager, which is missing, at the start and after a popup has closed.
  void activate() const { QApplication::setActiveWindow(window.get()); }
  Session* session() const { return window->session(); }
  PaneWidget* pane(int index) const { return window->grid()->panes()[index]; }
  SceneView* view(int index) const { return pane(index)->view(); }

  void open(const QString& scene = QStringLiteral("resting-box"),
            const QStringList& methods = {"dpf", "cpf", "lcp", "peg"}) {
    QSignalSpy opened(session(), &Session::sceneChanged);
    window->open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/%1.json").arg(scene), methods);
    QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), kPatience);
  }
  /// Computes up to a frame and stops there.
  void runTo(long frame) {
    session()->goLive();
    session()->setSpeed(0);
    session()->run(static_cast<double>(frame) * session()->dt());
    QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), frame, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
    session()->setSpeed(1);
    QCoreApplication::sendPostedEvents(nullptr,
                                       QEvent::LayoutRequest);  // later code reads positions in the views
    QCoreApplication::processEvents();
  }
  void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const {
    activate();
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus ? focus : window.get(), static_cast<Qt::Key>(key), modifiers);
  }
  /// Clicks on the timeline.
  void scrubTo(long frame) const {
    Timeline* timeline = window->transport()->timeline();
    QTRY_COMPARE_WITH_TIMEOUT(timeline->scale().last, session()->lastFrame(), kPatience);
    QTest::mouseClick(timeline, Qt::LeftButton, {},
                      QPoint(qRound(timeline->scale().xOf(frame)), timeline->height() / 2));
  }
  /// Opens the list of a box with the mouse and selects an entry.
  void choose(QComboBox* box, const QVariant& data) const {
    QTest::mouseClick(box, Qt::LeftButton, {}, box->rect().center());
    QTRY_VERIFY_WITH_TIMEOUT(box->view()->isVisible(), kPatience);
    box->view()->setCurrentIndex(box->model()->index(box->findData(data), 0));
    QTest::keyClick(box->view(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(!box->view()->isVisible(), kPatience);
    activate();
  }
  /// Clicks a button with a menu, and the entry that begins with `text`.
  void chooseFromMenu(QToolButton* button, const QString& text) const {
    bool chosen = false;
    QTimer poll;  // the click below returns when the menu has closed
    QObject::connect(&poll, &QTimer::timeout, &poll, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu || !menu->isVisible()) return;
      poll.stop();
      for (QAction* action : menu->actions())
        if (action->text().startsWith(text)) {
          chosen = true;
          QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
          return;
        }
      menu->close();
    });
    poll.start(10);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY2(chosen, qPrintable(text));
    activate();
  }
  QToolButton* paneMenu(int index) const {
    for (QToolButton* button : pane(index)->findChildren<QToolButton*>())
      if (button->menu()) return button;
    return nullptr;
  }
  /// Drops the header of one pane on another.
  void drag(int from, int to) const {
    QMimeData data;
    data.setData("application/x-touchstone-pane", QByteArray::number(from));
    QDragEnterEvent enter(QPoint(5, 5), Qt::MoveAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(pane(to), &enter);
    QDropEvent drop(QPointF(5, 5), Qt::MoveAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(pane(to), &drop);
  }
  /// Waits until delayed actions of earlier clicks are done.
  static void letClicksPass() {
    DelayedClick later;
    bool isDone = false;
    later.click([&] { isDone = true; });
    QTRY_VERIFY_WITH_TIMEOUT(isDone, kPatience);
  }
  QMessageBox* question() const {
    for (QMessageBox* box : window->findChildren<QMessageBox*>())
      if (box->isVisible()) return box;
    return nullptr;
  }
  void answer(const char* button) const {
    QTRY_VERIFY_WITH_TIMEOUT(question(), kPatience);
    auto* found = question()->findChild<QPushButton*>(QLatin1String(button));
    QVERIFY(found);
    QTest::mouseClick(found, Qt::LeftButton);
  }
};

/// The records of a pane, for a later comparison of identity.
inline std::vector<RecordPtr> framesOf(const Session& session, int pane) {
  const auto& frames = session.histories()[pane].frames();
  return {frames.begin(), frames.end()};
}

}  // namespace touchstone::test
