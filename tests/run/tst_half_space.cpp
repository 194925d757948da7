#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "core/parallel/device/deferred_lists.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "core/store/replay.h"
#include "tests/support/half_space.inl"
#include "tests/support/near.h"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

/// What a method gets that is a file and a line: the steps of both backends, recordings, forks.
class HalfSpaceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aKeyIsTakenOnce();
  void carriesBodiesAtTheDepthOfItsSpring();
  void givesTheSameBitsOnADevice();
  void goesOnFromItsMemory();
  void isRecordedForkedAndReplayed();

 private:
  QTemporaryDir m_folder;
  std::shared_ptr<const Scene> m_scene;
};

static PaneSettings pane(BackendKind backend, int substeps = 1) {
  PaneSettings settings;
  settings.method = "half-space";
  settings.backend = backend;
  settings.substeps = substeps;
  return settings;
}

void HalfSpaceTest::initTestCase() {
  test::useSeparateDevice();
  registerMethods<HostBackend, WithoutWaiting<test::SeparateBackend>>(MethodList<test::HalfSpace>());
  const QString path = m_folder.filePath("falling.json");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(R"({"touchstone": 1, "name": "falling", "title": "Two boxes fall", "dt": 0.004,
    "duration": 2, "gravity": [0, 0, -9.81], "methods": ["half-space"],
    "bodies": [
      {"name": "one", "shape": {"type": "box", "size": [0.2, 0.1, 0.2]}, "mass": 1, "position": [0, 0, 0.1]},
      {"name": "two", "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "mass": 2, "position": [1, 0, 0.3],
       "angular_velocity": [1, 2, 3]}]})");
  file.close();
  m_scene = loadScene(path.toStdString());
}

void HalfSpaceTest::aKeyIsTakenOnce() {
  QCOMPARE(findMethod("half-space"), &methodTable().back());
  QVERIFY_EXCEPTION_THROWN(registerMethods(MethodList<test::HalfSpace>()), std::logic_error);
}

void HalfSpaceTest::carriesBodiesAtTheDepthOfItsSpring() {
  Simulation simulation(m_scene, pane(BackendKind::Cpu), m_scene->dt);
  for (int frame = 0; frame < 5000; ++frame) simulation.step();
  for (const int body : {0, 1})
    QVERIFY_NEAR(simulation.world().position[body].z(), -9.81 * m_scene->bodies[body].mass / 1000, 1e-9);
  QVERIFY_NEAR(simulation.current()->quantities[Quantity::MethodDepth], 2 * 9.81 / 1000, 1e-9);
}

void HalfSpaceTest::givesTheSameBitsOnADevice() {
  Simulation host(m_scene, pane(BackendKind::Cpu, 2), m_scene->dt);
  Simulation device(m_scene, pane(BackendKind::Cuda, 2), m_scene->dt);
  QVERIFY(device.backend() == BackendKind::Cuda);
  double deepest = 0;
  for (int frame = 0; frame < 300; ++frame) {
    if (frame == 100)
      for (Simulation* each : {&host, &device}) each->setParameter("stiffness", 3000.0);
    if (frame == 200)
      for (Simulation* each : {&host, &device}) each->restore(each->snapshot());
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->quantities[Quantity::MethodDepth], a->quantities[Quantity::MethodDepth]);
    deepest = std::max(deepest, a->quantities[Quantity::MethodDepth]);
  }
  QVERIFY(device.backend() == BackendKind::Cuda);
  QVERIFY(host.contactMemory() == device.contactMemory());
  QVERIFY(deepest > 0.05);
}

/// The spring's damper knows the depth of the step before: without its memory the next step is another.
void HalfSpaceTest::goesOnFromItsMemory() {
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    Simulation simulation(m_scene, pane(backend), m_scene->dt);
    while (!(simulation.current()->quantities[Quantity::MethodDepth] > 0)) simulation.step();
    Simulation same(m_scene, simulation.checkpoint()), forgetful(m_scene, pane(backend), m_scene->dt);
    forgetful.restore(simulation.snapshot());
    const unsigned long long hash = simulation.step()->stateHash;
    QCOMPARE(same.step()->stateHash, hash);
    QVERIFY(forgetful.step()->stateHash != hash);
  }
}

void HalfSpaceTest::isRecordedForkedAndReplayed() {
  const std::string file = m_folder.filePath("falling.touchstone").toStdString();
  {
    Comparison comparison(m_scene, {pane(BackendKind::Cpu), pane(BackendKind::Cuda, 2)});
    for (int frame = 0; frame < 60; ++frame) comparison.step(false);
    QVERIFY(comparison.fork(0, 40));
    Recorder recorder(file, comparison, "test");
    for (int frame = 0; frame < 60; ++frame) comparison.step(false);
    recorder.finish();
  }
  const Recording recording(file);
  const ReplayResult result = replay(recording);
  QVERIFY2(result.missing.empty(), result.missing.c_str());
  QVERIFY2(!result.first, result.first ? result.first->array.c_str() : "");
  QVERIFY(result.frames >= 2 * 100);
}

QTEST_APPLESS_MAIN(HalfSpaceTest)
#include "tst_half_space.moc"
