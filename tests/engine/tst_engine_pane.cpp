#include <QTemporaryDir>
#include <QtTest>
#include <limits>
#include <stdexcept>

#include "core/engine/engine.h"
#include "core/run/comparison.h"
#include "core/run/pane_settings.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "core/store/replay.h"
#include "core/world/world.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

namespace {

int begun = 0;  ///< how often an engine of the test has begun

/// Bodies fall, with a push that grows with each step since the engine began: memory that no state shows.
class Remembering : public Engine {
 public:
  Remembering(std::shared_ptr<const Scene> scene, double growth)
      : m_scene(std::move(scene)), m_growth(growth) {}
  void begin(double) override {
    ++begun;
    m_steps = 0;
    m_states.assign(m_scene->bodies.size(), {});
    m_push.assign(m_scene->bodies.size(), Vec3::Zero());
    for (BodyState& state : m_states) state.active = false;
  }
  void add(int body, const BodyState& state) override { m_states[body] = state; }
  void push(int body, const Vec3& force, const Vec3&) override { m_push[body] = force; }
  void step(double time, double dt) override {
    if (time > 1.0) throw std::runtime_error("the engine has had enough");
    ++m_steps;
    for (std::size_t body = 0; body < m_states.size(); ++body) {
      const Body& own = m_scene->bodies[body];
      if (own.motion == Motion::Static || !m_states[body].active) continue;
      Vec3& velocity = m_states[body].linearVelocity;
      velocity += dt * (m_scene->gravity + Vec3(m_growth * m_steps, 0, 0) + m_push[body] / own.mass);
      if (own.name == "lost") velocity.x() = std::numeric_limits<double>::quiet_NaN();
      m_states[body].position += dt * velocity;
      m_push[body] = Vec3::Zero();
    }
  }
  void read(std::vector<BodyState>& states) const override {
    for (std::size_t body = 0; body < states.size(); ++body)
      if (m_states[body].active && m_scene->bodies[body].motion == Motion::Dynamic)
        states[body] = m_states[body];
  }
  void addContacts(std::vector<Contact>& contacts) const override {
    Contact contact;
    contact.bodyA = 0;
    contact.bodyB = 1;
    contact.normal = Vec3(0, 1, 0);
    contact.normalImpulse = 0.25;
    contacts.push_back(contact);
  }

 private:
  std::shared_ptr<const Scene> m_scene;
  double m_growth;
  long m_steps = 0;
  std::vector<BodyState> m_states;
  std::vector<Vec3> m_push;
};

PaneSettings pane(BackendKind backend = BackendKind::Cpu, int substeps = 1) {
  PaneSettings settings;
  settings.method = "remembering";
  settings.backend = backend;
  settings.substeps = substeps;
  return settings;
}

/// A body that falls, and one that is released after 0.1 s.
std::shared_ptr<Scene> falling() {
  Body late = test::box("late", Vec3(0.1, 0.1, 0.1), 1, Vec3(1, 5, 0));
  late.releaseTime = 0.1;
  auto scene = test::scene({test::ground(), test::box("one", Vec3(0.1, 0.1, 0.1), 2, Vec3(0, 5, 0)), late});
  scene->dt = 0.01;
  return scene;
}

}  // namespace

/// What a pane of an engine has that a method's has: steps, checkpoints, recordings, refusals.
class EnginePaneTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void isInTheTableOnce();
  void movesTheBodies();
  void goesOnFromACheckpointWithTheSameBits_data();
  void goesOnFromACheckpointWithTheSameBits();
  void beginsAgainOnlyWhereTheWorldChanged();
  void itsContactsAreForces();
  void itIsPulled();
  void aPaneThatCannotGoOnSaysWhyAndIsFrozen();
  void aStateThatIsNotFiniteFreezesThePane();
  void runsOnTheCpuWhereCudaIsWanted();
  void isRecordedForkedAndReplayed();
  void refusesWhatItCannotMove_data();
  void refusesWhatItCannotMove();
};

void EnginePaneTest::initTestCase() {
  EngineInfo info;
  info.method.key = info.method.name = info.method.shortName = "remembering";
  info.method.parameters = {numberSpec("growth", "Growth", "m/s²", "Per step.", 0.5, 0, 10)};
  info.tellsContacts = true;
  info.make = [](std::shared_ptr<const Scene> scene, const ParameterValues& values) {
    return std::make_unique<Remembering>(std::move(scene), std::get<double>(values.at("growth")));
  };
  addEngine(info);
}

void EnginePaneTest::isInTheTableOnce() {
  QVERIFY(findEngine("remembering"));
  QVERIFY(!findEngine("cpf"));
  QCOMPARE(findMethod("remembering"), &methodTable().back());
  QCOMPARE(contactMethods().size() + 1, methodTable().size());
  QVERIFY_EXCEPTION_THROWN(addEngine(*findEngine("remembering")), std::logic_error);
}

/// v = n h g, x = x₀ + h² g n (n + 1)/2 after n steps, and along x with the sum of 0.5 k in the place of g.
void EnginePaneTest::movesTheBodies() {
  Simulation simulation(falling(), pane(BackendKind::Cpu, 2), 0.01);
  for (int frame = 0; frame < 8; ++frame) simulation.step();
  const double h = 0.005, n = 16;
  const BodyState& one = simulation.current()->bodies[1];
  QVERIFY_NEAR(one.position.y(), 5 - 9.81 * h * h * n * (n + 1) / 2, 1e-13);
  QVERIFY_NEAR(one.linearVelocity.x(), 0.5 * h * n * (n + 1) / 2, 1e-13);
  QVERIFY(!simulation.current()->bodies[2].active);
  QCOMPARE(simulation.current()->parts, 2);
  QCOMPARE(simulation.current()->time, 8 * 0.01);
}

void EnginePaneTest::goesOnFromACheckpointWithTheSameBits_data() {
  QTest::addColumn<int>("frame");
  QTest::newRow("at the start") << 0;
  QTest::newRow("before a release") << 7;
  QTest::newRow("in the frame of a release") << 10;
  QTest::newRow("behind a release") << 23;
}
void EnginePaneTest::goesOnFromACheckpointWithTheSameBits() {
  QFETCH(int, frame);
  const auto scene = falling();
  Simulation simulation(scene, pane(), 0.01);
  for (int each = 0; each < frame; ++each) simulation.step();
  Simulation same(scene, simulation.checkpoint()), forgetful(scene, pane(), 0.01);
  forgetful.restore(simulation.snapshot());
  for (int each = 0; each < 20; ++each) {
    const unsigned long long hash = simulation.step()->stateHash;
    QCOMPARE(same.step()->stateHash, hash);
    QCOMPARE(forgetful.step()->stateHash == hash, frame == 0);
  }
  QVERIFY(same.contactMemory() == simulation.contactMemory());
}

void EnginePaneTest::beginsAgainOnlyWhereTheWorldChanged() {
  Simulation simulation(falling(), pane(), 0.01);
  begun = 0;
  for (int frame = 0; frame < 30; ++frame) simulation.step();
  QCOMPARE(begun, 1);  // the release is no new beginning
  QVERIFY(simulation.current()->bodies[2].active);
  QVERIFY(simulation.current()->bodies[2].linearVelocity.y() < -1);
  simulation.setParameter("growth", 1.0);
  simulation.step();
  QCOMPARE(begun, 2);
  simulation.restore(simulation.snapshot());
  simulation.step();
  QCOMPARE(begun, 3);
}

void EnginePaneTest::itsContactsAreForces() {
  Simulation simulation(falling(), pane(BackendKind::Cpu, 2), 0.01);
  const RecordPtr record = simulation.step();
  QCOMPARE(record->contacts.size(), std::size_t(1));
  QVERIFY_NEAR(record->quantities[Quantity::NormalForce], 2 * 0.25 / 0.01, 1e-9);
  QVERIFY_NEAR(record->groundImpulse.y(), 2 * 0.25, 1e-12);
}

void EnginePaneTest::itIsPulled() {
  Simulation simulation(falling(), pane(), 0.01);
  simulation.setParameter("growth", 0.0);
  simulation.pull(Spring{1, Vec3::Zero(), Vec3(0, 5, 1), 40.0, 0.0});
  const RecordPtr record = simulation.step();
  QVERIFY_NEAR(record->bodies[1].linearVelocity.z(), 0.01 * 40.0 / 2, 1e-12);
  QVERIFY(record->pull);
  QVERIFY_NEAR(record->pull->force, 40, 1e-9);
  Simulation same(simulation.world().scene, simulation.checkpoint());
  QCOMPARE(same.step()->stateHash, simulation.step()->stateHash);
}

void EnginePaneTest::aPaneThatCannotGoOnSaysWhyAndIsFrozen() {
  Simulation simulation(falling(), pane(), 0.01);
  RecordPtr before;
  while (simulation.current()->status != StepStatus::Stopped && simulation.current()->frame < 200) {
    before = simulation.current();
    simulation.step();
  }
  QVERIFY(simulation.current()->statusText.find("the engine has had enough") != std::string::npos);
  QVERIFY(simulation.current()->bodies[1].position == before->bodies[1].position);
  QVERIFY_NEAR(before->time, 1, 0.0101);
}

void EnginePaneTest::aStateThatIsNotFiniteFreezesThePane() {
  const auto scene = test::scene({test::ground(), test::box("lost", Vec3(0.1, 0.1, 0.1), 2, Vec3(0, 5, 0))});
  Simulation simulation(scene, pane(), 0.01);
  const RecordPtr record = simulation.step();
  QVERIFY(record->status == StepStatus::Diverged);
  QVERIFY(record->bodies[1].position == Vec3(0, 5, 0));
}

void EnginePaneTest::runsOnTheCpuWhereCudaIsWanted() {
  Simulation simulation(falling(), pane(BackendKind::Cuda), 0.01), host(falling(), pane(), 0.01);
  QVERIFY(simulation.backend() == BackendKind::Cpu);
  QVERIFY(!simulation.backendNote().empty());
  QCOMPARE(simulation.step()->stateHash, host.step()->stateHash);
}

void EnginePaneTest::isRecordedForkedAndReplayed() {
  const QTemporaryDir folder;
  const std::string file = folder.filePath("engine.touchstone").toStdString();
  const auto scene = test::shipped("resting-box");
  PaneSettings cpf;
  cpf.method = "cpf";
  {
    Comparison comparison(scene, {pane(), cpf});
    for (int frame = 0; frame < 40; ++frame) comparison.step(false);
    QVERIFY(comparison.fork(0, 20));
    Recorder recorder(file, comparison, "test");
    for (int frame = 0; frame < 20; ++frame) comparison.step(false);
    comparison.setPane(1, pane());
    for (int frame = 0; frame < 20; ++frame) comparison.step(false);
    recorder.finish();
  }
  const ReplayResult result = replay(Recording(file));
  QVERIFY2(result.missing.empty(), result.missing.c_str());
  QVERIFY2(!result.first, result.first ? result.first->array.c_str() : "");
  QVERIFY(result.frames >= 2 * 40);
}

void EnginePaneTest::refusesWhatItCannotMove_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("reason");
  QTest::newRow("joints") << "pendulum"
                          << "joint";
  QTest::newRow("planar") << "planar-squeeze"
                          << "polygons";
  QTest::newRow("mesh") << "mesh"
                        << "has no convex pieces";
}
void EnginePaneTest::refusesWhatItCannotMove() {
  QFETCH(QString, scene);
  QFETCH(QString, reason);
  auto made = test::scene({test::ground(), test::box("one", Vec3(1, 1, 1), 2, Vec3(0, 5, 0))});
  if (scene == "pendulum") made = test::pendulum(1, 1e-3);
  if (scene == "planar-squeeze") made->planar = true;
  if (scene == "mesh") {
    auto shape = std::make_shared<Shape>(*made->bodies[1].shape);
    shape->kind = Shape::Kind::Mesh;
    shape->pieces.clear();
    made->bodies[1].shape = shape;
  }
  const std::string problem = refusal(*made, pane());
  QVERIFY2(problem.find(reason.toStdString()) != std::string::npos, problem.c_str());
}

QTEST_APPLESS_MAIN(EnginePaneTest)
#include "tst_engine_pane.moc"
