#include <QTableWidget>
#include <QTemporaryDir>
#include <cmath>

#include "app/plots/plot_panel.h"
#include "tests/support/gui_main.h"
#include "tests/support/near.h"
#include "tests/support/window_driver.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;
using namespace touchstone::test;

/// The plots of the window read as one: the same times in all, values at the cursor, markers, a reference.
class PlotPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_hand.show(); }
  void cleanup() { m_hand.window.reset(); }
  void everyTileNamesTheValuesAtTheCursor();
  void noTileEndsAtAnotherTime();
  void aZoomOfOneTileIsThatOfAll();
  void numbersBetweenMarkersStandUnderTheLargePlot();
  void markersBelongToTheirScene();
  void differencesAreFromTheReferencePane();
  void oneToEightTilesAreKeptInSessions();
  void aRemovedTileLeavesTheOthers();

 private:
  PlotPanel& plots() const { return *m_hand.window->plots(); }
  Session* session() const { return m_hand.session(); }
  double valueAt(int pane, long frame, Quantity quantity) const {
    return session()->histories()[pane].at(frame)->quantities[quantity];
  }
  std::vector<PlotTile*> tilesOverTime() const {
    std::vector<PlotTile*> tiles;
    for (PlotTile* tile : plots().tiles())
      if (tile->isOverTime()) tiles.push_back(tile);
    return tiles;
  }
  WindowDriver m_hand;
};

void PlotPanelTest::everyTileNamesTheValuesAtTheCursor() {
  m_hand.open();
  m_hand.runTo(60);
  PlotTile* tile = plots().tiles()[1];
  tile->setKey(QStringLiteral("energy_potential"));
  for (const long frame : {20L, 45L}) {
    session()->seek(frame);
    QTRY_COMPARE_WITH_TIMEOUT(session()->cursor(), frame, kPatience);
    plots().refreshNow();
    const QString text = tile->view()->readingsText();
    const ShownUnit unit = tile->view()->shownUnitOfY();
    QVERIFY2(text.startsWith(QStringLiteral("Potential energy, %1 | ").arg(unit.text)), qPrintable(text));
    for (int pane = 0; pane < session()->paneCount(); ++pane) {
      const double value = valueAt(pane, frame, Quantity::EnergyPotential) / unit.size;
      QVERIFY2(text.contains(session()->paneLabel(pane) + QLatin1Char(' ') + shortNumber(value, 3)),
               qPrintable(text));
    }
    QCOMPARE(tile->view()->accessibleDescription(), text);
  }
  // A quantity that not all methods have.
  tile->setKey(QStringLiteral("residual"));
  QVERIFY2(tile->view()->readingsText().contains(QStringLiteral("DPF –")),
           qPrintable(tile->view()->readingsText()));
}

void PlotPanelTest::noTileEndsAtAnotherTime() {
  m_hand.open();
  int compared = 0;
  const auto compare = [&] {
    const std::vector<PlotTile*> tiles = tilesOverTime();
    for (const PlotTile* tile : tiles) {
      QCOMPARE(tile->view()->xRange().low, tiles.front()->view()->xRange().low);
      QCOMPARE(tile->view()->xRange().high, tiles.front()->view()->xRange().high);
    }
    ++compared;
  };
  connect(session(), &Session::viewsShown, &plots(), compare);
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > 90 && compared > 5, kPatience);
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  plots().refreshNow();
  compare();
  for (const PlotTile* tile : tilesOverTime()) {
    QCOMPARE(tile->view()->xRange().high, session()->timeAt(session()->lastFrame()));
    for (const Curve& curve : tile->paneCurves())
      QCOMPARE(curve.x.back(), session()->timeAt(session()->lastFrame()));
  }
}

void PlotPanelTest::aZoomOfOneTileIsThatOfAll() {
  m_hand.open();
  m_hand.runTo(60);
  plots().refreshNow();
  PlotView* view = tilesOverTime()[1]->view();
  const Range before = view->xRange();
  const QPoint centre = view->plotArea().center().toPoint();
  QWheelEvent wheel(centre, view->mapToGlobal(centre), {}, QPoint(0, 240), Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(view, &wheel);
  const Range zoomed = view->xRange();
  QVERIFY(zoomed.high - zoomed.low < 0.8 * (before.high - before.low));
  for (const bool isRefreshed : {false, true}) {
    if (isRefreshed) plots().refreshNow();
    for (const PlotTile* tile : tilesOverTime()) {
      QCOMPARE(tile->view()->xRange().low, zoomed.low);
      QCOMPARE(tile->view()->xRange().high, zoomed.high);
    }
  }
  QTest::mouseDClick(tilesOverTime()[0]->view(), Qt::LeftButton, {},
                     tilesOverTime()[0]->view()->plotArea().center().toPoint());
  for (const PlotTile* tile : tilesOverTime()) QCOMPARE(tile->view()->xRange().high, before.high);
}

void PlotPanelTest::numbersBetweenMarkersStandUnderTheLargePlot() {
  m_hand.open();
  m_hand.runTo(60);
  plots().refreshNow();
  for (const auto& [frame, key] : {std::pair(50L, Qt::Key_B), std::pair(10L, Qt::Key_A)}) {
    session()->seek(frame);
    QTRY_COMPARE_WITH_TIMEOUT(session()->cursor(), frame, kPatience);
    m_hand.key(key, Qt::ShiftModifier);
  }
  QCOMPARE(plots().marker(0), 10L);
  QCOMPARE(plots().marker(1), 50L);
  for (const PlotTile* tile : tilesOverTime()) {
    QCOMPARE(tile->view()->markers().size(), std::size_t(2));
    QCOMPARE(tile->view()->markers()[1].x, session()->timeAt(50));
  }
  QStringList marks;
  for (const TimelineMark& mark : m_hand.window->transport()->timeline()->marks()) marks << mark.symbol;
  QVERIFY(marks.contains(QStringLiteral("A")) && marks.contains(QStringLiteral("B")));
  QVERIFY(!plots().betweenTable()->isVisible());  // no large plot yet
  plots().showLarge(Quantity::EnergyKinetic);
  plots().refreshNow();
  QTableWidget* table = plots().betweenTable();
  QVERIFY(table->isVisible());
  QCOMPARE(table->rowCount(), session()->paneCount());
  const double unit = plots().tiles()[plots().enlarged()]->view()->shownUnitOfY().size;
  for (int pane = 0; pane < session()->paneCount(); ++pane) {
    double sum = 0, least = HUGE_VAL, largest = 0;
    for (long frame = 10; frame <= 50; ++frame) {
      const double value = valueAt(pane, frame, Quantity::EnergyKinetic);
      sum += value;
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
    const double a = valueAt(pane, 10, Quantity::EnergyKinetic),
                 b = valueAt(pane, 50, Quantity::EnergyKinetic);
    const auto text = [unit](double value) { return shortNumber(value / unit); };
    QCOMPARE(table->item(pane, 0)->text(), session()->paneLabel(pane));
    QCOMPARE(table->item(pane, 1)->text(), text(a));
    QCOMPARE(table->item(pane, 2)->text(), text(b));
    QCOMPARE(table->item(pane, 3)->text(), text(b - a));
    QCOMPARE(table->item(pane, 4)->text(), text(sum / 41));
    QCOMPARE(table->item(pane, 5)->text(), QStringLiteral("%1 … %2").arg(text(least), text(largest)));
  }
  QVERIFY(plots().tiles()[plots().enlarged()]->view()->plotArea().height() >= PlotTile::kLeastPlot);
}

void PlotPanelTest::markersBelongToTheirScene() {
  m_hand.open();
  m_hand.runTo(10);
  plots().setMarker(0, 3);
  m_hand.open(QStringLiteral("incline"), {"lcp"});
  QCOMPARE(plots().marker(0), -1L);
  plots().refreshNow();
  QVERIFY(plots().tiles()[0]->view()->markers().empty());
}

void PlotPanelTest::differencesAreFromTheReferencePane() {
  m_hand.open();
  m_hand.runTo(40);
  session()->editReference(2);
  PlotTile* tile = plots().tiles()[0];
  tile->setKey(QStringLiteral("energy_kinetic"));
  m_hand.key(Qt::Key_D);
  plots().refreshNow();
  const std::vector<Curve> curves = tile->paneCurves();
  QCOMPARE(curves.size(), std::size_t(3));
  const int panes[] = {0, 1, 3};
  for (std::size_t index = 0; index < 3; ++index) {
    QCOMPARE(curves[index].label, session()->paneLabel(panes[index]));
    QCOMPARE(curves[index].y[30],
             valueAt(panes[index], 30, Quantity::EnergyKinetic) - valueAt(2, 30, Quantity::EnergyKinetic));
  }
  QVERIFY2(tile->view()->readingsText().startsWith(
               QStringLiteral("Kinetic energy − %1").arg(session()->paneLabel(2))),
           qPrintable(tile->view()->readingsText()));
  m_hand.key(Qt::Key_D);
  plots().refreshNow();
  QCOMPARE(tile->paneCurves()[0].y[30],
           valueAt(0, 30, Quantity::EnergyKinetic) / valueAt(2, 30, Quantity::EnergyKinetic));
  QVERIFY(tile->view()->shownUnitOfY().text.isEmpty());
  m_hand.key(Qt::Key_D);
  QCOMPARE(tile->paneCurves().size(), std::size_t(4));
}

void PlotPanelTest::oneToEightTilesAreKeptInSessions() {
  QTemporaryDir folder;
  m_hand.open();
  plots().setTileCount(0);
  QCOMPARE(plots().tiles().size(), std::size_t(1));
  plots().setTileCount(99);
  QCOMPARE(plots().tiles().size(), std::size_t(8));
  QStringList keys = plots().keys();
  QCOMPARE(keys.removeDuplicates(), 0);
  for (const int count : {8, 3}) {
    plots().setTileCount(count);
    const QStringList wanted = plots().keys();
    if (plots().enlarged() < 0) plots().toggleEnlarged(2);
    PlotOptions options;
    options.form = CurveForm::Ratio;
    options.cutsPeaks = false;
    plots().setOptions(options);
    const QString file = folder.filePath(QStringLiteral("%1.session.json").arg(count));
    QVERIFY(m_hand.window->saveSession(file));
    plots().setOptions({});
    plots().toggleEnlarged(-1);
    plots().setTileCount(5);
    QSignalSpy opened(session(), &Session::sceneChanged);
    m_hand.window->open(file);
    QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(plots().keys(), wanted, kPatience);
    QCOMPARE(plots().enlarged(), 2);
    QVERIFY(plots().options().form == CurveForm::Ratio && !plots().options().cutsPeaks);
    plots().setOptions({});
    plots().toggleEnlarged(-1);
  }
}

void PlotPanelTest::aRemovedTileLeavesTheOthers() {
  m_hand.open();
  QStringList keys = plots().keys();
  Q_EMIT plots().tiles()[1]->removeRequested();
  keys.removeAt(1);
  QCOMPARE(plots().keys(), keys);
  m_hand.runTo(5);
  plots().refreshNow();
  for (const PlotTile* tile : plots().tiles()) QVERIFY(tile->isVisible());
}

TS_GUI_TEST_MAIN(PlotPanelTest)
#include "tst_plot_panel.moc"
