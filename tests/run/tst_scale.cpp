#include <QtTest>
#include <cstring>

#include "core/run/simulation.h"
#include "core/world/world.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// No absolute length matters: a scene that is scaled as a whole gives the same run.
class ScaleTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shippedScenesRunAlikeAtEveryPowerOfTwo_data();
  void shippedScenesRunAlikeAtEveryPowerOfTwo();
  void shippedScenesRunAlikeAThousandTimesLargerOrSmaller_data();
  void shippedScenesRunAlikeAThousandTimesLargerOrSmaller();
  void threeCubesOfAMillimetreStandOnEachOther_data();
  void threeCubesOfAMillimetreStandOnEachOther();
};

/// Multiplies lengths by `length` and times by `time`, and gravity accordingly. Densities stay, so that
/// masses scale with the cube of lengths. The scene's parameters are not used.
static std::shared_ptr<Scene> scaled(const Scene& from, double length, double time) {
  auto scene = std::make_shared<Scene>(from);
  const bool planar = from.planar;
  const double mass = planar ? length * length : length * length * length;
  std::map<const Shape*, std::shared_ptr<const Shape>> shapes;
  for (Body& body : scene->bodies) {
    std::shared_ptr<const Shape>& shape = shapes[body.shape.get()];
    if (!shape) {
      auto own = std::make_shared<Shape>(*body.shape);
      own->radius *= length;
      for (Polytope& piece : own->pieces) {
        for (Vec3& vertex : piece.vertices) vertex *= length;
        for (Polytope::Face& face : piece.faces) face.offset *= length;
        piece.thickness *= length;
      }
      for (TriangleMesh& mesh : own->surfaces)
        for (Vec3& vertex : mesh.vertices) vertex *= length;
      shape = own;
    }
    body.shape = shape;
    body.mass *= mass;
    body.inertia *= mass * length * length;
    body.volume *= mass;
    body.position *= length;
    body.linearVelocity *= length / time;
    body.angularVelocity /= time;
    body.releaseTime *= time;
  }
  scene->gravity *= length / (time * time);
  scene->dt *= time;
  scene->duration *= time;
  scene->size *= length;
  scene->length *= length;
  scene->parameters.clear();
  return scene;
}

/// Uses the scene's number of substeps, because an unstable run says nothing about scale.
static PaneSettings settingsOf(const Scene& scene, const QString& method) {
  PaneSettings settings;
  settings.method = method.toStdString();
  for (const PaneSettings& suggested : suggestedPanes(scene))
    if (suggested.method == settings.method) settings.substeps = suggested.substeps;
  return settings;
}

static std::unique_ptr<Simulation> simulationOf(const std::shared_ptr<const Scene>& scene,
                                                const QString& method) {
  auto simulation = std::make_unique<Simulation>(scene, settingsOf(*scene, method), scene->dt);
  simulation->setStatesOnly(true);
  return simulation;
}

static void rowsOfScenes() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("method");
  for (const char* name : {"chain", "corner-trap", "dual-trap", "heavy-stack", "incline", "pour", "pour-2d",
                           "resting-box", "stick", "thin-plate", "meshes", "rings", "bin", "tilted-stack"})
    for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp", "peg"}) {
      const auto scene = test::shipped(name);
      PaneSettings settings;
      settings.method = method;
      if (refusal(*scene, settings).empty())
        QTest::newRow(QByteArray(name) + ", " + method) << name << method;
    }
}

void ScaleTest::shippedScenesRunAlikeAtEveryPowerOfTwo_data() { rowsOfScenes(); }

void ScaleTest::shippedScenesRunAlikeAtEveryPowerOfTwo() {
  QFETCH(QString, scene);
  QFETCH(QString, method);
  constexpr int kFrames = 40;
  constexpr double kLength = 1024, kTime = 32;
  const auto own = test::shipped(scene.toStdString());
  const auto one = scaled(*own, 1, 1), large = scaled(*own, kLength, kTime),
             small = scaled(*own, 1 / kLength, 1 / kTime);
  const auto a = simulationOf(one, method), b = simulationOf(large, method), c = simulationOf(small, method);
  for (int frame = 0; frame < kFrames; ++frame)
    for (Simulation* each : {a.get(), b.get(), c.get()}) each->step();
  for (std::size_t body = 0; body < one->bodies.size(); ++body) {
    const World &u = a->world(), &v = b->world(), &w = c->world();
    QVERIFY2(Vec3(v.position[body] / kLength) == u.position[body] &&
                 Vec3(w.position[body] * kLength) == u.position[body],
             one->bodies[body].name.c_str());
    QVERIFY(v.orientation[body].coeffs() == u.orientation[body].coeffs());
    QVERIFY(w.orientation[body].coeffs() == u.orientation[body].coeffs());
    QVERIFY(Vec3(v.angularVelocity[body] * kTime) == u.angularVelocity[body]);
    QVERIFY(Vec3(w.linearVelocity[body] * kLength / kTime) == u.linearVelocity[body]);
  }
}

void ScaleTest::shippedScenesRunAlikeAThousandTimesLargerOrSmaller_data() { rowsOfScenes(); }

/// Until 0.1 s after the first contact: later, chaos amplifies the solver's tolerance.
void ScaleTest::shippedScenesRunAlikeAThousandTimesLargerOrSmaller() {
  QFETCH(QString, scene);
  QFETCH(QString, method);
  const auto own = test::shipped(scene.toStdString());
  const double time = std::sqrt(1000.0);
  const auto one = scaled(*own, 1, 1), large = scaled(*own, 1000, time), small = scaled(*own, 1e-3, 1 / time);
  const PaneSettings settings = settingsOf(*own, method);
  Simulation a(one, settings, one->dt), b(large, settings, large->dt), c(small, settings, small->dt);
  double until = 1;
  for (double now = 0; now < until; now += one->dt) {
    const RecordPtr record = a.step();
    b.step();
    c.step();
    if (until == 1 && record->quantities[Quantity::NormalForce] > 0) until = now + 0.1;
  }
  // With redundant contacts solvers find the nearest of many solutions. Penalty methods break ties of
  // symmetric starts by rounding (chain), and a heavy body on soft springs buckles (heavy-stack under cpf),
  // which amplifies rounding to 1e-4 m within a tenth of a second.
  // The links of the chain lie symmetric over the edge of the box: its ties cost twice as much.
  const double tolerance = (scene == "chain" ? 2e-3 : 1e-3) * one->size;
  for (std::size_t body = 0; body < one->bodies.size(); ++body) {
    QVERIFY_NEAR((b.world().position[body] / 1000 - a.world().position[body]).norm(), 0, tolerance);
    QVERIFY_NEAR((c.world().position[body] * 1000 - a.world().position[body]).norm(), 0, tolerance);
  }
}

void ScaleTest::threeCubesOfAMillimetreStandOnEachOther_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp", "peg"}) QTest::newRow(method) << method;
}

void ScaleTest::threeCubesOfAMillimetreStandOnEachOther() {
  QFETCH(QString, method);
  auto scene = test::scene({test::ground()}, 0.4);
  for (int level = 0; level < 3; ++level)
    scene->bodies.push_back(
        test::box("cube", Vec3(1e-3, 1e-3, 1e-3), 1e-6, Vec3(0, 5.5e-4 + 1.1e-3 * level, 0)));
  scene->dt = 1e-3;
  scene->size = 3e-3;
  PaneSettings settings;
  settings.method = method.toStdString();
  settings.substeps = method == "lcp" || method == "peg" ? 1 : 8;
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 200; ++frame) simulation.step();
  // Three levels rest Σ n m g / 4 k deep, k = m / 12 h² or half of it between two cubes. The springs of a
  // cube with another above and below keep half of it at least, so that they are stable together.
  const double sunk = settings.substeps == 1 ? 0 : 3 * 9.81 * 1e-6 / 64 * (3 + 2 * 2 + 2 * 1);
  for (int level = 0; level < 3; ++level)
    QVERIFY_NEAR(simulation.world().position[level + 1].y(), (0.5 + level) * 1e-3, 1e-6 + sunk / 0.5);
}

QTEST_APPLESS_MAIN(ScaleTest)
#include "tst_scale.moc"
