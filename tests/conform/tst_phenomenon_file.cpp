#include <QTemporaryDir>
#include <QtTest>

#include "core/conform/phenomenon.h"
#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"

using namespace touchstone;

/// Files of phenomena: what they may ask for, and that every fault is told with file, field and remedy.
class PhenomenonFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void aWholeFileIsRead();
  void faultsAreToldWithTheirField_data();
  void faultsAreToldWithTheirField();
  void editsReachTheirPlaces();
  void placesThatDoNotExistAreRefused_data();
  void placesThatDoNotExistAreRefused();
  void shippedFilesAreRead();

 private:
  QString write(const QString& name, const QByteArray& text) const;
  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

const QByteArray kScene =
    R"({"touchstone": 1, "name": "s", "title": "S", "dt": 0.01, "duration": 0.1, "methods": ["cpf"],
 "materials": [{"name": "m", "friction": 0.3}],
 "bodies": [{"name": "ground", "motion": "static", "material": "m", "shape": {"type": "plane"}},
  {"name": "box", "material": "m", "position": [0, 0.5, 0], "shape": {"type": "box", "size": [1, 1, 1]}}]})";

const QByteArray kPhenomenon = R"({"touchstone_phenomenon": 1, "name": "p", "title": "P", "primary": "x",
 "runs": [{"id": "std", "scene": "s.json"}, {"id": "e", "scene": "s.json", "set": {"restitution": 0.5}}],
 "measures": [{"id": "x", "run": "std", "quantity": "travel", "body": "box", "axis": [0, 2, 0], "from": 0, "to": 0.1,
   "divide": 2, "exact": 1, "tolerance": {"relative": 0.01}, "models": {"pyramid4": 1.4, "lcp": {"recorded_value": 3, "source": "a run", "tolerance": 1},
   "pyramid": {"closed_form": "pyramid_ratio", "arguments": {"angle_deg": 45}}}}],
 "controls": [{"set": {"materials/m/friction": 0.33}, "turns": ["x"]}]})";

}  // namespace

void PhenomenonFileTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  write("s.json", kScene);
}

QString PhenomenonFileTest::write(const QString& name, const QByteArray& text) const {
  const QString path = m_folder->filePath(name);
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("no space for a test");
  return path;
}

void PhenomenonFileTest::aWholeFileIsRead() {
  const Phenomenon phenomenon = loadPhenomenon(write("p.json", kPhenomenon).toStdString(), "");
  QCOMPARE(int(phenomenon.runs.size()), 2);
  QCOMPARE(std::get<double>(phenomenon.run("e").parameters.at("restitution")), 0.5);
  const Measure& measure = phenomenon.measures.front();
  QCOMPARE(measure.query.axis.y(), 1.0);
  QCOMPARE(measure.query.divide, 2.0);
  QCOMPARE(measure.tolerance.of(*measure.exact), 0.01);
  QCOMPARE(measure.models.at("pyramid4").value, 1.4);
  QVERIFY(!measure.models.at("pyramid4").isRecorded && measure.models.at("lcp").isRecorded);
  QCOMPARE(measure.models.at("lcp").source, std::string("a run"));
  QCOMPARE(measure.models.at("pyramid").arguments.at("angle_deg"), 45.0);
  QCOMPARE(phenomenon.controls.front().edits.front().path, std::string("materials/m/friction"));
}

void PhenomenonFileTest::faultsAreToldWithTheirField_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  QTest::addColumn<QByteArray>("told");
  const auto row = [](const char* name, const char* from, const char* to, const char* told) {
    QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(told);
  };
  row("unknown quantity", "\"travel\"", "\"travle\"", "measures[0].quantity: 'travle' is no quantity");
  row("a recorded number without its source", "\"source\": \"a run\", ", "",
      "measures[0].models.lcp.source: is missing");
  row("unknown body", "\"body\": \"box\"", "\"body\": \"bux\"",
      "measures[0].body: the scene s has no body 'bux'");
  row("nearest body", "\"body\": \"box\"", "\"body\": \"bux\"", "did you mean 'box'?");
  row("unknown run", "\"run\": \"std\"", "\"run\": \"sdt\"", "measures[0].run: there is no run 'sdt'");
  row("tolerance 0", "{\"relative\": 0.01}", "{\"relative\": 0}", "measures[0].tolerance.relative: ");
  row("negative tolerance", "{\"relative\": 0.01}", "{\"absolute\": -1}", "measures[0].tolerance.absolute: ");
  row("no tolerance", "{\"relative\": 0.01}", "{}", "measures[0].tolerance: gives neither");
  row("relative to 0", "\"exact\": 1", "\"exact\": 0", "measures[0].tolerance: is 0 for the answer 0");
  row("unknown member", "\"divide\": 2", "\"devide\": 2", "measures[0].devide: ");
  row("member of another quantity", "\"divide\": 2", "\"radius\": 2",
      "measures[0].radius: is no member of the quantity travel");
  row("axis 0", "[0, 2, 0]", "[0, 0, 0]", "measures[0].axis: is 0");
  row("divide 0", "\"divide\": 2", "\"divide\": 0", "measures[0].divide: is 0");
  row("window backwards", "\"from\": 0, \"to\": 0.1", "\"from\": 0.1, \"to\": 0",
      "measures[0].to: ends before it begins");
  row("unknown closed form", "\"pyramid_ratio\"", "\"pyramid\"", "measures[0].models.pyramid.closed_form: ");
  row("missing argument", "\"angle_deg\": 45", "", "measures[0].models.pyramid.arguments.angle_deg: ");
  row("no scene", "{\"id\": \"std\", \"scene\": \"s.json\"}", "{\"id\": \"std\", \"scene\": \"t.json\"}",
      "runs[0].scene: there is no such scene");
  row("scene above", "\"scene\": \"s.json\"", "\"scene\": \"../s.json\"", "lies outside the folder");
  row("scene above and back", "\"scene\": \"s.json\"", "\"scene\": \"a/../../s.json\"",
      "lies outside the folder");
  row("scene of the machine", "\"scene\": \"s.json\"", "\"scene\": \"/s.json\"", "lies outside the folder");
  row("scene behind a link", "\"scene\": \"s.json\"", "\"scene\": \"link.json\"", "leads out of the folder");
  row("run twice", "\"id\": \"e\"", "\"id\": \"std\"", "runs[1].id: is used twice");
  row("unknown parameter", "{\"restitution\": 0.5}", "{\"restitutoin\": 0.5}",
      "runs[1].set.restitutoin: is neither a parameter");
  row("folder as id", "\"id\": \"e\"", "\"id\": \"../e\"", "runs[1].id: must be letters");
  row("left out by a solver that is none", "{\"id\": \"std\", \"scene\": \"s.json\"}",
      "{\"id\": \"std\", \"scene\": \"s.json\", \"without\": {\"lcp-lemkex\": \"slow\"}}",
      "runs[0].without.lcp-lemkex: names no solver of its method");
  row("left out by a method that is none", "{\"id\": \"std\", \"scene\": \"s.json\"}",
      "{\"id\": \"std\", \"scene\": \"s.json\", \"without\": {\"lpc\": \"slow\"}}",
      "runs[0].without.lpc: is no method");
  row("no control place", "materials/m/friction", "materials/n/friction",
      "materials/n/friction: there is no such place");
  row("control of nothing", "\"turns\": [\"x\"]", "\"turns\": []", "controls[0].turns: is empty");
  row("control of unknown", "\"turns\": [\"x\"]", "\"turns\": [\"y\"]",
      "controls[0].turns[0]: there is no measure 'y'");
  row("control that cannot run", "\"materials/m/friction\": 0.33", "\"materials/m/friction\": -1",
      "friction");
  row("reason with the number of no measure", "\"divide\": 2,",
      "\"divide\": 2, \"because\": {\"cpf\": \"gives {y}\"},",
      "measures[0].because.cpf: there is no measure 'y'");
  row("asked of no such model", "\"divide\": 2,", "\"divide\": 2, \"only_for\": {\"euler\": \"no\"},",
      "measures[0].only_for.euler: is no model of a column");
  row("primary", "\"primary\": \"x\"", "\"primary\": \"y\"", "primary: there is no measure 'y'");
  row("name", "\"name\": \"p\"", "\"name\": \"a/b\"", "name: must be 1 to 100 letters");
  row("version", "\"touchstone_phenomenon\": 1", "\"touchstone_phenomenon\": 2", "touchstone_phenomenon: ");
}

void PhenomenonFileTest::faultsAreToldWithTheirField() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  QFETCH(QByteArray, told);
  QByteArray text = kPhenomenon;
  QVERIFY(text.contains(from));
  const QString path = write("p.json", text.replace(text.indexOf(from), from.size(), to));
  QFile::link(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/resting-box.json"),
              QFileInfo(path).dir().filePath("link.json"));
  try {
    loadPhenomenon(path.toStdString(), "");
    QFAIL("was accepted");
  } catch (const SceneError& error) {
    const QByteArray message = error.what();
    QVERIFY2(message.contains(told), message);
    QVERIFY2(message.contains(".json:"), message);
    QVERIFY2(message.contains("; "), message);
  }
}

void PhenomenonFileTest::editsReachTheirPlaces() {
  const std::string text = kScene.toStdString();
  const std::string edited = editedScene("s.json", text,
                                         {{"materials/m/friction", "0.5"},
                                          {"bodies/box/position/1", "0.7"},
                                          {"bodies/ground", "null"},
                                          {"gravity", "[0,-1,0]"},
                                          {"bodies/box/mass", "3"}});
  QVERIFY(edited.find("\"friction\": 0.5") != std::string::npos);
  QVERIFY(edited.find("0.7") != std::string::npos);
  QVERIFY(edited.find("ground") == std::string::npos);
  QVERIFY(edited.find("\"mass\": 3") != std::string::npos);
  QVERIFY(edited.find("\"gravity\"") != std::string::npos);
  QCOMPARE(editedScene("s.json", text, {}), text);
}

void PhenomenonFileTest::placesThatDoNotExistAreRefused_data() {
  QTest::addColumn<QByteArray>("path");
  for (const char* path :
       {"bodies/bux/mass", "bodies/box/position/7", "materials/m/friction/deeper/still", "nothing/x"})
    QTest::newRow(path) << QByteArray(path);
}

void PhenomenonFileTest::placesThatDoNotExistAreRefused() {
  QFETCH(QByteArray, path);
  QVERIFY_EXCEPTION_THROWN(editedScene("s.json", kScene.toStdString(), {{path.toStdString(), "1"}}),
                           SceneError);
}

void PhenomenonFileTest::shippedFilesAreRead() {
  const std::vector<Phenomenon> phenomena = loadPhenomena(TS_SOURCE_DIR "/datasets/battery");
  QCOMPARE(int(phenomena.size()), 26);
  for (std::size_t index = 0; index < phenomena.size(); ++index) {
    QCOMPARE(phenomena[index].number, std::to_string(index + 1));
    QVERIFY2(!phenomena[index].controls.empty(), phenomena[index].name.c_str());
    QVERIFY2(!phenomena[index].notShown.empty() && !phenomena[index].question.empty(),
             phenomena[index].name.c_str());
    for (const Measure& measure : phenomena[index].measures)
      QVERIFY2(!measure.exact || !measure.why.empty(), measure.id.c_str());
  }
}

QTEST_APPLESS_MAIN(PhenomenonFileTest)
#include "tst_phenomenon_file.moc"
