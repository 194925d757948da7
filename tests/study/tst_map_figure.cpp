#include "core/study/map_figure.h"

#include <QtTest>
#include <cmath>

#include "core/contact/penalty/step_limit.h"
#include "core/run/pane_name.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Maps as figures, and the limit of an undamped contact over them.
class MapFigureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void anUndampedSpringIsStableUpToItsLimit_data();
  void anUndampedSpringIsStableUpToItsLimit();
  void twoAxesAreAHeatMap();
  void oneAxisIsACurveWithCrosses();
  void theLimitPassesWhereTheFormulaSays_data();
  void theLimitPassesWhereTheFormulaSays();
  void oneOfBothOnAnAxisGivesALine();
  void whatHasNoLimitShowsNone();
};

namespace {

/// A light box of 2 kg, which counts, and a heavy one.
std::shared_ptr<Scene> twoBoxes() {
  return test::scene({test::ground(), test::box("heavy", Vec3(0.2, 0.1, 0.2), 50, Vec3(0, 0.05, 0)),
                      test::box("light", Vec3(0.2, 0.1, 0.2), 2, Vec3(0, 0.15, 0))},
                     0.5);
}

/// A map that was not computed: cells have values by their numbers.
ParameterMap mapOf(const std::string& pane, const std::vector<std::string>& axes) {
  ParameterMap map;
  map.settings = paneNamed(pane);
  for (const std::string& axis : axes) map.axes.push_back(mapAxisOf(axis, map.settings.method));
  map.cells.resize(cellCount(map.axes));
  for (std::size_t cell = 0; cell < map.cells.size(); ++cell) {
    map.cells[cell].depthMax = 1e-3 * static_cast<double>(cell + 1);
    map.cells[cell].endSpeed = std::pow(10, -static_cast<double>(cell));
  }
  map.time = 1;
  return map;
}

/// Largest |x| of the spring with σ = h² k / m whose force has the depth at θ of the path, h = 1.
double reach(double instant, double sigma) {
  double x = 1, v = 0, most = 0;
  for (int step = 0; step < 20'000; ++step) {
    v -= sigma * (x + instant * v);
    x += v;
    most = std::max(most, std::abs(x));
    if (most > 1e6) break;
  }
  return most;
}

}  // namespace

void MapFigureTest::anUndampedSpringIsStableUpToItsLimit_data() {
  QTest::addColumn<double>("instant");
  QTest::addColumn<double>("limit");
  QTest::newRow("start") << 0.0 << 4.0;
  QTest::newRow("middle") << 0.5 << 2.0;
  QTest::newRow("end") << 1.0 << 4.0 / 3;
}

void MapFigureTest::anUndampedSpringIsStableUpToItsLimit() {
  QFETCH(double, instant);
  QFETCH(double, limit);
  QCOMPARE(stabilityLimitAt(instant), limit);
  QVERIFY(reach(instant, 0.99 * limit) < 1e3);
  QVERIFY(reach(instant, 1.01 * limit) > 1e6);
  QVERIFY_NEAR(undampedStepLimit(instant, 2e4, 2), 0.01 * std::sqrt(limit), 1e-15);
  QVERIFY_NEAR(undampedStiffnessLimit(instant, 0.01, 2), limit * 2e4, 1e-9);
}

void MapFigureTest::twoAxesAreAHeatMap() {
  ParameterMap map = mapOf("dpf", {"stiffness=1e5,1e3,1e4", "damping=0,20"});
  map.cells[0].divergedAt = 0.3;  // of 1e5 and 0
  const std::vector<Figure> figures = figuresOf(map, *twoBoxes(), 0.01);
  QCOMPARE(figures.size(), std::size_t(2));
  QCOMPARE(figures[0].id, std::string("overlap"));
  QCOMPARE(figures[1].id, std::string("end-speed"));
  const FigurePanel &depth = figures[0].panels.at(0), &speed = figures[1].panels.at(0);
  QVERIFY(depth.map.x == std::vector<double>({1e3, 1e4, 1e5}));
  QVERIFY(depth.map.y == std::vector<double>({0, 20}));
  QVERIFY(depth.xLog && !depth.yLog);
  QCOMPARE(depth.xLabel, std::string("Stiffness k [N/m]"));
  QCOMPARE(depth.yLabel, std::string("Damping c [N·s/m]"));
  QCOMPARE(depth.map.label, std::string("Deepest overlap [m]"));
  QVERIFY(depth.map.failed == std::vector<char>({0, 0, 1, 0, 0, 0}));
  QVERIFY(std::isnan(depth.map.values[2]));
  QCOMPARE(depth.map.values[0], 2e-3);  // the second cell
  QCOMPARE(depth.map.values[5], 4e-3);
  QVERIFY(!depth.map.logarithmic && speed.map.logarithmic);  // 2 to 6; 1e-5 to 0.1
  QVERIFY(figures[0].title.find("dt = 0.01 s") != std::string::npos);
}

void MapFigureTest::oneAxisIsACurveWithCrosses() {
  ParameterMap map = mapOf("cpf", {"stiffness=1e3..1e6/4"});
  map.cells[3].divergedAt = 0.5;
  const FigurePanel panel = figuresOf(map, *twoBoxes(), 0.01)[1].panels.at(0);
  QVERIFY(panel.map.values.empty() && panel.xLog);
  const FigureCurve& curve = panel.curves.at(0);
  QCOMPARE(curve.method, std::string("cpf"));
  QCOMPARE(curve.y[1], 0.1);
  QVERIFY(std::isnan(curve.y[3]));
  QVERIFY(curve.crosses.size() == 1 && curve.crosses[0] == curve.x[3]);
  QVERIFY(!panel.yLog);  // 1 to 0.01 are two decades, not more
  QCOMPARE(panel.yLabel, std::string("Speed at the end [m/s]"));
}

void MapFigureTest::theLimitPassesWhereTheFormulaSays_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("evaluate");
  QTest::addColumn<int>("substeps");
  QTest::addColumn<double>("factor");  // of √(m/k)
  QTest::addColumn<QString>("formula");
  QTest::newRow("dpf") << "dpf"
                       << "start" << 1 << 2.0 << "h = 2√(m/k)";
  QTest::newRow("dpf at the end") << "dpf"
                                  << "end" << 1 << std::sqrt(4.0 / 3) << "h = √(4/3) √(m/k)";
  QTest::newRow("dpf in substeps") << "dpf"
                                   << "start" << 5 << 10.0 << "h = dt / 5";
  QTest::newRow("cpf") << "cpf"
                       << "" << 1 << std::sqrt(2.0) << "h = √2 √(m/k)";
}

void MapFigureTest::theLimitPassesWhereTheFormulaSays() {
  QFETCH(QString, method);
  QFETCH(QString, evaluate);
  QFETCH(int, substeps);
  QFETCH(double, factor);
  QFETCH(QString, formula);
  const std::string pane = method.toStdString();
  for (bool isFrameAcross : {false, true}) {
    const std::string stiffness = "stiffness=1e3..1e7/9", dt = "dt=1e-4..4e-3/16";
    ParameterMap map = mapOf(pane, isFrameAcross ? std::vector<std::string>{dt, stiffness}
                                                 : std::vector<std::string>{stiffness, dt});
    map.settings.substeps = substeps;
    if (!evaluate.isEmpty()) map.settings.parameters["evaluate"] = evaluate.toStdString();
    const Figure figure = figuresOf(map, *twoBoxes(), 1)[0];
    const FigurePanel& panel = figure.panels.at(0);
    QVERIFY(panel.xLog && panel.yLog && panel.bands.empty());
    QCOMPARE(panel.curves.size(), std::size_t(1));
    const FigureCurve& curve = panel.curves[0];
    QVERIFY(curve.style == FigureCurve::Style::Theory && curve.x.size() > 100);
    QVERIFY(curve.x.front() < panel.map.x.front() && curve.x.back() > panel.map.x.back());
    for (std::size_t point = 0; point < curve.x.size(); ++point) {
      const double k = isFrameAcross ? curve.y[point] : curve.x[point];
      const double frame = isFrameAcross ? curve.x[point] : curve.y[point];
      QVERIFY_NEAR(frame / (factor * std::sqrt(2 / k)), 1, 1e-12);
    }
    QVERIFY2(figure.caption.find(formula.toStdString()) != std::string::npos, figure.caption.c_str());
    QVERIFY(figure.caption.find("'light'") != std::string::npos);
  }
}

void MapFigureTest::oneOfBothOnAnAxisGivesALine() {
  const auto scene = twoBoxes();
  const auto bandOf = [&](ParameterMap map) {
    const FigurePanel panel = figuresOf(map, *scene, 0.01)[0].panels.at(0);
    return panel.bands.empty() ? FigureBand() : panel.bands.front();
  };
  const FigureBand across = bandOf(mapOf("dpf", {"stiffness=1e3..1e6/4"}));
  QVERIFY(across.ofX && across.low == across.high);
  QVERIFY_NEAR(across.low, 4 * 2 / 1e-4, 1e-6);  // σ m / h²
  const FigureBand upwards = bandOf(mapOf("cpf", {"damping=0,20", "stiffness=1e3..1e6/4"}));
  QVERIFY(!upwards.ofX);
  QVERIFY_NEAR(upwards.low, 2 * 2 / 1e-4, 1e-6);
  QCOMPARE(bandOf(mapOf("dpf", {"stiffness=1e2..1e4/3"})).high, 0.0);  // beyond the values
  ParameterMap frames = mapOf("dpf", {"dt=1e-3..0.1/5"});
  frames.settings.parameters["stiffness"] = 2e4;
  QVERIFY_NEAR(bandOf(frames).low, 2 * 0.01, 1e-15);
}

void MapFigureTest::whatHasNoLimitShowsNone() {
  const auto scene = twoBoxes();
  for (const ParameterMap& map :
       {mapOf("dpf", {"dt=1e-3..0.1/5"}),  // its automatic stiffness follows the step
        mapOf("dpf", {"damping=0,20"}), mapOf("lcp", {"dt=1e-3..0.1/5", "scene.friction=0,1"})}) {
    const Figure figure = figuresOf(map, *scene, 0.01)[0];
    QVERIFY(figure.panels.at(0).bands.empty());
    for (const FigureCurve& curve : figure.panels.at(0).curves)
      QVERIFY(curve.style != FigureCurve::Style::Theory);
    QVERIFY(figure.caption.empty());
  }
}

QTEST_APPLESS_MAIN(MapFigureTest)
#include "tst_map_figure.moc"
