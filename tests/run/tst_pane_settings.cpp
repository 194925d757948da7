#include <QtTest>

#include "core/files/scene_error.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// Settings of panes are checked in the same way for all sources. If a method refuses a scene's suggestion,
/// the scene is in error: no pane is left out.
class PaneSettingsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void badSuggestionsAreErrorsOfTheScene_data();
  void badSuggestionsAreErrorsOfTheScene();
  void goodSuggestionsReachThePanes();
  void aMethodThatCannotRunTheSceneIsAnErrorOnlyWhereItIsAskedFor();
  void valuesAreNotCut_data();
  void valuesAreNotCut();
  void switchesAreWordsOrNumbers();

 private:
  std::shared_ptr<const Scene> scene(const QByteArray& methods, const QByteArray& parameters) {
    return m_folder.load(kBodies, "\"methods\": " + methods + ", \"parameters\": " + parameters + ", ");
  }
  static const QByteArray kBodies;
  test::SceneFolder m_folder;
};

const QByteArray PaneSettingsTest::kBodies =
    R"({"name": "box", "shape": {"type": "box", "size": [1, 1, 1]}})";

void PaneSettingsTest::badSuggestionsAreErrorsOfTheScene_data() {
  QTest::addColumn<QByteArray>("parameters");
  QTest::addColumn<QByteArray>("field");
  const auto row = [](const char* name, const char* parameters, const char* field) {
    QTest::newRow(name) << QByteArray(parameters) << QByteArray(field);
  };
  row("below its range", R"({"cpf": {"stiffness": -5}})", "parameters.cpf.stiffness: ");
  row("no such parameter", R"({"cpf": {"stifness": 5}})",
      "parameters.cpf.stifness: is no parameter of cpf; did you mean");
  row("a text for a number", R"({"cpf": {"stiffness": "5"}})", "parameters.cpf.stiffness: must be a number");
  row("true for a number", R"({"cpf": {"stiffness": true}})", "parameters.cpf.stiffness: must be a number");
  row("a number for a choice", R"({"peg": {"step": 1}})", "parameters.peg.step: must be one of");
  row("no such choice", R"({"peg": {"step": "leap"}})", "parameters.peg.step: must be one of");
  row("no such method", R"({"cfp": {"stiffness": 5}})", "parameters.cfp: is no method; did you mean 'cpf'?");
  row("a method that is not suggested", R"({"dpf": {"stiffness": -5}})", "parameters.dpf.stiffness: ");
  row("no substeps", R"({"cpf": {"substeps": 0}})", "parameters.cpf.substeps: ");
  row("negative substeps", R"({"cpf": {"substeps": -1}})", "parameters.cpf.substeps: ");
  row("half a substep", R"({"cpf": {"substeps": 1.5}})", "parameters.cpf.substeps: ");
  row("very many substeps", R"({"cpf": {"substeps": 1e30}})", "parameters.cpf.substeps: ");
  row("substeps as a text", R"({"cpf": {"substeps": "2"}})", "parameters.cpf.substeps: ");
  row("substeps as a switch", R"({"cpf": {"substeps": true}})", "parameters.cpf.substeps: ");
  row("no such solver", R"({"peg": {"solver": "magic"}})", "parameters.peg.solver: ");
  row("solver as a number", R"({"peg": {"solver": 3}})", "parameters.peg.solver: ");
  row("a solver for a method without", R"({"cpf": {"solver": "pgs"}})", "parameters.cpf.solver: ");
}

void PaneSettingsTest::badSuggestionsAreErrorsOfTheScene() {
  QFETCH(QByteArray, parameters);
  QFETCH(QByteArray, field);
  const auto bad = scene(R"(["cpf", "peg"])", parameters);
  const auto said = [](const auto& open) {
    try {
      open();
      return QByteArray();
    } catch (const SceneError& error) {
      return QByteArray(error.what());
    }
  };
  const QByteArray start = QByteArray::fromStdString(bad->file) + ":" + field;
  for (const QByteArray& what : {said([&] { suggestedPanes(*bad); }), said([&] { paneFor("peg", *bad); }),
                                 said([&] { Comparison(bad, {paneNamed("lcp")}); })})
    QVERIFY2(what.startsWith(start) && what.contains("; "), what);
}

void PaneSettingsTest::goodSuggestionsReachThePanes() {
  const auto good =
      scene(R"(["cpf", "peg"])", R"({"cpf": {"stiffness": 5e3, "substeps": 7}, "peg": {"solver": "pgs"}})");
  const std::vector<PaneSettings> panes = suggestedPanes(*good);
  QCOMPARE(panes.size(), std::size_t(2));
  QCOMPARE(panes[0].substeps, 7);
  QCOMPARE(std::get<double>(valuesInForce(*good, panes[0]).at("stiffness")), 5e3);
  QVERIFY(panes[1].solver == "pgs");
  QVERIFY(paneFor("peg", *good).solver == "pgs");
  QVERIFY(paneFor("peg-lemke", *good).solver == "lemke");
}

void PaneSettingsTest::aMethodThatCannotRunTheSceneIsAnErrorOnlyWhereItIsAskedFor() {
  const auto planar = m_folder.load(R"({"name": "a", "shape": {"type": "polygon", "sides": 3, "radius": 1}})",
                                    R"("methods": ["lcp", "cpf"], )");
  try {
    suggestedPanes(*planar);
    QFAIL("cpf runs polygons");
  } catch (const SceneError& error) {
    QVERIFY2(QByteArray(error.what()).contains(":methods[1]: cpf cannot run scene"), error.what());
  }
  QVERIFY(refusal(*planar, paneFor("peg", *planar)).empty());
  QVERIFY(!refusal(*planar, paneFor("dpf", *planar)).empty());
}

void PaneSettingsTest::valuesAreNotCut_data() {
  QTest::addColumn<QString>("key");
  QTest::addColumn<QString>("word");
  for (const char* word : {"1.5", "0", "-3", "1e30", "true", "two", "", "nan"})
    QTest::addRow("substeps %s", word) << "substeps" << word;
  for (const char* word : {"true", "much", "", "nan", "inf", "-inf", "1e3x", "1,5"})
    QTest::addRow("stiffness %s", word) << "stiffness" << word;
  QTest::newRow("solver") << "solver"
                          << "3";
}

void PaneSettingsTest::valuesAreNotCut() {
  QFETCH(QString, key);
  QFETCH(QString, word);
  const auto box = scene(R"(["cpf"])", "{}");
  PaneSettings pane = paneNamed("cpf");
  std::string problem;
  try {
    applyKey(key.toStdString(), valueOfWord(word.toStdString()), pane);
    problem = refusal(*box, pane);
  } catch (const std::invalid_argument& error) {
    problem = error.what();
  }
  QVERIFY2(QString::fromStdString(problem).contains(key), problem.c_str());
}

void PaneSettingsTest::switchesAreWordsOrNumbers() {
  const ParameterSpec spec{"on", "On", "", "", ParameterKind::Switch, 0.0, 0, 1, false, {}};
  for (const ParameterValue& value : {ParameterValue(1.0), ParameterValue(std::string("true"))}) {
    QVERIFY(refusal(spec, value).empty());
    QCOMPARE(std::get<double>(meant(spec, value)), 1.0);
  }
  for (const ParameterValue& value : {ParameterValue(0.5), ParameterValue(std::string("yes"))})
    QVERIFY(!refusal(spec, value).empty());
}

QTEST_APPLESS_MAIN(PaneSettingsTest)
#include "tst_pane_settings.moc"
