#include <QtTest>

#include "app/cli/commands.h"
#include "core/run/backend_table.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

namespace {

using Honest = test::SeparateStepper;

/// A wrong kernel: a body is a little too fast after each frame.
class Wrong : public Honest {
 public:
  using Honest::Honest;
  void publish(World& world) override {
    Honest::publish(world);
    world.linearVelocity.back().x() += 1e-5;
  }
};

template <class Device>
void useAsCuda() {
  setCudaState(true, "test device");
  test::useSeparateDevice<Device>();
}

}  // namespace

/// `touchstone-cli verify --backend cuda`, with a host in the device's place.
class VerifyCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("TOUCHSTONE_DATASETS", TS_SOURCE_DIR "/datasets"); }
  void aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment();
  void anHonestDevicePasses();
  void aWrongDeviceFails();
};

void VerifyCommandTest::aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment() {
  setCudaState(false, "no driver");
  QVERIFY_EXCEPTION_THROWN(cli::verify("cuda"), std::runtime_error);
}

void VerifyCommandTest::anHonestDevicePasses() {
  useAsCuda<Honest>();
  QCOMPARE(cli::verify("cuda", {"incline", "resting-box"}), cli::kDone);
}

void VerifyCommandTest::aWrongDeviceFails() {
  useAsCuda<Wrong>();
  QCOMPARE(cli::verify("cuda", {"incline"}), cli::kSimulationFailed);
}

QTEST_APPLESS_MAIN(VerifyCommandTest)
#include "tst_verify_command.moc"
