#include <QProcess>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/conform/kit.h"
#include "core/files/file_bytes.h"
#include "core/files/sha256.h"
#include "core/robot/scene_readers.h"
#include "tests/support/command_folder.h"

using namespace touchstone;
using Json = nlohmann::json;

/// `touchstone-cli conform --kit`, `--check` and `--verify`: from an engine of somebody else to a card that
/// others can check.
class KitTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init() { m_folder = std::make_unique<test::CommandFolder>(); }
  void theEngineOfTheGuideGoesFromKitToCard();
  void theKitHoldsEveryRunOfTheBattery();
  void aRunThatNoFormatHoldsIsListed();
  void twoKitsHaveTheSameBytes();
  void theScriptLeavesOutWhatItIsNotGiven();
  void aChangedFileOfAKitStays();
  void whatAFolderLacksIsNamed_data();
  void whatAFolderLacksIsNamed();
  void aRunAboutTheStepWantsThatStep();
  void aColumnTellsOnceWhatIsMissing();
  void filesAloneMakeACard();
  void aTrajectoryOfAnotherSceneFails();
  void cardsOfAllKindsAreConsistent_data();
  void cardsOfAllKindsAreConsistent();
  void aChangedCardIsRefused_data();
  void aChangedCardIsRefused();
  void whatIsNoCardIsRefusedWithItsPlace_data();
  void whatIsNoCardIsRefusedWithItsPlace();
  void theSchemaNamesEveryMemberOfACard();

 private:
  struct Result {
    int code;
    QByteArray out, error;
  };
  Result run(const QStringList& arguments, const QString& program = test::CommandFolder::program()) const {
    QProcess process;
    process.setWorkingDirectory(m_folder->path());
    process.start(program, arguments);
    const int code = test::endOf(process, 240000);
    return {code, process.readAllStandardOutput(), process.readAllStandardError()};
  }
  Json json(const QString& name) const { return Json::parse(m_folder->content(name).toStdString()); }
  QByteArray poses(const QString& scene) const;
  std::unique_ptr<test::CommandFolder> m_folder;
  QByteArray m_cradle;  ///< our own trajectory of the cradle
  QByteArray m_card;    ///< card.json of three phenomena in four columns
};

namespace {

const QString kBattery = QStringLiteral(TS_SOURCE_DIR "/datasets/battery");

std::vector<Phenomenon> battery() { return loadPhenomena(kBattery.toStdString()); }

QString guide() {
  QFile page(QStringLiteral(TS_SOURCE_DIR "/app/help/for-authors.md"));
  return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

Json& named(Json& items, const char* key, const std::string& name) {
  for (Json& item : items)
    if (item.at(key) == name) return item;
  throw std::invalid_argument(name);
}
Json& numberOf(Json& card, const char* phenomenon, const char* measure, const char* column) {
  for (Json& item : named(card["phenomena"], "name", phenomenon)["numbers"])
    if (item["measure"] == measure && item["column"] == column) return item;
  throw std::invalid_argument(measure);
}

QMap<QString, QByteArray> filesBelow(const QString& folder) {
  QMap<QString, QByteArray> files;
  QDirIterator names(folder, QDir::Files, QDirIterator::Subdirectories);
  while (names.hasNext()) {
    QFile file(names.next());
    if (file.open(QIODevice::ReadOnly))
      files[QDir(folder).relativeFilePath(file.fileName())] = file.readAll();
  }
  return files;
}

}  // namespace

/// Poses of LCP in a scene of the battery.
QByteArray KitTest::poses(const QString& scene) const {
  const Result result =
      run({"run", kBattery + "/scenes/" + scene + ".json", "--methods", "lcp", "--poses", "--out", scene});
  return result.code == 0 ? m_folder->content(scene + "/poses.csv") : QByteArray();
}

void KitTest::initTestCase() {
  init();
  m_cradle = poses("cradle");
  QVERIFY(m_cradle.contains("# scene_sha256: "));
  const Result made = run({"conform", "cradle", "thin-wall", "isotropy", "--methods",
                           "dpf,lcp,lcp-lemke:friction_facets=4,peg", "--out", "card"});
  QVERIFY2(made.code == 0, made.error);
  m_card = m_folder->content("card/card.json");
}

void KitTest::theEngineOfTheGuideGoesFromKitToCard() {
  const QString python = QStandardPaths::findExecutable("python3");
  if (python.isEmpty()) QSKIP("needs python3");
  const QRegularExpression block("```python\\n(.*?)```", QRegularExpression::DotMatchesEverythingOption);
  const QString engine = block.match(guide()).captured(1);
  const QStringList lines = engine.split('\n', Qt::SkipEmptyParts);
  QVERIFY2(lines.size() > 10 && lines.size() <= 30, qPrintable(QString::number(lines.size())));
  const QRegularExpression command("^    ((?:touchstone-cli|python3) .*)$",
                                   QRegularExpression::MultilineOption);
  int commands = 0;
  for (auto match = command.globalMatch(guide()); match.hasNext(); ++commands) {
    QStringList words = match.next().captured(1).split(' ');
    const QString program = words.takeFirst();
    const Result result = run(words, program == "python3" ? python : test::CommandFolder::program());
    QVERIFY2(result.code == 0, words.join(' ').toUtf8() + ": " + result.out + result.error);
    QVERIFY2(!result.error.contains("Warning"), result.error);
    if (words.contains("--kit")) m_folder->write("kit/sliding.py", engine.toUtf8());
    if (words.contains("--check")) QVERIFY2(result.out.contains(" of 7 runs are complete"), result.out);
    if (words.contains("--verify"))
      QVERIFY2(result.out.contains(": consistent with the battery"), result.out);
  }
  QCOMPARE(commands, 5);
  Json card = json("card/card.json");
  for (const char* phenomenon : {"order", "cradle", "isotropy", "thin-wall"}) {
    const Json& cells = named(card["phenomena"], "name", phenomenon)["cells"];
    QVERIFY2(cells.size() == 1 && cells[0]["verdict"] == "agrees", cells.dump().c_str());
  }
  // It declares its integrator, whose error constant is asked then.
  QCOMPARE(numberOf(card, "order", "constant", "sliding")["verdict"].get<std::string>(),
           std::string("agrees"));
}

void KitTest::theKitHoldsEveryRunOfTheBattery() {
  const Result result = run({"conform", "--kit", "kit"});
  QVERIFY2(result.code == 0, result.error);
  Json kit = json("kit/kit.json");
  QCOMPARE(kit["touchstone_kit"].get<int>(), 1);
  QCOMPARE(kit["battery_version"].get<std::string>(), std::string(kBatteryVersion));
  std::size_t count = 0;
  for (const Phenomenon& phenomenon : battery())
    for (const PhenomenonRun& run : phenomenon.runs) {
      ++count;
      Json found;
      for (const Json& each : kit["runs"])
        if (each["phenomenon"] == phenomenon.name && each["run"] == run.id) {
          QVERIFY(found.is_null());
          found = each;
        }
      QVERIFY2(!found.is_null(), (phenomenon.name + " " + run.id).c_str());
      const QString path = QString::fromStdString(found["scene"].get<std::string>());
      const QByteArray bytes = m_folder->content("kit/" + path);
      QCOMPARE(sha256(bytes.toStdString()), found["scene_sha256"].get<std::string>());
      const auto scene = loadScene(m_folder->at("kit/" + path).toStdString());
      QCOMPARE(found["dt"].get<double>(), run.dt > 0 ? run.dt : scene->dt);
      QCOMPARE(found["time"].get<double>(), run.time > 0 ? run.time : scene->duration);
      QCOMPARE(found["gravity"][1].get<double>(), scene->gravity.y());
      QCOMPARE(found["trajectory"].get<std::string>(), trajectoryNames(phenomenon, run).front());
      const Json bodies = json("kit/" + QString::fromStdString(found["bodies"].get<std::string>()));
      QCOMPARE(bodies["bodies"].size(), scene->bodies.size());
      for (const char* format : {"mjcf", "urdf"}) {
        const bool isLeftOut = found["not_exported"].contains(format);
        QCOMPARE(found[format].is_null(), isLeftOut);
        if (isLeftOut) {
          QVERIFY(found["not_exported"][format].get<std::string>().find("polygons") != std::string::npos);
          QVERIFY(result.out.contains(found["trajectory"].get<std::string>().c_str()));
        } else {
          QVERIFY(!m_folder->content("kit/" + QString::fromStdString(found[format].get<std::string>()))
                       .isEmpty());
        }
      }
    }
  QCOMPARE(kit["runs"].size(), count);
  const auto runOf = [&](const char* phenomenon, const char* run) {
    for (const Json& each : kit["runs"])
      if (each["phenomenon"] == phenomenon && each["run"] == run) return each;
    return Json();
  };
  // What a run sets: restitution of every pair, or a change of the scene.
  QCOMPARE(runOf("bounce", "e0")["restitution"].get<double>(), 0.0);
  QCOMPARE(runOf("bounce", "e0.8")["restitution"].get<double>(), 0.8);
  QCOMPARE(runOf("bounce", "e0.8")["set"]["restitution"].get<double>(), 0.8);
  QCOMPARE(runOf("cradle", "std")["restitution"].get<double>(), 1.0);
  QCOMPARE(runOf("drag", "45")["gravity"][2].get<double>(), 1.993251113);
  QCOMPARE(runOf("order", "4ms")["step"].get<double>(), 0.004);
  QVERIFY(runOf("table", "std").contains("contacts") && !runOf("order", "4ms").contains("contacts"));
}

void KitTest::aRunThatNoFormatHoldsIsListed() {
  m_folder->write(
      "hung.scene.json",
      R"({"touchstone": 1, "name": "hung", "title": "H", "dt": 0.01, "duration": 0.5, "methods": ["lcp"],
 "bodies": [{"name": "ball", "shape": {"type": "box", "size": [1, 1, 1]}}],
 "joints": [{"name": "nail", "type": "ball", "body_b": "ball", "position": [0, 1, 0]}]})");
  m_folder->write("hung.json",
                  R"({"touchstone_phenomenon": 1, "name": "hung", "title": "Hung", "primary": "x",
 "runs": [{"id": "std", "scene": "hung.scene.json", "set": {"bodies/ball/mass": 2}}],
 "measures": [{"id": "x", "run": "std", "quantity": "position", "body": "ball", "axis": [1, 0, 0], "exact": 0,
  "tolerance": {"absolute": 1}}]})");
  const Result result = run({"conform", "hung.json", "--kit", "kit"});
  QVERIFY2(result.code == 0, result.error);
  const Json hung = json("kit/kit.json")["runs"][0];
  for (const char* format : {"bodies", "mjcf", "urdf"}) {
    QVERIFY(hung[format].is_null());
    QVERIFY2(hung["not_exported"][format] ==
                 "joints[0]: is the joint 'nail'; joints are not exported; remove the "
                 "joints, or use a scene of free bodies",
             hung.dump().c_str());
    QVERIFY(result.out.contains(QByteArray("hung.scene.std.csv: no ") + format + ": joints[0]"));
  }
  QVERIFY(m_folder->content("kit/runs/hung.scene.std/scene.json").contains("\"mass\": 2"));
}

void KitTest::twoKitsHaveTheSameBytes() {
  for (const char* folder : {"one", "two"})
    QCOMPARE(run({"conform", "cradle", "rolling", "table", "--kit", folder}).code, 0);
  const auto one = filesBelow(m_folder->at("one"));
  QVERIFY(one.size() > 15);
  QCOMPARE(one, filesBelow(m_folder->at("two")));
  QCOMPARE(run({"conform", "cradle", "--kit", "one"}).code, 2);  // it is there
  QCOMPARE(run({"conform", "cradle", "--kit", "one", "--force"}).code, 0);
  QVERIFY(!QFile::exists(m_folder->at("one/runs/table.std/scene.json")));
}

void KitTest::theScriptLeavesOutWhatItIsNotGiven() {
  const QString python = QStandardPaths::findExecutable("python3");
  if (python.isEmpty()) QSKIP("needs python3");
  QCOMPARE(run({"conform", "bounce", "--kit", "kit"}).code, 0);
  const Result none = run({"kit/engine.py", "out"}, python);
  QVERIFY2(none.code == 0 && none.out.contains("4 runs are left out"), none.out + none.error);
  // Contacts, and a name with a comma and quotes.
  m_folder->write("kit/own.py", R"(from engine import main
def simulate(run):
    yield 0, [('a, "b"', [0, 1, 2], [1, 0, 0, 0], [0] * 3, [0] * 3)]
    yield 1, [], [("floor", "c", [0, 0, 0], [0, 1, 0], 2.5, [0, 0, 1])]
main(simulate, "own 1", step=0.5)
)");
  QCOMPARE(run({"kit/own.py", "out", "bounce"}, python).code, 0);
  const QByteArray motion = m_folder->content("out/bounce.e0.csv");
  QVERIFY2(motion.contains("# step: 0.5\n") && motion.contains("# engine: own 1\n"), motion);
  QVERIFY2(motion.contains("0.0,\"a, \"\"b\"\"\",0.0,1.0,2.0,1.0,"), motion);
  QVERIFY(m_folder->content("out/bounce.e0.contacts.csv")
              .contains("1.0,\"floor\",\"c\",0.0,0.0,0.0,0.0,1.0,0.0,2.5,"));
}

void KitTest::aChangedFileOfAKitStays() {
  QCOMPARE(run({"conform", "cradle", "--kit", "kit"}).code, 0);
  const QByteArray mine = "# my engine\n";
  m_folder->write("kit/engine.py", mine);
  const Result again = run({"conform", "cradle", "--kit", "kit", "--force"});
  QCOMPARE(again.code, 2);
  QVERIFY2(again.error.contains("engine.py: has been changed since it was written, and stays"), again.error);
  QCOMPARE(m_folder->content("kit/engine.py"), mine);
}

void KitTest::whatAFolderLacksIsNamed_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("pattern");  // of lines; matches are replaced
  QTest::addColumn<QString>("with");
  QTest::addColumn<QByteArray>("told");
  const auto row = [](const char* title, const char* name, const char* pattern, const char* with,
                      const char* told) {
    QTest::newRow(title) << name << pattern << with << QByteArray(told);
  };
  row("nothing", "cradle.std.csv", "^none$", "", "1 of 1 run is complete");
  row("nothing, by the short name", "cradle.csv", "^none$", "", "1 of 1 run is complete");
  row("the file", "other.csv", "^none$", "", "1 trajectory is not there: cradle.std.csv");
  row("its name", "cradle.stl.csv", "^none$", "",
      "cradle.stl.csv: no run asks for it; did you mean cradle.std.csv?");
  row("the end", "cradle.std.csv", "^0\\.[34].*\\n", "", "ends at 0.299 s; the run takes 0.4 s");
  row("the start", "cradle.std.csv", "^(0|0\\.00\\d*),.*\\n", "", "begins at 0.01 s; write the start");
  row("samples", "cradle.std.csv", "^0\\.2[0-4]\\d*,.*\\n", "",
      "has no sample for 0.051 s after 0.199 s; write one at least every 0.001 s");
  row("a body", "cradle.std.csv", "^[\\d.e-]+,bullet 3,.*\\n", "", "ends without a row of 'bullet 3'");
  row("a body at the end", "cradle.std.csv", "^0\\.3\\d*,bullet 2,.*\\n", "", "bullet 2");
  row("a column", "cradle.std.csv", "^time,body,x,", "time,body,xx,", "'xx'");
  row("its scene", "cradle.std.csv", "^# scene_sha256: ....", "# scene_sha256: 0123",
      "scene_sha256 is that of another scene");
  row("a word of its model", "cradle.std.csv", "^# integrator: .*$", "# model: bocks",
      "'bocks' is not known");
}

void KitTest::whatAFolderLacksIsNamed() {
  QFETCH(QString, name);
  QFETCH(QString, pattern);
  QFETCH(QString, with);
  QFETCH(QByteArray, told);
  QVERIFY(QDir().mkpath(m_folder->at("out")));
  QString text = QString::fromUtf8(m_cradle);
  text.replace(QRegularExpression(pattern, QRegularExpression::MultilineOption), with);
  m_folder->write("out/" + name, text.toUtf8());
  const Result result = run({"conform", "cradle", "--check", "out"});
  QVERIFY2(result.out.contains(told), result.out + result.error);
  QCOMPARE(result.code, told.contains("1 of 1") ? 0 : 1);
}

void KitTest::aRunAboutTheStepWantsThatStep() {
  QVERIFY(QDir().mkpath(m_folder->at("out")));
  const QByteArray eight = poses("order");
  m_folder->write("out/order.8ms.csv", eight);
  const Result right = run({"conform", "order", "--check", "out"});
  QVERIFY2(!right.out.contains("order.8ms.csv: has the step"), right.out);
  QVERIFY2(right.out.contains("1 of 4 runs are complete"), right.out);
  m_folder->write("out/order.8ms.csv", QByteArray(eight).replace("# step: 0.008", "# step: 0.001"));
  const Result wrong = run({"conform", "order", "--check", "out"});
  QVERIFY2(
      wrong.out.contains("order.8ms.csv: has the step 0.001 s; this run is about the step: take 0.008 s"),
      wrong.out);
}

void KitTest::aColumnTellsOnceWhatIsMissing() {
  QVERIFY(QDir().mkpath(m_folder->at("out")));
  m_folder->write("out/cradle.std.csv", m_cradle);
  const Result result = run({"conform", "cradle", "bounce", "--trajectory", "own=out"});
  QVERIFY2(result.code == 0, result.error);
  QCOMPARE(result.error.count("own: 4 of 5 trajectories are not there: bounce.e0.csv, bounce.e0.5.csv"), 1);
}

void KitTest::filesAloneMakeACard() {
  QVERIFY(QDir().mkpath(m_folder->at("out")));
  m_folder->write("out/cradle.std.csv", m_cradle);
  QCOMPARE(run({"conform", "cradle", "--trajectory", "own=out", "--out", "card"}).code, 0);
  const Json card = json("card/card.json");
  QCOMPARE(card["columns"].dump(), std::string("[\"own\"]"));
  QCOMPARE(card["foreign"].dump(), std::string("[\"own\"]"));
}

void KitTest::aTrajectoryOfAnotherSceneFails() {
  QVERIFY(QDir().mkpath(m_folder->at("out")));
  m_folder->write("out/cradle.std.csv",
                  QByteArray(m_cradle).replace("# scene_sha256: ", "# scene_sha256: 00"));
  QCOMPARE(run({"conform", "cradle", "--trajectory", "own=out", "--out", "card"}).code, 0);
  Json card = json("card/card.json");
  const Json& number = numberOf(card, "cradle", "last", "own");
  QCOMPARE(number["verdict"].get<std::string>(), std::string("failed"));
  QVERIFY(number["reason"].get<std::string>().find("another scene than its run") != std::string::npos);
}

void KitTest::cardsOfAllKindsAreConsistent_data() {
  QTest::addColumn<QStringList>("arguments");
  const QString all = "dpf,cpf,lcp,lcp-lemke:friction_facets=4,peg";
  // They have numbers that are n/a, shown, bounds, as their theory, of another query, and failures.
  QTest::newRow("battery") << QStringList{"bounce", "cradle",    "crossed-edges", "painleve", "thin-wall",
                                          "traps",  "free-spin", "order",         "oblique",  "--methods",
                                          all};
  QTest::newRow("published") << QStringList{"cradle",    "thin-wall", "isotropy", "--settings",
                                            "published", "--methods", all};
}

void KitTest::cardsOfAllKindsAreConsistent() {
  QFETCH(QStringList, arguments);
  const Result made = run(QStringList{"conform"} + arguments + QStringList{"--out", "card"});
  QVERIFY2(made.code == 0, made.error);
  const Result result = run({"conform", "--verify", "card/card.json"});
  QVERIFY2(result.code == 0, result.error);
  QVERIFY2(result.out.contains("ours: lcp") && result.out.contains(": consistent with the battery"),
           result.out);
}

void KitTest::aChangedCardIsRefused_data() {
  QTest::addColumn<QString>("change");
  QTest::addColumn<QByteArray>("told");
  const auto row = [](const char* change, const char* told) {
    QTest::newRow(change) << change << QByteArray(told);
  };
  row("none", "");
  row("value",
      "cradle last (peg): the verdict is 'as its theory', but 0.9 is not what its model predicts, 0.2");
  row("value within",
      "isotropy 45 (lcp-lemke:friction_facets=4): the verdict is 'as its theory', but 1 is within");
  row("verdict",
      "thin-wall 5 on 0.001 (dpf): the verdict is 'agrees', but 0 is not within its tolerance of 1");
  row("theory", "cradle last (lcp): the verdict is 'as its theory', but 0.99");
  row("model", "its model predicts 0.2, not 0.3");
  row("no value", "cradle last (lcp): the verdict is 'agrees', but it has no value");
  row("n/a", "cradle last (lcp): the verdict is 'n/a', but it has the value");
  row("shown", "cradle last (lcp): the verdict is 'shown', but");
  row("answer", "cradle last (lcp): the answer is 2, here 1");
  row("tolerance", "cradle last (lcp): the tolerance is 10, here 0.005");
  row("unit", "cradle last (lcp): unit is mm/s, here m/s");
  row("hash of a number", "cradle last (lcp): scene_hash is not that");
  row("sha256", "cradle, run std: scene_sha256 is not that of the scene of this battery");
  row("dt", "cradle, run std: dt is 0.002, here 0.001");
  row("run", "cradle, run std: is missing");
  row("measure", "cradle last (lcp): is missing");
  row("measure twice", "cradle last (lcp): is there twice");
  row("another measure", "cradle best (lcp): is no measure of this battery");
  row("cell", "cradle (peg): the cell says 'agrees', its numbers 'as its theory'");
  row("text", "cradle (peg): the cell shows '1 m/s', its numbers '0.2 m/s'");
  row("no cell", "cradle (peg): has no cell");
  row("version", "battery_version: is 1; this program has");
  row("phenomenon", "cradle-2: is no phenomenon of this battery");
}

void KitTest::aChangedCardIsRefused() {
  QFETCH(QString, change);
  QFETCH(QByteArray, told);
  Json card = Json::parse(m_card.toStdString());
  Json& cradle = named(card["phenomena"], "name", "cradle");
  Json& last = numberOf(card, "cradle", "last", "lcp");
  Json& plastic = numberOf(card, "cradle", "last", "peg");
  const std::map<QString, std::function<void()>> changes = {
      {"none", [] {}},
      {"value", [&] { plastic["value"] = 0.9, plastic["deviation"] = -0.1; }},
      {"value within", [&] { numberOf(card, "isotropy", "45", "lcp-lemke:friction_facets=4")["value"] = 1; }},
      {"verdict", [&] { numberOf(card, "thin-wall", "5 on 0.001", "dpf")["verdict"] = "agrees"; }},
      {"theory", [&] { last["verdict"] = "as its theory"; }},
      {"model", [&] { plastic["model"] = 0.3; }},
      {"no value", [&] { last["value"] = nullptr; }},
      {"n/a", [&] { last["verdict"] = "n/a"; }},
      {"shown", [&] { last["verdict"] = "shown"; }},
      {"answer", [&] { last["reference"] = 2; }},
      {"tolerance", [&] { last["tolerance"] = 10; }},
      {"unit", [&] { last["unit"] = "mm/s"; }},
      {"hash of a number", [&] { last["scene_hash"] = "0123456789abcdef"; }},
      {"sha256", [&] { cradle["runs"][0]["scene_sha256"] = std::string(64, '0'); }},
      {"dt", [&] { cradle["runs"][0]["dt"] = 0.002; }},
      {"run", [&] { cradle["runs"].clear(); }},
      {"measure",
       [&] {
         Json& numbers = cradle["numbers"];
         for (std::size_t index = 0; index < numbers.size(); ++index)
           if (&numbers[index] == &last) {
             numbers.erase(index);
             return;
           }
       }},
      {"measure twice", [&] { cradle["numbers"].push_back(Json(last)); }},
      {"another measure", [&] { last["measure"] = "best"; }},
      {"cell", [&] { named(cradle["cells"], "column", "peg")["verdict"] = "agrees"; }},
      {"text", [&] { named(cradle["cells"], "column", "peg")["text"] = "1 m/s"; }},
      {"no cell", [&] { cradle["cells"].erase(3); }},
      {"version", [&] { card["battery_version"] = "1"; }},
      {"phenomenon", [&] { cradle["name"] = "cradle-2"; }}};
  changes.at(change)();
  m_folder->write("card.json", QByteArray::fromStdString(card.dump(1)));
  const Result result = run({"conform", "--verify", "card.json"});
  QVERIFY2(result.error.contains(told), result.error + result.out.right(300));
  QCOMPARE(result.code, told.isEmpty() ? 0 : 1);
}

void KitTest::whatIsNoCardIsRefusedWithItsPlace_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  QTest::addColumn<QByteArray>("told");
  const auto row = [](const char* title, const QByteArray& from, const QByteArray& to, const char* told) {
    QTest::newRow(title) << from << to << QByteArray(told);
  };
  row("schema", "\"touchstone_card\": 2", "\"touchstone_card\": 1", "card.json:touchstone_card");
  row("no number", "\"dt\": 0.001", "\"dt\": NaN", "card.json");
  row("a text", "\"dt\": 0.001", "\"dt\": \"0.001\"", "phenomena[0].runs[0].dt");
  row("huge number", "\"dt\": 0.001", "\"dt\": 1e999", "card.json");
  row("negative", "\"tolerance\": 0.005", "\"tolerance\": -0.005", "tolerance");
  row("verdict", "\"verdict\": \"as its theory\"", "\"verdict\": \"best\"",
      "'best' is no verdict; it is one of");
  row("column twice", "  \"lcp\",\n", "  \"dpf\",\n", "card.json:columns[1]: 'dpf' is there twice");
  row("no column", "\"column\": \"lcp\"", "\"column\": \"xyz\"", "'xyz' is no column of the card");
  row("foreign", "\"foreign\": []", "\"foreign\": [\"mine\"]", "foreign[0]: 'mine' is no column");
  row("member twice", "\"settings\": \"battery\"", "\"settings\": \"battery\", \"settings\": \"battery\"",
      "settings");
  row("settings", "\"settings\": \"battery\"", "\"settings\": \"mine\"", "card.json:settings");
  row("phenomena", "\"phenomena\": [", "\"phenomena\": 3, \"x\": [", "card.json:phenomena");
  row("no member", "\"foreign\": []", "\"others\": []", "card.json:foreign");
  row("deep", "\"foreign\": []", "\"foreign\": " + QByteArray(5000, '[') + QByteArray(5000, ']'),
      "card.json");
  row("empty", "{", "", "card.json");
}

void KitTest::whatIsNoCardIsRefusedWithItsPlace() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  QFETCH(QByteArray, told);
  const auto place = m_card.indexOf(from);
  QVERIFY2(place >= 0, from);
  QByteArray card = m_card;
  m_folder->write("card.json", card.replace(place, from.size(), to));
  const Result result = run({"conform", "--verify", "card.json"});
  QVERIFY2(result.error.contains(told), result.error.left(1000));
  QCOMPARE(result.code, 2);
}

void KitTest::theSchemaNamesEveryMemberOfACard() {
  const Json schema = Json::parse(readFile(TS_SOURCE_DIR "/datasets/card.schema.json", ""));
  QCOMPARE(schema["properties"]["touchstone_card"]["const"].get<int>(), 2);
  QStringList unknown;
  const std::function<void(const Json&, const Json&, const QString&)> compare =
      [&](const Json& value, const Json& form, const QString& path) {
        if (value.is_array() && form.contains("items"))
          for (const Json& item : value) compare(item, form["items"], path + "[]");
        if (!value.is_object() || !form.contains("properties")) return;
        for (const auto& [key, member] : value.items()) {
          const QString at = path + '/' + QString::fromStdString(key);
          if (!form["properties"].contains(key))
            unknown << at;
          else
            compare(member, form["properties"][key], at);
        }
        for (const Json& needed : form.value("required", Json::array()))
          if (!value.contains(needed.get<std::string>()))
            unknown << path + " lacks " + needed.get<std::string>().c_str();
      };
  compare(Json::parse(m_card.toStdString()), schema, QString());
  unknown.removeDuplicates();
  QVERIFY2(unknown.isEmpty(), qPrintable(unknown.join(", ")));
}

QTEST_GUILESS_MAIN(KitTest)
#include "tst_kit.moc"
