#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/bench/bench_comparison.h"
#include "app/cli/bench_command.h"
#include "core/files/scene_error.h"

using namespace touchstone;
using namespace touchstone::cli;

/// `touchstone-cli bench --compare`: what has moved. Nothing is measured here.
class BenchComparisonTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aRowMovesIfItsSpreadAndItsMedianDo_data();
  void aRowMovesIfItsSpreadAndItsMedianDo();
  void onlySlowerRowsAreABadEnd();
  void rowsOfOneSideAreNewOrGone();
  void whatWasNotChosenIsNotGone();
  void roundsAreTheirMedianAndRange();
  void anotherMachineIsNamed_data();
  void anotherMachineIsNamed();
  void readsWhatWasWritten();
  void brokenFilesNameFieldAndRemedy_data();
  void brokenFilesNameFieldAndRemedy();
  void aFileOfAnotherMachineIsRefusedBeforeAnythingIsMeasured();
  void theTableEndsWithASentence();
};

namespace {

const auto kAll = [](const std::string&) { return true; };

BenchResult of(std::vector<BenchRow> rows) {
  BenchResult result;
  result.rows = std::move(rows);
  return result;
}

BenchVerdict verdictOf(const BenchRow& then, const BenchRow& now) {
  const std::vector<BenchChange> changes = changesOf(of({then}), of({now}), 0.05, kAll);
  return changes.size() == 1 ? changes.front().verdict : BenchVerdict::Gone;
}

nlohmann::json document() {
  nlohmann::json row = {{"name", "a"}, {"unit", "ms"}, {"value", 2}, {"least", 1}, {"largest", 3}};
  nlohmann::json all;
  all["backends"]["cpu"] = "Model, 2 threads";
  all["rows"].push_back(std::move(row));
  return all;
}

}  // namespace

void BenchComparisonTest::aRowMovesIfItsSpreadAndItsMedianDo_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("unit");
  QTest::addColumn<QVector<double>>("then");  // value, least, largest; or the value alone
  QTest::addColumn<QVector<double>>("now");
  QTest::addColumn<QString>("verdict");
  using V = QVector<double>;
  QTest::newRow("as it was") << "a"
                             << "ms" << V{10, 9, 11} << V{10, 9, 11} << "same";
  QTest::newRow("apart, but by 4 %") << "a"
                                     << "ms" << V{10, 9.9, 10.1} << V{10.4, 10.3, 10.5} << "same";
  QTest::newRow("by 20 %, but they overlap") << "a"
                                             << "ms" << V{10, 9, 11.5} << V{12, 11.4, 13} << "noise";
  QTest::newRow("they touch") << "a"
                              << "ms" << V{10, 9, 11} << V{12, 11, 13} << "noise";
  QTest::newRow("more time") << "a"
                             << "ms" << V{10, 9, 11} << V{12, 11.5, 13} << "slower";
  QTest::newRow("less time") << "a"
                             << "ms per frame" << V{12, 11.5, 13} << V{10, 9, 11} << "faster";
  QTest::newRow("time of a pair") << "a"
                                  << "µs per pair" << V{1} << V{2} << "slower";
  QTest::newRow("time of a step") << "a"
                                  << "ms per step" << V{1} << V{2} << "slower";
  QTest::newRow("a higher rate") << "a"
                                 << "steps per s" << V{10, 9, 11} << V{12, 11.5, 13} << "faster";
  QTest::newRow("a lower rate") << "a"
                                << "GB/s" << V{12, 11.5, 13} << V{10, 9, 11} << "slower";
  QTest::newRow("a rate of pairs") << "a"
                                   << "million pairs per ms" << V{2} << V{1} << "slower";
  QTest::newRow("a rate by its name") << "a/contacts per ms"
                                      << "" << V{2} << V{1} << "slower";
  QTest::newRow("a count") << "a/contacts"
                           << "" << V{100} << V{120} << "changed";
  QTest::newRow("a residual is no speed") << "a/residual"
                                          << "m/s" << V{1e-9} << V{1e-8} << "changed";
  QTest::newRow("a depth is no time") << "a/deepest"
                                      << "m" << V{0} << V{1e-8} << "changed";
  QTest::newRow("launches are no rate") << "a"
                                        << "per step, a graph is one" << V{1} << V{2} << "changed";
  QTest::newRow("memory") << "memory/a"
                          << "bytes" << V{100} << V{120} << "larger";
  QTest::newRow("less memory") << "memory/a"
                               << "bytes" << V{120} << V{100} << "smaller";
  QTest::newRow("no depth at all") << "a"
                                   << "m" << V{0} << V{0} << "same";
}

void BenchComparisonTest::aRowMovesIfItsSpreadAndItsMedianDo() {
  QFETCH(QString, name);
  QFETCH(QString, unit);
  QFETCH(QVector<double>, then);
  QFETCH(QVector<double>, now);
  QFETCH(QString, verdict);
  const auto row = [&](const QVector<double>& values) {
    BenchRow made{name.toStdString(), unit.toStdString(), values[0]};
    if (values.size() == 3) {
      made.least = values[1];
      made.largest = values[2];
    }
    return made;
  };
  QCOMPARE(QString(verdictText(verdictOf(row(then), row(now)), unit.toStdString())), verdict);
}

void BenchComparisonTest::onlySlowerRowsAreABadEnd() {
  const auto ends = [](const BenchRow& then, const BenchRow& now) {
    return hasSlower(changesOf(of({then}), of({now}), 0.05, kAll));
  };
  QVERIFY(ends({"a", "ms", 1}, {"a", "ms", 2}));
  QVERIFY(ends({"a", "bytes", 1}, {"a", "bytes", 2}));
  QVERIFY(!ends({"a", "ms", 2}, {"a", "ms", 1}));
  QVERIFY(!ends({"a", "", 1}, {"a", "", 2}));
  QVERIFY(!ends({"a", "ms", 1}, {"b", "ms", 2}));
}

void BenchComparisonTest::rowsOfOneSideAreNewOrGone() {
  const std::vector<BenchChange> changes =
      changesOf(of({{"a", "ms", 1}, {"old", "ms", 2}}), of({{"new", "ms", 3}, {"a", "ms", 1}}), 0.05, kAll);
  QCOMPARE(changes.size(), std::size_t(3));
  QVERIFY(changes[0].name == "new" && changes[0].verdict == BenchVerdict::New && std::isnan(changes[0].then));
  QVERIFY(changes[1].name == "a" && changes[1].verdict == BenchVerdict::Same && changes[1].ratio == 1);
  QVERIFY(changes[2].name == "old" && changes[2].verdict == BenchVerdict::Gone && changes[2].then == 2);
}

void BenchComparisonTest::whatWasNotChosenIsNotGone() {
  const auto chosen = [](const std::string& name) { return name == "old"; };
  const std::vector<BenchChange> changes =
      changesOf(of({{"other", "ms", 1}, {"old", "ms", 2}}), of({}), 0.05, chosen);
  QCOMPARE(changes.size(), std::size_t(1));
  QCOMPARE(changes.front().name, std::string("old"));
}

void BenchComparisonTest::roundsAreTheirMedianAndRange() {
  const std::vector<BenchRow> rows = rowsOfRounds(
      {{{"a", "ms", 5, 1, 9}, {"once", "bytes", 7}}, {{"a", "ms", 3, 1, 9}}, {{"a", "ms", 4, 1, 9}}});
  QCOMPARE(rows.size(), std::size_t(2));
  QVERIFY(rows[0].value == 4 && rows[0].least == 3 && rows[0].largest == 5);
  QVERIFY((rows[0].rounds == std::vector<double>{5, 3, 4}));
  QVERIFY(rows[1].value == 7 && std::isnan(rows[1].least) && rows[1].rounds.empty());
  const BenchRow one = rowsOfRounds({{{"a", "ms", 5, 1, 9}}}).front();
  QVERIFY(one.value == 5 && one.least == 1 && one.largest == 9 && one.rounds.empty());
}

void BenchComparisonTest::anotherMachineIsNamed_data() {
  QTest::addColumn<QString>("cuda");
  QTest::addColumn<QString>("cpu");
  QTest::addColumn<QString>("named");  // empty: the same machine
  QTest::newRow("the same") << "none"
                            << "Model, 2 threads"
                            << "";
  QTest::newRow("another model") << "none"
                                 << "Other, 2 threads"
                                 << "backend cpu";
  QTest::newRow("more threads") << "none"
                                << "Model, 4 threads"
                                << "backend cpu";
  QTest::newRow("a device") << "Card"
                            << "Model, 2 threads"
                            << "backend cuda";
}

void BenchComparisonTest::anotherMachineIsNamed() {
  QFETCH(QString, cuda);
  QFETCH(QString, cpu);
  QFETCH(QString, named);
  BenchResult then, now;
  then.backends = {{"cpu", "Model, 2 threads"}, {"cuda", "none"}};
  now.backends = {{"cpu", cpu.toStdString()}, {"cuda", cuda.toStdString()}};
  const QString problem = QString::fromStdString(otherMachine(then, now));
  QCOMPARE(problem.isEmpty(), named.isEmpty());
  QVERIFY2(problem.contains(named), qPrintable(problem));
}

void BenchComparisonTest::readsWhatWasWritten() {
  BenchTable table(false);
  for (const BenchRow& row : rowsOfRounds({{{"a", "ms", 5}, {"b", "", 1}}, {{"a", "ms", 3}}})) table.add(row);
  table.add({"nothing", "", std::nan("")});
  nlohmann::ordered_json out = {{"backends", {{"cpu", "Model"}}}, {"rounds", 2}};
  table.write(out);
  const BenchResult read = benchResultOf(nlohmann::json::parse(out.dump()), "now.json");
  QCOMPARE(read.rounds, 2);
  QCOMPARE(read.backends.at("cpu"), std::string("Model"));
  QCOMPARE(read.rows.size(), std::size_t(2));
  QVERIFY(read.rows[0].value == 4 && read.rows[0].least == 3 && read.rows[0].largest == 5);
  QVERIFY(std::isnan(read.rows[1].least));
  QCOMPARE(benchResultOf(document(), "then.json").rounds, 1);  // before there were rounds
}

void BenchComparisonTest::brokenFilesNameFieldAndRemedy_data() {
  QTest::addColumn<QString>("patch");
  QTest::addColumn<QString>("field");
  QTest::newRow("no machine") << R"([{"op":"remove","path":"/backends"}])"
                              << "backends";
  QTest::newRow("no rows") << R"([{"op":"remove","path":"/rows"}])"
                           << "rows";
  QTest::newRow("no value") << R"([{"op":"remove","path":"/rows/0/value"}])"
                            << "rows[0].value";
  QTest::newRow("a word") << R"([{"op":"replace","path":"/rows/0/value","value":"2"}])"
                          << "rows[0].value";
  QTest::newRow("no largest") << R"([{"op":"remove","path":"/rows/0/largest"}])"
                              << "rows[0].largest";
  QTest::newRow("crossed") << R"([{"op":"replace","path":"/rows/0/least","value":4}])"
                           << "rows[0].least";
  QTest::newRow("half a round") << R"([{"op":"add","path":"/rounds","value":0.5}])"
                                << "rounds";
  QTest::newRow("twice") << R"([{"op":"copy","from":"/rows/0","path":"/rows/1"}])"
                         << "rows[1].name";
  QTest::newRow("no object") << R"([{"op":"replace","path":"/rows/0","value":3}])"
                             << "rows[0]";
}

void BenchComparisonTest::brokenFilesNameFieldAndRemedy() {
  QFETCH(QString, patch);
  QFETCH(QString, field);
  const nlohmann::json broken = document().patch(nlohmann::json::parse(patch.toStdString()));
  try {
    benchResultOf(broken, "then.json");
    QFAIL("it was taken");
  } catch (const SceneError& error) {
    const QString text = error.what();
    QVERIFY2(text.startsWith("then.json:" + field + ":") && text.contains("; "), qPrintable(text));
  }
}

void BenchComparisonTest::aFileOfAnotherMachineIsRefusedBeforeAnythingIsMeasured() {
  const QTemporaryDir folder;
  BenchOptions options;
  options.filter = "pairs";
  options.compared = folder.filePath("then.json").toStdString();
  QVERIFY_EXCEPTION_THROWN(bench(options), SceneError);  // it is not there
  std::ofstream(options.compared) << document().dump();
  try {
    bench(options);
    QFAIL("it was taken");
  } catch (const SceneError& error) {
    const QString text = error.what();
    QVERIFY2(text.contains("another machine") && text.contains("--other-machine"), qPrintable(text));
  }
}

void BenchComparisonTest::theTableEndsWithASentence() {
  const QString text = QString::fromStdString(comparisonText(
      changesOf(of({{"a", "ms", 1}, {"b", "", 2}}), of({{"a", "ms", 2}, {"b", "", 2}}), 0.05, kAll), 0.05));
  QVERIFY2(text.contains(QRegularExpression("a \\[ms\\] +1 +2 +2 +slower\n")), qPrintable(text));
  QVERIFY2(text.contains("Of 2 rows 1 became worse"), qPrintable(text));
  QVERIFY2(text.trimmed().endsWith("."), qPrintable(text));
}

QTEST_APPLESS_MAIN(BenchComparisonTest)
#include "tst_bench_comparison.moc"
