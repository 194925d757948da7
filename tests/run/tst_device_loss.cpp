#include <QtTest>
#include <set>

#include "core/contact/step_detail.h"
#include "core/run/comparison.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"
#include "tests/support/wrapped_method.h"

using namespace touchstone;

/// A device that fails in each possible place: the pane continues and reports it.
class DeviceLossTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::useSeparateDevice(); }
  void leavesAFailingDeviceWithoutLosingAFrame_data();
  void leavesAFailingDeviceWithoutLosingAFrame();
  void losesNothingWheneverTheDeviceIsLost_data();
  void losesNothingWheneverTheDeviceIsLost();
  void keepsContactMemoryOfAMethodWhoseDeviceIsLost();
  void measuresOnTheCpuWhereTheDeviceCannot_data();
  void measuresOnTheCpuWhereTheDeviceCannot();
  void takesAForkOnTheCpuWhereTheDeviceIsLost();
  void saysWhyAMethodRunsOnTheCpu();
};

namespace {

/// Fails like a lost device in the middle of the given step.
class FailingStepper : public test::WrappedStepper {
 public:
  FailingStepper(const MethodChoice& choice, const World& world,
                 const std::shared_ptr<DeviceWorld>& deviceWorld, int steps)
      : WrappedStepper(choice, world, deviceWorld), m_left(steps) {}
  void step(World& world, double dt, Recorded recorded, StepRecord& record, StepDetail* detail) override {
    WrappedStepper::step(world, dt, recorded, record, detail);
    if (--m_left < 0) throw std::runtime_error("CUDA: the device is lost");
  }

 private:
  int m_left;
};

/// Number of measurements before the device fails.
int measurementsLeft = 0;

class FailingOverlaps : public test::WrappedOverlapMeasurement {
 public:
  using WrappedOverlapMeasurement::WrappedOverlapMeasurement;
  std::vector<Overlap> find(const World& world, bool& sampled) override {
    if (--measurementsLeft < 0) throw std::runtime_error("CUDA: out of memory");
    return WrappedOverlapMeasurement::find(world, sampled);
  }
};

class FailingMotion : public MotionMeasurement {
 public:
  FailingMotion(const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)
      : m_own(test::separateMotionMeasurement(world, deviceWorld)) {}
  void setSlowVelocities(const std::vector<Vec3>& velocities) override {
    m_own->setSlowVelocities(velocities);
  }
  const Vec3* slowVelocities() override { return m_own->slowVelocities(); }
  void start(const World& world, const std::vector<unsigned char>& touches, double share,
             double halfStep) override {
    m_own->start(world, touches, share, halfStep);
  }
  MotionSums finish() override {
    if (--measurementsLeft < 0) throw std::runtime_error("CUDA: out of memory");
    return m_own->finish();
  }
  void keep() override { m_own->keep(); }

 private:
  std::unique_ptr<MotionMeasurement> m_own;
};

/// Compares also what a record keeps of the frames before it.
void compareMeasurements(const StepRecord& record, const StepRecord& expected) {
  for (Quantity quantity : {Quantity::PenetrationMax, Quantity::EnergyTotal, Quantity::EnergyDrift,
                            Quantity::MomentumLinearError, Quantity::MomentumAngularError, Quantity::Jitter})
    QVERIFY(record.quantities[quantity] == expected.quantities[quantity]);
}

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
  settings.substeps = 2;                   // the device fails in the middle of a frame
  settings.parameters["stiffness"] = 1e4;  // soft: the first contact lasts until the device fails
  settings.parameters["damping"] = 0.0;
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
  // Continues from the state before, not from the middle of the failed frame; with contact memory.
  settings.backend = BackendKind::Cpu;
  Simulation alone(scene, settings, scene->dt);
  for (int frame = 0; frame < 13; ++frame) alone.step();
  QVERIFY(!alone.current()->contacts.empty());
  QCOMPARE(after->stateHash, alone.current()->stateHash);
  for (int frame = 0; frame < 20; ++frame) {
    const RecordPtr record = comparison.step(false)[0], expected = alone.step();
    QCOMPARE(record->stateHash, expected->stateHash);
    compareMeasurements(*record, *expected);
  }
}

void DeviceLossTest::losesNothingWheneverTheDeviceIsLost_data() {
  QTest::addColumn<QString>("method");
  for (const char* method :
       {"dpf", "dpf-ccd", "cpf", "lcp", "lcp-pgs", "lcp-newton-fb-pcr", "peg-pgs", "peg-newton-fb-pcr"})
    QTest::newRow(method) << method;
}

void DeviceLossTest::losesNothingWheneverTheDeviceIsLost() {
  QFETCH(QString, method);
  const auto scene = test::tumblingBox();
  scene->bodies[1].position.y() = 0.1;
  scene->bodies.push_back(test::box("later", Vec3(0.2, 0.2, 0.2), 1, Vec3(0.1, 0.31, 0.05)));
  scene->bodies.back().releaseTime = 3 * scene->dt;
  PaneSettings settings = test::pane(method.toStdString(), BackendKind::Cpu);
  settings.substeps = 2;
  constexpr int kFrames = 9;
  Simulation alone(scene, settings, scene->dt);
  std::vector<RecordPtr> expected;
  for (int frame = 0; frame < kFrames; ++frame) expected.push_back(alone.step());
  QVERIFY(!alone.contactMemory().empty());

  settings.backend = BackendKind::Cuda;
  constexpr long kMany = 1000000;
  long& left = test::SeparateBackend::answersLeft();
  const auto always = [&left](long*) { left = -1; };
  const std::unique_ptr<long, decltype(always)> guard(&left, always);
  left = kMany;
  {
    Simulation whole(scene, settings, scene->dt);
    for (int frame = 0; frame < kFrames; ++frame) whole.step();
    QVERIFY(whole.backend() == BackendKind::Cuda);
  }
  const long total = kMany - left;
  QVERIFY(total > 300);
  std::set<long> leftIn;  // frames
  for (long moment = 0; moment < total; moment += 1 + total / 150) {
    left = moment;
    Simulation lost(scene, settings, scene->dt);
    for (int frame = 0; frame < kFrames; ++frame) {
      const bool wasThere = lost.backend() == BackendKind::Cuda;
      const RecordPtr record = lost.step();
      if (wasThere && lost.backend() == BackendKind::Cpu) leftIn.insert(frame);
      QCOMPARE(record->stateHash, expected[frame]->stateHash);
      QCOMPARE(record->frame, expected[frame]->frame);
      compareMeasurements(*record, *expected[frame]);
      for (const std::string& warning : record->warnings)
        QVERIFY2(warning.find("anew") == std::string::npos, warning.c_str());
    }
    QVERIFY(lost.contactMemory() == alone.contactMemory());
  }
  QCOMPARE(leftIn.size(), std::size_t(kFrames));
}

void DeviceLossTest::keepsContactMemoryOfAMethodWhoseDeviceIsLost() {
  static int calls = 0;
  calls = 0;
  class Failing : public test::WrappedMethod {
   public:
    using WrappedMethod::WrappedMethod;
    ReplicaSet respond(const test::SeparateLoops& backend, const MethodStep& step) override {
      if (++calls > 40) throw std::runtime_error("CUDA: the device is lost");
      return WrappedMethod::respond(backend, step);
    }
  };
  test::wrapMethods<Failing>();
  for (const char* method : {"lcp", "lcp-pgs", "lcp-newton-fb-pcr", "peg", "peg-pgs", "peg-newton-fb-pcr"}) {
    calls = 0;
    const auto scene = test::tumblingBox();
    scene->bodies[1].position.y() = 0.1;
    Simulation lost(scene, test::pane(method, BackendKind::Cuda), scene->dt);
    Simulation alone(scene, test::pane(method, BackendKind::Cpu), scene->dt);
    for (int frame = 0; frame < 60; ++frame) QCOMPARE(lost.step()->stateHash, alone.step()->stateHash);
    QVERIFY(lost.backend() == BackendKind::Cpu);
    QVERIFY(!alone.contactMemory().empty() && lost.contactMemory() == alone.contactMemory());
  }
}

void DeviceLossTest::measuresOnTheCpuWhereTheDeviceCannot_data() {
  QTest::addColumn<bool>("withoutOverlaps");
  QTest::addColumn<int>("measurements");
  QTest::newRow("overlaps, at the start") << true << 0;
  QTest::newRow("overlaps, in the frame of a release") << true << 5;
  QTest::newRow("overlaps, later") << true << 12;
  QTest::newRow("sums, at the start") << false << 0;
  QTest::newRow("sums, in the frame of a release") << false << 6;  // the start takes two
  QTest::newRow("sums, later") << false << 13;
}

void DeviceLossTest::measuresOnTheCpuWhereTheDeviceCannot() {
  QFETCH(bool, withoutOverlaps);
  QFETCH(int, measurements);
  measurementsLeft = measurements;
  if (withoutOverlaps) {
    test::useOverlapMeasurement<FailingOverlaps>();
  } else {
    registerMotionMeasurement(BackendKind::Cuda, [](const World& world, const auto& deviceWorld) {
      return std::make_unique<FailingMotion>(world, deviceWorld);
    });
  }
  const auto scene = test::tumblingBox();
  scene->bodies.push_back(test::box("later", Vec3(0.2, 0.2, 0.2), 1, Vec3(1, 0.09, 0)));
  scene->bodies.back().linearVelocity = Vec3(0, -1, 0.5);
  scene->bodies.back().releaseTime = 4 * scene->dt;
  Simulation device(scene, test::pane("dpf", BackendKind::Cuda), scene->dt);
  Simulation host(scene, test::pane("dpf", BackendKind::Cpu), scene->dt);
  double jitter = 0;
  for (int frame = 1; frame <= 20; ++frame) {
    QCOMPARE(host.world().active[2] != 0, frame > 5);
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    compareMeasurements(*b, *a);
    jitter = std::max(jitter, a->quantities[Quantity::Jitter]);
  }
  QVERIFY(jitter > 0);
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
  test::refuseMethods("CUDA: out of memory");
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
