#include <QtTest>

#include "app/cli/verify_command.h"
#include "app/work/exit_codes.h"
#include "core/run/backend_table.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

namespace {

/// A wrong kernel: one body is slightly too fast after each frame.
class Wrong : public test::WrappedStepper {
 public:
  using WrappedStepper::WrappedStepper;
  void download(World& world, const std::function<void()>& meanwhile) override {
    WrappedStepper::download(world, meanwhile);
    world.linearVelocity.back().x() += 1e-5;
  }
};

void useDeviceAsCuda() {
  setCudaState(true, "test device");
  test::useSeparateDevice();
}

}  // namespace

/// `touchstone-cli verify --backend cuda`, with a host in the role of the device.
class VerifyCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("TOUCHSTONE_DATASETS", TS_SOURCE_DIR "/datasets"); }
  void aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment();
  void anHonestDevicePasses();
  void aWrongDeviceFails();
  void withoutScenesItSaysWhereItLooked();
};

void VerifyCommandTest::aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment() {
  setCudaState(false, "no driver");
  QVERIFY_EXCEPTION_THROWN(cli::verify("cuda"), std::runtime_error);
}

void VerifyCommandTest::anHonestDevicePasses() {
  useDeviceAsCuda();
  QCOMPARE(cli::verify("cuda", {"incline", "resting-box"}), kDone);
}

void VerifyCommandTest::aWrongDeviceFails() {
  useDeviceAsCuda();
  test::useStepper<Wrong>();
  QCOMPARE(cli::verify("cuda", {"incline"}), kSimulationFailed);
}

void VerifyCommandTest::withoutScenesItSaysWhereItLooked() {
  const QTemporaryDir empty;
  qputenv("TOUCHSTONE_DATASETS", empty.path().toUtf8());
  for (const char* backend : {"cpu", "cuda"}) {
    useDeviceAsCuda();
    try {
      cli::verify(backend);
      QFAIL("it passed");
    } catch (const std::invalid_argument& error) {
      QVERIFY2(QString(error.what()).contains(empty.path()), error.what());
    }
  }
}

QTEST_APPLESS_MAIN(VerifyCommandTest)
#include "tst_verify_command.moc"
