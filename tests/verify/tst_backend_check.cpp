#include <QtTest>

#include "core/contact/step_detail.h"
#include "core/detect/candidates.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/verify/backend_check.h"
#include "tests/support/separate_device.h"
#include "tests/support/wrapped_method.h"

using namespace touchstone;

/// Output of `touchstone-cli verify --backend cuda`, with a host in the role of the device.
class BackendCheckTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void passesADeviceThatDoesTheSame_data();
  void passesADeviceThatDoesTheSame();
  void failsADeviceWhoseStatesDrift();
  void failsADeviceThatDoesNotRepeatItself();
  void failsADeviceThatMissesPairs();
  void failsADeviceThatMeasuresSomethingElse();
  void failsADeviceThatLeavesItsGraphsToTheCpu();
  void saysThatAMethodRunsOnTheCpu();
  void saysThatTheCpuMeasures();
};

namespace {

/// Rotates the velocity of the first dynamic body slightly in every step, like a wrong kernel.
class Drifting : public test::WrappedStepper {
 public:
  Drifting(const MethodChoice& choice, const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld,
           double error)
      : WrappedStepper(choice, world, deviceWorld), m_error(error) {}
  void download(World& world, const std::function<void()>& meanwhile) override {
    WrappedStepper::download(world, meanwhile);
    for (std::size_t body = 0; body < world.position.size(); ++body)
      if (isDynamic(world, static_cast<int>(body))) {
        world.linearVelocity[body].x() += m_error;
        break;
      }
  }

 private:
  double m_error;
};

std::shared_ptr<const Scene> scene(const QString& name) {
  return loadScene(std::string(TS_SOURCE_DIR "/datasets/scenes/") + name.toStdString() + ".json");
}

BackendCheck check(const QString& name, const QString& method) {
  return checkBackend(scene(name), paneNamed(method.toStdString()), BackendKind::Cuda, 100);
}

}  // namespace

void BackendCheckTest::passesADeviceThatDoesTheSame_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp", "lcp-pgs", "lcp-newton-fb-pcr", "peg", "peg-pgs",
                             "peg-newton-fb-pcr"})
    QTest::newRow(method) << method;
}

void BackendCheckTest::passesADeviceThatDoesTheSame() {
  test::useSeparateDevice();
  QFETCH(QString, method);
  for (const char* name : {"incline", "pour"}) {
    const BackendCheck result = check(name, method);
    QVERIFY(result.ran && result.passed && result.repeats);
    QCOMPARE(result.impulse, 0.0);
    QCOMPARE(result.position, 0.0);
    QVERIFY(result.frames >= 20 && result.candidates > 0);
    QVERIFY(result.framesWithContacts >= 3);
    for (int index = 0; index < kQuantityCount; ++index)
      QVERIFY(!(result.quantities[static_cast<Quantity>(index)] > 0));
    QCOMPARE(result.quantities[Quantity::EnergyDrift], 0.0);  // and not missing
    QCOMPARE(result.quantities[Quantity::Jitter], 0.0);
  }
}

void BackendCheckTest::failsADeviceWhoseStatesDrift() {
  test::useStepper<Drifting>(1e-6);
  const BackendCheck result = check("incline", "cpf");
  QVERIFY(result.ran && !result.passed);
  QVERIFY(result.position > 0);
}

void BackendCheckTest::failsADeviceThatDoesNotRepeatItself() {
  int made = 0;
  registerStepper(BackendKind::Cuda, [&made](const MethodChoice& choice, const World& world,
                                             const auto& deviceWorld) {
    return std::make_unique<Drifting>(choice, world, deviceWorld, ++made * 1e-17);  // below every tolerance
  });
  const BackendCheck result = check("incline", "cpf");
  QVERIFY(result.ran && !result.repeats && !result.passed);
}

void BackendCheckTest::failsADeviceThatMissesPairs() {
  class Forgetful : public test::WrappedMethod {
   public:
    using WrappedMethod::WrappedMethod;
    ReplicaSet respond(const test::SeparateLoops& backend, const MethodStep& step) override {
      const ReplicaSet unfinished = WrappedMethod::respond(backend, step);
      if (step.detail && !step.detail->pieces.empty()) step.detail->pieces.pop_back();
      return unfinished;
    }
  };
  test::useSeparateDevice();
  test::wrapMethods<Forgetful>();
  const BackendCheck result = check("incline", "lcp");
  QVERIFY(result.ran && !result.passed);
  QVERIFY(result.otherCandidates > 0);
}

void BackendCheckTest::saysThatAMethodRunsOnTheCpu() {
  test::useSeparateDevice();
  test::refuseMethods("the driver is too old");
  const BackendCheck result = check("resting-box", "lcp");
  QVERIFY(!result.ran && !result.passed);
  QVERIFY(result.reason.find("runs on the CPU") == 0);
}

void BackendCheckTest::failsADeviceThatMeasuresSomethingElse() {
  class Deeper : public test::WrappedOverlapMeasurement {
   public:
    using WrappedOverlapMeasurement::WrappedOverlapMeasurement;
    std::vector<Overlap> find(const World& world, bool& sampled) override {
      std::vector<Overlap> overlaps = WrappedOverlapMeasurement::find(world, sampled);
      for (Overlap& overlap : overlaps) overlap.depth *= 1 + 1e-4;
      return overlaps;
    }
  };
  test::useSeparateDevice();
  test::useOverlapMeasurement<Deeper>();
  const BackendCheck result = check("incline", "dpf");
  QVERIFY(result.ran && !result.passed);
  QVERIFY2(result.reason.find("penetration_max differs") != std::string::npos, result.reason.c_str());
}

void BackendCheckTest::failsADeviceThatLeavesItsGraphsToTheCpu() {
  /// Fails in steps that are not inspected.
  class FailsAsAGraph : public test::WrappedStepper {
   public:
    using WrappedStepper::WrappedStepper;
    void step(World& world, double dt, Recorded recorded, StepRecord& record, StepDetail* detail) override {
      if (!detail) throw std::runtime_error("a graph failed");
      WrappedStepper::step(world, dt, recorded, record, detail);
    }
  };
  test::useSeparateDevice();
  test::useStepper<FailsAsAGraph>();
  const BackendCheck result = check("incline", "cpf");
  QVERIFY(!result.ran && !result.passed);
  QVERIFY2(result.reason.find("a graph failed") == 0, result.reason.c_str());
}

void BackendCheckTest::saysThatTheCpuMeasures() {
  class Tired : public test::WrappedOverlapMeasurement {
   public:
    using WrappedOverlapMeasurement::WrappedOverlapMeasurement;
    std::vector<Overlap> find(const World&, bool&) override { throw std::runtime_error("no memory is left"); }
  };
  test::useSeparateDevice();
  test::useOverlapMeasurement<Tired>();
  const BackendCheck result = check("incline", "dpf");
  QVERIFY(!result.ran && !result.passed);
  QVERIFY2(result.reason.find("measured on the CPU: no memory is left") == 0, result.reason.c_str());
}

QTEST_APPLESS_MAIN(BackendCheckTest)
#include "tst_backend_check.moc"
