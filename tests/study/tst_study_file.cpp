#include <QDir>
#include <QtTest>
#include <cmath>

#include "core/files/scene_error.h"
#include "core/study/published_values.h"
#include "core/study/study.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Study files: what is read, what is refused with file, member and remedy, and the shipped ones.
class StudyFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void faultsNameFileMemberAndRemedy_data();
  void faultsNameFileMemberAndRemedy();
  void membersAreRead();
  void valuesAreSpaced();
  void quickReplacesMembers();
  void aFaultOfQuickIsFound();
  void whatAStudyCannotSetIsRefusedByPlan_data();
  void whatAStudyCannotSetIsRefusedByPlan();
  void conditionsOfOneFileShareTheirTime();
  void scenesOutsideTheFolderAreRefused_data();
  void scenesOutsideTheFolderAreRefused();
  void shippedStudiesCanRun_data();
  void shippedStudiesCanRun();

 private:
  /// The study with one text replaced.
  Study study(const QByteArray& from = {}, const QByteArray& to = {}, bool quick = false);
  test::SceneFolder m_folder;
};

namespace {

const QByteArray kStudy = R"json({
  "touchstone_study": 1, "name": "rest", "title": "Rest", "scene": "box.json", "time": 0.1, "dt": [0.01],
  "seeds": {"first": 1, "count": 2}, "variation": {"position": 0.01},
  "sweep": [{"axis": "sigma", "title": "Stiffness", "unit": "N/m", "values": [1, 2],
             "set": {"parameters/stiffness": "=sigma * 1000"}},
            {"axis": "place", "values": {"from": 1, "to": 100, "count": 3, "spacing": "factors"}}],
  "panes": [{"label": "DPF", "method": "dpf"}, {"label": "CPF", "method": "cpf"}],
  "columns": {"v": "body_velocity:box", "rise": "=v_y - lag(v_y) over (order by row_number)"},
  "quantities": [{"id": "depth", "unit": "m", "value": "max(penetration_max) where time_s > 0.05"},
                 {"id": "energy", "series": "energy_kinetic"}],
  "numbers": {"deep": "max(depth) where pane = 'CPF'"},
  "accept": [{"id": "shallow", "claim": "CPF is shallow", "if": "deep < 1",
              "control": {"swap": [["DPF", "CPF"]]}}],
  "plots": [{"id": "depths", "x": "sigma", "y": "depth", "log": "y"},
            {"id": "energies", "kind": "series", "y": "energy"}],
  "quick": {"time": 0.05, "seeds": {"count": 1}, "dt": [0.005], "plots": null}})json";

std::string inDatasets(const std::string& path) { return TS_SOURCE_DIR "/datasets/" + path; }

/// As the program finds shipped scenes.
StudyPlaces places() {
  return {inDatasets(""), [](const std::string& name) {
            const std::string scene = inDatasets("scenes/" + name + ".json");
            return QFile::exists(QString::fromStdString(scene))
                       ? scene
                       : inDatasets("battery/scenes/" + name + ".json");
          }};
}

}  // namespace

Study StudyFileTest::study(const QByteArray& from, const QByteArray& to, bool quick) {
  QByteArray text = kStudy;
  if (!from.isEmpty() && !text.contains(from)) qFatal("the study has no %s", from.constData());
  if (!from.isEmpty()) text.replace(from, to);
  return loadStudy(m_folder.write("rest.json", text), quick);
}

void StudyFileTest::faultsNameFileMemberAndRemedy_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  QTest::addColumn<QByteArray>("member");
  QTest::addColumn<QByteArray>("says");
  const auto row = [](const char* name, const char* from, const char* to, const char* member,
                      const char* says) {
    QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(member) << QByteArray(says);
  };
  row("unknown member", "\"numbers\":", "\"number\":", ":number: ", "numbers");
  row("unknown member of a pane", "\"method\": \"dpf\"", "\"methd\": \"dpf\"", ":panes[0].methd: ", "method");
  row("unknown member of a plot", "\"log\":", "\"lgo\":", ":plots[0].lgo: ", "log");
  row("not this format", "\"touchstone_study\": 1", "\"touchstone_study\": 7", ":touchstone_study: ", "1");
  row("no title", "\"title\": \"Rest\",", "", ":title: ", "guide");
  row("no scene", "\"scene\": \"box.json\",", "", ":scene: ", "guide");
  row("name of a folder", "\"rest\"", "\"../rest\"", ":name: ", "letters");
  row("unknown kind", "\"scene\":", "\"kind\": \"frame\", \"scene\":", ":kind: ", "frames");
  row("unknown method", "\"method\": \"cpf\"", "\"method\": \"cpg\"",
      ":panes[1].method: ", "list names them");
  row("label used twice", "\"label\": \"CPF\"", "\"label\": \"DPF\"", ":panes[1].label: ", "rename one");
  row("label with a comma", "\"label\": \"CPF\"", "\"label\": \"C,F\"",
      ":panes[1].label: ", "row of a table");
  row("step longer than the time", "\"dt\": [0.01]", "\"dt\": [0.3]", ":dt[0]: ", "less than one frame");
  row("step twice", "\"dt\": [0.01]", "\"dt\": [0.01, 0.01]", ":dt[1]: ", "remove one");
  row("no step", "\"dt\": [0.01]", "\"dt\": []", ":dt: ", "at least one");
  row("seeds without variation", "\"variation\": {\"position\": 0.01},", "", ":variation: ", "guide");
  row("axis named like a column", "\"axis\": \"sigma\"", "\"axis\": \"dt_s\"",
      ":sweep[0].axis: ", "choose another one");
  row("two axes with one name", "\"axis\": \"place\"", "\"axis\": \"sigma\"",
      ":sweep[1].axis: ", "choose another one");
  row("axis with a word of SQL", "\"axis\": \"sigma\"", "\"axis\": \"select\"",
      ":sweep[0].axis: ", "no word of SQL");
  row("value twice", "\"values\": [1, 2]", "\"values\": [1, 1.0]", ":sweep[0].values: ", "remove one");
  row("values and points", "\"values\": [1, 2]", "\"values\": [1, 2], \"points\": [{\"value\": 1}]",
      ":sweep[0].values: ", "one of the two");
  row("no values", "\"values\": [1, 2]", "\"values\": []", ":sweep[0].values: ", "at least one");
  row("from is not positive", "\"from\": 1,", "\"from\": 0,", ":sweep[1].values.from: ", "positive ends");
  row("to is not positive", "\"to\": 100,", "\"to\": -100,", ":sweep[1].values", "positive ends");
  row("unknown spacing", "\"factors\"", "\"factor\"", ":sweep[1].values.spacing: ", "factors");
  row("nothing to set", "\"parameters/stiffness\"", "\"stiffness\"",
      ":sweep[0].set.stiffness: ", "parameters/KEY");
  row("column named like a quantity",
      "\"rise\":", "\"penetration_max\":", ":columns.penetration_max: ", "SQL");
  row("quantity named like an axis", "\"id\": \"depth\"", "\"id\": \"sigma\"",
      ":quantities[0].id: ", "choose another one");
  row("quantity named like a column", "\"id\": \"energy\"", "\"id\": \"frames\"",
      ":quantities[1].id: ", "choose another one");
  row("value and series", "\"series\": \"energy_kinetic\"",
      "\"series\": \"energy_kinetic\", \"value\": \"max(time_s)\"",
      ":quantities[1].value: ", "one of the two");
  row("x of a value", "\"unit\": \"m\",", "\"unit\": \"m\", \"x\": \"frame\",",
      ":quantities[0].x: ", "remove it");
  row("misspelt column", "max(penetration_max)", "max(penetration_mx)",
      ":quantities: ", "no such column: penetration_mx");
  row("misspelt column of a series", "\"energy_kinetic\"", "\"energy_kinetik\"",
      ":quantities: ", "no such column: energy_kinetik");
  row("misspelt condition", "where time_s >", "where time >", ":quantities: ", "no such column: time");
  row("misspelt column of a column", "=v_y -", "=v_z1 -", ":columns: ", "no such column: v_z1");
  row("misspelt function", "max(penetration_max)", "maxx(penetration_max)",
      ":quantities: ", "no such function: maxx");
  row("misspelt quantity", "max(depth)", "max(energi)", ":numbers: ", "no such column: energi");
  row("misspelt number", "\"deep < 1\"", "\"dep < 1\"", ":accept: ", "no such column: dep");
  row("acceptance twice", "\"accept\": [",
      "\"accept\": [{\"id\": \"shallow\", \"claim\": \"\", \"if\": \"1\"},", ":accept[1].id: ", "rename one");
  row("control of no pane", "[[\"DPF\", \"CPF\"]]", "[[\"DPF\", \"CDF\"]]",
      ":accept[0].control.swap[0][1]: ", "as panes do");
  row("control of one pane", "[[\"DPF\", \"CPF\"]]", "[[\"DPF\"]]",
      ":accept[0].control.swap[0]: ", "two panes");
  const QByteArray exchange = "\"swap\": [[\"DPF\", \"CPF\"]]";
  row("control by a number", exchange, "\"numbers\": {\"deep\": 3}",
      ":accept[0].control.numbers: ", "known here");
  row("control of nothing", exchange, "\"what\": \"w\"", ":accept[0].control.set: ", "guide");
  row("control and its opposite", exchange, exchange + ", \"what\": \"w\", \"set\": {\"dt\": 1}",
      ":accept[0].control.set: ", "one of the two");
  row("control without words", exchange, "\"set\": {\"dt\": 1}", ":accept[0].control.what: ", "guide");
  row("control of no target", exchange, "\"what\": \"w\", \"set\": {\"gravity\": 0}",
      ":accept[0].control.set.gravity: ", "parameters/KEY");
  row("control of an unknown pane", exchange, "\"what\": \"w\", \"set\": {\"dt\": 1}, \"panes\": [\"C\"]",
      ":accept[0].control.panes[0]: ", "as panes do");
  row("control of misspelt runs", exchange, "\"what\": \"w\", \"set\": {\"dt\": 1}, \"runs\": \"sgma > 1\"",
      ":accept: ", "no such column: sgma");
  row("runs of an exchange", exchange, exchange + ", \"runs\": \"sigma > 1\"",
      ":accept[0].control.runs: ", "remove it");
  row("no reason for no control", exchange, "\"none\": \"\"", ":accept[0].control.none: ", "say why");
  row("constants of an axis", "\"parameters/stiffness\"", "\"constants/a\"",
      ":sweep[0].set.constants/a: ", "parameters/KEY");
  row("plot of no quantity", "\"y\": \"depth\"", "\"y\": \"dept\"", ":plots[0].y: ", "did you mean 'depth'?");
  row("plot against no axis", "\"x\": \"sigma\"", "\"x\": \"sgma\"",
      ":plots[0].x: ", "did you mean 'sigma'?");
  row("series plot of a value", "\"y\": \"energy\"", "\"y\": \"depth\"", ":plots[1].y: ", "with `series`");
  row("curve of a series", "\"y\": \"depth\"", "\"y\": \"energy\"", ":plots[0].y: ", "\"kind\": \"series\"");
  row("map without colours", "\"y\": \"depth\", \"log\": \"y\"", "\"y\": \"place\", \"kind\": \"map\"",
      ":plots[0].value: ", "guide");
  row("misspelt condition of a plot", "\"log\": \"y\"", "\"where\": \"sigm > 1\"",
      ":plots: ", "no such column: sigm");
  row("line of no x", "\"log\": \"y\"", "\"lines\": [{\"label\": \"l\", \"y\": \"2*sigma\"}]",
      ":plots: ", "no such column: sigma");
  row("plot twice", "\"id\": \"energies\"", "\"id\": \"depths\"", ":plots[1].id: ", "rename one");
  row("file of a plot", "\"id\": \"energies\"", "\"id\": \"a/b\"", ":plots[1].id: ", "letters");
  row("too many runs", "\"count\": 3", "\"count\": 90000", ":seeds: ", "fewer");
  // 2^64 runs are no runs in 64 bits
  row("endless runs", "\"sweep\": [",
      "\"sweep\": [{\"axis\": \"a\", \"values\": {\"from\": 0, \"to\": 1, \"count\": 65536}},"
      "{\"axis\": \"b\", \"values\": {\"from\": 0, \"to\": 1, \"count\": 65536}},"
      "{\"axis\": \"c\", \"values\": {\"from\": 0, \"to\": 1, \"count\": 65536}},"
      "{\"axis\": \"d\", \"values\": {\"from\": 0, \"to\": 1, \"count\": 65536}},",
      ":seeds: ", "fewer");
  row("numbers and texts", "\"values\": [1, 2]", "\"values\": [1, \"2\"]",
      ":sweep[0].values: ", "all as numbers");
  row("parameter of no method", "parameters/stiffness", "parameters/stifness", ":sweep: ", "'stifness'");
  row("column twice", "\"rise\":", "\"v_y\":", ":columns: ", "rename one");
  row("column in capitals", "\"rise\":", "\"V_Y\":", ":columns: ", "rename one");
  row("axis in capitals", "\"axis\": \"place\"", "\"axis\": \"Sigma\"",
      ":sweep[1].axis: ", "choose another one");
  row("no aggregate", "max(penetration_max) where time_s > 0.05", "penetration_max",
      ":quantities: ", "wrap it");
  row("number of several runs", "max(depth) where", "depth + 1 where pane is null or",
      ":numbers: ", "wrap it");
  row("panels of a quantity", "\"log\": \"y\"", "\"panels\": \"depth\"", ":plots[0].panels: ", "is no axis");
  row("map of a quantity", "\"x\": \"sigma\", \"y\": \"depth\", \"log\": \"y\"",
      "\"kind\": \"map\", \"x\": \"sigma\", \"y\": \"depth\", \"value\": \"depth\"",
      ":plots[0].y: ", "no axis of numbers");
}

void StudyFileTest::faultsNameFileMemberAndRemedy() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  QFETCH(QByteArray, member);
  QFETCH(QByteArray, says);
  try {
    study(from, to);
    QFAIL("taken");
  } catch (const SceneError& error) {
    const QByteArray message = error.what();
    QVERIFY2(message.startsWith(QByteArray::fromStdString(m_folder.path("rest.json")) + member),
             message.constData());
    QVERIFY2(message.contains(says) && message.contains("; "), message.constData());
  }
}

void StudyFileTest::membersAreRead() {
  const Study read = study();
  QCOMPARE(read.axes.size(), std::size_t(2));
  QCOMPARE(read.axes[0].title + " " + read.axes[0].unit, std::string("Stiffness N/m"));
  QCOMPARE(read.axes[0].common.front().target, std::string("parameters/stiffness"));
  QCOMPARE(read.seeds, std::vector<int>({1, 2}));
  QCOMPARE(read.columns.size(), std::size_t(1));
  QCOMPARE(read.derived.size(), std::size_t(1));
  QVERIFY(!read.quantities[0].isSeries && read.quantities[1].isSeries);
  QCOMPARE(read.quantities[1].x, std::string("time_s"));
  QVERIFY(read.plots[0].yLog && !read.plots[0].xLog);
  QVERIFY(read.plots[1].kind == StudyPlot::Kind::Series);
  QVERIFY(read.quantity("depth") == &read.quantities[0]);
  QVERIFY(!read.quantity("deep"));
  QVERIFY(study("energy_kinetic", "time_step").quantities[1].isTime);
  QVERIFY(!read.quantities[1].isTime);
  QVERIFY(!study("\"method\": \"dpf\"", "\"method\": \"lcp\", \"on_failure\": \"go-on\"")
               .panes[0]
               .stopsOnFailure);
  QVERIFY(read.panes[0].stopsOnFailure);
}

void StudyFileTest::valuesAreSpaced() {
  const auto valueOf = [](const Study& study, std::size_t point) {
    return std::get<double>(study.axes[1].points.at(point).value);
  };
  const Study factors = study(), even = study("\"factors\"", "\"even\"");
  for (std::size_t point = 0; point < 3; ++point) {
    QVERIFY_NEAR(valueOf(factors, point), std::pow(10.0, static_cast<double>(point)), 1e-12);
    QVERIFY_NEAR(valueOf(even, point), 1 + 49.5 * static_cast<double>(point), 1e-12);
  }
  QCOMPARE(valueOf(factors, 2), 100.0);
  const Study names =
      study("\"values\": [1, 2],\n             \"set\": {\"parameters/stiffness\": \"=sigma * 1000\"}",
            "\"values\": [\"a\", \"b\"]");
  QCOMPARE(std::get<std::string>(names.axes[0].points[1].value), std::string("b"));
}

void StudyFileTest::quickReplacesMembers() {
  const Study whole = study(), quick = study({}, {}, true);
  QVERIFY(!whole.isQuick && quick.isQuick);
  QCOMPARE(quick.time, 0.05);
  QCOMPARE(quick.dt, std::vector<double>({0.005}));
  QCOMPARE(quick.seeds, std::vector<int>({1}));  // `first` stays
  QVERIFY(quick.plots.empty());
  QCOMPARE(quick.axes.size(), whole.axes.size());
  QCOMPARE(whole.time, 0.1);
  QCOMPARE(whole.plots.size(), std::size_t(2));
}

void StudyFileTest::aFaultOfQuickIsFound() {
  study("\"time\": 0.05", "\"tme\": 0.05");  // not in force
  try {
    study("\"time\": 0.05", "\"tme\": 0.05", true);
    QFAIL("taken");
  } catch (const SceneError& error) {
    QVERIFY2(QByteArray(error.what()).contains(":tme: "), error.what());
  }
}

void StudyFileTest::whatAStudyCannotSetIsRefusedByPlan_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  QTest::addColumn<QByteArray>("says");
  const auto row = [](const char* name, const char* from, const char* to, const char* says) {
    QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(says);
  };
  row("name of no axis", "\"=sigma * 1000\"", "\"=sgma * 1000\"", "no such column: sgma");
  row("no number", "\"=sigma * 1000\"", "\"=sqrt(-sigma)\"", "gives no number");
  row("out of range", "\"=sigma * 1000\"", "\"=-sigma\"", "stiffness");
  row("no such place", "\"parameters/stiffness\"", "\"scene/bodies/7/mass\"", "bodies");
  row("solver is a number", "\"parameters/stiffness\": \"=sigma * 1000\"", "\"solver\": 3", "must be a text");
  row("step is a text", "\"parameters/stiffness\": \"=sigma * 1000\"", "\"dt\": \"long\"",
      "must be a number");
  row("no scene", "box.json", "bax.json", "bax");
}

void StudyFileTest::whatAStudyCannotSetIsRefusedByPlan() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  QFETCH(QByteArray, says);
  m_folder.write("box.json", test::SceneFolder::withBodies(
                                 R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
           {"name": "box", "position": [0, 0.6, 0], "shape": {"type": "box", "size": [1, 1, 1]}})"));
  QCOMPARE(tasksOf(study(), places()).size(), std::size_t(2 * 2 * 3 * 2));  // seeds, axes, panes
  const Study faulty = study(from, to);
  try {
    tasksOf(faulty, places());
    QFAIL("taken");
  } catch (const std::exception& error) {
    QVERIFY2(QByteArray(error.what()).contains(says), error.what());
  }
}

/// Each condition alone is harmless.
void StudyFileTest::conditionsOfOneFileShareTheirTime() {
  QByteArrayList tables;
  for (const char letter : {'a', 'b', 'c', 'd', 'e'})
    tables << QByteArray("(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) ") + letter;
  const QByteArray plain = "deep < 1 or (select count(*) from " + tables.join(", ") + ") > 0";
  study("\"deep < 1\"", "\"" + plain + "\"");
  QByteArrayList variants;
  for (int variant = 0; variant < 100; ++variant)
    variants << "\"v" + QByteArray::number(variant) + "\": \"" + plain + "\"";
  QByteArrayList acceptances;
  for (int number = 0; number < 20; ++number)
    acceptances << R"({"id": "a)" + QByteArray::number(number) +
                       R"(", "claim": "c", "if": "1", "variants": {)" + variants.join(',') + "}}";
  try {
    study("\"accept\": [", "\"accept\": [" + acceptances.join(',') + ",");
    QFAIL("taken");
  } catch (const SceneError& error) {
    const QByteArray message = error.what();
    QVERIFY2(message.contains(":accept: ") && message.contains("takes too long"), message);
  }
}

void StudyFileTest::scenesOutsideTheFolderAreRefused_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  const QByteArray scene = QByteArray::fromStdString(inDatasets("scenes/resting-box.json"));
  const QString folder = QFileInfo(QString::fromStdString(m_folder.path("rest.json"))).absolutePath();
  const QByteArray upwards = QDir(folder).relativeFilePath(QString::fromUtf8(scene)).toUtf8();
  const auto row = [](const char* name, const QByteArray& from, const QByteArray& to) {
    QTest::newRow(name) << from << to;
  };
  row("absolute", "\"box.json\"", "\"" + scene + "\"");
  row("upwards", "\"box.json\"", "\"" + upwards + "\"");
  row("upwards and back", "\"box.json\"", "\"sub/../" + upwards + "\"");
  row("of a pane", "\"method\": \"cpf\"", "\"method\": \"cpf\", \"scene\": \"" + upwards + "\"");
  row("set by a pane", "\"method\": \"cpf\"", "\"method\": \"cpf\", \"set\": {\"scene\": \"" + scene + "\"}");
  row("of a sweep", "\"parameters/stiffness\": \"=sigma * 1000\"", "\"scene\": \"" + upwards + "\"");
  row("behind a link", "\"box.json\"", "\"link.json\"");
  row("in a folder behind a link", "\"box.json\"", "\"linked/resting-box.json\"");
  row("in a folder that is not there", "\"box.json\"", "\"datasets/scenes/resting-box.json\"");
}

void StudyFileTest::scenesOutsideTheFolderAreRefused() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  const QByteArray box = test::SceneFolder::withBodies(
      R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
         {"name": "box", "position": [0, 0.6, 0], "shape": {"type": "box", "size": [1, 1, 1]}})");
  m_folder.write("box.json", box);
  m_folder.write("sub/box.json", box);
  const auto link = [this](const char* name, const char* target) {
    QFile::link(QString::fromStdString(inDatasets(target)), QString::fromStdString(m_folder.path(name)));
  };
  link("link.json", "scenes/resting-box.json");
  link("linked", "scenes");
  QVERIFY(!tasksOf(study("\"box.json\"", "\"sub/box.json\""), places()).empty());
  const Study outside = study(from, to);
  try {
    // As in the program, a name that is no shipped scene is looked up from the folder that it runs in.
    tasksOf(outside, {inDatasets(""), [](const std::string& name) {
                        return QFile::exists(QString::fromStdString(name)) ? name : places().scenes(name);
                      }});
    QFAIL("taken");
  } catch (const SceneError& error) {
    const QByteArray message = error.what();
    QVERIFY2(message.contains("rest.json:scene: ") && message.contains("folder") && message.contains("; "),
             message);
  }
}

void StudyFileTest::shippedStudiesCanRun_data() {
  QTest::addColumn<QString>("file");
  const QDir folder(QString::fromStdString(inDatasets("studies")));
  for (const QString& name : folder.entryList({"*.json"}, QDir::Files))
    QTest::newRow(qPrintable(name)) << folder.filePath(name);
}

void StudyFileTest::shippedStudiesCanRun() {
  QFETCH(QString, file);
  const PublishedValues published(inDatasets("published.json"));
  std::size_t counts[2] = {};
  for (bool quick : {false, true}) {
    const Study study = loadStudy(file.toStdString(), quick);
    QCOMPARE(study.name, QFileInfo(file).completeBaseName().toStdString());
    const std::vector<StudyTask> tasks = tasksOf(study, places());
    QVERIFY(!tasks.empty());
    counts[quick ? 1 : 0] = tasks.size();
    for (const StudyTask& task : tasks) QVERIFY(!task.hash.empty());
    for (const StudyPlot& plot : study.plots)
      for (const StudyPublished& each : plot.published) {
        const PublishedFigure* figure = published.find(each.id);
        QVERIFY2(figure, each.id.c_str());
        QVERIFY2(figure->numbers.count(each.number) == 1, (each.id + " " + each.number).c_str());
      }
  }
  QVERIFY(counts[1] <= counts[0]);
}

QTEST_APPLESS_MAIN(StudyFileTest)
#include "tst_study_file.moc"
