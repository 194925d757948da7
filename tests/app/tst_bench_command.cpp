#include <QtTest>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "app/cli/bench_table.h"
#include "app/cli/commands.h"
#include "app/cli/stopwatch.h"
#include "core/run/backend_table.h"

using namespace touchstone;

/// `touchstone-cli bench`: refused input. The tests make no claim about measured values.
class BenchCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBenchmarkThatDoesNotExistIsBadInputAndNamesThoseThatDo();
  void aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment();
  void aBenchmarkThatFailsLeavesTheRowsOfTheOthers();
  void aPaneThatLeavesItsDeviceIsAFailureAndNoRow();
  void itGoesOnUntilItHasTakenLongEnough();
  void stepsPerSecondAreOfAllSteps();
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

void BenchCommandTest::aBenchmarkThatFailsLeavesTheRowsOfTheOthers() {
  cli::BenchTable table(false);
  table.attempt("first", [&table] {
    table.add({"first/half", "ms", 1});
    throw std::runtime_error("no memory is left");
  });
  table.attempt("second", [&table] { table.add({"second", "ms", 2, 1, 3}); });
  QVERIFY(table.hasFailed());
  QCOMPARE(table.valueOf("sec"), 2.0);
  QVERIFY(std::isnan(table.valueOf("third")));
  nlohmann::ordered_json out;
  table.write(out);
  QCOMPARE(out.dump().c_str(), R"({"rows":[{"name":"first/half","unit":"ms","value":1.0},)"
                               R"({"name":"second","unit":"ms","value":2.0,"least":1.0,"largest":3.0}],)"
                               R"("failed":[{"name":"first","reason":"no memory is left"}]})");
}

void BenchCommandTest::aPaneThatLeavesItsDeviceIsAFailureAndNoRow() {
  setCudaState(true, "test device");  // nothing is registered for it
  cli::BenchOptions options;
  options.filter = "wall";
  options.backends = {"cuda"};
  options.json = true;
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  const int code = cli::bench(options);
  std::cout.rdbuf(before);
  QCOMPARE(code, cli::kSimulationFailed);
  const auto out = nlohmann::json::parse(text.str());
  QVERIFY(!out.contains("rows"));
  QCOMPARE(out.at("failed").size(), std::size_t{2});
  QCOMPARE(out.at("failed")[0].at("name").get<std::string>().c_str(), "wall-1000/cuda/lcp-pgs");
  QVERIFY2(out.at("failed")[0].at("reason").get<std::string>().find("runs on the CPU") == 0,
           text.str().c_str());
}

void BenchCommandTest::itGoesOnUntilItHasTakenLongEnough() {
  int count = 0;
  const auto times = [&count](const cli::Effort& before, const cli::Effort& measured) {
    count = 0;
    return cli::timesOf({before, measured}, [&count] { ++count; }).size();
  };
  QCOMPARE(times({2, 0, 100}, {3, 0, 100}), std::size_t{3});
  QCOMPARE(count, 5);
  QCOMPARE(times({0, 0, 0}, {1, 3600, 7}), std::size_t{7});  // not more than that, even if fast
  QVERIFY(times({0, 0, 0}, {1, 1e-4, 1 << 30}) > 1);
}

void BenchCommandTest::stepsPerSecondAreOfAllSteps() {
  const std::vector<double> times{1, 1, 4};  // for example, the last step was repeated
  const cli::BenchRow median = cli::rateRow("", "", 10, times), all = cli::throughputRow("", "", 10, times);
  QCOMPARE(median.value, 10.0);
  QCOMPARE(all.value, 5.0);
  QCOMPARE(all.least, 2.5);
  QCOMPARE(all.largest, 10.0);
}

QTEST_APPLESS_MAIN(BenchCommandTest)
#include "tst_bench_command.moc"
