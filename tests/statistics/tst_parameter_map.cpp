#include "core/statistics/parameter_map.h"

#include <QtTest>
#include <algorithm>

#include "core/run/pane_name.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// `touchstone-cli map`: one scene with many parameter values, all replicas in one run.
class ParameterMapTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void valuesAreSpacedAsTheParametersSlider();
  void badAxesSayWhatWouldBeRight_data();
  void badAxesSayWhatWouldBeRight();
  void everyWorldEndsAsItWouldAlone();
  void everyWorldOfAComplementarityMethodHasItsOwnRules();
  void theSolverOfEveryWorldStopsAtItsOwnLimits_data();
  void theSolverOfEveryWorldStopsAtItsOwnLimits();
  void slidersStickFromTheirFrictionAngleOn();
  void aWorldThatDivergesStandsAndTheOthersGoOn();
  void aMapOfOneWorldThatDivergesIsAMap();
  void mapsOfNothingOrTooMuchAreRefused();
  void theTableHasALineForEachWorld();
  void everyFrameLengthIsAMapOfItsOwn_data();
  void everyFrameLengthIsAMapOfItsOwn();
};

namespace {

constexpr double kDt = 5e-3, kTime = 0.3;  // s

/// Cell of a separate run.
MapCell cellAlone(const Scene& scene, PaneSettings settings, const std::vector<MapAxis>& axes,
                  const std::vector<double>& values) {
  for (std::size_t axis = 0; axis < axes.size(); ++axis) settings.parameters[axes[axis].key] = values[axis];
  Simulation simulation(std::make_shared<Scene>(scene), settings, kDt);
  MapCell cell;
  for (long frame = 0; frame < std::lround(kTime / kDt); ++frame) {
    const RecordPtr record = simulation.step();
    if (record->status == StepStatus::Diverged && cell.divergedAt < 0) cell.divergedAt = record->time;
    cell.endDepth = record->quantities[Quantity::PenetrationMax];
    cell.depthMax = std::max(cell.depthMax, cell.endDepth);
  }
  for (const BodyState& body : simulation.current()->bodies)
    cell.endSpeed = std::max(cell.endSpeed, body.linearVelocity.norm());
  return cell;
}

bool same(const MapCell& a, const MapCell& b) {
  return a.divergedAt == b.divergedAt && a.depthMax == b.depthMax && a.endDepth == b.endDepth &&
         a.endSpeed == b.endSpeed;
}

}  // namespace

void ParameterMapTest::valuesAreSpacedAsTheParametersSlider() {
  const MapAxis stiffness = mapAxisOf("stiffness=1e3..1e6/4", "cpf");
  QCOMPARE(stiffness.key, std::string("stiffness"));
  QCOMPARE(stiffness.values.size(), std::size_t(4));
  for (int k = 0; k < 4; ++k) QVERIFY_NEAR(stiffness.values[k], std::pow(10, 3 + k), 1e-9);
  QVERIFY(mapAxisOf("damping=0..100/5", "dpf").values == std::vector<double>({0, 25, 50, 75, 100}));
  QVERIFY(mapAxisOf("stiffness=2e4,1e3", "dpf").values == std::vector<double>({2e4, 1e3}));
  QVERIFY(mapAxisOf("stiffness=2e4..3e4/1", "dpf").values == std::vector<double>({2e4}));
  QVERIFY(mapAxisOf("max_iterations=1..100/7", "lcp").values ==
          std::vector<double>({1, 2, 5, 10, 22, 46, 100}));
  QVERIFY(mapAxisOf("max_iterations=1..4/12", "peg").values == std::vector<double>({1, 2, 3, 4}));
}

void ParameterMapTest::badAxesSayWhatWouldBeRight_data() {
  QTest::addColumn<QString>("axis");
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("says");
  QTest::newRow("no values") << "stiffness"
                             << "cpf"
                             << "key=values";
  QTest::newRow("unknown") << "stif=1"
                           << "cpf"
                           << "choose one of dt, scene.friction, stiffness, damping";
  QTest::newRow("a choice") << "point=1"
                            << "cpf"
                            << "is no number of cpf";
  QTest::newRow("no number") << "stiffness=1e3,much"
                             << "cpf"
                             << "'much' is no number";
  QTest::newRow("empty value") << "stiffness=1e3,"
                               << "cpf"
                               << "'' is no number";
  QTest::newRow("no count") << "stiffness=1..2"
                            << "cpf"
                            << "stiffness=1..2/16";
  QTest::newRow("no values at all") << "stiffness=1..2/0"
                                    << "cpf"
                                    << "1 to 65536";
  QTest::newRow("out of range") << "stiffness=-5"
                                << "dpf"
                                << "must be";
  QTest::newRow("of all worlds") << "friction_facets=8"
                                 << "lcp"
                                 << "choose one of dt, scene.friction, eps_theta";
  QTest::newRow("half an iteration") << "max_iterations=1,2.5"
                                     << "lcp"
                                     << "whole number";
  QTest::newRow("friction out of range") << "scene.friction=-1"
                                         << "peg"
                                         << "must be";
  QTest::newRow("no frame") << "dt=0,1e-3"
                            << "cpf"
                            << "dt=0,1e-3: dt must be above 0 and at most 1 s, is 0";
  QTest::newRow("a frame too long") << "dt=0.1..1.5/3"
                                    << "lcp"
                                    << "dt must be above 0 and at most 1 s, is 1.5";
  QTest::newRow("no method") << "margin=1"
                             << "newton"
                             << "is unknown";
}

void ParameterMapTest::badAxesSayWhatWouldBeRight() {
  QFETCH(QString, axis);
  QFETCH(QString, method);
  QFETCH(QString, says);
  try {
    mapAxisOf(axis.toStdString(), method.toStdString());
    QFAIL("taken");
  } catch (const std::invalid_argument& error) {
    QVERIFY2(QString::fromUtf8(error.what()).contains(says), error.what());
  }
}

void ParameterMapTest::everyWorldEndsAsItWouldAlone() {
  const auto scene = test::tumblingBox();
  for (const char* method : {"dpf", "cpf"}) {
    const std::vector<MapAxis> axes = {mapAxisOf("stiffness=1e3,1e4,1e5", method),
                                       mapAxisOf("damping=0,20", method)};
    double share = 0;
    const ParameterMap map =
        parameterMap(*scene, paneNamed(method), axes, kDt, kTime, [&](double done) { share = done; });
    QCOMPARE(map.cells.size(), std::size_t(6));
    QCOMPARE(share, 1.0);
    QVERIFY_NEAR(map.time, kTime, 1e-12);
    for (std::size_t across = 0; across < 3; ++across)
      for (std::size_t up = 0; up < 2; ++up) {
        const MapCell alone =
            cellAlone(*scene, paneNamed(method), axes, {axes[0].values[across], axes[1].values[up]});
        QVERIFY(same(map.cells[3 * up + across], alone));
        QVERIFY(alone.depthMax > 0 && alone.endSpeed > 0);
      }
    QVERIFY(map.cells[0].depthMax > 2 * map.cells[2].depthMax);  // the softer one sinks in deeper
  }
}

/// A cube that starts inside the ground: β and the correction cap determine how it comes out.
void ParameterMapTest::everyWorldOfAComplementarityMethodHasItsOwnRules() {
  const auto scene = test::tumblingBox();
  scene->bodies[1].position.y() = 0.05;
  for (const char* pane : {"lcp", "lcp-pgs", "peg-pgs"}) {
    const std::string method = paneNamed(pane).method;
    const std::vector<MapAxis> axes = {mapAxisOf("stabilisation=0,0.3,1", method),
                                       mapAxisOf("max_depenetration_speed=0.5,2", method)};
    const ParameterMap map = parameterMap(*scene, paneNamed(pane), axes, kDt, kTime);
    for (std::size_t across = 0; across < 3; ++across)
      for (std::size_t up = 0; up < 2; ++up)
        QVERIFY(same(map.cells[3 * up + across],
                     cellAlone(*scene, paneNamed(pane), axes, {axes[0].values[across], axes[1].values[up]})));
    QVERIFY(map.cells[0].endDepth > 2 * map.cells[1].endDepth + 1e-3);  // nothing is corrected
    QVERIFY(!same(map.cells[2], map.cells[5]));
  }
}

void ParameterMapTest::theSolverOfEveryWorldStopsAtItsOwnLimits_data() {
  QTest::addColumn<QString>("pane");
  for (const char* pane : {"lcp", "lcp-pgs", "lcp-newton-fb-pcr", "peg", "peg-pgs", "peg-newton-fb-pcr"})
    QTest::newRow(pane) << pane;
}

/// A heavy box on a light one makes the residual of a solver visible.
void ParameterMapTest::theSolverOfEveryWorldStopsAtItsOwnLimits() {
  QFETCH(QString, pane);
  const auto scene =
      test::scene({test::ground(), test::box("light", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.05, 0)),
                   test::box("heavy", Vec3(0.2, 0.1, 0.2), 50, Vec3(0.02, 0.15, 0))},
                  0.5);
  PaneSettings settings = paneNamed(pane.toStdString());
  settings.parameters["push_out"] = std::string("published");
  const std::vector<MapAxis> axes = {mapAxisOf("max_iterations=2,30", settings.method),
                                     mapAxisOf("tolerance=1e-10,1e-3", settings.method)};
  const ParameterMap map = parameterMap(*scene, settings, axes, kDt, kTime);
  for (std::size_t across = 0; across < 2; ++across)
    for (std::size_t up = 0; up < 2; ++up)
      QVERIFY(same(map.cells[2 * up + across],
                   cellAlone(*scene, settings, axes, {axes[0].values[across], axes[1].values[up]})));
  QVERIFY(!same(map.cells[0], map.cells[1]));
  QVERIFY(!same(map.cells[1], map.cells[3]));
}

/// A block on a slope of 20°: tan 20° = 0.364. Penalty methods hold by springs, in which the block still
/// oscillates.
void ParameterMapTest::slidersStickFromTheirFrictionAngleOn() {
  auto scene =
      test::scene({test::ground(), test::box("cube", Vec3(0.2, 0.05, 0.2), 2, Vec3(0, 0.025, 0))}, 0);
  scene->gravity = 9.81 * Vec3(std::sin(M_PI / 9), -std::cos(M_PI / 9), 0);
  for (const char* pane : {"dpf", "cpf", "lcp-pgs", "peg-pgs", "lcp"}) {
    const bool hasSprings = findMethod(paneNamed(pane).method)->penalty.has_value();
    const MapAxis friction = mapAxisOf("scene.friction=0.1..0.7/7", paneNamed(pane).method);
    const ParameterMap map = parameterMap(*scene, paneNamed(pane), {friction}, kDt, kTime);
    for (std::size_t cell = 0; cell < 7; ++cell) {
      const double mu = friction.values[cell];
      const double speed = 9.81 * kTime * (std::sin(M_PI / 9) - mu * std::cos(M_PI / 9));
      QVERIFY2(std::abs(map.cells[cell].endSpeed - std::max(0.0, speed)) < (hasSprings ? 0.1 : 1e-3),
               qPrintable(QStringLiteral("%1 %2 %3").arg(pane).arg(mu).arg(map.cells[cell].endSpeed)));
    }
  }
}

void ParameterMapTest::aWorldThatDivergesStandsAndTheOthersGoOn() {
  const auto scene = test::tumblingBox();
  const std::vector<MapAxis> axes = {mapAxisOf("stiffness=1e4,1e13", "dpf")};
  const ParameterMap map = parameterMap(*scene, paneNamed("dpf"), axes, kDt, kTime);
  QVERIFY(same(map.cells[0], cellAlone(*scene, paneNamed("dpf"), axes, {1e4})));
  QVERIFY(map.cells[0].divergedAt < 0);
  QVERIFY(map.cells[1].divergedAt > 0 && map.cells[1].divergedAt <= kTime);
  QCOMPARE(map.cells[1].divergedAt, cellAlone(*scene, paneNamed("dpf"), axes, {1e13}).divergedAt);
  const std::string picture = pictureOf(map, "Depth", &MapCell::depthMax);
  QVERIFY2(picture.find("| 2 x\n") != std::string::npos || picture.find("| 3 x\n") != std::string::npos,
           picture.c_str());
}

void ParameterMapTest::aMapOfOneWorldThatDivergesIsAMap() {
  const auto scene = test::tumblingBox();
  const ParameterMap map =
      parameterMap(*scene, paneNamed("dpf"), {mapAxisOf("stiffness=1e13", "dpf")}, kDt, kTime);
  QVERIFY(map.cells.size() == 1 && map.cells[0].divergedAt > 0);
}

void ParameterMapTest::mapsOfNothingOrTooMuchAreRefused() {
  const auto scene = test::tumblingBox();
  const MapAxis many = mapAxisOf("stiffness=1e3..1e6/300", "dpf"),
                damping = mapAxisOf("damping=0..9/300", "dpf");
  const auto refused = [&](const std::vector<MapAxis>& axes) {
    try {
      parameterMap(*scene, paneNamed("dpf"), axes, kDt, kTime);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  QVERIFY(refused({}));
  QVERIFY(refused({many, many}));
  QVERIFY(refused({many, damping}));  // 90 000 worlds
  QVERIFY(refused({damping, damping, damping}));
  // The worlds are one pane, which one of them cannot stop.
  PaneSettings stopping = paneNamed("lcp");
  stopping.parameters["on_failure"] = std::string("stop");
  const MapAxis friction = mapAxisOf("scene.friction=0,1", "lcp");
  QVERIFY_EXCEPTION_THROWN(parameterMap(*scene, stopping, {friction}, kDt, kTime), std::invalid_argument);
  stopping.parameters.clear();
  QCOMPARE(parameterMap(*scene, stopping, {friction}, kDt, kTime).cells.size(), std::size_t(2));
}

void ParameterMapTest::theTableHasALineForEachWorld() {
  const auto scene = test::tumblingBox();
  const std::vector<MapAxis> axes = {mapAxisOf("stiffness=1e4,1e13", "dpf"),
                                     mapAxisOf("damping=0,1.5", "dpf")};
  const ParameterMap map = parameterMap(*scene, paneNamed("dpf"), axes, kDt, kTime);
  const QStringList lines = QString::fromStdString(csvOf(map)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  QCOMPARE(lines.size(), 5);
  QCOMPARE(lines[0],
           QStringLiteral("stiffness,damping,diverged_at_s,depth_max_m,end_depth_m,end_speed_m_per_s"));
  const QStringList first = lines[1].split(QLatin1Char(',')), last = lines[4].split(QLatin1Char(','));
  QVERIFY(first[0].toDouble() == 1e4 && first[1].toDouble() == 0 && first[2].isEmpty());
  QCOMPARE(first[3].toDouble(), map.cells[0].depthMax);
  QVERIFY(last[0].toDouble() == 1e13 && last[1].toDouble() == 1.5);
  QCOMPARE(last[2].toDouble(), map.cells[3].divergedAt);
}

void ParameterMapTest::everyFrameLengthIsAMapOfItsOwn_data() {
  QTest::addColumn<QString>("pane");
  QTest::addColumn<QStringList>("axes");
  QTest::newRow("across") << "dpf" << QStringList{"dt=1e-3,5e-3,2e-3", "stiffness=1e4,1e5"};
  QTest::newRow("upwards") << "cpf" << QStringList{"stiffness=1e4,1e13", "dt=1e-3..4e-3/3"};
  QTest::newRow("alone") << "lcp-pgs" << QStringList{"dt=1e-3,5e-3"};
}

void ParameterMapTest::everyFrameLengthIsAMapOfItsOwn() {
  QFETCH(QString, pane);
  QFETCH(QStringList, axes);
  const auto scene = test::tumblingBox();
  const PaneSettings settings = paneNamed(pane.toStdString());
  std::vector<MapAxis> all, others;
  for (const QString& axis : axes) all.push_back(mapAxisOf(axis.toStdString(), settings.method));
  const std::size_t ofFrames = all[0].key == kFrameLengthAxis ? 0 : 1;
  if (all.size() == 2) others = {all[1 - ofFrames]};
  double share = 0;
  bool isAscending = true;
  const ParameterMap map = parameterMap(*scene, settings, all, 1, kTime, [&](double done) {
    isAscending = isAscending && done > share;
    share = done;
  });
  QVERIFY(isAscending && share == 1);
  for (std::size_t cell = 0; cell < map.cells.size(); ++cell) {
    const double dt = valueAt(all, ofFrames, cell);
    MapCell alone;
    if (others.empty()) {
      Simulation simulation(scene, settings, dt);
      for (long frame = 0; frame < std::lround(kTime / dt); ++frame) {
        alone.endDepth = simulation.step()->quantities[Quantity::PenetrationMax];
        alone.depthMax = std::max(alone.depthMax, alone.endDepth);
      }
      for (const BodyState& body : simulation.current()->bodies)
        alone.endSpeed = std::max(alone.endSpeed, body.linearVelocity.norm());
    } else {
      const std::size_t inRow = all[0].values.size();
      alone = parameterMap(*scene, settings, others, dt, kTime)
                  .cells[ofFrames == 0 ? cell / inRow : cell % inRow];
    }
    QVERIFY(same(map.cells[cell], alone));
  }
  QVERIFY(!same(map.cells.front(), map.cells.back()));
}

QTEST_APPLESS_MAIN(ParameterMapTest)
#include "tst_parameter_map.moc"
