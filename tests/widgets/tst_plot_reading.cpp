#include <QPainter>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>

#include "core/math/not_a_number.h"
#include "tests/support/near.h"
#include "widgets/plots/plot_state.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;

namespace {

const QColor kRed(0xC0, 0, 0), kBlue(0, 0, 0xC0);
constexpr int kWidth = 600, kHeight = 400;  // px

Curve curve(const QString& label, const QColor& colour, const std::vector<double>& x,
            const std::vector<double>& y) {
  Curve result;
  result.label = label;
  result.colour = colour;
  result.x = x;
  result.y = y;
  return result;
}

/// count samples over x = 0 … 1 of y(index)
template <class Y>
Curve sampled(const QString& label, const QColor& colour, int count, const Y& y) {
  Curve result = curve(label, colour, {}, {});
  for (int sample = 0; sample < count; ++sample) {
    result.x.push_back(static_cast<double>(sample) / (count - 1));
    result.y.push_back(y(sample));
  }
  return result;
}

/// The colour of a line, at its edge perhaps; not that of a band.
bool isNear(const QColor& one, const QColor& other) {
  constexpr int kOff = 120;  // of 765
  return std::abs(one.red() - other.red()) + std::abs(one.green() - other.green()) +
             std::abs(one.blue() - other.blue()) <
         kOff;
}

struct Plot {
  explicit Plot(std::vector<Curve> curves, bool cutsPeaks = false) {
    state.curves = std::move(curves);
    state.visible.assign(state.curves.size(), 1);
    state.cutsPeaks = cutsPeaks;
    state.yLabel = QStringLiteral("δ max [m]");
    state.xLabel = QStringLiteral("time t [s]");
    fitRanges(state);
  }
  PlotLayout layout() const { return layoutPlot(state, QSizeF(kWidth, kHeight), QFont()); }
  QImage image() const {
    QImage image(kWidth, kHeight, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintPlot(painter, state, layout());
    return image;
  }
  /// Pixels of about this colour within the axes, in a part of their height from above.
  int count(const QColor& colour, double from = 0, double to = 1) const {
    const QImage picture = image();
    const QRectF plot = layout().plot;
    int found = 0;
    for (int y = qRound(plot.top() + from * plot.height()); y < plot.top() + to * plot.height(); ++y)
      for (int x = qRound(plot.left()) + 2; x < plot.right(); ++x)
        found += isNear(picture.pixelColor(x, y), colour);
    return found;
  }
  PlotState state;
};

}  // namespace

/// Reading of a plot: units, values at the cursor, curves that lie over each other, rare peaks,
/// numbers between two markers.
class PlotReadingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void unitsMakeNumbersShort_data();
  void unitsMakeNumbersShort();
  void axesAreLabelledInTheShownUnit();
  void filesKeepTheUnitOfTheData();
  void shortNumbersHaveNoExponentWithoutNeed();
  void theLineOverThePlotHasTitleUnitAndValues();
  void aNarrowPlotLeavesOutTitleAndNamesFirst();
  void aCurveWithoutAValueDrawsNothing();
  void aGivenSpanIsTheRangeOfTimes();
  void aZoomTellsItsSpanAndADoubleClickReleasesIt();
  void peaksOfOneCurveDoNotHideAnother();
  void aBandBetweenTheExtremesHoldsEverySample();
  void brokenLinesLieOverSolidOnes();
  void rarePeaksAreCutAndMarked();
  void nothingIsCutWithoutNeed_data();
  void nothingIsCutWithoutNeed();
  void differenceAndRatioAreOfTheSameTimes();
  void numbersBetweenTwoMarkers();
  void markersAreLinesWithNames();
  void changesThatAreStagedShowTogether();
};

void PlotReadingTest::unitsMakeNumbersShort_data() {
  QTest::addColumn<QString>("unit");
  QTest::addColumn<double>("largest");
  QTest::addColumn<QString>("shown");
  QTest::addColumn<double>("size");
  QTest::newRow("millimetres") << "m" << 0.0041 << "mm" << 1e-3;
  QTest::newRow("micrometres") << "m" << 3.8e-6 << "µm" << 1e-6;
  QTest::newRow("below the smallest") << "m" << 2e-12 << "nm" << 1e-9;
  QTest::newRow("metres") << "m" << 12.0 << "m" << 1.0;
  QTest::newRow("exactly one") << "m" << 1e-3 << "mm" << 1e-3;
  QTest::newRow("negative") << "J" << -0.02 << "mJ" << 1e-3;
  QTest::newRow("kilonewtons") << "N" << 2500.0 << "kN" << 1e3;
  QTest::newRow("volumes") << "m³" << 2e-9 << "mm³" << 1e-9;
  QTest::newRow("larger volumes") << "m³" << 7.1e-5 << "cm³" << 1e-6;
  QTest::newRow("areas") << "m²" << 3e-5 << "mm²" << 1e-6;
  QTest::newRow("time of a thin plate") << "s" << 0.02 << "ms" << 1e-3;
  QTest::newRow("wall clock") << "ms" << 0.03 << "µs" << 1e-3;
  QTest::newRow("speeds") << "m/s" << 4e-4 << "µm/s" << 1e-6;
  QTest::newRow("angles stay") << "rad" << 1e-5 << "rad" << 1.0;
  QTest::newRow("two units stay") << "m, rad" << 1e-5 << "m, rad" << 1.0;
  QTest::newRow("counts") << "" << 1e-5 << "" << 1.0;
  QTest::newRow("nothing") << "m" << 0.0 << "m" << 1.0;
}

void PlotReadingTest::unitsMakeNumbersShort() {
  QFETCH(QString, unit);
  QFETCH(double, largest);
  QFETCH(QString, shown);
  QFETCH(double, size);
  const ShownUnit chosen = shownUnit(unit, largest);
  QCOMPARE(chosen.text, shown);
  QVERIFY_NEAR(chosen.size / size, 1, 1e-12);
}

void PlotReadingTest::axesAreLabelledInTheShownUnit() {
  Plot plot({curve("a", kRed, {0, 0.02}, {0, 0.0041})});
  plot.state.fitsUnits = true;
  const PlotLayout layout = plot.layout();
  QCOMPARE(layout.yUnit.text, QStringLiteral("mm"));
  QCOMPARE(layout.yTitleText, QStringLiteral("δ max [mm]"));
  QCOMPARE(layout.xTitleText, QStringLiteral("time t [ms]"));
  QVERIFY(layout.yTicks.size() >= 3);
  for (std::size_t tick = 0; tick < layout.yTicks.size(); ++tick)
    QVERIFY_NEAR(layout.yLabels[tick].toDouble(), 1e3 * layout.yTicks[tick], 1e-9);
  for (std::size_t tick = 0; tick < layout.xTicks.size(); ++tick)
    QVERIFY_NEAR(layout.xLabels[tick].toDouble(), 1e3 * layout.xTicks[tick], 1e-9);
  plot.state.fitsUnits = false;
  QCOMPARE(plot.layout().yTitleText, QStringLiteral("δ max [m]"));
}

void PlotReadingTest::filesKeepTheUnitOfTheData() {
  PlotView view;
  view.setFittingUnits(true);
  view.setTitles("Deepest penetration", "time t [s]", "δ max [m]");
  view.setCurves({curve("a", kRed, {0, 0.5}, {0.001, 0.0041})});
  QCOMPARE(view.shownUnitOfY().text, QStringLiteral("mm"));
  QVERIFY2(view.csv().contains("\"a\",0.5,0.0041"), qPrintable(view.csv()));
}

void PlotReadingTest::shortNumbersHaveNoExponentWithoutNeed() {
  QCOMPARE(shortNumber(1234.4, 3), QStringLiteral("1234"));
  QCOMPARE(shortNumber(71100, 3), QStringLiteral("71100"));
  QCOMPARE(shortNumber(0.0012345, 3), QStringLiteral("0.00123"));
  QCOMPARE(shortNumber(-2.5e-7, 3), QStringLiteral("-2.50·10⁻⁷"));
  QCOMPARE(shortNumber(kNaN), QStringLiteral("–"));
}

void PlotReadingTest::theLineOverThePlotHasTitleUnitAndValues() {
  PlotView view;
  view.resize(kWidth, kHeight);
  view.setFittingUnits(true);
  view.setHasReadings(true);
  view.setTitles("Deepest penetration", "time t [s]", "δ max [m]");
  view.setCurves({curve("DPF", kRed, {0, 1}, {0, 0.0041})});
  view.setTimeCursor(1);
  view.setReadings({{"DPF", "DPF", kRed, Qt::SolidLine, 0, 0.0041},
                    {"LCP · auto", "LCP", kBlue, Qt::DashLine, 1, 4e-6},
                    {"NSN", "NSN", kBlue, Qt::DotLine, 2, kNaN}});
  QCOMPARE(view.readingsText(), QStringLiteral("Deepest penetration, mm | DPF 4.1  LCP · auto 0.004  NSN –"));
}

void PlotReadingTest::aNarrowPlotLeavesOutTitleAndNamesFirst() {
  Plot plot({curve("DPF", kRed, {0, 1}, {0, 0.0041})});
  plot.state.title = QStringLiteral("Deepest penetration");
  plot.state.hasReadings = plot.state.titleIsElsewhere = plot.state.fitsUnits = true;
  plot.state.cursor = 1;
  for (const char* label : {"DPF", "DPF-CCD", "CPF", "LCP", "PEG"})
    plot.state.readings.push_back({label, label, kRed, Qt::SolidLine, -1, 0.0041});
  // The last ink of the line, from the left, where the line has this width.
  const auto inkEnd = [&plot](double width) {
    const PlotLayout layout = layoutPlot(plot.state, QSizeF(width, kHeight), QFont());
    QImage image(qRound(width), kHeight, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintPlot(painter, plot.state, layout);
    painter.end();
    int last = 0;
    for (int x = 0; x < image.width(); ++x)
      for (int y = qRound(layout.readings.top()); y < layout.readings.bottom(); ++y)
        if (image.pixelColor(x, y) != QColor(Qt::white)) last = x;
    return last;
  };
  const int wide = inkEnd(1200);
  const int narrow = inkEnd(wide - 20), narrowest = inkEnd(narrow - 20);
  QVERIFY(narrow < wide - 40 && narrowest < narrow - 40);
  QVERIFY(narrow < wide - 25 && narrowest < narrow - 25);  // whole, not cut at the edge
}

void PlotReadingTest::aCurveWithoutAValueDrawsNothing() {
  Plot plot({curve("none", kRed, {0, 1, 2}, {kNaN, kNaN, kNaN}), curve("some", kBlue, {0, 1, 2}, {0, 1, 0})});
  plot.state.cursor = 1;
  plot.state.hasReadings = true;
  plot.state.readings = {{"none", "none", kRed, Qt::SolidLine, -1, kNaN}};
  QCOMPARE(plot.count(kRed), 0);
  QVERIFY(plot.count(kBlue) > 100);
  plot.state.curves[0].y = {0, 0, 0};
  QVERIFY(plot.count(kRed) > 100);
}

void PlotReadingTest::aGivenSpanIsTheRangeOfTimes() {
  PlotView view;
  view.setCurves({curve("a", kRed, {0, 1, 2, 3}, {0, 1, 50, 100})});
  view.setSpan({0, 1.5}, true);
  QCOMPARE(view.xRange().low, 0.0);
  QCOMPARE(view.xRange().high, 1.5);
  QVERIFY(view.yRange().high < 2);  // of the samples in the span
  view.setSpan({0, 5}, false);      // a record that still grows
  QCOMPARE(view.xRange().high, 5.0);
  QVERIFY(view.yRange().high >= 100);
  QVERIFY(view.following());
}

void PlotReadingTest::aZoomTellsItsSpanAndADoubleClickReleasesIt() {
  PlotView view;
  view.resize(kWidth, kHeight);
  view.setCurves({curve("a", kRed, {0, 1, 2, 3}, {0, 1, 4, 9})});
  view.show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  QSignalSpy chosen(&view, &PlotView::spanChosen), released(&view, &PlotView::spanReleased);
  const QPoint centre = view.plotArea().center().toPoint();
  QWheelEvent wheel(centre, view.mapToGlobal(centre), {}, QPoint(0, 120), Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&view, &wheel);
  QCOMPARE(chosen.count(), 1);
  QCOMPARE(chosen[0][0].toDouble(), view.xRange().low);
  QCOMPARE(chosen[0][1].toDouble(), view.xRange().high);
  QVERIFY(view.xRange().high < 3);
  QTest::mouseDClick(&view, Qt::LeftButton, {}, centre);
  QCOMPARE(released.count(), 1);
  QVERIFY(view.xRange().high >= 3);
}

void PlotReadingTest::peaksOfOneCurveDoNotHideAnother() {
  const Curve quiet = sampled("quiet", kBlue, 6000, [](int) { return 0.25; });
  const auto peaks = [](int sample) { return sample % 2 == 0 ? 0.0 : 1.0; };
  const Plot few({quiet, sampled("peaks", kRed, 40, peaks)});
  const int alone = Plot({quiet}).count(kBlue);
  QVERIFY(alone > 300);
  QVERIFY(few.count(kRed) > 300);
  const Plot dense({quiet, sampled("peaks", kRed, 6000, peaks)});
  QVERIFY2(dense.count(kBlue) > 0.9 * alone, qPrintable(QString::number(dense.count(kBlue))));
  // A pale band, and the mean as a line that is as strong as any.
  const QPoint between = toPixels(dense.state, dense.layout(), 0.503, 0.8).toPoint();
  const QColor pale = dense.image().pixelColor(between);
  QVERIFY(pale != QColor(Qt::white) && pale != kRed && pale.green() > 128);
  QVERIFY(dense.count(kRed, 0.4, 0.6) > 300);
  QCOMPARE(dense.count(kRed, 0.1, 0.3), 0);
}

void PlotReadingTest::aBandBetweenTheExtremesHoldsEverySample() {
  // One sample of 6000 is high: thinning must not lose it.
  const Plot plot({sampled("rare", kRed, 6000, [](int sample) { return sample == 3210 ? 1.0 : 0.0; })});
  const QImage image = plot.image();
  const QPoint at = toPixels(plot.state, plot.layout(), 3210 / 5999.0, 0.9).toPoint();
  bool isSeen = false;
  for (int x = at.x() - 3; x <= at.x() + 3; ++x) {
    const QColor colour = image.pixelColor(x, at.y());
    isSeen = isSeen || colour.red() > colour.green() + 20;
  }
  QVERIFY(isSeen);
}

void PlotReadingTest::brokenLinesLieOverSolidOnes() {
  Curve solid = curve("solid", kBlue, {0, 1}, {0.5, 0.5}), broken = curve("broken", kRed, {0, 1}, {0.5, 0.5});
  broken.dash = Qt::DashLine;
  for (const bool solidFirst : {true, false}) {
    const Plot plot(solidFirst ? std::vector<Curve>{solid, broken} : std::vector<Curve>{broken, solid});
    QVERIFY(plot.count(kBlue) > 100);
    QVERIFY(plot.count(kRed) > 100);
  }
}

void PlotReadingTest::rarePeaksAreCutAndMarked() {
  const Curve spiky = sampled("spiky", kRed, 1000,
                              [](int sample) { return sample % 400 == 200 ? 100 : std::sin(0.02 * sample); });
  const Plot cut({spiky}, true), whole({spiky}, false);
  QVERIFY(cut.state.isCut && !whole.state.isCut);
  QVERIFY(cut.state.y.high < 2 && cut.state.y.low < -0.9);
  QVERIFY(whole.state.y.high >= 100);
  // A triangle widens downwards from the upper end, at each of the peaks.
  const PlotLayout layout = cut.layout();
  const QImage image = cut.image();
  for (const int sample : {200, 600}) {
    const QPointF at = toPixels(cut.state, layout, sample / 999.0, 0);
    int wide = 0;
    for (int x = -8; x <= 8; ++x)
      wide += image.pixelColor(qRound(at.x()) + x, qRound(layout.plot.top()) + 5) == kRed;
    QVERIFY2(wide >= 4, qPrintable(QString::number(wide)));
  }
}

void PlotReadingTest::nothingIsCutWithoutNeed_data() {
  QTest::addColumn<int>("samples");
  QTest::addColumn<double>("peak");
  QTest::addColumn<bool>("logarithmic");
  QTest::newRow("a small peak") << 1000 << 1.1 << false;
  QTest::newRow("few samples") << 60 << 100.0 << false;
  QTest::newRow("a logarithmic axis") << 1000 << 100.0 << true;
}

void PlotReadingTest::nothingIsCutWithoutNeed() {
  QFETCH(int, samples);
  QFETCH(double, peak);
  QFETCH(bool, logarithmic);
  Plot plot(
      {sampled("a", kRed, samples,
               [&](int sample) { return sample == samples / 2 ? peak : 0.5 + 0.5 * sample / samples; })},
      true);
  plot.state.logY = logarithmic;
  fitRanges(plot.state);
  QVERIFY(!plot.state.isCut);
  QVERIFY(plot.state.y.high >= peak);
}

void PlotReadingTest::differenceAndRatioAreOfTheSameTimes() {
  const std::vector<Curve> reference = {curve("r", kBlue, {0, 1, 2}, {2, kNaN, 0}),
                                        curve("r later", kBlue, {1}, {4})};
  const std::vector<Curve> curves = {curve("a", kRed, {1e-12, 1, 2, 3}, {3, 6, 5, 7})};
  const Curve difference = relatedCurves(curves, reference, CurveForm::Difference).front();
  QCOMPARE(difference.y[0], 1.0);
  QCOMPARE(difference.y[1], 2.0);
  QCOMPARE(difference.y[2], 5.0);
  QVERIFY(std::isnan(difference.y[3]));  // the reference has no such time
  const Curve ratio = relatedCurves(curves, reference, CurveForm::Ratio).front();
  QCOMPARE(ratio.y[0], 1.5);
  QCOMPARE(ratio.y[1], 1.5);
  QVERIFY(std::isnan(ratio.y[2]));  // over zero
  QCOMPARE(relatedCurves(curves, reference, CurveForm::Values).front().y, curves.front().y);
}

void PlotReadingTest::numbersBetweenTwoMarkers() {
  const Curve values = curve("a", kRed, {0, 1, 2, 3, 4, 5}, {9, 2, kNaN, 7, 3, -9});
  const SpanNumbers forward = numbersBetween(values, 1, 4), backward = numbersBetween(values, 4, 1);
  QCOMPARE(forward.atA, 2.0);
  QCOMPARE(forward.atB, 3.0);
  QCOMPARE(forward.mean, 4.0);  // of the samples 2, 7 and 3
  QCOMPARE(forward.least, 2.0);
  QCOMPARE(forward.largest, 7.0);
  QCOMPARE(backward.atA, 3.0);
  QCOMPARE(backward.atB, 2.0);
  QCOMPARE(backward.mean, 4.0);
  QVERIFY(std::isnan(numbersBetween(values, 2, 2).mean));
  QVERIFY(std::isnan(numbersBetween(values, 6, 9).largest));
}

void PlotReadingTest::markersAreLinesWithNames() {
  Plot plot({curve("a", kRed, {0, 1}, {0, 1})});
  const auto isMarked = [&plot](double x) {
    const QImage with = plot.image();
    Plot without = plot;
    without.state.markers.clear();
    const QImage bare = without.image();
    const int column = qRound(toPixels(plot.state, plot.layout(), x, 0).x());
    int different = 0;
    for (int y = 0; y < kHeight; ++y) different += with.pixel(column, y) != bare.pixel(column, y);
    return different > 50;
  };
  plot.state.markers = {{QStringLiteral("A"), 0.25}, {QStringLiteral("B"), 0.75}};
  QVERIFY(isMarked(0.25) && isMarked(0.75));
  QVERIFY(!isMarked(0.5));
}

void PlotReadingTest::changesThatAreStagedShowTogether() {
  PlotView first, second;
  const auto pictures = [&] { return std::make_pair(first.grab().toImage(), second.grab().toImage()); };
  for (PlotView* view : {&first, &second}) {
    view->resize(kWidth, kHeight);
    view->setCurves({curve("a", kRed, {0, 1}, {0, 1})});
  }
  const auto before = pictures();
  for (PlotView* view : {&first, &second}) view->setStaged(true);
  first.setCurves({curve("a", kRed, {0, 1, 2}, {0, 1, 5})});
  first.prepare();
  QVERIFY(pictures() == before);
  second.setCurves({curve("a", kRed, {0, 1, 2}, {0, 1, 5})});
  second.prepare();
  QVERIFY(pictures() == before);
  for (PlotView* view : {&first, &second}) view->setStaged(false);
  QVERIFY(pictures().first != before.first && pictures().second != before.second);
  QCOMPARE(pictures().first, pictures().second);
}

QTEST_MAIN(PlotReadingTest)
#include "tst_plot_reading.moc"
