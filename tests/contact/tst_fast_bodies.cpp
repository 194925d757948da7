#include <QtTest>

#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/world/world.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Bodies that move by many times their own size in a step.
class FastBodiesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aCubeIsStoppedBeforeAThinPlate_data();
  void aCubeIsStoppedBeforeAThinPlate();
  void nobodyGetsThroughAThinWall_data();
  void nobodyGetsThroughAThinWall();
  void aCubeThatPassesBesideThePlateFeelsNothing_data();
  void aCubeThatPassesBesideThePlateFeelsNothing();
};

static const char* const kPanes[] = {"lcp",
                                     "lcp-pgs",
                                     "lcp-newton-fb-pcr",
                                     "peg",
                                     "peg-auto relinearise",
                                     "peg-auto exact",
                                     "peg-newton-fb-pcr exact"};
static const char* const kTracked[] = {"dpf-ccd", "cpf"};

static PaneSettings settingsOf(const QString& pane) {
  PaneSettings settings = paneNamed(pane.section(' ', 0, 0).toStdString());
  if (!pane.section(' ', 1).isEmpty()) settings.parameters["step"] = pane.section(' ', 1).toStdString();
  return settings;
}

static Body plate(double thickness, double x = 0) {
  Body body = test::box("plate", Vec3(1, thickness, 1), 1, Vec3(x, 0, 0));
  body.motion = Motion::Static;
  body.mass = 0;
  body.inertia = Mat3::Zero();
  return body;
}

void FastBodiesTest::aCubeIsStoppedBeforeAThinPlate_data() {
  QTest::addColumn<QString>("pane");
  QTest::addColumn<double>("speed");
  for (const char* pane : kPanes)
    for (double speed : {10.0, 100.0})
      QTest::newRow(QByteArray(pane) + ", " + QByteArray::number(speed) + " m/s") << pane << speed;
}

/// 2 cm against 2 mm with steps of 10 ms: a plastic impact ends at rest on the near face.
void FastBodiesTest::aCubeIsStoppedBeforeAThinPlate() {
  QFETCH(QString, pane);
  QFETCH(double, speed);
  for (double height : {0.3, 0.7123, 1.9}) {
    Body cube = test::box("cube", Vec3(0.02, 0.02, 0.02), 0.02, Vec3(0.03, height, -0.01));
    cube.linearVelocity = Vec3(0, -speed, 0);
    cube.orientation = Quaternion(Eigen::AngleAxisd(0.3, Vec3(0, 1, 0)));
    auto scene = test::scene({plate(0.002), cube});
    scene->gravity = Vec3::Zero();
    scene->dt = 0.01;
    scene->size = 2;
    Simulation simulation(scene, settingsOf(pane), scene->dt);
    for (int frame = 0; frame < 40; ++frame) {
      const RecordPtr record = simulation.step();
      QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
      QVERIFY(simulation.world().position[1].y() > 0.011 - 1e-6);
    }
    QVERIFY_NEAR(simulation.world().position[1].y(), 0.011, 1e-6);
    QVERIFY_NEAR(simulation.world().linearVelocity[1].norm(), 0, 1e-6);
  }
}

void FastBodiesTest::nobodyGetsThroughAThinWall_data() {
  QTest::addColumn<QString>("pane");
  for (const char* pane : kPanes) QTest::newRow(pane) << pane;
  for (const char* pane : kTracked) QTest::newRow(pane) << pane;
}

/// Nine tilted cubes at 5, 20 and 90 m/s against walls of 100, 10 and 1 mm.
void FastBodiesTest::nobodyGetsThroughAThinWall() {
  QFETCH(QString, pane);
  auto scene = test::scene({});
  std::vector<int> cubes;
  for (int lane = 0; lane < 9; ++lane) {
    const double thickness = lane / 3 == 0   ? 0.1
                             : lane / 3 == 1 ? 0.01
                                             : 0.001,
                 speed = lane % 3 == 0   ? 5
                         : lane % 3 == 1 ? 20
                                         : 90;
    Body wall = test::box("wall", Vec3(0.3, thickness, 0.3), 1, Vec3(0.5 * lane, -0.5 * thickness, 0));
    wall.motion = Motion::Static;
    wall.mass = 0;
    wall.inertia = Mat3::Zero();
    scene->bodies.push_back(wall);
    Body cube = test::box("cube", Vec3(0.02, 0.02, 0.02), 0.02, Vec3(0.5 * lane, 0.4 + 0.0137 * lane, 0.02));
    cube.orientation = Quaternion(Eigen::AngleAxisd(0.2 + 0.1 * lane, Vec3(1, 0.3, 0.7).normalized()));
    cube.linearVelocity = Vec3(0, -speed, 0);
    cubes.push_back(countOf(scene->bodies));
    scene->bodies.push_back(cube);
  }
  scene->gravity = Vec3::Zero();
  scene->dt = 0.01;
  scene->size = 5;
  PaneSettings settings = settingsOf(pane);
  if (pane == "dpf-ccd" || pane == "cpf") settings.parameters["stiffness"] = 50.0;
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 30; ++frame) simulation.step();
  for (int body : cubes) {
    const double start = scene->bodies[body].linearVelocity.norm();
    QVERIFY2(simulation.world().position[body].y() > -1e-3 * 20, qPrintable(QString::number(body)));
    QVERIFY(simulation.world().linearVelocity[body].norm() <= start * (1 + 1e-9));
  }
}

void FastBodiesTest::aCubeThatPassesBesideThePlateFeelsNothing_data() { nobodyGetsThroughAThinWall_data(); }

/// The cube passes at 1 mm from the plate's edge.
void FastBodiesTest::aCubeThatPassesBesideThePlateFeelsNothing() {
  QFETCH(QString, pane);
  for (double speed : {10.0, 30.0, 100.0}) {
    Body cube = test::box("cube", Vec3(0.02, 0.02, 0.02), 0.02, Vec3(0.5 + 0.01 + 0.001, 0.4321, 0));
    cube.linearVelocity = Vec3(0, -speed, 0);
    auto scene = test::scene({plate(0.002), cube});
    scene->gravity = Vec3::Zero();
    scene->dt = 0.01;
    scene->size = 2;
    Simulation simulation(scene, settingsOf(pane), scene->dt);
    for (int frame = 0; frame < 80; ++frame) simulation.step();
    QVERIFY_NEAR((simulation.world().linearVelocity[1] - Vec3(0, -speed, 0)).norm(), 0, 1e-9 * speed);
  }
}

QTEST_APPLESS_MAIN(FastBodiesTest)
#include "tst_fast_bodies.moc"
