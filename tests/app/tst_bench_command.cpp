#include <QtTest>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "app/bench/bench_groups.h"
#include "app/bench/bench_page.h"
#include "app/bench/bench_scenes.h"
#include "app/bench/bench_table.h"
#include "app/bench/stopwatch.h"
#include "app/bench/window_bench.h"
#include "app/cli/bench_command.h"
#include "app/work/exit_codes.h"
#include "core/parallel/parallel_for.h"
#include "core/run/backend_table.h"
#include "core/run/simulation.h"
#include "tests/support/near.h"

using namespace touchstone;

/// `touchstone-cli bench`: refused input. The tests make no claim about measured values.
class BenchCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBenchmarkThatDoesNotExistIsBadInputAndNamesThoseThatDo();
  void aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment();
  void aBenchmarkThatFailsLeavesTheRowsOfTheOthers();
  void aPaneThatLeavesItsDeviceIsAFailureAndNoRow();
  void aPageShowsWhatARowAddsToAnotherInItsColumns();
  void everyRowAndFailureIsOnThePage();
  void itGoesOnUntilItHasTakenLongEnough();
  void stepsPerSecondAreOfAllSteps();
  void aSpreadEndsAtPercentilesAndNotAtExtremes();
  void percentilesAreColumnsOfTheirRow();
  void aPageOfRoundsSaysWhatItsSpreadIs();
  void boxesOverTheBinDoNotOverlapAtTheStart();
  void aWholeNameMeansThatGroupAlone();
  void pilesHaveTheRowsOfEveryMethod();
  void scaleHasItsRows();
  void theSpeedOfTheWindowIsReadAsItIsPrinted();
};

namespace {

/// JSON of one round.
nlohmann::json outputOf(cli::BenchOptions options) {
  options.format = cli::BenchFormat::Json;
  options.rounds = 1;
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  cli::bench(options);
  std::cout.rdbuf(before);
  return nlohmann::json::parse(text.str());
}

/// JSON of a group, measured in two steps of each run.
nlohmann::json outputOf(const std::string& group) {
  cli::BenchOptions options;
  options.filter = group;
  options.mostSteps = 2;
  return outputOf(options);
}

}  // namespace

void BenchCommandTest::aBenchmarkThatDoesNotExistIsBadInputAndNamesThoseThatDo() {
  cli::BenchOptions options;
  options.filter = "overlaps,heaps";
  try {
    cli::bench(options);
    QFAIL("it was taken");
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    QVERIFY2(text.find("'heaps'") != std::string::npos && text.find("overlaps") != std::string::npos,
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
  options.format = cli::BenchFormat::Json;
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  const int code = cli::bench(options);
  std::cout.rdbuf(before);
  QCOMPARE(code, kSimulationFailed);
  const auto out = nlohmann::json::parse(text.str());
  QVERIFY(!out.contains("rows"));
  QCOMPARE(out.at("failed").size(), std::size_t{2});
  QCOMPARE(out.at("failed")[0].at("name").get<std::string>().c_str(), "wall-1000/cuda/lcp-pgs");
  QVERIFY2(out.at("failed")[0].at("reason").get<std::string>().find("runs on the CPU") == 0,
           text.str().c_str());
}

void BenchCommandTest::aPageShowsWhatARowAddsToAnotherInItsColumns() {
  cli::BenchTable table(false);
  table.add({"pile-100/cpu/dpf", "steps per s", 140, 120, 160});
  table.add({"pile-100/cpu/dpf/contacts", "", 400});
  table.add({"pile-100/cpu/dpf/solve", "ms", 0.25});
  table.add({"pile-100/cpu/cpf", "steps per s", 130, 110, 150});
  table.add({"pile-100/cpu/cpf/contacts", "", 410});
  const std::string page =
      cli::benchPage({"touchstone-cli bench pile --markdown", "2026-11-27", 0.25}, table);
  for (const char* line : {"| command | `touchstone-cli bench pile --markdown` |",
                           "| other programs | took 25 % of the processors' time meanwhile |",
                           "| row | value | 5 … 95 % | contacts | solve [ms] |",
                           "| pile-100/cpu/dpf | 140 steps per s | 120 … 160 | 400 | 0.25 |",
                           "| pile-100/cpu/cpf | 130 steps per s | 110 … 150 | 410 |  |"})
    QVERIFY2(page.find(line) != std::string::npos, page.c_str());
}

void BenchCommandTest::everyRowAndFailureIsOnThePage() {
  cli::BenchTable table(false);
  for (const cli::BenchGroup& group : cli::benchGroupTable()) {
    const std::string name = group.name;
    for (const std::string& row :
         {"step/" + name + "/dpf", "ratio/" + name + "/cpf over dpf", name + "-1000/cpu"})
      QCOMPARE(cli::benchGroupOf(row).c_str(), group.name);
    table.add({name + "/cpu", "ms", 1});
    table.attempt(name, [] { throw std::runtime_error("one | two\nthree"); });
  }
  const std::string page = cli::benchPage({"", "", std::nan("")}, table);
  for (const cli::BenchGroup& group : cli::benchGroupTable()) {
    const std::string name = group.name;
    for (const std::string& text :
         {"\n## " + std::string(group.title) + "\n", "\n| " + name + "/cpu | 1 ms |\n",
          "\n- " + name + " failed: one \\| two three\n"})
      QVERIFY2(page.find(text) != std::string::npos, text.c_str());
  }
  QVERIFY(page.find("nan") == std::string::npos);
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
  QVERIFY_NEAR(all.least, 10 / 3.7, 1e-14);  // the 95th percentile is 0.9 of the way from 1 ms to 4 ms
  QVERIFY_NEAR(all.largest, 10.0, 1e-14);
}

void BenchCommandTest::aSpreadEndsAtPercentilesAndNotAtExtremes() {
  std::vector<double> times(101);
  for (int index = 0; index < 101; ++index) times[index] = index;
  times.back() = 1e6;  // the scheduler took the processor away
  const cli::BenchRow row = cli::medianRow("", "ms", times);
  QCOMPARE(row.value, 50.0);
  QVERIFY_NEAR(row.least, 5.0, 1e-12);
  QVERIFY_NEAR(row.largest, 95.0, 1e-12);
}

void BenchCommandTest::percentilesAreColumnsOfTheirRow() {
  std::vector<double> times(201);
  for (int index = 0; index < 201; ++index) times[index] = 200 - index;
  cli::BenchTable table(false);
  table.add({"piles/x/lcp", "ms of processor", 100});
  cli::addPercentiles("piles/x/lcp", "ms of processor", times, table);
  QVERIFY_NEAR(table.valueOf("piles/x/lcp/50 %"), 100.0, 1e-12);
  QVERIFY_NEAR(table.valueOf("piles/x/lcp/95 %"), 190.0, 1e-12);
  QVERIFY_NEAR(table.valueOf("piles/x/lcp/99 %"), 198.0, 1e-12);
  const std::string page = cli::benchPage({"", "", std::nan("")}, table);
  const std::string head =
      "| row | value | 50 % [ms of processor] | 95 % [ms of processor] | 99 % [ms of processor] |";
  QVERIFY2(page.find(head) != std::string::npos, page.c_str());
}

void BenchCommandTest::aPageOfRoundsSaysWhatItsSpreadIs() {
  cli::BenchTable table(false);
  cli::BenchRow row{"pour/x", "ms", 2, 1, 3};
  row.rounds = {1, 2, 3};
  table.add(row);
  const std::string page = cli::benchPage({"", "", std::nan("")}, table);
  QVERIFY2(page.find("| row | value | least … largest of the rounds |") != std::string::npos, page.c_str());
}

void BenchCommandTest::boxesOverTheBinDoNotOverlapAtTheStart() {
  const auto scene = cli::layersIntoBin(100, 5, 2);
  QCOMPARE(scene->bodies.size(), std::size_t{105});  // a plane and four walls besides
  PaneSettings settings;
  settings.method = "lcp";
  Simulation simulation(scene, settings, 1e-6);
  QCOMPARE(simulation.step()->overlaps.size(), std::size_t{0});
}

void BenchCommandTest::aWholeNameMeansThatGroupAlone() {
  setCudaState(true, "test device");  // nothing is registered for it: towers fail there, and piles would not
  cli::BenchOptions options;
  options.filter = "pile";
  options.backends = {"cuda"};
  options.mostSteps = 1;
  const nlohmann::json out = outputOf(options);
  QVERIFY2(!out.contains("rows"), out.dump().c_str());
  for (const nlohmann::json& failure : out.at("failed"))
    QCOMPARE(cli::benchGroupOf(failure.at("name").get<std::string>()).c_str(), "pile");
}

void BenchCommandTest::pilesHaveTheRowsOfEveryMethod() {
  const nlohmann::json out = outputOf("piles");
  std::map<std::string, double> values;
  for (const nlohmann::json& row : out.at("rows")) {
    QVERIFY2(row.at("value").is_number(), row.dump().c_str());  // what is not finite is null
    values[row.at("name").get<std::string>()] = row.at("value").get<double>();
  }
  QVERIFY(!out.contains("failed"));
  for (const std::string scene : {"pour", "heavy-stack", "100 boxes", "1000 boxes", "arch", "tables"}) {
    for (const std::string pane :
         {"lcp interactive", "lcp accurate", "peg", "nsn", "lcp-pgs, 20 sweeps", "dpf", "cpf"}) {
      // Penalty methods have their number of substeps in the name.
      const std::string beginning = "piles/" + scene + "/" + pane;
      const auto found = values.lower_bound(beginning);
      QVERIFY2(found != values.end() && found->first.find(beginning) == 0, beginning.c_str());
      const std::string name = found->first;
      for (const char* column :
           {"50 %", "95 %", "99 %", "steps", "steps of the whole", "overlap, median", "deepest, last fifth"})
        QVERIFY2(values.count(name + "/" + column), (name + "/" + column).c_str());
      QCOMPARE(values[name + "/steps"], 2.0);
      if (pane == "dpf" || pane == "cpf") continue;
      for (const char* column : {"residual, median", "residual, largest"})
        QVERIFY2(values.count(name + "/" + column), (name + "/" + column).c_str());
      const double shares = values.at(name + "/at tolerance") + values.at(name + "/ended by budget") +
                            values.at(name + "/not converged");
      QVERIFY_NEAR(shares, 1.0, 1e-12);
    }
  }
}

void BenchCommandTest::scaleHasItsRows() {
  const nlohmann::json out = outputOf("scale");
  QVERIFY(!out.contains("failed"));
  std::set<std::string> names;
  for (const nlohmann::json& row : out.at("rows")) {
    QVERIFY2(row.at("value").is_number(), row.dump().c_str());
    names.insert(row.at("name").get<std::string>());
  }
  for (const std::string method : {"dpf", "cpf", "lcp", "peg", "nsn"}) {
    QVERIFY(names.count("scale/memory of 1000 boxes in contact/" + method));
    QVERIFY(names.count("scale/64 worlds of 20 bodies/" + method + "/one scene of 1280 bodies"));
    if (threadCount() > 1) QVERIFY(names.count("scale/1 to 2 threads, 1000 bodies/" + method));
  }
  QVERIFY(names.count("scale/four panes of pour at once"));
}

void BenchCommandTest::theSpeedOfTheWindowIsReadAsItIsPrinted() {
  const cli::WindowSpeed speed{12.5, 3.25, 1.5, 40.25, 86.125, 0.875, 92.5, 784};
  const std::string text = "pour, 4 panes, window 1920 x 1080\n" + cli::windowSpeedText(speed);
  const cli::WindowSpeed read = cli::windowSpeedOf(text);
  QCOMPARE(cli::windowSpeedText(read), cli::windowSpeedText(speed));
  QCOMPARE(read.longestStall, 86.125);
  QCOMPARE(read.memory, 784.0);
  QVERIFY_EXCEPTION_THROWN(cli::windowSpeedOf(text.substr(0, text.find("memory"))), std::runtime_error);
}

QTEST_APPLESS_MAIN(BenchCommandTest)
#include "tst_bench_command.moc"
