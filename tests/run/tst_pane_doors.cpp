#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/resolved_values.h"
#include "core/run/settings_json.h"
#include "core/study/study.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// The words of a pane mean the same settings wherever they are read.
class PaneDoorsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aStudyRunsWhatRunRunsInEveryShippedScene();
  void aStudyMayStillSayItsSubsteps();
  void aStudyTakesASolverByItsWholeName();
  void aSweepIsReadAsOptionsAre_data();
  void aSweepIsReadAsOptionsAre();
  void aListIsSplitBetweenPanesOnly();
  void wordsOfSettingsGiveTheSettingsAgain();
  void anotherMethodBringsItsSubsteps();
  void anotherMethodOnSpringsKeepsTheValues();
  void theTableNamesSourceAndNumber();

 private:
  std::vector<StudyTask> tasksOfPanes(const nlohmann::json& panes, const std::string& scene,
                                      const nlohmann::json& sweep = {}) const {
    nlohmann::json study{
        {"touchstone_study", 1}, {"name", "doors"}, {"title", "Doors"}, {"time", 1}, {"panes", panes}};
    study["scene"] = std::filesystem::path(scene).filename().string();
    if (!sweep.is_null()) study["sweep"] = sweep;
    const std::string path = m_folder.write("study.json", QByteArray::fromStdString(study.dump()));
    return tasksOf(loadStudy(path),
                   {TS_SOURCE_DIR "/datasets", [&scene](const std::string&) { return scene; }});
  }
  mutable test::SceneFolder m_folder;
};

namespace {

const char kScenes[] = TS_SOURCE_DIR "/datasets/scenes";
const std::string kSuggesting = R"("parameters": {"cpf": {"substeps": 7, "stiffness": 3e4},
  "lcp": {"solver": "pgs", "substeps": 3}}, )";

/// Settings in force as text. A study decides on_failure by a member of its pane.
std::string settledText(const Scene& scene, const PaneSettings& pane) {
  PaneSettings settled = inForce(scene, pane);
  settled.parameters.erase("on_failure");
  return toJson(settled).dump();
}

QByteArray box() {
  return R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
    {"name": "box", "position": [0, 0.5, 0], "shape": {"type": "box", "size": [1, 1, 1]}})";
}

}  // namespace

void PaneDoorsTest::aStudyRunsWhatRunRunsInEveryShippedScene() {
  int compared = 0, ofTheScene = 0;
  for (const std::string& path : findScenes(kScenes)) {
    const std::shared_ptr<const Scene> scene = loadScene(path);
    nlohmann::json panes = nlohmann::json::array();
    std::vector<PaneSettings> runs;
    for (const MethodInfo& method : methodTable()) {
      PaneSettings run = paneFor(method.key, *scene);
      takePublishedForms(run);  // what studies are, unless they say otherwise
      if (!refusal(*scene, run).empty()) continue;
      panes.push_back({{"label", method.key}, {"method", method.key}});
      runs.push_back(run);
    }
    const std::vector<StudyTask> tasks = tasksOfPanes(panes, path);
    QCOMPARE(tasks.size(), runs.size());
    for (std::size_t pane = 0; pane < runs.size(); ++pane) {
      const std::string studied = settledText(*scene, tasks[pane].settings),
                        ran = settledText(*scene, runs[pane]);
      QVERIFY2(studied == ran, qPrintable(QString::fromStdString(path + "\n" + studied + "\n" + ran)));
      ++compared;
      ofTheScene += runs[pane].substeps > 1;
    }
  }
  QVERIFY(compared > 100);
  QVERIFY(ofTheScene > 0);  // or the comparison proves nothing
}

void PaneDoorsTest::aStudyMayStillSayItsSubsteps() {
  const std::string path = m_folder.write(
      "scene.json", test::SceneFolder::withBodies(box(), QByteArray::fromStdString(kSuggesting)));
  const auto tasks = tasksOfPanes({{{"label", "suggested"}, {"method", "cpf"}},
                                   {{"label", "one"}, {"method", "cpf"}, {"substeps", 1}},
                                   {{"label", "solver"}, {"method", "lcp"}},
                                   {{"label", "set"}, {"method", "cpf"}, {"set", {{"substeps", 2}}}}},
                                  path);
  QCOMPARE(tasks[0].settings.substeps, 7);
  QCOMPARE(tasks[1].settings.substeps, 1);
  QCOMPARE(tasks[2].settings.substeps, 3);
  QCOMPARE(tasks[2].settings.solver, std::string("pgs"));
  QCOMPARE(tasks[3].settings.substeps, 2);
}

void PaneDoorsTest::aStudyTakesASolverByItsWholeName() {
  const std::string path = m_folder.write("scene.json", test::SceneFolder::withBodies(box()));
  const auto tasks = tasksOfPanes({{{"label", "pcr"}, {"method", "lcp"}, {"solver", "newton-fb-pcr"}}}, path);
  const auto scene = loadScene(path);
  PaneSettings expected = paneFor("lcp-newton-fb-pcr", *scene);
  takePublishedForms(expected);
  QCOMPARE(settledText(*scene, tasks[0].settings), settledText(*scene, expected));
}

void PaneDoorsTest::aSweepIsReadAsOptionsAre_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("value");
  QTest::newRow("substeps above the range") << "substeps"
                                            << "4294967297";
  QTest::newRow("half a substep") << "substeps"
                                  << "1.5";
  QTest::newRow("a frame of no length") << "dt"
                                        << "0";
  QTest::newRow("no time") << "time"
                           << "-1";
  QTest::newRow("a switch for a number") << "parameters/stiffness"
                                         << "true";
}

void PaneDoorsTest::aSweepIsReadAsOptionsAre() {
  QFETCH(QString, target);
  QFETCH(QString, value);
  const std::string path = m_folder.write("scene.json", test::SceneFolder::withBodies(box()));
  const nlohmann::json set{{target.toStdString(), nlohmann::json::parse(value.toStdString())}};
  const nlohmann::json sweep{{{"axis", "a"}, {"points", {{{"value", 1}, {"set", set}}}}}};
  bool isRefused = false;
  try {
    tasksOfPanes({{{"label", "cpf"}, {"method", "cpf"}}}, path, sweep);
  } catch (const std::exception& error) {
    isRefused = QByteArray(error.what()).contains(target.section('/', -1).toUtf8());
  }
  QVERIFY(isRefused);
}

void PaneDoorsTest::aListIsSplitBetweenPanesOnly() {
  const auto scene = m_folder.load(box());
  const auto panes = panesFor({"lcp-lemke:friction_facets=4", "tolerance=1e-9", "peg"}, *scene);
  QCOMPARE(panes.size(), std::size_t(2));
  QCOMPARE(panes[0].parameters.at("tolerance"), ParameterValue(1e-9));
  QCOMPARE(panes[1].method, std::string("peg"));
}

void PaneDoorsTest::wordsOfSettingsGiveTheSettingsAgain() {
  const auto scene = m_folder.load(box(), QByteArray::fromStdString(kSuggesting));
  for (const char* words :
       {"cpf", "lcp-lemke", "lcp-newton-fb-pcr:tolerance=1e-07", "peg:step=exact,substeps=2"}) {
    const PaneSettings settings = paneFor(words, *scene);
    QVERIFY2(paneFor(wordsOf(settings), *scene) == settings, wordsOf(settings).c_str());
  }
}

void PaneDoorsTest::anotherMethodBringsItsSubsteps() {
  const auto scene = m_folder.load(box(), QByteArray::fromStdString(kSuggesting));
  PaneSettings pane = paneFor("lcp", *scene);
  QCOMPARE(withMethod(pane, "cpf", *scene), paneFor("cpf", *scene));
  pane.substeps = 5;  // by the user
  QCOMPARE(withMethod(pane, "cpf", *scene).substeps, 5);
}

/// DPF-CCD has no suggestion in the scene: it gets what the scene suggests for DPF, and what the user has
/// set.
void PaneDoorsTest::anotherMethodOnSpringsKeepsTheValues() {
  const auto scene =
      m_folder.load(box(), R"("methods": ["dpf"], "parameters": {"dpf": {"stiffness": 20000, "substeps": 3},
                "lcp": {"margin": 0.002}}, )");
  PaneSettings pane = paneFor("dpf", *scene);
  pane.parameters["damping"] = 50.0;
  const PaneSettings after = withMethod(pane, "dpf-ccd", *scene);
  QCOMPARE(valuesInForce(*scene, after).at("stiffness"), ParameterValue(20000.0));
  QCOMPARE(valuesInForce(*scene, after).at("damping"), ParameterValue(50.0));
  QCOMPARE(after.substeps, 3);
  QVERIFY(lostWith(pane, after, *scene).empty());
  // A margin is no spring: the scene's own suggestion holds, and what is lost is named.
  const PaneSettings exact = withMethod(pane, "lcp", *scene);
  QCOMPARE(valuesInForce(*scene, exact).at("margin"), ParameterValue(0.002));
  QVERIFY(exact.parameters.count("stiffness") == 0);
  const std::vector<std::string> lost = lostWith(pane, exact, *scene);
  QVERIFY(std::any_of(lost.begin(), lost.end(),
                      [](const std::string& text) { return text.find("20000") != std::string::npos; }));
}

void PaneDoorsTest::theTableNamesSourceAndNumber() {
  const auto scene = m_folder.load(box(), QByteArray::fromStdString(kSuggesting));
  const auto rowOf = [&](const PaneSettings& pane, double dt, const char* key) {
    for (const ResolvedValue& value : resolvedValues(*scene, pane, dt))
      if (value.key == key) return value;
    return ResolvedValue();
  };
  PaneSettings pane = paneFor("cpf", *scene);
  QCOMPARE(sourceText(rowOf(pane, scene->dt, "substeps")), std::string("scene"));
  QCOMPARE(std::get<double>(rowOf(pane, scene->dt, "step").value), scene->dt / 7);
  QCOMPARE(sourceText(rowOf(pane, scene->dt, "stiffness")), std::string("scene"));
  pane.substeps = 2;
  pane.parameters["stiffness"] = std::string(kAutomatic);
  QCOMPARE(sourceText(rowOf(pane, scene->dt, "substeps")), std::string("user"));
  const ResolvedValue stiffness = rowOf(pane, 0.004, "stiffness");
  QCOMPARE(sourceText(stiffness), std::string("user"));
  QVERIFY(stiffness.automatic.has_value());
  QCOMPARE(stiffness.automatic->most, automaticValueOf(*scene, "cpf", "stiffness", 0.002)->most);
  QVERIFY(valueText(stiffness).find("automatic, ") == 0);
  QCOMPARE(sourceText(rowOf(paneFor("lcp", *scene), scene->dt, "solver")), std::string("scene"));
  QCOMPARE(sourceText(rowOf(paneFor("lcp-lemke", *scene), scene->dt, "solver")), std::string("user"));
}

QTEST_APPLESS_MAIN(PaneDoorsTest)
#include "tst_pane_doors.moc"
