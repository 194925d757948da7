#include <QPainter>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <set>

#include "tests/support/near.h"
#include "widgets/delayed_click.h"
#include "widgets/plots/plot_state.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;

/// Ticks and ranges, the mouse on a plot, and figures for print.
class PlotsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void labelsAreShortAndDistinct_data();
  void labelsAreShortAndDistinct();
  void labelsOfALowPlotDoNotLieOnEachOther();
  void axesFollowTheDataUntilTheUserZooms();
  void aFlatBoxChoosesASpanOfTime();
  void theWheelZoomsAtThePointer();
  void aClickPicksATimeAndAClickOnTheLegendHides();
  void aDoubleClickIsNoClick();
  void aClickElsewhereLetsTheOneBeforeAct();
  void aHiddenCurveStaysHiddenWhileItIsAway();
  void anAreaBeginsAtZero_data();
  void anAreaBeginsAtZero();
  void aQuantityBecomesACurveForEachNameThatItsFramesHave();
  void aDoubleClickOnTheLegendShowsOneCurveAlone();
  void aSingleSampleIsADot();
  void aPlotWithoutAValueSaysWhyAndHasNoScale();
  void textStaysTextInVectorFiles();
  void imagesHaveTheSizeAskedFor();
  void dataAreWrittenWithAllDigits();
  void figuresLeaveOutHiddenCurves();
  void aBandIsShadedFittedAndWritten();
  void theGroundIsGreyBeyondATime();

 private:
  QPoint at(double x, double y) const;
  std::unique_ptr<PlotView> m_plot;
};

static Curve curve(const QString& label, const std::vector<double>& x, const std::vector<double>& y) {
  Curve result;
  result.label = label;
  result.colour = QColor(0xD5, 0x5E, 0x00);
  result.x = x;
  result.y = y;
  return result;
}

void PlotsTest::init() {
  m_plot = std::make_unique<PlotView>();
  m_plot->resize(600, 400);
  m_plot->setTitles("Deepest penetration", "time t [s]", "δ max [m]");
  m_plot->setCurves(
      {curve("first", {0, 1, 2, 3}, {0, 1, 4, 9}), curve("second", {0, 1, 2, 3}, {1, 2, 3, 1e-7})});
  m_plot->show();
  QVERIFY(QTest::qWaitForWindowExposed(m_plot.get()));
}

/// Left button down, moved, up: QTest::mouseMove() would need a window manager.
static void drag(QWidget* widget, const QPoint& from, const QPoint& to) {
  QTest::mousePress(widget, Qt::LeftButton, {}, from);
  QMouseEvent move(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(widget, &move);
  QTest::mouseRelease(widget, Qt::LeftButton, {}, to);
}

/// Pixel of a point of the data, computed from the layout of any plot of this size and font.
QPoint PlotsTest::at(double x, double y) const {
  PlotState state;
  state.curves = m_plot->curves();
  state.visible.assign(state.curves.size(), 1);
  state.xLabel = "time t [s]";
  state.yLabel = "δ max [m]";
  state.title = "Deepest penetration";
  state.x = m_plot->xRange();
  state.y = m_plot->yRange();
  return toPixels(state, layoutPlot(state, m_plot->size(), m_plot->font()), x, y).toPoint();
}

void PlotsTest::labelsAreShortAndDistinct_data() {
  QTest::addColumn<double>("low");
  QTest::addColumn<double>("high");
  QTest::newRow("micrometres") << 0.0 << 4.2e-6;
  QTest::newRow("millijoules") << -8e-5 << 0.0041;
  QTest::newRow("around zero") << -3.0 << 2.0;
  QTest::newRow("large") << 0.0 << 3e7;
  QTest::newRow("far from zero") << 1000.0 << 1000.4;
}

void PlotsTest::labelsAreShortAndDistinct() {
  QFETCH(double, low);
  QFETCH(double, high);
  for (int most = 2; most < 9; ++most) {
    const std::vector<double> ticks = tickPositions({low, high}, false, most);
    QVERIFY(ticks.size() >= 2);
    std::vector<QString> labels = tickLabels(ticks, false);
    for (const QString& label : labels) QVERIFY2(label.size() <= 12, qPrintable(label));
    QCOMPARE(std::set<QString>(labels.begin(), labels.end()).size(), ticks.size());
  }
  QVERIFY(tickLabels({0}, false)[0] == "0");
}

void PlotsTest::labelsOfALowPlotDoNotLieOnEachOther() {
  const QFont font;
  const double line = QFontMetricsF(font).height();
  for (const bool logarithmic : {false, true}) {
    PlotState state;
    state.logY = logarithmic;
    state.xLabel = QStringLiteral("time t [s]");
    state.curves = {curve("first", {0, 1}, {0.1, 1})};
    state.visible = {1};
    state.y = logarithmic ? Range{0.08, 12} : Range{0, 1};
    std::size_t inLow = 0, inHigh = 0;
    for (double height = 2 * line; height < 20 * line; height += 0.5 * line) {
      const PlotLayout layout = layoutPlot(state, QSizeF(300, height), font);
      const double span = axisY(state, state.y.high) - axisY(state, state.y.low);
      double last = -HUGE_VAL;
      std::size_t shown = 0;
      for (std::size_t tick = 0; tick < layout.yTicks.size(); ++tick) {
        if (layout.yLabels[tick].isEmpty()) continue;
        ++shown;
        const double at = axisY(state, layout.yTicks[tick]) / span * layout.plot.height();
        QVERIFY(at - last >= 0.9 * line);
        last = at;
      }
      QVERIFY(shown >= 1);
      if (height == 2 * line) inLow = shown;
      inHigh = shown;
    }
    QVERIFY(inLow < inHigh);
  }
}

void PlotsTest::axesFollowTheDataUntilTheUserZooms() {
  QSignalSpy held(m_plot.get(), &PlotView::followingChanged);
  QVERIFY(m_plot->following());
  const QPoint from = at(1, 8), to = at(2, 2);
  drag(m_plot.get(), from, to);
  QVERIFY(!m_plot->following());
  QCOMPARE(held.count(), 1);
  QVERIFY_NEAR(m_plot->xRange().low, 1, 0.02);
  QVERIFY_NEAR(m_plot->xRange().high, 2, 0.02);
  QVERIFY_NEAR(m_plot->yRange().low, 2, 0.1);
  QVERIFY_NEAR(m_plot->yRange().high, 8, 0.1);
  m_plot->setCurves({curve("first", {0, 10}, {0, 100})});
  QVERIFY_NEAR(m_plot->xRange().high, 2, 0.02);
  QTest::mouseDClick(m_plot.get(), Qt::LeftButton, {}, QPoint(300, 200));
  QVERIFY(m_plot->following());
  QVERIFY(m_plot->xRange().high >= 10);
}

void PlotsTest::aFlatBoxChoosesASpanOfTime() {
  const Range before = m_plot->yRange();
  const QPoint from = at(1, 4), to(at(2, 4).x(), from.y() + 2);
  drag(m_plot.get(), from, to);
  QCOMPARE(m_plot->yRange().low, before.low);
  QCOMPARE(m_plot->yRange().high, before.high);
  QVERIFY_NEAR(m_plot->xRange().low, 1, 0.02);
}

void PlotsTest::theWheelZoomsAtThePointer() {
  const QPoint pointer = at(1, 4);
  QWheelEvent wheel(pointer, m_plot->mapToGlobal(pointer), {}, QPoint(0, 120), Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  const double span = m_plot->xRange().high - m_plot->xRange().low;
  QCoreApplication::sendEvent(m_plot.get(), &wheel);
  QVERIFY_NEAR(m_plot->xRange().high - m_plot->xRange().low, 0.85 * span, 1e-9);
  const QPoint after = at(1, 4);  // the point under the pointer has not moved
  QVERIFY((after - pointer).manhattanLength() <= 2);
}

void PlotsTest::aClickPicksATimeAndAClickOnTheLegendHides() {
  QSignalSpy picked(m_plot.get(), &PlotView::timePicked);
  QTest::mouseClick(m_plot.get(), Qt::LeftButton, {}, at(1.5, 5));
  QTRY_COMPARE(picked.count(), 1);
  QVERIFY_NEAR(picked[0][0].toDouble(), 1.5, 0.01);
  PlotState state;
  state.curves = m_plot->curves();
  state.visible = {1, 1};
  state.title = "Deepest penetration";
  const PlotLayout layout = layoutPlot(state, m_plot->size(), m_plot->font());
  QTest::mouseClick(m_plot.get(), Qt::LeftButton, {}, layout.legendRows[1].center().toPoint());
  QTRY_VERIFY(!m_plot->curveVisible(1));
  QVERIFY(m_plot->curveVisible(0));
  QCOMPARE(picked.count(), 1);
}

void PlotsTest::aDoubleClickIsNoClick() {
  QSignalSpy picked(m_plot.get(), &PlotView::timePicked);
  DelayedClick later;
  bool isDone = false;
  QTest::mouseDClick(m_plot.get(), Qt::LeftButton, {}, at(1.5, 5));
  QTest::mouseClick(m_plot.get(), Qt::LeftButton, {}, at(1.5, 5));  // a third click belongs to it
  later.click([&isDone] { isDone = true; });
  QTRY_VERIFY(isDone);
  QCOMPARE(picked.count(), 0);
}

void PlotsTest::aClickElsewhereLetsTheOneBeforeAct() {
  QSignalSpy picked(m_plot.get(), &PlotView::timePicked);
  QTest::mouseClick(m_plot.get(), Qt::LeftButton, {}, at(1, 5));
  QTest::mouseClick(m_plot.get(), Qt::LeftButton, {}, at(2, 5));
  QVERIFY(picked.count() >= 1);
  QTRY_COMPARE(picked.count(), 2);
  QVERIFY_NEAR(picked[0][0].toDouble(), 1, 0.02);
}

void PlotsTest::aHiddenCurveStaysHiddenWhileItIsAway() {
  m_plot->setCurveVisible(1, false);
  m_plot->setCurves({curve("first", {0, 1}, {0, 1})});
  m_plot->setCurves({curve("first", {0, 1}, {0, 1}), curve("second", {0, 1}, {1, 2})});
  QVERIFY(!m_plot->curveVisible(1));
  m_plot->showAllCurves();
  QVERIFY(m_plot->curveVisible(1));
}

void PlotsTest::anAreaBeginsAtZero_data() {
  QTest::addColumn<double>("from");
  QTest::addColumn<double>("to");
  QTest::newRow("above") << 20.5 << 20.85;
  QTest::newRow("below") << -3.2 << -3.1;
}
void PlotsTest::anAreaBeginsAtZero() {
  QFETCH(double, from);
  QFETCH(double, to);
  Curve force = curve("force", {0, 1}, {from, to});
  m_plot->setCurves({force});
  QVERIFY(m_plot->yRange().low > 0 || m_plot->yRange().high < 0);
  force.filled = true;
  m_plot->setCurves({force});
  QVERIFY(m_plot->yRange().low <= 0 && m_plot->yRange().high >= 0);
}

void PlotsTest::aQuantityBecomesACurveForEachNameThatItsFramesHave() {
  std::deque<RecordPtr> frames;
  for (long frame = 0; frame < 9; ++frame) {
    auto record = std::make_shared<StepRecord>();
    record->frame = frame;
    record->time = 0.1 * static_cast<double>(frame);
    record->quantities[Quantity::PenetrationMax] = static_cast<double>(frame);
    frames.push_back(record);
  }
  const std::vector<Curve> curves = valueCurves(
      frames, [](const StepRecord& record) { return record.quantities[Quantity::PenetrationMax]; },
      [](long frame) { return frame < 3 || frame > 6 ? QStringLiteral("a") : QStringLiteral("b"); });
  QCOMPARE(curves.size(), std::size_t(2));
  QCOMPARE(curves[0].label, QStringLiteral("a"));
  for (const double frame : {0.0, 2.0, 7.0, 8.0}) QCOMPARE(nearestValue(curves[0], 0.1 * frame), frame);
  for (const double frame : {4.0, 5.0}) QVERIFY(std::isnan(nearestValue(curves[0], 0.1 * frame)));
  for (const double frame : {3.0, 4.0, 6.0}) QCOMPARE(nearestValue(curves[1], 0.1 * frame), frame);
  for (const double frame : {0.0, 1.0, 8.0}) QVERIFY(std::isnan(nearestValue(curves[1], 0.1 * frame)));
}

void PlotsTest::aDoubleClickOnTheLegendShowsOneCurveAlone() {
  m_plot->isolateCurve(1);
  QVERIFY(!m_plot->curveVisible(0) && m_plot->curveVisible(1));
  m_plot->isolateCurve(1);
  QVERIFY(m_plot->curveVisible(0) && m_plot->curveVisible(1));
}

void PlotsTest::aSingleSampleIsADot() {
  m_plot->setCurves({});
  const auto coloured = [this] {
    const QImage image = m_plot->figure(FigureStyle());
    int count = 0;
    for (int y = image.height() / 3; y < image.height(); ++y)  // below the legend
      for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == QColor(0xD5, 0x5E, 0x00);
    return count;
  };
  QCOMPARE(coloured(), 0);
  m_plot->setCurves({curve("lemke", {1}, {1e-9})});
  QVERIFY(coloured() > 50);
}

void PlotsTest::aPlotWithoutAValueSaysWhyAndHasNoScale() {
  PlotState state;
  state.emptyNote = QStringLiteral("no step yet");
  const auto layout = [&state] { return layoutPlot(state, QSizeF(600, 400), QFont()); };
  QCOMPARE(layout().note, QStringLiteral("no step yet"));
  QVERIFY(layout().xTicks.empty() && layout().yTicks.empty());
  state.curves = {curve("dpf", {0, 1}, {std::nan(""), std::nan("")})};
  state.visible = {1};
  fitRanges(state);
  QCOMPARE(layout().note, QStringLiteral("no step yet"));
  QVERIFY(!layout().xTicks.empty() && layout().yTicks.empty());  // there are times
  state.curves.front().y = {0, -1};
  fitRanges(state);
  QVERIFY(layout().note.isEmpty() && !layout().yTicks.empty());
  state.logY = true;
  QCOMPARE(layout().note, QStringLiteral("no positive values"));
  state.logY = false;
  state.visible = {0};
  QCOMPARE(layout().note, QStringLiteral("all curves are hidden"));
}

void PlotsTest::textStaysTextInVectorFiles() {
  QTemporaryDir folder;
  QVERIFY(m_plot->exportTo(folder.filePath("a.svg"), FigureStyle()));
  QFile svg(folder.filePath("a.svg"));
  QVERIFY(svg.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(svg.readAll());
  for (const char* expected : {"Deepest penetration", "time t [s]", "δ", "max [m]", "first", "second"})
    QVERIFY2(text.contains(QString::fromUtf8(expected) + "</text>") ||
                 text.contains(QString::fromUtf8(expected) + " </text>"),  // superscripts are separate runs
             expected);
  QVERIFY(m_plot->exportTo(folder.filePath("a.pdf"), FigureStyle()));
  QFile pdf(folder.filePath("a.pdf"));
  QVERIFY(pdf.open(QIODevice::ReadOnly));
  QVERIFY(pdf.readAll().contains("/ToUnicode"));  // glyphs of a font that can be copied as text
  QVERIFY(!m_plot->exportTo(folder.filePath("missing/a.svg"), FigureStyle()));
  QVERIFY(!m_plot->exportTo(folder.filePath("a.doc"), FigureStyle()));
}

void PlotsTest::imagesHaveTheSizeAskedFor() {
  FigureStyle style;
  style.widthMm = 85;
  style.heightMm = 60;
  style.dpi = 600;
  const QImage image = m_plot->figure(style);
  QVERIFY(std::abs(image.width() - 85 / 25.4 * 600) <= 1 && std::abs(image.height() - 60 / 25.4 * 600) <= 1);
  QVERIFY(std::abs(image.dotsPerMeterX() - 600 / 0.0254) <= 1);
}

void PlotsTest::dataAreWrittenWithAllDigits() {
  m_plot->setCurves({curve("a, b", {0, 0.1}, {1.0 / 3, std::nan("")})});
  QCOMPARE(m_plot->csv(),
           QString("curve,x,y\n\"a, b\",0,0.33333333333333331\n\"a, b\",0.10000000000000001,\n"));
}

void PlotsTest::aBandIsShadedFittedAndWritten() {
  Curve banded = curve("b", {0, 1, 2}, {1, 1, 1});
  banded.colour = QColor(255, 0, 0);
  banded.low = {0.5, 0.5, std::nan("")};
  banded.high = {3, 3, std::nan("")};
  PlotState state;
  state.curves = {banded};
  state.visible = {1};
  fitRanges(state);
  QVERIFY(state.y.low <= 0.5 && state.y.high >= 3);
  const PlotLayout layout = layoutPlot(state, QSizeF(600, 400), QFont());
  const auto shade = [&](double x, double y) {
    QImage image(600, 400, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintPlot(painter, state, layout);
    painter.end();
    return image.pixelColor(toPixels(state, layout, x, y).toPoint());
  };
  const auto isReddish = [](const QColor& colour) { return colour.red() > colour.green() + 20; };
  QVERIFY(isReddish(shade(0.53, 2.71)));
  QVERIFY(isReddish(shade(0.53, 0.61)));
  QVERIFY(!isReddish(shade(1.53, 2.71)));  // no band there
  m_plot->setCurves({banded});
  QVERIFY(m_plot->csv().contains("\"b, low\",1,0.5\n\"b, low\",2,\n\"b, high\",0,3\n"));
}

void PlotsTest::theGroundIsGreyBeyondATime() {
  PlotState state;
  state.curves = {curve("a", {0, 1}, {0, 1})};
  state.visible = {1};
  fitRanges(state);
  state.greyFrom = 0.5;
  state.greyLabel = QStringLiteral("beyond");
  const PlotLayout layout = layoutPlot(state, QSizeF(600, 400), QFont());
  const auto ground = [&](double x, double y) {
    QImage image(600, 400, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintPlot(painter, state, layout);
    painter.end();
    return image.pixelColor(toPixels(state, layout, x, y).toPoint());
  };
  QCOMPARE(ground(0.33, 0.87), QColor(Qt::white));
  QVERIFY(ground(0.77, 0.13).lightness() < 250);
  state.greyFrom = std::nan("");
  QCOMPARE(ground(0.77, 0.13), QColor(Qt::white));
}

void PlotsTest::figuresLeaveOutHiddenCurves() {
  QTemporaryDir folder;
  m_plot->setCurveVisible(1, false);
  QVERIFY(m_plot->exportTo(folder.filePath("a.svg"), FigureStyle()));
  QFile svg(folder.filePath("a.svg"));
  QVERIFY(svg.open(QIODevice::ReadOnly));
  const QByteArray text = svg.readAll();
  QVERIFY(text.contains("first</text>") && !text.contains("second</text>"));
  QVERIFY(!m_plot->csv().contains("second"));
}

QTEST_MAIN(PlotsTest)
#include "tst_plots.moc"
