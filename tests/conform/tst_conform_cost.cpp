#include <QFileInfo>
#include <QtTest>
#include <cmath>
#include <map>

#include "core/conform/cost.h"
#include "core/files/csv_reader.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// `touchstone-cli conform --cost`: error against processor time, and the step's effect.
class ConformCostTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void aMethodOfFirstOrderHasOrderOne_data();
  void aMethodOfFirstOrderHasOrderOne();
  void stepsAreChangedBySubstepsWhereTheyCanBe();
  void thereIsOneRowForEachColumnMeasureAndStep();
  void whatIsNoErrorOfAStepTakesNoPart();
  void theEffectOfTheStepIsTold_data();
  void theEffectOfTheStepIsTold();
  void theCommandWritesTextTablesAndFigure();
  void filesOfOtherEnginesTakeNoPart();
  void theCommandHasHelpAndOptionsOfItsOwn();

 private:
  std::vector<Phenomenon> falls() const;
  std::unique_ptr<test::CommandFolder> m_folder;
};

namespace {

// A body falls for 0.48 s. Semi-implicit Euler falls ½ g t h too far.
constexpr double kG = 9.81, kTime = 0.48, kFrame = 0.01;

double fallError(double step) { return 0.5 * kG * kTime * step; }

ConformOptions columnsNamed(const std::vector<std::string>& labels) {
  ConformOptions options;
  for (const std::string& label : labels) options.columns.push_back({label, ""});
  return options;
}

}  // namespace

void ConformCostTest::init() {
  m_folder = std::make_unique<test::CommandFolder>();
  m_folder->write("fall.scene.json",
                  R"({"touchstone": 1, "name": "fall", "title": "F", "dt": 0.01, "duration": 0.48,
 "methods": ["cpf"], "bodies": [{"name": "ball", "position": [0, 0, 0],
 "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  m_folder->write("fall.json",
                  R"({"touchstone_phenomenon": 1, "name": "fall", "title": "A fall", "primary": "y",
 "runs": [{"id": "std", "scene": "fall.scene.json"}, {"id": "fine", "scene": "fall.scene.json", "dt": 0.005},
  {"id": "finer", "scene": "fall.scene.json", "dt": 0.0025}],
 "measures": [
  {"id": "v", "run": "std", "quantity": "velocity", "body": "ball", "axis": [0, 1, 0], "exact": -4.7088,
   "tolerance": {"absolute": 1e-9}},
  {"id": "y", "run": "std", "quantity": "position", "body": "ball", "axis": [0, 1, 0], "exact": -1.130112,
   "unit": "m", "tolerance": {"absolute": 0.1}},
  {"id": "bound", "run": "fine", "quantity": "position", "body": "ball", "axis": [0, 1, 0], "at_most": 0},
  {"id": "order", "runs": ["std", "fine", "finer"], "quantity": "self_convergence", "body": "ball",
   "axis": [0, 1, 0], "to": 0.48}]})");
}

std::vector<Phenomenon> ConformCostTest::falls() const {
  return {loadPhenomenon(m_folder->at("fall.json").toStdString(), "")};
}

void ConformCostTest::aMethodOfFirstOrderHasOrderOne_data() {
  QTest::addColumn<QString>("column");
  QTest::addColumn<double>("step");
  QTest::newRow("frames grow, one substep") << "lcp" << kFrame;
  QTest::newRow("frames grow, three substeps") << "lcp:substeps=3" << kFrame / 3;
  QTest::newRow("substeps are fewer") << "lcp:substeps=4" << kFrame / 4;
  QTest::newRow("springs") << "cpf:substeps=2" << kFrame / 2;
}

void ConformCostTest::aMethodOfFirstOrderHasOrderOne() {
  QFETCH(QString, column);
  QFETCH(double, step);
  const CostTable table = costOf(falls(), columnsNamed({column.toStdString()}));
  for (const StepEffect& effect : table.effects) {
    if (effect.measure == "v") {
      QVERIFY(std::isnan(effect.order));
      QCOMPARE(effect.text, std::string("no error beyond the digits of the answer"));
      continue;
    }
    QVERIFY2(std::abs(effect.order - 1) < 1e-6, effect.text.c_str());
    QCOMPARE(effect.text, std::string("order 1.00 (1.00, 1.00, 1.00)"));
  }
  std::vector<double> factors;
  for (const CostPoint& point : table.points) {
    if (point.measure != "y") continue;
    factors.push_back(point.factor);
    QVERIFY2(std::abs(point.step - point.factor * step) < 1e-12, qPrintable(QString::number(point.step)));
    QVERIFY2(std::abs(point.error - fallError(point.step)) < 1e-9, qPrintable(QString::number(point.error)));
    QVERIFY(point.processor > 0);
  }
  QCOMPARE(factors, costFactors());
}

void ConformCostTest::stepsAreChangedBySubstepsWhereTheyCanBe() {
  struct Row {
    const char* column;
    double factor, frames;
    int substeps;
  };
  for (const auto& [column, factor, frames, substeps] :
       {Row{"lcp:substeps=4", 4, 1, 1}, Row{"lcp:substeps=4", 0.5, 1, 8}, Row{"lcp:substeps=6", 4, 4, 6},
        Row{"lcp", 2, 2, 1}}) {
    ConformOptions options = columnsNamed({column});
    options.stepFactor = factor;
    const Card card = conform(falls(), options, false);
    const RunEffort& effort = card.efforts.front().effort;
    QCOMPARE(effort.substeps, substeps);
    QVERIFY(std::abs(effort.interval - frames * kFrame) < 1e-12);
    QCOMPARE(effort.asked, kFrame);
  }
}

void ConformCostTest::thereIsOneRowForEachColumnMeasureAndStep() {
  const std::vector<std::string> columns = {"lcp", "cpf"};
  const CostTable table = costOf(falls(), columnsNamed(columns));
  m_folder->write("cost.csv", QByteArray::fromStdString(csvOf(table)));
  std::map<QByteArray, int> rows;
  QByteArrayList lines = m_folder->content("cost.csv").trimmed().split('\n');
  QVERIFY2(lines.takeFirst().endsWith(",processor"), "the header");
  for (const QByteArray& line : lines) {
    ++rows[line.split(',').mid(0, 4).join(',')];
  }
  QCOMPARE(rows.size(), std::size_t(2 * 2 * 4));
  for (const auto& [row, count] : rows) QVERIFY2(count == 1, row);
  for (const char* factor : {"4", "2", "1", "0.5"})
    QVERIFY2(rows.count(QByteArray("fall,y,cpf,") + factor) == 1, factor);
}

void ConformCostTest::whatIsNoErrorOfAStepTakesNoPart() {
  const CostTable table = costOf(falls(), columnsNamed({"lcp"}));
  QCOMPARE(table.phenomena.front().measures.size(), std::size_t(2));  // no bound, nothing of several runs
  QCOMPARE(table.phenomena.front().runs.size(), std::size_t(1));      // and not the runs of those
  QCOMPARE(shownMeasure(table.phenomena.front())->id, std::string("y"));
}

void ConformCostTest::theEffectOfTheStepIsTold_data() {
  QTest::addColumn<QVector<double>>("errors");  // of steps 4, 2, 1, ½; not a number: none
  QTest::addColumn<double>("order");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* name, const QVector<double>& errors, double order, const char* text) {
    QTest::newRow(name) << errors << order << text;
  };
  row("first order", {0.4, 0.2, 0.1, 0.05}, 1, "order 1.00 (1.00, 1.00, 1.00)");
  row("second order", {0.16, 0.04, 0.01, 0.0025}, 2, "order 2.00 (2.00, 2.00, 2.00)");
  row("grows once", {0.4, 0.1, 0.2, 0.05}, 0.8, "not monotone (2.00, -1.00, 2.00)");
  row("grows", {0.1, 0.2, 0.4, 0.8}, -1, "not monotone (-1.00, -1.00, -1.00)");
  row("comes near to another answer", {0.4, 0.2, 0.12, 0.11}, 0.632, "no single order (1.00, 0.74, 0.13)");
  row("a model", {0.1, 0.1001, 0.0999, 0.1}, 0, "the step has no effect");
  row("exact", {0, 1e-15, 1e-16, 0}, NAN, "no error beyond the digits of the answer");
  row("exact at last", {0.4, 0.2, 0.1, 1e-16}, 1,
      "order 1.00 (1.00, 1.00), elsewhere none beyond the digits of the answer");
  row("fails at the longest", {NAN, 0.2, 0.1, 0.05}, 1,
      "order 1.00 (1.00, 1.00); no number at steps × 4: diverged");
  row("fails", {NAN, NAN, NAN, NAN}, NAN, "no number: diverged");
}

void ConformCostTest::theEffectOfTheStepIsTold() {
  QFETCH(QVector<double>, errors);
  QFETCH(double, order);
  QFETCH(QString, text);
  std::vector<CostPoint> points;
  for (int index = 0; index < errors.size(); ++index) {
    CostPoint point;
    point.factor = costFactors()[index];
    point.step = 1e-3 * point.factor;
    point.error = errors[index];
    if (std::isnan(point.error)) point.problem = "diverged";
    points.push_back(point);
  }
  const StepEffect effect = stepEffectOf(points);
  QCOMPARE(QString::fromStdString(effect.text), text);
  QVERIFY2(std::isnan(order) ? std::isnan(effect.order) : std::abs(effect.order - order) < 2e-3,
           qPrintable(QString::number(effect.order)));
}

void ConformCostTest::theCommandWritesTextTablesAndFigure() {
  const QStringList command = {"conform", "fall.json", "--cost", "--methods", "lcp,cpf", "--out", "cost"};
  auto process = m_folder->started(command);
  QVERIFY2(test::endOf(*process, 60000) == 0, process->readAllStandardError());
  const QByteArray out = process->readAllStandardOutput();
  QVERIFY2(out.contains("order 1.00 (1.00, 1.00, 1.00)") && out.contains("steps × 4"), out);
  QCOMPARE(m_folder->content("cost/cost.txt"), out.left(out.indexOf("Written to")));
  for (const char* file : {"cost.csv", "cost.json", "manifest.json"})
    QVERIFY2(!m_folder->content(QString("cost/") + file).isEmpty(), file);
  const QByteArray json = m_folder->content("cost/cost.json");
  QVERIFY(json.contains("\"battery_version\"") && json.contains("\"processor_s\""));
  if (out.contains("draws no figures")) QSKIP("built without Qt: no figure");
  QVERIFY(m_folder->content("cost/cost.svg").contains("<svg"));
  QVERIFY(m_folder->content("cost/cost.pdf").startsWith("%PDF"));
  process = m_folder->started(command);
  QCOMPARE(test::endOf(*process, 60000), 2);  // earlier results stay
  process = m_folder->started(command + QStringList{"--force"});
  QCOMPARE(test::endOf(*process, 60000), 0);
}

void ConformCostTest::filesOfOtherEnginesTakeNoPart() {
  QVERIFY(QDir().mkpath(m_folder->at("files")));
  auto process = m_folder->started(
      {"conform", "--cost", "fall.json", "--methods", "lcp", "--trajectory", "theirs=files"});
  QCOMPARE(test::endOf(*process, 60000), 0);
  const QByteArray error = process->readAllStandardError();
  QVERIFY2(error.contains("theirs takes no part: its files are of one step"), error);
  QVERIFY(!process->readAllStandardOutput().contains("theirs"));
}

void ConformCostTest::theCommandHasHelpAndOptionsOfItsOwn() {
  auto process = m_folder->started({"conform", "--cost", "--help"});
  QCOMPARE(test::endOf(*process, 60000), 0);
  const QByteArray help = process->readAllStandardOutput();
  QVERIFY2(help.contains("conform --cost") && help.contains("--settings") && !help.contains("--controls"),
           help);
  const std::pair<QStringList, QByteArray> refused[] = {
      {{"--controls"}, "--controls"},
      {{"--force"}, "has no effect without --out"},
      {{"fal"}, "there is no phenomenon 'fal'"},
      {{"fall.json", "--methods", "abc"}, "'abc' is no method"}};
  for (const auto& [words, told] : refused) {
    process = m_folder->started(QStringList{"conform", "--cost"} + words);
    QCOMPARE(test::endOf(*process, 60000), 2);
    const QByteArray text = process->readAllStandardError() + process->readAllStandardOutput();
    QVERIFY2(text.contains(told), text);
  }
}

QTEST_GUILESS_MAIN(ConformCostTest)
#include "tst_conform_cost.moc"
