#include <QtTest>

#include "core/files/scene_error.h"
#include "core/run/command.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/statistics/parameter_map.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// Keys of parameters that earlier versions wrote mean today's: scenes, sessions, manifests, recordings,
/// studies and command lines open as before.
class FormerKeysTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aSceneOpensWithANote();
  void aKeyUnderBothNamesIsRefused();
  void settingsOfSessionsAndManifestsOpen();
  void aLoggedCommandOpens();
  void wordsOfPanesAndAxesOfMapsOpen();
  void allMethodsHaveOneKeyForOneQuantity();
};

namespace {

constexpr char kBox[] =
    R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
       {"name": "box", "position": [0, 2, 0], "shape": {"type": "box", "size": [1, 1, 1]}})";

std::shared_ptr<const Scene> sceneWith(test::SceneFolder& folder, const QByteArray& parameters) {
  return folder.load(kBox, R"("methods": ["lcp"], "parameters": )" + parameters + ", ");
}

double numberIn(const ParameterValues& values, const char* key) { return std::get<double>(values.at(key)); }

}  // namespace

void FormerKeysTest::aSceneOpensWithANote() {
  test::SceneFolder folder;
  const auto scene = sceneWith(
      folder, R"({"lcp": {"correction_cap": 0.5, "stabilisation": 0.25}, "dpf": {"parting_speed": 2}})");
  const ParameterValues lcp = valuesInForce(*scene, paneFor("lcp", *scene)),
                        dpf = valuesInForce(*scene, paneFor("dpf", *scene));
  QCOMPARE(numberIn(lcp, "max_depenetration_speed"), 0.5);
  QCOMPARE(numberIn(lcp, "baumgarte"), 0.25);
  QCOMPARE(numberIn(dpf, "max_depenetration_speed"), 2.0);
  for (const char* former : {"correction_cap", "stabilisation", "parting_speed"}) {
    QVERIFY(lcp.count(former) == 0 && dpf.count(former) == 0);
    QVERIFY(std::any_of(scene->notes.begin(), scene->notes.end(),
                        [&](const std::string& note) { return note.find(former) != std::string::npos; }));
  }
}

void FormerKeysTest::aKeyUnderBothNamesIsRefused() {
  test::SceneFolder folder;
  try {
    sceneWith(folder, R"({"lcp": {"baumgarte": 0.5, "stabilisation": 0.25}})");
    QFAIL("it was taken");
  } catch (const SceneError& error) {
    QVERIFY2(std::string(error.what()).find("given twice") != std::string::npos, error.what());
  }
}

void FormerKeysTest::settingsOfSessionsAndManifestsOpen() {
  const nlohmann::json json = {{"method", "peg"},
                               {"solver", ""},
                               {"substeps", 1},
                               {"backend", "cpu"},
                               {"parameters", {{"correction_cap", 0.5}, {"stabilisation", 0.25}}}};
  const PaneSettings settings = paneOf(JsonView(json, "a file", ""));
  QCOMPARE(numberIn(settings.parameters, "max_depenetration_speed"), 0.5);
  QCOMPARE(numberIn(settings.parameters, "baumgarte"), 0.25);
}

void FormerKeysTest::aLoggedCommandOpens() {
  const Command command =
      commandOf(R"({"do": "parameter", "pane": 0, "key": "parting_speed", "value": 3})", "a recording");
  QCOMPARE(std::get<command::SetParameter>(command).key, std::string("max_depenetration_speed"));
}

void FormerKeysTest::wordsOfPanesAndAxesOfMapsOpen() {
  test::SceneFolder folder;
  const auto scene = sceneWith(folder, "{}");
  const PaneSettings pane = paneFor("lcp:stabilisation=0.25", *scene);
  QCOMPARE(numberIn(valuesInForce(*scene, pane), "baumgarte"), 0.25);
  const MapAxis axis = mapAxisOf("correction_cap=0.5,2", "lcp");
  QCOMPARE(axis.key, std::string("max_depenetration_speed"));
  QVERIFY(findParameter(*findMethod("cpf"), "parting_speed") ==
          findParameter(*findMethod("cpf"), "max_depenetration_speed"));
  QVERIFY(!findParameter(*findMethod("nsn"), "parting"));
}

void FormerKeysTest::allMethodsHaveOneKeyForOneQuantity() {
  for (const MethodInfo* method : {findMethod("dpf"), findMethod("dpf-ccd"), findMethod("cpf"),
                                   findMethod("lcp"), findMethod("peg"), findMethod("nsn")})
    QVERIFY2(findParameter(*method, "max_depenetration_speed"), method->key.c_str());
  for (const MethodInfo& method : methodTable())
    for (const ParameterSpec& spec : method.parameters) QCOMPARE(currentKey(spec.key), spec.key);
}

QTEST_APPLESS_MAIN(FormerKeysTest)
#include "tst_former_keys.moc"
