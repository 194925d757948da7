#include <QtTest>

#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "core/run/simulation.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Scenes of polygons: mass, refused input, and motion in the plane only.
class PlanarScenesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aRectangleHasTheMassAndInertiaOfALamina();
  void theHullOfThePointsIsTaken();
  void whatLeavesThePlaneIsRefused_data();
  void whatLeavesThePlaneIsRefused();
  void penaltyMethodsAreRefusedWithTheReason();
  void bodiesStayInThePlaneToTheLastBit();
  void aPolygonOnASlopeFollowsCoulomb_data();
  void aPolygonOnASlopeFollowsCoulomb();

 private:
  std::shared_ptr<const Scene> load(const QString& bodies, const QString& more = QString());
  QTemporaryDir m_folder;
};

std::shared_ptr<const Scene> PlanarScenesTest::load(const QString& bodies, const QString& more) {
  const QString path = m_folder.filePath("scene.json");
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
  file.write((R"({"touchstone":1,"name":"t","title":"t","dt":0.01,"methods":["lcp"],)" + more +
              R"("bodies":[)" + bodies + "]}")
                 .toUtf8());
  file.close();
  return loadScene(path.toStdString());
}

void PlanarScenesTest::aRectangleHasTheMassAndInertiaOfALamina() {
  const auto scene = load(R"({"name":"a","density":20,"shape":{"type":"polygon","size":[0.4,0.1]}})");
  QVERIFY(scene->planar);
  const Body& body = scene->bodies[0];
  QVERIFY_NEAR(body.volume, 0.04, 1e-15);  // m²
  QVERIFY_NEAR(body.mass, 0.8, 1e-14);
  QVERIFY_NEAR(body.inertia(2, 2), 0.8 / 12 * (0.16 + 0.01), 1e-14);
  QCOMPARE(body.shape->pieces[0].faces.size(), std::size_t(4));
}

void PlanarScenesTest::theHullOfThePointsIsTaken() {
  const auto scene = load(
      R"({"name":"a","shape":{"type":"polygon","points":[[0,0],[1,0],[0.5,0.2],[1,1],[0.5,0],[0,1],[0.9,0.9]]}})");
  QCOMPARE(scene->bodies[0].shape->pieces[0].vertices.size(), std::size_t(4));
  QVERIFY_NEAR(scene->bodies[0].volume, 1, 1e-14);
}

void PlanarScenesTest::whatLeavesThePlaneIsRefused_data() {
  QTest::addColumn<QString>("bodies");
  QTest::addColumn<QString>("field");
  const QString polygon = R"({"name":"p","shape":{"type":"polygon","size":[1,1]}%1})";
  QTest::newRow("position") << polygon.arg(R"(,"position":[0,0,0.1])") << "bodies[0].position";
  QTest::newRow("orientation") << polygon.arg(R"(,"orientation":{"axis":[1,0,0],"angle_deg":5})")
                               << "bodies[0].orientation";
  QTest::newRow("velocity") << polygon.arg(R"(,"velocity":[0,0,1])") << "bodies[0].velocity";
  QTest::newRow("spin") << polygon.arg(R"(,"angular_velocity":[0,1,0])") << "bodies[0].angular_velocity";
  QTest::newRow("solid beside it") << polygon.arg("") +
                                          R"(,{"name":"b","shape":{"type":"box","size":[1,1,1]}})"
                                   << "bodies[1].shape";
  QTest::newRow("tilted ground")
      << polygon.arg("") + R"(,{"name":"g","motion":"static","shape":{"type":"plane","normal":[0,1,1]}})"
      << "bodies[1].shape";
  QTest::newRow("on one line")
      << QStringLiteral(R"({"name":"p","shape":{"type":"polygon","points":[[0,0],[1,1],[2,2]]}})")
      << "bodies[0].shape";
  QTest::newRow("mixed pieces")
      << QStringLiteral(
             R"({"name":"p","shape":{"type":"pieces","pieces":[{"type":"polygon","size":[1,1]},{"type":"box","size":[1,1,1]}]}})")
      << "bodies[0].shape.pieces[1]";
}

void PlanarScenesTest::whatLeavesThePlaneIsRefused() {
  QFETCH(QString, bodies);
  QFETCH(QString, field);
  try {
    load(bodies);
    QFAIL("was accepted");
  } catch (const SceneError& error) {
    const QString text = QString::fromStdString(error.what());
    QVERIFY2(text.contains(field) && text.contains(';'), qPrintable(text));
  }
}

void PlanarScenesTest::penaltyMethodsAreRefusedWithTheReason() {
  const auto scene = load(R"({"name":"a","shape":{"type":"polygon","size":[1,1]}})");
  for (const MethodInfo& method : methodTable()) {
    PaneSettings settings;
    settings.method = method.key;
    QCOMPARE(refusal(*scene, settings).empty(), !method.penalty);
  }
}

void PlanarScenesTest::bodiesStayInThePlaneToTheLastBit() {
  const auto scene = load(
      R"({"name":"g","motion":"static","shape":{"type":"polygon","size":[4,1]},"position":[0,-0.5,0],"orientation":{"axis":[0,0,1],"angle_deg":3}},
         {"name":"a","shape":{"type":"polygon","sides":5,"radius":0.2},"position":[0,0.6,0],"angular_velocity":[0,0,3],"material":"rough"},
         {"name":"b","shape":{"type":"polygon","sides":3,"radius":0.3},"position":[0.1,1.1,0],"velocity":[0,-2,0],"material":"rough"})",
      R"("materials":[{"name":"rough","friction":0.4}],)");
  for (const char* method : {"lcp", "peg"}) {
    PaneSettings settings;
    settings.method = method;
    Simulation simulation(scene, settings, 0.01);
    for (int step = 0; step < 150; ++step) simulation.step();
    QVERIFY(simulation.current()->contacts.size() > 1);
    for (const BodyState& body : simulation.current()->bodies) {
      QVERIFY(body.position.z() == 0 && body.linearVelocity.z() == 0);
      QVERIFY(body.orientation.x() == 0 && body.orientation.y() == 0);
      QVERIFY(body.angularVelocity.x() == 0 && body.angularVelocity.y() == 0);
    }
  }
}

void PlanarScenesTest::aPolygonOnASlopeFollowsCoulomb_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<double>("angle");  // rad; the friction angle of μ = 0.5 is 0.4636
  for (const char* method : {"lcp", "peg"})
    for (double angle : {0.45, 0.48})
      QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(method).arg(angle))) << method << angle;
}

void PlanarScenesTest::aPolygonOnASlopeFollowsCoulomb() {
  QFETCH(QString, method);
  QFETCH(double, angle);
  const double degrees = angle * 180 / M_PI, height = 0.55;
  const auto scene = load(
      QStringLiteral(
          R"({"name":"slope","motion":"static","shape":{"type":"polygon","size":[20,1]},"orientation":{"axis":[0,0,1],"angle_deg":%1},"material":"rough"},
             {"name":"box","shape":{"type":"polygon","size":[0.3,0.1]},"position":[%2,%3,0],"orientation":{"axis":[0,0,1],"angle_deg":%1},"material":"rough"})")
          .arg(degrees, 0, 'g', 17)
          .arg(-height * std::sin(angle), 0, 'g', 17)
          .arg(height * std::cos(angle), 0, 'g', 17),
      R"("materials":[{"name":"rough","friction":0.5}],)");
  PaneSettings settings;
  settings.method = method.toStdString();
  Simulation simulation(scene, settings, 0.01);
  for (int step = 0; step < 100; ++step) simulation.step();
  const double speed = simulation.current()->bodies[1].linearVelocity.norm();
  const double expected = std::max(0.0, 9.81 * (std::sin(angle) - 0.5 * std::cos(angle)));  // after 1 s
  QVERIFY_NEAR(speed, expected, 0.01 * expected + 1e-6);
}

QTEST_APPLESS_MAIN(PlanarScenesTest)
#include "tst_planar_scenes.moc"
