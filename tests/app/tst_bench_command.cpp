#include <QtTest>
#include <stdexcept>

#include "app/cli/commands.h"
#include "core/run/backend_table.h"

using namespace touchstone;

/// `touchstone-cli bench`: what it refuses. What it measures asserts nothing.
class BenchCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBenchmarkThatDoesNotExistIsBadInputAndNamesThoseThatDo();
  void aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment();
};

void BenchCommandTest::aBenchmarkThatDoesNotExistIsBadInputAndNamesThoseThatDo() {
  cli::BenchOptions options;
  options.filter = "piles";
  try {
    cli::bench(options);
    QFAIL("it was taken");
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    QVERIFY2(text.find("'piles'") != std::string::npos && text.find("overlaps") != std::string::npos,
             text.c_str());
  }
}

void BenchCommandTest::aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment() {
  setCudaState(false, "no driver");
  cli::BenchOptions options;
  options.filter = "sets";
  options.backends = {"cuda"};
  options.backendsGiven = true;
  QVERIFY_EXCEPTION_THROWN(cli::bench(options), std::runtime_error);
}

QTEST_APPLESS_MAIN(BenchCommandTest)
#include "tst_bench_command.moc"
