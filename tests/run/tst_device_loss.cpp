#include <QtTest>

#include "core/run/comparison.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

/// A device that fails, in each of the places where it can: the pane goes on, and says so.
class DeviceLossTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::useSeparateDevice(); }
  void leavesAFailingDeviceWithoutLosingAFrame_data();
  void leavesAFailingDeviceWithoutLosingAFrame();
  void keepsContactMemoryOfAMethodWhoseDeviceIsLost();
  void measuresOnTheCpuWhereTheDeviceCannot();
  void takesAForkOnTheCpuWhereTheDeviceIsLost();
  void saysWhyAMethodRunsOnTheCpu();
};

namespace {

/// Fails as a lost device does, in the middle of the given step.
class FailingStepper : public test::WrappedStepper {
 public:
  FailingStepper(const std::string& method, const World& world, const std::shared_ptr<BackendWorld>& there,
                 int steps)
      : WrappedStepper(method, world, there), m_left(steps) {}
  void step(World& world, double dt, RecordedContacts recorded, StepRecord& record,
            StepDetail* detail) override {
    WrappedStepper::step(world, dt, recorded, record, detail);
    if (--m_left < 0) throw std::runtime_error("CUDA: the device is lost");
  }

 private:
  int m_left;
};

}  // namespace

void DeviceLossTest::leavesAFailingDeviceWithoutLosingAFrame_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) QTest::newRow(method) << method;
}

void DeviceLossTest::leavesAFailingDeviceWithoutLosingAFrame() {
  QFETCH(QString, method);
  test::useStepper<FailingStepper>(25);
  const auto scene = test::tumblingBox();
  scene->bodies[1].position.y() = 0.1;
  PaneSettings settings = test::pane(method.toStdString(), BackendKind::Cuda);
  settings.substeps = 2;  // the device goes in the middle of a frame
  Comparison comparison(scene, {settings});
  for (int frame = 0; frame < 12; ++frame) comparison.step(false);
  QVERIFY(comparison.pane(0).backend() == BackendKind::Cuda);
  const RecordPtr before = comparison.pane(0).current();
  const RecordPtr after = comparison.step(false)[0];
  QVERIFY(comparison.pane(0).backend() == BackendKind::Cpu);
  QCOMPARE(after->frame, before->frame + 1);
  QVERIFY_NEAR(after->time, before->time + scene->dt, 1e-15);
  QVERIFY(!after->warnings.empty());
  QVERIFY2(after->warnings.front().find("the device is lost") != std::string::npos &&
               after->warnings.front().find("continues on the CPU from frame 12") != std::string::npos,
           after->warnings.front().c_str());
  QCOMPARE(comparison.history(0).frames().size(), std::size_t(14));
  QVERIFY(after->warnings.front().find("memory") == std::string::npos);
  // From the state before, and not from the middle of the frame that failed; with contact memory.
  settings.backend = BackendKind::Cpu;
  Simulation alone(scene, settings, scene->dt);
  for (int frame = 0; frame < 13; ++frame) alone.step();
  QVERIFY(!alone.current()->contacts.empty());
  QCOMPARE(after->stateHash, alone.current()->stateHash);
  for (int frame = 0; frame < 20; ++frame)
    QCOMPARE(comparison.step(false)[0]->stateHash, alone.step()->stateHash);
}

void DeviceLossTest::keepsContactMemoryOfAMethodWhoseDeviceIsLost() {
  static int calls = 0;
  calls = 0;
  class FailingEngine : public test::WrappedPieceEngine {
   public:
    using WrappedPieceEngine::WrappedPieceEngine;
    void findContacts(const World& world, const GapRule& rule) override {
      WrappedPieceEngine::findContacts(world, rule);
      if (++calls > 40) throw std::runtime_error("CUDA: the device is lost");
    }
  };
  test::usePieceEngine<FailingEngine>();
  for (const char* method : {"lcp", "lcp-pgs", "lcp-newton-fb-pcr", "peg", "peg-pgs"}) {
    calls = 0;
    const auto scene = test::tumblingBox();
    scene->bodies[1].position.y() = 0.1;
    if (test::pane(method, BackendKind::Cuda).solver == "newton-fb")  // takes no friction with pcr
      scene->materials[0].staticFriction = scene->materials[0].dynamicFriction = 0;
    Simulation lost(scene, test::pane(method, BackendKind::Cuda), scene->dt);
    Simulation alone(scene, test::pane(method, BackendKind::Cpu), scene->dt);
    for (int frame = 0; frame < 60; ++frame) QCOMPARE(lost.step()->stateHash, alone.step()->stateHash);
    QVERIFY(lost.backend() == BackendKind::Cpu);
    QVERIFY(!alone.contactMemory().empty() && lost.contactMemory() == alone.contactMemory());
  }
}

void DeviceLossTest::measuresOnTheCpuWhereTheDeviceCannot() {
  static int calls = 0;
  calls = 0;
  class FailingOverlaps : public test::WrappedOverlapEngine {
   public:
    using WrappedOverlapEngine::WrappedOverlapEngine;
    std::vector<Overlap> find(const World& world, bool& sampled) override {
      if (++calls > 5) throw std::runtime_error("CUDA: out of memory");
      return WrappedOverlapEngine::find(world, sampled);
    }
  };
  test::useOverlapEngine<FailingOverlaps>();
  const auto scene = test::shipped("resting-box");
  Simulation device(scene, test::pane("dpf", BackendKind::Cuda), scene->dt);
  Simulation host(scene, test::pane("dpf", BackendKind::Cpu), scene->dt);
  for (int frame = 0; frame < 20; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->quantities[Quantity::PenetrationMax], a->quantities[Quantity::PenetrationMax]);
    QCOMPARE(b->quantities[Quantity::Jitter], a->quantities[Quantity::Jitter]);
  }
  QVERIFY(device.backend() == BackendKind::Cuda);
  QCOMPARE(QString::fromStdString(device.backendNote()),
           QStringLiteral("measured on the CPU: CUDA: out of memory"));
}

void DeviceLossTest::takesAForkOnTheCpuWhereTheDeviceIsLost() {
  static bool isLost = false;
  isLost = false;
  class Losable : public test::WrappedStepper {
   public:
    using WrappedStepper::WrappedStepper;
    void worldChanged(const World& world) override {
      if (isLost) throw std::runtime_error("CUDA: the device is lost");
      WrappedStepper::worldChanged(world);
    }
  };
  test::useStepper<Losable>();
  const auto scene = test::tumblingBox();
  Simulation device(scene, test::pane("cpf", BackendKind::Cuda), scene->dt);
  Simulation host(scene, test::pane("cpf", BackendKind::Cpu), scene->dt);
  for (int frame = 0; frame < 10; ++frame) host.step();
  isLost = true;
  device.restore(host.snapshot());
  QVERIFY(device.backend() == BackendKind::Cpu);
  host.restore(host.snapshot());
  const RecordPtr record = device.step();
  QCOMPARE(record->stateHash, host.step()->stateHash);
  QVERIFY(record->warnings.front().find("the device is lost; the pane continues on the CPU") !=
          std::string::npos);
}

void DeviceLossTest::saysWhyAMethodRunsOnTheCpu() {
  registerPieceEngine(BackendKind::Cuda, [](const World&, const auto&) -> std::unique_ptr<PieceEngine> {
    throw std::runtime_error("CUDA: out of memory");
  });
  const auto scene = test::tumblingBox();
  Simulation simulation(scene, test::pane("lcp", BackendKind::Cuda), scene->dt);
  QVERIFY(simulation.backend() == BackendKind::Cpu);
  const RecordPtr record = simulation.step();
  QVERIFY(!record->warnings.empty());
  QCOMPARE(QString::fromStdString(record->warnings.front()),
           QStringLiteral("runs on the CPU: CUDA: out of memory"));
  QCOMPARE(QString::fromStdString(record->backend), QStringLiteral("cpu"));
}

QTEST_APPLESS_MAIN(DeviceLossTest)
#include "tst_device_loss.moc"
