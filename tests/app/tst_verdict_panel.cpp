#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "app/panels/verdict_panel.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "core/math/count.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/scene/frame_count.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"

using namespace touchstone;

/// The dock that says which method did better.
class VerdictPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_hand.show(); }
  void cleanup() { m_hand.window.reset(); }
  void itIsVisibleAtTheFirstStart();
  void itsNumbersAreThoseOfTheCommandLine_data();
  void itsNumbersAreThoseOfTheCommandLine();
  void theBestCellIsReadByItsName();
  void aRowIsTheQuantityOfTheLargePlot();
  void aClickOnTheChosenRowShowsItsPlotAgain();
  void aSpanAndTheCursorHaveTheirFramesOnly();
  void whatAPaneRanBeforeAChangeIsNotItsOwn();
  void claimsOfTheSceneHaveTheirNumbers();
  void copiesGoToTheClipboard();

 private:
  VerdictPanel& panel() const { return *m_hand.window->verdict(); }
  Session* session() const { return m_hand.session(); }
  QString cell(const QString& row, int column) const;
  QTemporaryDir m_folder;
  test::WindowDriver m_hand;
};

QString VerdictPanelTest::cell(const QString& row, int column) const {
  panel().refresh();
  for (int index = 0; index < panel().table()->rowCount(); ++index)
    if (panel().table()->item(index, 0)->text().startsWith(row))
      return panel().table()->item(index, column)->text();
  return {};
}

void VerdictPanelTest::itIsVisibleAtTheFirstStart() {
  auto* dock = m_hand.window->findChild<QDockWidget*>(QStringLiteral("verdictDock"));
  QVERIFY(dock);
  QVERIFY(panel().isVisible() && !panel().visibleRegion().isEmpty());
  m_hand.open();
  QVERIFY(!panel().visibleRegion().isEmpty());
}

void VerdictPanelTest::itsNumbersAreThoseOfTheCommandLine_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<int>("frames");
  for (const auto& [scene, frames] :
       std::initializer_list<std::pair<const char*, int>>{{"resting-box", 60},
                                                          {"thin-plate", 40},
                                                          {"corner-trap", 60},
                                                          {"dual-trap", 60},
                                                          {"incline", 40},
                                                          {"stick", 40},
                                                          {"pendulum", 40},
                                                          {"particle", 40},
                                                          {"tilted-stack", 20},
                                                          {"double-pendulum", 30}})
    QTest::newRow(scene) << scene << frames;
}

void VerdictPanelTest::itsNumbersAreThoseOfTheCommandLine() {
  QFETCH(QString, scene);
  QFETCH(int, frames);
  m_hand.open(scene, {});
  m_hand.runTo(frames);
  panel().refresh();
  const auto loaded = loadScene(session()->scene()->file);
  Comparison comparison(loaded, panesFor({}, *loaded), History::kNewestOnly);
  for (int frame = 0; frame < frames; ++frame) comparison.step(false);
  const VerdictTable expected =
      verdictOf(summariesOf(comparison, paneLabels(*loaded, comparison.settings().panes)));
  const VerdictTable& shown = panel().verdict();
  QCOMPARE(shown.rows.size(), expected.rows.size());
  for (std::size_t row = 0; row < expected.rows.size(); ++row) {
    QCOMPARE(shown.rows[row].key, expected.rows[row].key);
    if (expected.rows[row].key == "time_frame_median") continue;
    for (std::size_t pane = 0; pane < expected.panes.size(); ++pane) {
      const QByteArray place =
          QByteArray::fromStdString(expected.rows[row].key + ", pane " + std::to_string(pane));
      const double ours = shown.rows[row].values[pane], theirs = expected.rows[row].values[pane];
      QVERIFY2(ours == theirs || (std::isnan(ours) && std::isnan(theirs)), place.constData());
      QCOMPARE(panel().table()->item(static_cast<int>(row), static_cast<int>(pane) + 1)->text(),
               QString::fromStdString(verdictCell(expected.rows[row], pane)));
    }
  }
}

/// Space, wait, read: PEG does not penetrate where DPF does.
void VerdictPanelTest::theBestCellIsReadByItsName() {
  m_hand.open(QStringLiteral("resting-box"), {QStringLiteral("dpf"), QStringLiteral("peg")});
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > 200, test::kPatience);
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), test::kPatience);
  panel().refresh();
  QStringList best;
  for (int row = 0; row < panel().table()->rowCount(); ++row)
    for (int column = 1; column < panel().table()->columnCount(); ++column)
      if (const QTableWidgetItem* item = panel().table()->item(row, column);
          item && item->data(Qt::AccessibleTextRole).toString().endsWith(QStringLiteral(", best"))) {
        best << item->data(Qt::AccessibleTextRole).toString();
        QVERIFY(item->font().bold());
      }
  QVERIFY2(!best.filter(QStringLiteral("Deepest penetration, PEG · auto: ")).empty(),
           qPrintable(best.join('\n')));
}

void VerdictPanelTest::aRowIsTheQuantityOfTheLargePlot() {
  m_hand.open();
  m_hand.runTo(20);
  panel().refresh();
  for (int row = 0; row < countOf(panel().verdict().rows); ++row) {
    panel().table()->setCurrentCell(row, 0);
    const int tile = m_hand.window->plots()->enlarged();
    QVERIFY(tile >= 0);
    QCOMPARE(m_hand.window->plots()->tiles()[tile]->quantity(),
             static_cast<int>(panel().verdict().rows[row].quantity));
  }
}

/// Esc shows all plots again; the row is still the chosen one, and a click on it asks for its plot.
void VerdictPanelTest::aClickOnTheChosenRowShowsItsPlotAgain() {
  m_hand.open();
  m_hand.runTo(20);
  panel().refresh();
  const QTableWidget* table = panel().table();
  const auto click = [table] {
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualItemRect(table->item(0, 1)).center());
  };
  click();
  QVERIFY(m_hand.window->plots()->enlarged() >= 0);
  m_hand.window->plots()->toggleEnlarged(-1);
  click();
  const int tile = m_hand.window->plots()->enlarged();
  QVERIFY(tile >= 0);
  QCOMPARE(m_hand.window->plots()->tiles()[tile]->quantity(), static_cast<int>(Quantity::PenetrationMax));
}

void VerdictPanelTest::aSpanAndTheCursorHaveTheirFramesOnly() {
  m_hand.open();
  m_hand.runTo(40);
  const auto depthAt = [this](long frame) {
    return session()->histories()[0].at(frame)->quantities[Quantity::PenetrationMax];
  };
  panel().setSpan(session()->timeAt(10), session()->timeAt(20));
  double deepest = 0;
  for (long frame = 10; frame <= 20; ++frame) deepest = std::max(deepest, depthAt(frame));
  QCOMPARE(panel().verdict().rows.front().values[0], deepest);
  session()->seek(15);
  panel().setRange(VerdictPanel::Range::Cursor);
  QCOMPARE(panel().verdict().rows.front().values[0], depthAt(15));
  session()->seek(16);
  QTRY_COMPARE_WITH_TIMEOUT(panel().verdict().rows.front().values[0], depthAt(16), test::kPatience);
}

void VerdictPanelTest::whatAPaneRanBeforeAChangeIsNotItsOwn() {
  m_hand.open(QStringLiteral("resting-box"), {QStringLiteral("dpf"), QStringLiteral("peg")});
  m_hand.runTo(150);  // the box has fallen
  panel().refresh();
  const double before = panel().verdict().rows.front().values[0];
  PaneSettings settings = session()->pane(0).settings;
  settings.method = "lcp";
  settings.parameters.clear();
  settings.solver.clear();
  session()->editPane(0, settings);
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(0).settings.method, std::string("lcp"), test::kPatience);
  m_hand.runTo(160);
  panel().refresh();
  double since = 0;
  for (long frame = 151; frame <= 160; ++frame)
    since = std::max(since, session()->histories()[0].at(frame)->quantities[Quantity::PenetrationMax]);
  QVERIFY(since < before);
  QCOMPARE(panel().verdict().rows.front().values[0], since);
  QVERIFY(panel().table()->toolTip().contains(QStringLiteral("since its last change: LCP")));
}

void VerdictPanelTest::claimsOfTheSceneHaveTheirNumbers() {
  const QString path = m_folder.filePath(QStringLiteral("fall.json"));
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(
      R"({"touchstone": 1, "name": "fall", "title": "Fall", "dt": 0.01, "duration": 0.1, "gravity": [0, -10, 0],
    "methods": ["cpf"], "claims": [
      {"text": "it falls", "pane": "cpf", "quantity": "body_velocity:box", "component": "y", "reduce": "end",
       "compare": "<", "value": -0.9},
      {"text": "it stays", "pane": "cpf", "quantity": "body_velocity:box", "reduce": "max", "compare": "<", "value": 0.1}],
    "bodies": [{"name": "box", "shape": {"type": "box", "size": [1, 1, 1]}, "position": [0, 20, 0]}]})");
  file.close();
  m_hand.window->resize(1600, 1200);
  m_hand.window->arrange(Arrangement::Compare);  // a low dock has no room for claims
  QSignalSpy opened(session(), &Session::sceneChanged);
  m_hand.window->open(path);
  QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), test::kPatience);
  m_hand.runTo(5);
  panel().refresh();
  QCOMPARE(panel().claims()->item(0, 0)->text(), QStringLiteral("not yet"));
  QCOMPARE(panel().claims()->item(1, 0)->text(), QStringLiteral("not yet"));
  m_hand.runTo(10);
  panel().refresh();
  QCOMPARE(panel().claims()->rowCount(), 2);
  QVERIFY(panel().claims()->isVisible());
  QCOMPARE(panel().claims()->item(0, 0)->text(), QStringLiteral("holds"));
  QCOMPARE(panel().claims()->item(1, 0)->text(), QStringLiteral("fails"));
  QVERIFY(panel().claims()->item(1, 2)->text().contains(QStringLiteral("is 1 m/s, claimed < 0.1 m/s")));
  const QString written = m_folder.filePath(QStringLiteral("verdict.txt"));
  QCOMPARE(panel().write(written), QString());
  QFile text(written);
  QVERIFY(text.open(QIODevice::ReadOnly));
  QVERIFY(text.readAll().contains("FAILS    it stays"));
}

void VerdictPanelTest::copiesGoToTheClipboard() {
  m_hand.open();
  m_hand.runTo(10);
  panel().refresh();
  for (QToolButton* button : panel().findChildren<QToolButton*>())
    if (button->menu())
      for (QAction* action : button->menu()->actions()) {
        action->trigger();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("Deepest penetration")));
      }
  QCOMPARE(QApplication::clipboard()->text(), QString::fromStdString(verdictCsv(panel().verdict())));
}

TS_GUI_TEST_MAIN(VerdictPanelTest)
#include "tst_verdict_panel.moc"
