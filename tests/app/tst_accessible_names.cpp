#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QSlider>
#include <QTextEdit>
#include <QtTest>

#include "app/exports/figure_dialog.h"
#include "app/exports/movie_dialog.h"
#include "app/panels/parameter_sheet.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "tests/support/gui_main.h"

using namespace touchstone;

class AccessibleNamesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyControlHasANameForScreenReaders();
  void everyMenuEntryThatIsCommonHasAKey();
};

/// The text of a screen reader for a control: its name, its text, or the text of its buddy label.
static QString spokenName(const QWidget& widget) {
  QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(&widget));
  return interface ? interface->text(QAccessible::Name) : QString();
}

static bool isControl(const QWidget& widget) {
  const auto is = [&widget](const char* type) { return widget.inherits(type); };
  const auto isPartOf = [&widget](const char* type) {
    return widget.parentWidget() && widget.parentWidget()->inherits(type);
  };
  // Parts of Qt's own controls have names of Qt.
  for (const char* part :
       {"QScrollBar", "QHeaderView", "QLineEditIconButton", "QTableCornerButton", "QComboBoxListView"})
    if (is(part)) return false;
  for (const char* whole : {"QAbstractSpinBox", "QComboBox", "QTabBar"})
    if (isPartOf(whole)) return false;
  if (widget.objectName().startsWith(QLatin1String("qt_"))) return false;
  return is("QAbstractButton") || is("QComboBox") || is("QAbstractSlider") || is("QAbstractSpinBox") ||
         is("QLineEdit") || is("QAbstractItemView") || is("QTextEdit") || is("QPlainTextEdit");
}

static QStringList nameless(const QWidget& root) {
  QStringList found;
  for (const QWidget* widget : root.findChildren<QWidget*>()) {
    if (!isControl(*widget)) continue;
    if (spokenName(*widget).trimmed().isEmpty())
      found << QStringLiteral("%1 in %2 (%3)")
                   .arg(QLatin1String(widget->metaObject()->className()),
                        QLatin1String(
                            widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : "-"),
                        widget->toolTip().left(40));
  }
  return found;
}

void AccessibleNamesTest::everyControlHasANameForScreenReaders() {
  MainWindow window(WindowMemory::Forget);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  window.open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/resting-box.json"));
  QTRY_COMPARE_WITH_TIMEOUT(window.session()->paneCount(), 4, 20000);
  QStringList all = nameless(window);
  const MovieDialog movie(MovieOptions(), 1);
  const PreferencesDialog preferences{Preferences()};
  const ParameterSheet sheet(window.session());
  for (PlotTile* tile : window.plots()->tiles()) tile->refreshData();
  const FigureDialog figure(window.plots()->tiles(), 0, FigureStyle());
  for (const QWidget* dialog : std::initializer_list<const QWidget*>{&movie, &preferences, &sheet, &figure})
    all << nameless(*dialog);
  all.removeDuplicates();
  QVERIFY2(all.isEmpty(), qPrintable(all.join(QLatin1Char('\n'))));
}

void AccessibleNamesTest::everyMenuEntryThatIsCommonHasAKey() {
  const MainWindow window(WindowMemory::Forget);
  QMap<QKeySequence, QString> keys;
  for (const QAction* action : window.actions())
    for (const QKeySequence& key : action->shortcuts()) {
      QVERIFY2(!keys.contains(key), qPrintable(key.toString() + QLatin1String(": ") + keys[key] +
                                               QLatin1String(" and ") + action->text()));
      keys[key] = action->text();
    }
  for (const char* key : {"Space", "Left", "Right", "Home", "End", "R", "F", "1", "6", "Ctrl+O", "Ctrl+S",
                          "Ctrl+R", "Ctrl+E", "Ctrl+T", "F1", "F5", "Esc", "?"})
    QVERIFY2(keys.contains(QKeySequence(QLatin1String(key))), key);
}

TS_GUI_TEST_MAIN(AccessibleNamesTest)
#include "tst_accessible_names.moc"
