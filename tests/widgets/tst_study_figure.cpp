#include <QPainter>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "tests/support/gui_main.h"
#include "widgets/plots/plot_state.h"
#include "widgets/plots/study_figure.h"

using namespace touchstone;

/// Figures of studies: what is painted, where a click lands, and the files.
class StudyFigureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aLogarithmicAxisHasDecadesAtEqualDistances();
  void aClickOnAPointGivesItsRun();
  void aClickOnACellGivesItsRun();
  void bandsCrossesAndMapsArePainted();
  void filesAreWrittenAndTheSameTwice();
  void aLongCaptionMakesTheFigureHigherAndStaysInside();
};

static Figure onePoint() {
  FigureCurve curve;
  curve.label = "peg";
  curve.method = "peg";
  curve.x = {1, 10, 100};
  curve.y = {1, 10, 100};
  curve.runs = {7, 8, -1};
  FigurePanel panel;
  panel.xLabel = "x [m]";
  panel.yLabel = "y [m]";
  panel.xLog = panel.yLog = true;
  panel.curves = {curve};
  Figure figure;
  figure.title = "One";
  figure.panels = {panel};
  return figure;
}

static Figure oneMap() {
  Figure figure = onePoint();
  FigurePanel& panel = figure.panels.front();
  panel.curves.clear();
  panel.xLog = panel.yLog = false;
  panel.map.x = {0, 1, 2};
  panel.map.y = {0, 1};
  panel.map.values = {0, 1, 2, 3, 4, std::nan("")};
  panel.map.runs = {10, 11, 12, 13, 14, 15};
  panel.map.label = "error [mm]";
  return figure;
}

/// How many runs clicks on a grid over the whole figure give.
static QMap<long, int> runsOver(const Figure& figure) {
  QMap<long, int> found;
  for (double y = 0; y < 200; y += 2)
    for (double x = 0; x < 300; x += 2)
      if (const auto run = runAt(figure, QSizeF(300, 200), figureFont(8), QPointF(x, y))) ++found[*run];
  return found;
}

static int differingPixels(const Figure& a, const Figure& b) {
  const FigureStyle style = styleOf(a);
  const QImage first = studyFigureImage(a, style), second = studyFigureImage(b, style);
  int count = 0;
  for (int y = 0; y < first.height(); ++y)
    for (int x = 0; x < first.width(); ++x) count += first.pixel(x, y) != second.pixel(x, y);
  return count;
}

void StudyFigureTest::aLogarithmicAxisHasDecadesAtEqualDistances() {
  PlotState state;
  state.logX = true;
  Curve curve;
  curve.x = {1, 1e4};
  curve.y = {0, 1};
  state.curves = {curve};
  state.visible = {1};
  fitRanges(state);
  const PlotLayout layout = layoutPlot(state, QSizeF(600, 300), figureFont(9));
  QCOMPARE(layout.xTicks.size(), std::size_t(5));
  QCOMPARE(layout.xLabels[2], QStringLiteral("10²"));
  for (std::size_t tick = 1; tick < 5; ++tick) {
    const double apart = toPixels(state, layout, layout.xTicks[tick], 0).x() -
                         toPixels(state, layout, layout.xTicks[tick - 1], 0).x();
    QVERIFY(std::abs(apart - layout.plot.width() / 4) < 1e-6);
  }
  const double back = xAt(state, layout, toPixels(state, layout, 30, 0).x());
  QVERIFY(std::abs(back - 30) < 1e-9);
}

void StudyFigureTest::aClickOnAPointGivesItsRun() {
  const QMap<long, int> found = runsOver(onePoint());
  QCOMPARE(found.keys(), QList<long>({7, 8}));
  for (int clicks : found) QVERIFY(clicks > 10 && clicks < 80);  // a circle of 8 points around each
}

void StudyFigureTest::aClickOnACellGivesItsRun() {
  const QMap<long, int> found = runsOver(oneMap());
  QCOMPARE(found.keys(), QList<long>({10, 11, 12, 13, 14, 15}));
  QVERIFY(!runAt(oneMap(), QSizeF(300, 200), figureFont(8), QPointF(1, 1)));
}

void StudyFigureTest::bandsCrossesAndMapsArePainted() {
  const Figure plain = onePoint();
  Figure banded = plain, crossed = plain;
  FigureBand band;
  band.low = 5;
  band.high = 20;
  banded.panels.front().bands = {band};
  QVERIFY(differingPixels(plain, banded) > 10000);
  crossed.panels.front().curves.front().crosses = {10};
  const int cross = differingPixels(plain, crossed);
  QVERIFY(cross > 50 && cross < 5000);
  Figure whole = oneMap();
  whole.panels.front().map.values.back() = 3.9;
  QVERIFY(differingPixels(oneMap(), whole) > 10000);  // a failed cell
}

void StudyFigureTest::filesAreWrittenAndTheSameTwice() {
  QTemporaryDir folder;
  const Figure figure = oneMap();
  const FigureStyle style = styleOf(figure);
  QByteArray svg[2];
  for (int time = 0; time < 2; ++time) {
    const QString name = folder.filePath(QString::number(time));
    QVERIFY(writeStudySvg(figure, style, name + ".svg"));
    QVERIFY(writeStudyPdf(figure, style, name + ".pdf"));
    QVERIFY(QFileInfo(name + ".pdf").size() > 1000);
    QFile file(name + ".svg");
    QVERIFY(file.open(QIODevice::ReadOnly));
    svg[time] = file.readAll();
  }
  QVERIFY(svg[0].contains("error [mm]"));
  QCOMPARE(svg[0], svg[1]);
  QVERIFY(!writeStudySvg(figure, style, folder.filePath("missing/a.svg")));
  QCOMPARE(studyFigureImage(figure, style), studyFigureImage(figure, style));
}

void StudyFigureTest::aLongCaptionMakesTheFigureHigherAndStaysInside() {
  const Figure plain = onePoint();
  Figure captioned = plain;
  for (int word = 0; word < 100; ++word) captioned.caption += "agreement ";
  const FigureStyle style = styleOf(captioned);
  QVERIFY(style.heightMm > styleOf(plain).heightMm + 6);
  const QImage image = studyFigureImage(captioned, style);
  int inked = 0;
  for (int y = image.height() * 3 / 4; y < image.height(); ++y)
    for (int x = image.width() - 20; x < image.width(); ++x)
      QVERIFY(image.pixelColor(x, y).lightness() > 250);  // edges of letters are smooth
  for (int x = 0; x < image.width(); ++x) {
    QCOMPARE(image.pixelColor(x, image.height() - 5), QColor(Qt::white));
    for (int y = image.height() * 9 / 10; y < image.height(); ++y)
      inked += image.pixelColor(x, y).lightness() < 128;
  }
  QVERIFY(inked > 1000);
}

TS_GUI_TEST_MAIN(StudyFigureTest)
#include "tst_study_figure.moc"
