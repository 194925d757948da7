#include <QAction>
#include <QPlainTextEdit>
#include <QStatusBar>
#include <QTableWidget>

#include "app/ensemble/ensemble_dialog.h"
#include "app/panels/verdict_panel.h"
#include "app/plots/plot_panel.h"
#include "tests/support/gui_main.h"
#include "tests/support/near.h"
#include "tests/support/window_driver.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;
using namespace touchstone::test;

/// Copies of the scene under the panes of the session, computed in the background and shown in the plots.
class EnsembleInTheWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_hand.show();
    m_hand.open(QStringLiteral("resting-box"), {"dpf", "lcp"});
  }
  void cleanup() { m_hand.window.reset(); }
  void plotsShowABandPerPane();
  void theVerdictDockTellsTheScatter();
  void theLiveCurveIsNotTheMedian();
  void theHorizonGreysTheTimeAfterIt();
  void anotherSceneHasNoBands();
  void cancellingLeavesThePlots();
  void theDialogGivesWhatWasChosen();

 private:
  PlotPanel* plots() const { return m_hand.window->findChild<PlotPanel*>(); }
  PlotView* plotOf(const char* quantity) const {
    PlotTile* tile = plots()->tiles().front();
    tile->setKey(QLatin1String(quantity));
    return tile->view();
  }
  static EnsembleChoice choice(double time) {
    EnsembleChoice choice;
    choice.start = {8, 1e-6, 1};
    choice.time = time;
    return choice;
  }
  void compute(double time = 0.05) const {
    m_hand.window->startEnsemble(choice(time));
    QTRY_VERIFY_WITH_TIMEOUT(plots()->ensemble() != nullptr, kPatience);
  }
  WindowDriver m_hand;
};

void EnsembleInTheWindowTest::plotsShowABandPerPane() {
  m_hand.runTo(3);
  compute();
  const std::vector<Curve>& curves = plotOf("energy_potential")->curves();
  std::vector<const Curve*> bands;
  for (const Curve& curve : curves)
    if (!curve.low.empty()) bands.push_back(&curve);
  QCOMPARE(bands.size(), std::size_t(2));
  QVERIFY(bands[0]->label.contains("DPF") && bands[0]->label.contains("8 copies"));
  QVERIFY(bands[0]->colour != bands[1]->colour);
  for (const Curve* band : bands) {
    QCOMPARE(band->x.size(), band->y.size());
    QVERIFY_NEAR(band->x.back(), 0.05, 1e-9);
    double width = 0;
    for (std::size_t sample = 0; sample < band->x.size(); ++sample) {
      QVERIFY(band->low[sample] <= band->y[sample] && band->y[sample] <= band->high[sample]);
      width = std::max(width, band->high[sample] - band->low[sample]);
    }
    QVERIFY(width > 0);
  }
  for (const Curve& curve : plotOf("residual")->curves()) QVERIFY(curve.low.empty());  // not known per copy
  QVERIFY(m_hand.window->findChild<QPlainTextEdit*>() != nullptr);
  bool isLogged = false;
  for (const QPlainTextEdit* text : m_hand.window->findChildren<QPlainTextEdit*>())
    isLogged = isLogged || text->toPlainText().contains("8 copies; all but the first");
  QVERIFY(isLogged);
}

void EnsembleInTheWindowTest::theVerdictDockTellsTheScatter() {
  m_hand.runTo(3);
  compute();
  QStringList rows;
  const auto* table = m_hand.window->findChild<VerdictPanel*>()->findChild<QTableWidget*>();
  for (int row = 0; row < table->rowCount(); ++row)
    if (table->item(row, 0)->text().startsWith("Copies: ")) rows << table->item(row, 1)->text();
  QVERIFY(!rows.isEmpty());
  for (const QString& row : rows) {
    QVERIFY2(row.contains("DPF against LCP · auto: "), qPrintable(row));
    QVERIFY2(row.contains("; scatter ") || row.contains("at least 8 copies"), qPrintable(row));
  }
  QVERIFY(rows.join('\n').contains("; scatter "));
}

void EnsembleInTheWindowTest::theLiveCurveIsNotTheMedian() {
  m_hand.runTo(3);
  compute();
  const std::vector<Curve>& curves = plotOf("energy_potential")->curves();
  for (const Curve& live : curves)
    for (const Curve& median : curves) {
      if (!live.low.empty() || median.low.empty()) continue;
      QVERIFY(median.width < live.width);
      QVERIFY(live.marker >= 0 && median.marker < 0);
    }
  // The common legend names both; a small tile keeps its height for the curves.
  QStringList entries;
  for (const QToolButton* button : plots()->findChildren<QToolButton*>()) entries << button->text();
  for (const Curve& curve : curves) {
    QVERIFY2(entries.contains(curve.label), qPrintable(curve.label));
    QVERIFY(!curve.ownLegend);
  }
  plots()->setEnsemble(nullptr);
  for (const QToolButton* button : plots()->findChildren<QToolButton*>())
    QVERIFY(!button->isVisible() || !button->text().contains(QStringLiteral("copies")));
}

void EnsembleInTheWindowTest::theHorizonGreysTheTimeAfterIt() {
  auto shown = std::make_shared<ShownEnsemble>();
  QVERIFY(std::isnan(shown->horizon()));
  shown->ensemble.members.resize(3);
  shown->ensemble.members[1].horizon.time = 2.5;
  shown->ensemble.members[2].horizon.time = 1.5;
  QCOMPARE(shown->horizon(), 1.5);
}

void EnsembleInTheWindowTest::anotherSceneHasNoBands() {
  compute();
  m_hand.open(QStringLiteral("incline"), {"lcp"});
  QVERIFY(plots()->ensemble() == nullptr);
  for (const Curve& curve : plotOf("energy_kinetic")->curves()) QVERIFY(curve.low.empty());
}

void EnsembleInTheWindowTest::cancellingLeavesThePlots() {
  QSignalSpy problems(m_hand.window.get(), &MainWindow::problemReported);
  m_hand.window->startEnsemble(choice(500));
  QToolButton* cancel = nullptr;
  for (QToolButton* button : m_hand.window->findChildren<QToolButton*>())
    if (button->text() == QLatin1String("Cancel") && button->isVisible()) cancel = button;
  QVERIFY(cancel);
  cancel->click();
  const auto told = [this] { return m_hand.window->statusBar()->toolTip(); };
  QTRY_VERIFY_WITH_TIMEOUT(told().contains(QLatin1String("cancelled")), kPatience);
  QVERIFY(problems.empty());  // the user's own wish is none
  QVERIFY(plots()->ensemble() == nullptr);
}

void EnsembleInTheWindowTest::theDialogGivesWhatWasChosen() {
  EnsembleChoice before;
  before.start = {24, 3e-5, 7};
  before.time = 2.5;
  const EnsembleDialog dialog(before, 3);
  const EnsembleChoice after = dialog.choice();
  QCOMPARE(after.start.copies, 24);
  QCOMPARE(after.start.size, 3e-5);
  QCOMPARE(after.start.seed, 7u);
  QCOMPARE(after.time, 2.5);
}

TS_GUI_TEST_MAIN(EnsembleInTheWindowTest)
#include "tst_ensemble_in_the_window.moc"
