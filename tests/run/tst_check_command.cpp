#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/math/quantile.h"
#include "core/motion/toss_statistics.h"
#include "core/statistics/ensemble_quantity.h"
#include "core/statistics/summary.h"
#include "core/study/expression.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// `touchstone-cli check`, and what the commands say of the panes that they run.
class CheckCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<test::CommandFolder>(); }
  void printsBodiesMassesSizesAndValuesWithTheirSource();
  void tellsOverlapsContactsAndWhoRuns();
  void takesNoStepAndWritesNothing();
  void aBadSceneIsBadInput_data();
  void aBadSceneIsBadInput();
  void equalWordsGiveEqualManifests();
  void theManifestNamesTheSolverThatDelivered();
  void columnsOfListDoNotTouch();
  void theMedianOfTwoIsTheirMeanThroughEveryDoor();

 private:
  struct Result {
    int code;
    QString out, error;
  };
  Result run(const QStringList& arguments) const {
    const auto process = m_folder->started(arguments);
    const int code = test::endOf(*process, 120'000);
    return {code, QString::fromUtf8(process->readAllStandardOutput()),
            QString::fromUtf8(process->readAllStandardError())};
  }
  nlohmann::json manifest(const QString& folder) const {
    return nlohmann::json::parse(m_folder->content(folder + "/manifest.json").toStdString());
  }
  std::unique_ptr<test::CommandFolder> m_folder;
};

namespace {

const QByteArray kScene = R"({"touchstone": 1, "name": "a", "title": "A crate", "dt": 0.01, "duration": 0.05,
  "methods": ["cpf", "lcp"], "materials": [{"name": "oak", "density": 700, "friction": 0.4}],
  "parameters": {"cpf": {"substeps": 5, "damping": 3}},
  "bodies": [{"name": "floor", "motion": "static", "shape": {"type": "plane"}},
    {"name": "crate", "material": "oak", "position": [0, 0.25, 0],
     "shape": {"type": "box", "size": [2, 0.5, 1]}}]})";

const QByteArray kPendulum = R"({"touchstone": 1, "name": "p", "title": "P", "dt": 0.01, "duration": 0.03,
  "methods": ["lcp"],
  "bodies": [{"name": "floor", "motion": "static", "shape": {"type": "plane"}},
    {"name": "a", "position": [0, 0.5, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "b", "position": [1.5, 0.5, 0], "shape": {"type": "box", "size": [1, 1, 1]}}],
  "joints": [{"name": "hinge", "type": "ball", "body_a": "a", "body_b": "b", "position": [0.75, 0.5, 0]}]})";

}  // namespace

void CheckCommandTest::printsBodiesMassesSizesAndValuesWithTheirSource() {
  m_folder->write("a.json", kScene);
  const Result result = run({"check", "a.json", "--set", "cpf.stiffness=12345"});
  QVERIFY2(result.code == 0, qPrintable(result.error));
  const auto has = [&result](const char* pattern) {
    return QRegularExpression(pattern, QRegularExpression::MultilineOption).match(result.out).hasMatch();
  };
  QVERIFY(has("^  crate +dynamic +convex +2 x 0\\.5 x 1 +1 +700 +oak$"));  // 700 kg/m³ of 1 m³
  QVERIFY(has("^  floor +static +plane +- "));
  QVERIFY(has("^  oak +700 +0\\.4 +0\\.4 "));
  QVERIFY(has("^Pane cpf: "));
  QVERIFY(has("^  substeps +5 +scene$"));
  QVERIFY(has("^  step +0\\.002 s +scene$"));
  QVERIFY(has("^  stiffness +12345 N/m +user$"));
  QVERIFY(has("^  damping +3 .*scene$"));
  QVERIFY(has("^Pane lcp: "));
  QVERIFY(has("^  solver +auto +our default$"));
  const Result automatic = run({"check", "a.json", "--methods", "dpf"});
  QVERIFY(QRegularExpression("\n  stiffness +automatic, [0-9.e+]+ N/m ").match(automatic.out).hasMatch());
}

/// A crate that begins 1 cm in the floor, with four corners on it; and methods that do not take the scene.
void CheckCommandTest::tellsOverlapsContactsAndWhoRuns() {
  QByteArray sunk = kScene;
  sunk.replace("[0, 0.25, 0]", "[0, 0.24, 0]");
  m_folder->write("a.json", sunk);
  const Result result = run({"check", "a.json"});
  QVERIFY2(result.code == 0, qPrintable(result.error));
  const auto has = [](const Result& of, const char* pattern) {
    return QRegularExpression(pattern, QRegularExpression::MultilineOption).match(of.out).hasMatch();
  };
  QVERIFY2(has(result, "^  floor - crate +0\\.01 +0\\.02$"), qPrintable(result.out));  // 1 cm of 2 m²
  QVERIFY2(has(result, "^  floor - crate +4 +-0\\.01$"), qPrintable(result.out));
  QVERIFY(has(result, "^  peg +runs$"));
  m_folder->write("b.json", kScene);
  QVERIFY(has(run({"check", "b.json"}), "^  no bodies overlap$"));
  const Result soft = run({"check", "soft-block"});
  QVERIFY2(has(soft, "^  lcp +does not run: .*body 'block' deforms"), qPrintable(soft.out));
  QVERIFY(has(soft, "^  cpf +runs$"));
}

void CheckCommandTest::takesNoStepAndWritesNothing() {
  m_folder->write("a.json", kScene);
  QCOMPARE(run({"check", "a.json"}).code, 0);
  QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{"a.json"});
}

void CheckCommandTest::aBadSceneIsBadInput_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  QTest::addColumn<QString>("named");
  QTest::newRow("unknown member") << QByteArray("\"duration\"") << QByteArray("\"durration\"") << "durration";
  QTest::newRow("no method") << QByteArray("[\"cpf\", \"lcp\"]") << QByteArray("[\"cfp\"]") << "methods[0]";
  QTest::newRow("no parameter") << QByteArray("\"damping\"") << QByteArray("\"damp\"")
                                << "parameters.cpf.damp";
  QTest::newRow("no material") << QByteArray("\"material\": \"oak\"") << QByteArray("\"material\": \"ash\"")
                               << "bodies[1].material";
  QTest::newRow("no substeps") << QByteArray("\"substeps\": 5") << QByteArray("\"substeps\": 0")
                               << "substeps";
}

void CheckCommandTest::aBadSceneIsBadInput() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  QFETCH(QString, named);
  m_folder->write("a.json", QByteArray(kScene).replace(from, to));
  const Result result = run({"check", "a.json"});
  QCOMPARE(result.code, 2);
  QVERIFY2(result.error.contains(named), qPrintable(result.error));
}

void CheckCommandTest::equalWordsGiveEqualManifests() {
  m_folder->write("a.json", kScene);
  m_folder->write("s.json",
                  R"({"touchstone_study": 1, "name": "s", "title": "S", "scene": "a.json", "time": 0.05,
    "panes": [{"label": "CPF", "method": "cpf", "on_failure": "go-on"}]})");
  QCOMPARE(run({"run", "a.json", "--methods", "cpf", "--out", "run"}).code, 0);
  QCOMPARE(run({"map", "a.json", "--method", "cpf", "--vary", "stiffness=1e4,2e4", "--out", "map"}).code, 0);
  QCOMPARE(run({"ensemble", "a.json", "--methods", "cpf", "--copies", "2", "--quantity", "mean_height",
                "--out", "ensemble"})
               .code,
           0);
  const Result study = run({"study", "s.json", "--out", "study"});
  QVERIFY2(study.code == 0, qPrintable(study.error));
  const nlohmann::json ran = manifest("run").at("panes").at(0);
  QCOMPARE(ran.at("substeps").get<int>(), 5);
  QVERIFY(manifest("map").at("pane") == ran);
  QVERIFY(manifest("ensemble").at("panes").at(0).at("settings") == ran);
  const std::string studied = m_folder->content("study/manifest.json").toStdString();
  QVERIFY2(studied.find("\"substeps\": 5") != std::string::npos, studied.c_str());
}

void CheckCommandTest::theManifestNamesTheSolverThatDelivered() {
  m_folder->write("p.json", kPendulum);
  const Result result = run({"run", "p.json", "--methods", "lcp-lemke,lcp-newton-fb-pcr", "--out", "out"});
  QVERIFY2(result.code == 0, qPrintable(result.error));
  const QString lemke = "lemke, joints eliminated directly";
  QVERIFY2(result.out.contains("lcp-lemke: " + lemke + " in 3 of 3 frames"), qPrintable(result.out));
  QVERIFY2(!result.out.contains("lcp-newton-fb-pcr: "), qPrintable(result.out));  // as asked
  const nlohmann::json inForce = manifest("out").at("in_force");
  QCOMPARE(QString::fromStdString(inForce.at(0).at("delivered_by").at(0).at("solver")), lemke);
  QCOMPARE(QString::fromStdString(inForce.at(1).at("delivered_by").at(0).at("solver")),
           QString("newton-fb-pcr"));
  QVERIFY(m_folder->content("out/convergence.csv").contains("newton-fb-pcr"));
  QCOMPARE(run({"run", "--from", "out/manifest.json", "--out", "again"}).code, 0);
}

void CheckCommandTest::columnsOfListDoNotTouch() {
  const Result result = run({"list"});
  QCOMPARE(result.code, 0);
  const QStringList lines = result.out.split('\n');
  int checked = 0;
  for (const char* key : {"stiffness_perturbation", "cloth-and-tori", "resting-box", "newton-fb", "cuda"})
    for (const QString& line : lines) {
      if (!line.trimmed().startsWith(QLatin1String(key))) continue;
      QVERIFY2(line.trimmed().startsWith(QLatin1String(key) + QLatin1String("  ")), qPrintable(line));
      ++checked;
    }
  QVERIFY(checked >= 5);
}

void CheckCommandTest::theMedianOfTwoIsTheirMeanThroughEveryDoor() {
  QCOMPARE(median({2, 1}), 1.5);
  QCOMPARE(medianWithInterval({1, 2}).median, 1.5);
  ExpressionTable table("run", {"x"});
  table.add({1.0});
  table.add({2.0});
  QCOMPARE(table.number("median(x)"), 1.5);
  EnsembleQuantity quantity;
  quantity.reduction = EnsembleQuantity::Reduction::Median;
  QCOMPARE(reduced(quantity, {0, 1}, {1, 2}), 1.5);
  RunCourse summary;
  for (long frame : {0, 1}) {
    StepRecord record;
    record.method = "cpf";
    record.frame = frame;
    record.quantities[Quantity::Overlap] = 1.0 + static_cast<double>(frame);
    summary.add(record);
  }
  QCOMPARE(summaryOf(summary, 1).overlapMedian, 1.5);
}

QTEST_GUILESS_MAIN(CheckCommandTest)
#include "tst_check_command.moc"
