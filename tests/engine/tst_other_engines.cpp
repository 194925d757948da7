#include <QtTest>
#include <cmath>

#include "app/engines/engines.h"
#include "core/conform/column.h"
#include "core/engine/engine.h"
#include "core/run/simulation.h"
#include "core/world/world_view.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Engines of other programs, where their packages are installed: what any of them must do.
class OtherEnginesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { registerEngines(); }
  void aBoxAtRestStays_data() { engines(); }
  void aBoxAtRestStays();
  void aSlidingBoxStops_data() { engines(); }
  void aSlidingBoxStops();
  void itSlidesAsFarInEveryDirection_data() { engines(); }
  void itSlidesAsFarInEveryDirection();
  void aBodyWithTiltedAxesTurnsFreely_data() { engines(); }
  void aBodyWithTiltedAxesTurnsFreely();
  void aHullRestsOnItsFace_data() { engines(); }
  void aHullRestsOnItsFace();
  void aBallOfManyFacetsRolls_data() { engines(); }
  void aBallOfManyFacetsRolls();
  void roundBodiesRestOnTheGround_data();
  void roundBodiesRestOnTheGround();
  void aBodyThatIsReleasedLaterWaits_data() { engines(); }
  void aBodyThatIsReleasedLaterWaits();
  void aPushedBodyMovesAsFarAsItsForce_data() { engines(); }
  void aPushedBodyMovesAsFarAsItsForce();
  void aBallThatHitsTellsItsImpulse_data() { engines(); }
  void aBallThatHitsTellsItsImpulse();
  void theTheoryFollowsTheParameters();
  void goesOnFromACheckpointWithTheSameBits_data() { engines(); }
  void goesOnFromACheckpointWithTheSameBits();

 private:
  static void engines();
};

static const char* const kEngines[] = {"bullet", "ode", "mujoco"};

void OtherEnginesTest::engines() {
  QTest::addColumn<QString>("engine");
  for (const char* key : kEngines) QTest::newRow(key) << QString::fromLatin1(key);
}

#define REQUIRE_ENGINE(settings)                                                   \
  PaneSettings settings;                                                           \
  {                                                                                \
    QFETCH(QString, engine);                                                       \
    if (!findEngine(engine.toStdString())) QSKIP("this build has no such engine"); \
    settings.method = engine.toStdString();                                        \
  }

/// A puck of 0.2 × 0.05 × 0.2 m on the ground with 2 m/s in a direction of the plane.
static std::shared_ptr<Scene> puck(double direction, double friction) {
  Body body = test::box("puck", Vec3(0.2, 0.05, 0.2), 1, Vec3(0, 0.025, 0));
  body.linearVelocity = Vec3(2 * std::cos(direction), 0, -2 * std::sin(direction));
  auto scene = test::scene({test::ground(), body}, friction);
  scene->dt = 0.002;
  scene->size = 1;
  return scene;
}

void OtherEnginesTest::aBoxAtRestStays() {
  REQUIRE_ENGINE(settings)
  auto scene = puck(0, 0.5);
  scene->bodies[1].linearVelocity = Vec3::Zero();
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 1000; ++frame) simulation.step();
  const RecordPtr record = simulation.current();
  QVERIFY_NEAR((record->bodies[1].position - Vec3(0, 0.025, 0)).norm(), 0, 1e-3);
  QVERIFY_NEAR(record->bodies[1].linearVelocity.norm(), 0, 1e-3);
  QVERIFY_NEAR(record->quantities[Quantity::NormalForce], 9.81, 0.05);
  QVERIFY_NEAR(record->groundImpulse.y(), 9.81 * scene->dt, 1e-4);  // up, on the box
}

/// After v²/(2 μ g) = 0.6796 m for μ = 0.3.
void OtherEnginesTest::aSlidingBoxStops() {
  REQUIRE_ENGINE(settings)
  const auto scene = puck(0, 0.3);
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 600; ++frame) simulation.step();
  QVERIFY_NEAR(simulation.current()->bodies[1].position.x() / 0.679579, 1, 0.05);
  QVERIFY_NEAR(simulation.current()->bodies[1].linearVelocity.norm(), 0, 0.01);
}

/// A pyramid around the cone brakes up to √2 times as much along its diagonals, one inside it as much less.
void OtherEnginesTest::itSlidesAsFarInEveryDirection() {
  REQUIRE_ENGINE(settings)
  const bool isInside = modelOf(*puck(0, 0.3), settings, 0.002).words.count("pyramid") > 0;
  const double most = isInside ? 1.05 * std::sqrt(2) : 1.05;
  for (const double degrees : {0.0, 22.5, 45.0, 67.5}) {
    const auto scene = puck(degrees * M_PI / 180, 0.3);
    Simulation simulation(scene, settings, scene->dt);
    for (int frame = 0; frame < 600; ++frame) simulation.step();
    const Vec3 way = simulation.current()->bodies[1].position - Vec3(0, 0.025, 0);
    qInfo("%s: %.4f of the way at %.1f degrees, heading %.2f degrees", settings.method.c_str(),
          way.norm() / 0.679579, degrees, std::atan2(-way.z(), way.x()) * 180 / M_PI);
    QVERIFY(way.norm() > 0.6 * 0.679579 && way.norm() < most * 0.679579);
  }
}

/// A free body whose tensor is not diagonal in the axes of its shape: its angular momentum stays, so that
/// axes and tensor reach the engine in the same frame.
void OtherEnginesTest::aBodyWithTiltedAxesTurnsFreely() {
  REQUIRE_ENGINE(settings)
  auto scene = test::scene({test::box("free", Vec3(0.2, 0.3, 0.4), 1, Vec3(0, 0, 0))});
  Body& body = scene->bodies[0];
  const Mat3 tilt = Quaternion(Eigen::AngleAxisd(0.6, Vec3(1, 1, 0).normalized())).toRotationMatrix();
  body.inertia = tilt * Vec3(0.01, 0.02, 0.025).asDiagonal() * tilt.transpose();
  body.angularVelocity = Vec3(1, 2, 0.5);
  scene->gravity = Vec3::Zero();
  scene->dt = 0.001;
  const auto momentum = [&](const BodyState& state) {
    return angularMomentum(body.inertia, state.orientation, state.angularVelocity);
  };
  Simulation simulation(scene, settings, scene->dt);
  const Vec3 before = momentum(simulation.current()->bodies[0]);
  const Quaternion start = simulation.current()->bodies[0].orientation;
  for (int frame = 0; frame < 500; ++frame) simulation.step();
  QVERIFY(simulation.current()->bodies[0].orientation.angularDistance(start) > 0.5);
  QVERIFY_NEAR((momentum(simulation.current()->bodies[0]) - before).norm() / before.norm(), 0, 0.01);
}

/// A scene of a ground and one body of this shape, 2 kg. @param more  of its fields, with a comma before
static std::shared_ptr<const Scene> onTheGround(const QByteArray& shape, double height,
                                                const QByteArray& more = {}) {
  test::SceneFolder folder;
  return folder.load(R"({"name": "ground", "motion": "static", "shape": {"type": "plane"}}, {"name": "body",
                        "mass": 2, "position": [0, )" +
                         QByteArray::number(height) + ", 0], \"shape\": " + shape + more + "}",
                     R"("dt": 0.002, "materials": [{"name": "default", "friction": 0.5}], )");
}

/// Friction turns sliding into rolling at v₀ / (1 + I/(m r²)), here 5/7 v₀, which a polyhedron would lose at
/// its edges. A ball of 5120 facets begins at once.
void OtherEnginesTest::aBallOfManyFacetsRolls() {
  REQUIRE_ENGINE(settings)
  const auto scene = onTheGround(R"({"type": "sphere", "radius": 0.1, "subdivisions": 4})", 0.1,
                                 R"(, "inertia": [0.008, 0.008, 0.008], "velocity": [1.4, 0, 0])");
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 300; ++frame) simulation.step();
  const BodyState& ball = simulation.current()->bodies[1];
  QVERIFY_NEAR(ball.linearVelocity.x(), 1, 0.02);
  QVERIFY_NEAR(ball.angularVelocity.z(), -10, 0.2);
}

void OtherEnginesTest::roundBodiesRestOnTheGround_data() {
  QTest::addColumn<QString>("engine");
  QTest::addColumn<QString>("shape");
  QTest::addColumn<double>("height");
  const char* const rows[][3] = {
      {"standing cylinder", R"({"type": "cylinder", "radius": 0.1, "height": 0.3})", "0.15"},
      {"lying cylinder",
       R"({"type": "pieces", "pieces": [{"type": "cylinder", "radius": 0.1, "height": 0.3,
           "orientation": {"axis": [1, 0, 0], "angle_deg": 90}}]})",
       "0.1"},
      {"lying capsule",
       R"({"type": "pieces", "pieces": [{"type": "capsule", "radius": 0.1, "length": 0.3,
           "orientation": {"axis": [1, 0, 0], "angle_deg": 90}}]})",
       "0.1"}};
  for (const char* engine : kEngines)
    for (const auto& [name, shape, height] : rows)
      QTest::addRow("%s, %s", engine, name) << engine << shape << QString(height).toDouble();
}

void OtherEnginesTest::roundBodiesRestOnTheGround() {
  REQUIRE_ENGINE(settings)
  QFETCH(QString, shape);
  QFETCH(double, height);
  const auto scene = onTheGround(shape.toUtf8(), height);
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 500; ++frame) simulation.step();
  const BodyState& body = simulation.current()->bodies[1];
  QVERIFY_NEAR(body.position.y(), height, 2e-3);
  QVERIFY_NEAR(body.linearVelocity.norm(), 0, 5e-3);
  QVERIFY_NEAR(body.orientation.angularDistance(Quaternion::Identity()), 0, 0.01);
}

/// A tetrahedron on a face: no box, hence a hull in Bullet and a mesh in ODE.
void OtherEnginesTest::aHullRestsOnItsFace() {
  REQUIRE_ENGINE(settings)
  auto shape = std::make_shared<Shape>();
  Polytope tetrahedron;
  const double h = 0.05;  // the centre above the face
  tetrahedron.vertices = {Vec3(0.2, -h, 0), Vec3(-0.1, -h, 0.17), Vec3(-0.1, -h, -0.17), Vec3(0, 3 * h, 0)};
  for (const std::vector<int>& face :
       std::vector<std::vector<int>>{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}})
    tetrahedron.faces.push_back({face, Vec3::Zero(), 0});
  if (!buildTopology(tetrahedron).empty()) {
    for (Polytope::Face& face : tetrahedron.faces) std::swap(face.vertices[0], face.vertices[1]);
    QVERIFY2(buildTopology(tetrahedron).empty(), buildTopology(tetrahedron).c_str());
  }
  shape->pieces.push_back(tetrahedron);
  shape->surfaces.push_back(triangulated(tetrahedron));
  shape->radius = 0.21;
  Body body = test::box("tetrahedron", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, h, 0));
  body.shape = shape;
  auto scene = test::scene({test::ground(), body}, 0.5);
  scene->dt = 0.002;
  scene->size = 1;
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 500; ++frame) simulation.step();
  QVERIFY_NEAR((simulation.current()->bodies[1].position - Vec3(0, h, 0)).norm(), 0, 2e-3);
}

/// Nothing touches it before: a puck slides through where it waits.
void OtherEnginesTest::aBodyThatIsReleasedLaterWaits() {
  REQUIRE_ENGINE(settings)
  auto scene = puck(0, 0.3);
  Body late = test::box("late", Vec3(0.2, 0.2, 0.2), 1, Vec3(0.3, 0.1, 0));
  late.releaseTime = 0.4;
  late.linearVelocity = Vec3(0, 2, 0);
  scene->bodies.push_back(late);
  Simulation simulation(scene, settings, scene->dt);
  while (simulation.current()->time < 0.4 - 1e-9) simulation.step();
  QVERIFY(simulation.current()->bodies[2].position == late.position);
  const double time = simulation.current()->time, v0 = 2 - 0.3 * 9.81 * time;
  QVERIFY_NEAR(simulation.current()->bodies[1].linearVelocity.x(), v0, 0.05);
  for (int frame = 0; frame < 50; ++frame) simulation.step();
  QVERIFY(simulation.current()->bodies[2].active);
  QVERIFY_NEAR(simulation.current()->bodies[2].linearVelocity.y(), 2 - 9.81 * 0.1, 0.03);
}

/// A spring of the mouse on a free body: its momentum is the sum of the impulses that are told.
void OtherEnginesTest::aPushedBodyMovesAsFarAsItsForce() {
  REQUIRE_ENGINE(settings)
  auto scene = test::scene({test::box("free", Vec3(0.2, 0.3, 0.4), 2, Vec3(0, 0, 0))});
  scene->gravity = Vec3::Zero();
  scene->dt = 0.001;
  scene->size = 1;
  Simulation simulation(scene, settings, scene->dt);
  Spring spring;
  spring.body = 0;
  spring.local = Vec3(0.1, 0, 0);
  spring.stiffness = 50;
  spring.target = Vec3(0.1, 0.5, 0.2);
  simulation.pull(spring);
  Vec3 impulse = Vec3::Zero();
  for (int frame = 0; frame < 40; ++frame) impulse += simulation.step()->pullImpulse;
  QVERIFY(impulse.norm() > 0.01);
  QVERIFY_NEAR((2 * simulation.current()->bodies[0].linearVelocity - impulse).norm() / impulse.norm(), 0,
               0.02);
  QVERIFY(simulation.current()->bodies[0].angularVelocity.norm() > 1e-3);  // it is pulled beside its centre
}

/// What the ground gives a ball over its impact is its change of momentum, gravity included.
void OtherEnginesTest::aBallThatHitsTellsItsImpulse() {
  REQUIRE_ENGINE(settings)
  const auto scene =
      onTheGround(R"({"type": "sphere", "radius": 0.1})", 0.15, R"(, "velocity": [0.5, -1, 0])");
  Simulation simulation(scene, settings, scene->dt);
  Vec3 impulse = Vec3::Zero();
  const int frames = 100;
  for (int frame = 0; frame < frames; ++frame) impulse += simulation.step()->groundImpulse;
  const Vec3 change = 2 * (simulation.current()->bodies[1].linearVelocity - Vec3(0.5, -1, 0)),
             gravity = 2 * frames * scene->dt * scene->gravity;
  QVERIFY(impulse.y() > 2);
  QVERIFY_NEAR((impulse - (change - gravity)).norm(), 0, 0.02);
}

void OtherEnginesTest::theTheoryFollowsTheParameters() {
  const EngineInfo* engine = findEngine("mujoco");
  if (!engine) QSKIP("this build has no such engine");
  const auto scene = puck(0, 0.3);
  PaneSettings settings;
  settings.method = "mujoco";
  const ColumnModel pyramid = modelOf(*scene, settings, scene->dt);
  settings.parameters["cone"] = std::string("elliptic");
  const ColumnModel cone = modelOf(*scene, settings, scene->dt);
  QVERIFY(pyramid.words.count("pyramid4") && !pyramid.words.count("cone"));
  QVERIFY(cone.words.count("cone") && !cone.words.count("pyramid4"));
  QVERIFY(cone.words.count("soft") && cone.words.count(kSemiImplicitEuler));
}

void OtherEnginesTest::goesOnFromACheckpointWithTheSameBits() {
  REQUIRE_ENGINE(settings)
  const auto scene = test::pile(2, 2, 0.5);
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 60; ++frame) simulation.step();
  Simulation same(scene, simulation.checkpoint()), again(scene, settings, scene->dt);
  for (int frame = 0; frame < 60; ++frame) again.step();
  for (int frame = 0; frame < 60; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY2(!isFrozen(record->status), record->statusText.c_str());
    QCOMPARE(again.step()->stateHash, record->stateHash);
    QCOMPARE(same.step()->stateHash, record->stateHash);
  }
}

QTEST_APPLESS_MAIN(OtherEnginesTest)
#include "tst_other_engines.moc"
