#include <QDockWidget>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabBar>
#include <QTextBrowser>

#include "app/plots/plot_panel.h"
#include "app/window/keyboard.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"
#include "widgets/gallery/gallery.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;
using namespace touchstone::test;

/// Keys act from everywhere except in a text field that was entered on purpose, and the place of the keyboard
/// shows.
class KeysTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void cleanup() { m_hand.window.reset(); }
  void keysActAfterAClickOnEveryDockAndTab();
  void keysActAfterAClickOnEveryListAndText();
  void keysActAfterAClickOnEveryTileAndView();
  void keysActAfterEveryMenu();
  void keysActAfterEveryTab();
  void everyStopOfTheTabChainShows();
  void aTextFieldKeepsItsKeysWhenItWasEntered_data();
  void aTextFieldKeepsItsKeysWhenItWasEntered();
  void aSceneThatWasFoundByWordsTakesSpace();
  void aHiddenPageGivesItsFocusToNobody();
  void enterPressesWhatTheKeyboardHasReached();
  void everyEntryOfEveryListCanBeChosen();

 private:
  Session* session() const { return m_hand.session(); }
  QWidget* ring() const { return m_hand.window->findChild<QWidget*>(QStringLiteral("focusRing")); }
  void keysAct(const QString& after) const;
  template <class Widget>
  std::vector<Widget*> inFront() const;
  WindowDriver m_hand;
};

void KeysTest::init() {
  QApplication::setDoubleClickInterval(150);  // ms
  m_hand.show();
  m_hand.open();
  m_hand.runTo(40);
}

/// Space, L and both arrows do what they do in a window without a focus.
void KeysTest::keysAct(const QString& after) const {
  const QByteArray place = after.toUtf8();
  m_hand.scrubTo(20);
  const long before = session()->cursor();
  m_hand.key(Qt::Key_Right);
  QVERIFY2(session()->cursor() == before + 1, ("→ after " + place).constData());
  m_hand.key(Qt::Key_Left);
  QVERIFY2(session()->cursor() == before, ("← after " + place).constData());
  m_hand.key(Qt::Key_L);
  QVERIFY2(session()->isLooping(), ("L after " + place).constData());
  m_hand.key(Qt::Key_L);
  QVERIFY2(!session()->isLooping(), ("L again after " + place).constData());
  m_hand.key(Qt::Key_Space);
  QVERIFY2(session()->isRunning(), ("Space after " + place).constData());
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
}

/// Widgets of a type that can be seen, in pages that are in front.
template <class Widget>
std::vector<Widget*> KeysTest::inFront() const {
  std::vector<Widget*> found;
  for (Widget* widget : m_hand.window->findChildren<Widget*>())
    if (widget->window() == m_hand.window.get() && widget->isVisible() && Keyboard::isInFront(widget) &&
        !widget->visibleRegion().isEmpty())
      found.push_back(widget);
  return found;
}

void KeysTest::keysActAfterAClickOnEveryDockAndTab() {
  for (auto* dock : inFront<QDockWidget>()) {
    QTest::mouseClick(dock, Qt::LeftButton, {}, QPoint(20, 8));
    keysAct(dock->windowTitle());
  }
  int tabs = 0;
  for (QTabBar* bar : inFront<QTabBar>())
    for (int tab = 0; tab < bar->count(); ++tab, ++tabs) {
      QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
      keysAct("the tab " + bar->tabText(tab));
    }
  QVERIFY2(tabs >= 8, qPrintable(QString::number(tabs)));
}

void KeysTest::keysActAfterAClickOnEveryListAndText() {
  int lists = 0, texts = 0;
  for (QTabBar* bar : inFront<QTabBar>())
    for (int tab = 0; tab < bar->count(); ++tab) {
      QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
      for (auto* view : inFront<QAbstractItemView>()) {
        const QModelIndex item = view->model() ? view->model()->index(0, 0) : QModelIndex();
        const QPoint place =
            item.isValid() ? view->visualRect(item).center() : view->viewport()->rect().center();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, place);
        keysAct("the list " + view->accessibleName());
        ++lists;
      }
      for (auto* text : inFront<QTextBrowser>()) {
        QTest::mouseClick(text->viewport(), Qt::LeftButton, {},
                          text->viewport()->rect().bottomRight() - QPoint(4, 4));
        keysAct("the text " + text->accessibleName());
        ++texts;
      }
      for (auto* text : inFront<QPlainTextEdit>()) {
        QTest::mouseClick(text->viewport(), Qt::LeftButton);
        keysAct("the text " + text->accessibleName());
        ++texts;
      }
    }
  QVERIFY(lists >= 3 && texts >= 2);
}

void KeysTest::keysActAfterAClickOnEveryTileAndView() {
  for (auto* tile : inFront<PlotView>()) {
    QTest::mouseClick(tile, Qt::LeftButton, {}, tile->rect().center());
    WindowDriver::letClicksPass();
    keysAct(QStringLiteral("a plot"));
  }
  for (int pane = 0; pane < session()->paneCount(); ++pane) {
    QTest::mouseClick(m_hand.view(pane), Qt::LeftButton, {}, m_hand.view(pane)->rect().center());
    WindowDriver::letClicksPass();
    keysAct(QStringLiteral("a view"));
  }
}

void KeysTest::keysActAfterEveryMenu() {
  QMenuBar* bar = m_hand.window->menuBar();
  for (QAction* menu : bar->actions()) {
    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(menu).center());
    QTRY_VERIFY_WITH_TIMEOUT(menu->menu()->isVisible(), kPatience);
    QTest::keyClick(menu->menu(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!menu->menu()->isVisible(), kPatience);
    m_hand.key(Qt::Key_Escape);  // leaves the bar, too
    keysAct("the menu " + menu->text());
  }
}

void KeysTest::keysActAfterEveryTab() {
  int fields = 0;
  for (int tabs = 0; tabs <= 20; ++tabs) {
    if (tabs > 0) m_hand.key(Qt::Key_Tab);
    const QWidget* focus = m_hand.window->focusWidget();
    if (focus && Keyboard::isTextField(focus))
      ++fields;  // entered on purpose
    else
      keysAct(QStringLiteral("%1 tabs on %2")
                  .arg(tabs)
                  .arg(focus ? focus->metaObject()->className() : "nothing"));
  }
  QVERIFY(fields < 12);
}

void KeysTest::everyStopOfTheTabChainShows() {
  const QWidget* first = nullptr;
  int stops = 0;
  for (; stops < 200; ++stops) {
    m_hand.key(Qt::Key_Tab);
    const QWidget* focus = m_hand.window->focusWidget();
    QVERIFY(focus);
    if (focus == first) break;
    if (!first) first = focus;
    const QByteArray name = focus->metaObject()->className() + (" " + focus->accessibleName()).toUtf8();
    QVERIFY2(Keyboard::isInFront(focus), name.constData());
    QTRY_VERIFY2_WITH_TIMEOUT(ring()->isVisible(), name.constData(), kPatience);
    QRect place(focus->mapTo(m_hand.window.get(), QPoint()), focus->size());
    for (const QWidget* parent = focus->parentWidget(); parent; parent = parent->parentWidget())
      place &= QRect(parent->mapTo(m_hand.window.get(), QPoint()), parent->size());
    QTRY_VERIFY2_WITH_TIMEOUT(ring()->geometry().contains(place.intersected(m_hand.window->rect())),
                              name.constData(), kPatience);
    QVERIFY2(!place.isEmpty() && m_hand.window->rect().intersects(place), name.constData());
    QVERIFY2(!ring()->mask().isEmpty(), name.constData());
    // The ring differs from what it covers.
    const QPixmap with = ring()->grab();
    QCOMPARE(with.toImage().pixelColor(0, 0), m_hand.window->palette().color(QPalette::Highlight));
  }
  QVERIFY2(stops >= 20 && stops < 200, qPrintable(QString::number(stops)));
  QTest::mouseClick(m_hand.window->statusBar(), Qt::LeftButton);
  QTest::mouseClick(m_hand.view(0), Qt::LeftButton, {}, m_hand.view(0)->rect().center());
  QTRY_VERIFY_WITH_TIMEOUT(!ring()->isVisible(), kPatience);
}

void KeysTest::aTextFieldKeepsItsKeysWhenItWasEntered_data() {
  QTest::addColumn<Qt::FocusReason>("reason");
  QTest::addColumn<bool>("isEntered");
  QTest::newRow("a click") << Qt::MouseFocusReason << true;
  QTest::newRow("the Tab key") << Qt::TabFocusReason << true;
  QTest::newRow("a command") << Qt::ShortcutFocusReason << true;
  QTest::newRow("the program") << Qt::OtherFocusReason << false;
  QTest::newRow("a window that comes back") << Qt::ActiveWindowFocusReason << false;
}
void KeysTest::aTextFieldKeepsItsKeysWhenItWasEntered() {
  QFETCH(Qt::FocusReason, reason);
  QFETCH(bool, isEntered);
  QLineEdit* field = nullptr;
  for (QTabBar* bar : inFront<QTabBar>())
    for (int tab = 0; tab < bar->count() && !field; ++tab) {
      QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
      for (QLineEdit* line : inFront<QLineEdit>())
        if (Keyboard::isTextField(line) && line->isEnabled()) field = line;
    }
  QVERIFY(field);
  m_hand.scrubTo(20);
  const QString text = field->text();
  m_hand.activate();
  field->setFocus(reason);
  QTest::keyClick(field, Qt::Key_Space);
  if (isEntered) {
    QVERIFY(field->hasFocus());
    QVERIFY(!session()->isRunning());
    return;
  }
  QVERIFY(session()->isRunning());
  QCOMPARE(field->text(), text);
  QTRY_VERIFY_WITH_TIMEOUT(!field->hasFocus(), kPatience);
}

void KeysTest::aSceneThatWasFoundByWordsTakesSpace() {
  QLineEdit* search = m_hand.window->gallery()->search();
  for (QDockWidget* dock : m_hand.window->findChildren<QDockWidget*>())
    if (dock->isAncestorOf(search)) {
      dock->show();
      dock->raise();
    }
  QTRY_VERIFY_WITH_TIMEOUT(search->isVisible(), kPatience);
  QTest::mouseClick(search, Qt::LeftButton);
  QTest::keyClicks(search, QStringLiteral("pour"));
  QSignalSpy opened(session(), &Session::sceneChanged);
  QTest::keyClick(search, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), kPatience);
  QCOMPARE(search->text(), QStringLiteral("pour"));
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->isRunning(), kPatience);
  session()->pause();
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
}

void KeysTest::aHiddenPageGivesItsFocusToNobody() {
  QDockWidget* log = nullptr;
  for (QDockWidget* dock : m_hand.window->findChildren<QDockWidget*>())
    if (dock->findChild<QPlainTextEdit*>()) log = dock;
  QVERIFY(log);
  m_hand.window->raise(log);
  QTRY_VERIFY_WITH_TIMEOUT(Keyboard::isInFront(log), kPatience);
  for (QTabBar* bar : inFront<QTabBar>())
    for (int tab = 0; tab < bar->count(); ++tab) {
      m_hand.window->raise(log);
      log->findChild<QPlainTextEdit*>()->setFocus(Qt::TabFocusReason);
      QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
      const QWidget* focus = m_hand.window->focusWidget();
      QVERIFY2(!focus || !Keyboard::isTextField(focus), qPrintable(bar->tabText(tab)));
      keysAct("leaving Log for " + bar->tabText(tab));
    }
}

void KeysTest::enterPressesWhatTheKeyboardHasReached() {
  // A list.
  QComboBox* box = nullptr;
  for (QComboBox* found : inFront<QComboBox>())
    if (found->focusPolicy() & Qt::TabFocus && !found->isEditable()) box = found;
  QVERIFY(box);
  m_hand.activate();
  box->setFocus(Qt::TabFocusReason);
  m_hand.key(Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(box->view()->isVisible(), kPatience);
  QTest::keyClick(box->view(), Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(!box->view()->isVisible(), kPatience);
  // A button.
  QAbstractButton* button = nullptr;
  for (QAbstractButton* found : inFront<QAbstractButton>())
    if (found->focusPolicy() & Qt::TabFocus && found->isCheckable()) button = found;
  if (button) {
    const bool before = button->isChecked();
    m_hand.activate();
    button->setFocus(Qt::TabFocusReason);
    m_hand.key(Qt::Key_Return);
    QCOMPARE(button->isChecked(), !before);
  }
  // Tabs, with ↑ and ↓.
  QTabBar* tabs = nullptr;
  for (QTabBar* bar : inFront<QTabBar>())
    if (bar->count() > 1 && bar->focusPolicy() & Qt::TabFocus) tabs = bar;
  QVERIFY(tabs);
  const int before = tabs->currentIndex();
  m_hand.activate();
  tabs->setFocus(Qt::TabFocusReason);
  m_hand.key(Qt::Key_Down);
  QVERIFY(tabs->currentIndex() != before);
}

void KeysTest::everyEntryOfEveryListCanBeChosen() {
  QSignalSpy failed(session(), &Session::failed), problems(m_hand.window.get(), &MainWindow::problemReported);
  int chosen = 0;
  const auto boxes = [this] {
    std::vector<QComboBox*> found;
    for (QComboBox* box : m_hand.window->findChildren<QComboBox*>())
      if (box->window() == m_hand.window.get() && box->isVisible() && box->isEnabled()) found.push_back(box);
    return found;
  };
  // A method that is chosen brings other lists: its solver and its parameters.
  for (std::size_t number = 0; number < boxes().size(); ++number) {
    const int entries = boxes()[number]->count(), first = boxes()[number]->currentIndex();
    for (int turn = 1; turn <= entries; ++turn) {
      QVERIFY(number < boxes().size());
      QComboBox* box = boxes()[number];
      const int entry = (first + turn) % entries;
      if (entry >= box->count()) continue;
      const QModelIndex index = box->model()->index(entry, box->modelColumn(), box->rootModelIndex());
      if (!(index.flags() & Qt::ItemIsEnabled)) {
        QVERIFY2(!index.data(Qt::ToolTipRole).toString().isEmpty(),
                 qPrintable(box->accessibleName() + ": " + box->itemText(entry) + " has no reason"));
        continue;
      }
      const QString name = box->accessibleName() + ": " + box->itemText(entry);
      box->setFocus(Qt::MouseFocusReason);
      box->showPopup();
      QTRY_VERIFY_WITH_TIMEOUT(box->view()->isVisible(), kPatience);
      box->view()->setCurrentIndex(index);
      QTest::keyClick(box->view(), Qt::Key_Return);
      m_hand.activate();
      QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
      QCoreApplication::processEvents();
      QVERIFY2(failed.empty() && problems.empty(),
               qPrintable(name + ": " + (failed.empty() ? QString() : failed.front().front().toString())));
      QVERIFY2(!m_hand.question() && !QApplication::activeModalWidget(), qPrintable(name));
      ++chosen;
    }
  }
  QVERIFY2(chosen > 100, qPrintable(QString::number(chosen)));
}

TS_GUI_TEST_MAIN(KeysTest)
#include "tst_keys.moc"
