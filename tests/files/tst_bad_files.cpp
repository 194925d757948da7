#include <QtTest>

#include "core/files/scene_error.h"
#include "core/store/manifest.h"
#include "core/store/step_problem.h"
#include "core/study/study.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// Studies, manifests and problems of a step use the reader of scenes: invalid input is refused with file and
/// field.
class BadFilesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void badStudiesAreRefused_data();
  void badStudiesAreRefused();
  void badManifestsAreRefused_data();
  void badManifestsAreRefused();
  void badProblemsAreRefused_data();
  void badProblemsAreRefused();

 private:
  template <class Read>
  void verifyRefused(const QByteArray& good, const Read& read);
  test::SceneFolder m_folder;
};

namespace {

void columns() {
  QTest::addColumn<QByteArray>("part");
  QTest::addColumn<QByteArray>("replacement");
  QTest::addColumn<QByteArray>("field");
}

void row(const char* name, const QByteArray& part, const QByteArray& replacement, const char* field) {
  QTest::newRow(name) << part << replacement << QByteArray(field);
}

/// Faults that every kind of file can have. @param number  a field with a number, as written in the valid
/// file
void commonRows(const char* version, const char* number) {
  const QByteArray given = QByteArray(number), key = given.left(given.indexOf(':') + 1);
  row("twice", given, given + ", " + given, "twice");
  row("unknown field", given, given + ", \"colour\": 1", "colour");
  row("a text for a number", given, key + " \"1\"", ": must be a number");
  row("null for a number", given, key + " null", ": must be a number");
  row("beyond double", given, key + " 1e999", "1e999, a number beyond the range");
  row("beyond all use", given, key + " 1e31", "1e30");
  row("another version", QByteArray("\"") + version + "\": 1", QByteArray("\"") + version + "\": 2", version);
  row("a zero character", given, given + QByteArray("\0", 1), "zero character");
  row("cut off", given, "", "no valid JSON");
  row("nested deeply", given, given + ", \"deep\": " + QByteArray(100, '[') + QByteArray(100, ']'),
      "nested deeper");
}

}  // namespace

template <class Read>
void BadFilesTest::verifyRefused(const QByteArray& good, const Read& read) {
  QFETCH(QByteArray, part);
  QFETCH(QByteArray, replacement);
  QFETCH(QByteArray, field);
  read(m_folder.write("good.json", good));
  QVERIFY2(good.contains(part), part);
  QByteArray text = good;
  text.replace(text.indexOf(part), part.size(), replacement);
  const std::string path = m_folder.write("bad.json", text);
  try {
    read(path);
  } catch (const SceneError& error) {
    const QByteArray what = error.what();
    QVERIFY2(what.startsWith(QByteArray::fromStdString(path)) && what.contains(field) && what.contains("; "),
             what);
    return;
  }
  QFAIL("was accepted");
}

static const QByteArray kStudy =
    R"({"touchstone_study": 1, "name": "s", "title": "S", "scene": "a.json", "time": 0.5,
  "dt": [0.01, 0.1], "seeds": {"first": 0, "count": 3}, "variation": {"position": 0.1}, "crash_speed": 50,
  "panes": [{"label": "P", "method": "peg", "substeps": 2, "parameters": {"step": "exact"}},
            {"label": "C", "method": "cpf"}]})";

void BadFilesTest::badStudiesAreRefused_data() {
  columns();
  commonRows("touchstone_study", "\"time\": 0.5");
  row("a name that is a path", "\"s\"", "\"../s\"", "name: must be");
  row("more frames than can be counted", "\"time\": 0.5", "\"time\": 1e30", "dt[0]: ");
  row("less than a frame", "\"time\": 0.5", "\"time\": 0.001", "dt[0]: ");
  row("a step of 2 s", "0.1]", "2]", "dt[1]: ");
  row("a step twice", "0.1]", "0.01]", "dt[1]: is given twice");
  row("no steps", "[0.01, 0.1]", "[]", "dt: is empty");
  row("half a seed", "\"count\": 3", "\"count\": 1.5", "seeds.count");
  row("a negative seed", "\"first\": 0", "\"first\": -1", "seeds.first");
  row("a label with a line break", "\"P\"", "\"P\\n\"", "label");
  row("a label with a carriage return", "\"P\"", "\"P\\r\"", "label");
  row("a label with a comma", "\"P\"", "\"P,Q\"", "label");
  row("a label twice", "\"P\"", "\"C\"", "label");
  row("half a substep", "\"substeps\": 2", "\"substeps\": 2.5", "substeps");
  row("no such method", "\"peg\"", "\"pge\"", "method");
}

void BadFilesTest::badStudiesAreRefused() {
  verifyRefused(kStudy, [](const std::string& path) { loadStudy(path); });
}

static const QByteArray kManifest =
    R"({"touchstone_manifest": 1, "scene": "a.json", "hashes": {"a.json": "0"},
  "dt_s": 0.01, "time_s": 0.5, "panes": [{"method": "cpf", "solver": "", "substeps": 1, "backend": "cpu",
  "parameters": {"stiffness": 100}}]})";

void BadFilesTest::badManifestsAreRefused_data() {
  columns();
  commonRows("touchstone_manifest", "\"time_s\": 0.5");
  row("frames of 2 s", "\"dt_s\": 0.01", "\"dt_s\": 2", "time_s");
  row("more frames than can be counted", "0.5", "1e20", "time_s");
  row("substeps", "\"substeps\": 1", "\"substeps\": 2000000000", "panes[0].substeps");
  row("no such method", "\"cpf\"", "\"x\"", "panes[0].method");
  row("no such backend", "\"cpu\"", "\"gpu\"", "panes[0].backend");
  row("a list for a parameter", "100", "[100]", "panes[0].parameters.stiffness");
  row("no panes", "[{", "[], \"x\": [{", "x");
}

void BadFilesTest::badManifestsAreRefused() {
  verifyRefused(kManifest, [](const std::string& path) { readManifest(path); });
}

static const QByteArray kProblem =
    R"({"touchstone_problem": 1, "tolerance": 1e-9, "max_iterations": 50, "islands": [
  {"rows": 3, "free_rows": 0, "symmetric": true, "A": [[2, 0, 0], [0, 1, 0], [0, 0, 1]], "b": [-1, -1, 0],
   "start": [0, 0, 0], "disks": [{"normal_row": 0, "first_row": 1, "rows": 2, "friction": 0.5}],
   "maxima": [{"row": 0, "slacks": 1}]}]})";

void BadFilesTest::badProblemsAreRefused_data() {
  columns();
  commonRows("touchstone_problem", "\"tolerance\": 1e-9");
  row("no iterations", "50", "0", "max_iterations");
  row("very many iterations", "50", "2000000000", "max_iterations");
  row("very many rows", "\"rows\": 3", "\"rows\": 2000000000", "islands[0].rows");
  row("rows that are not there", "\"rows\": 3", "\"rows\": 4", "islands[0].b");
  row("free rows", "\"free_rows\": 0", "\"free_rows\": 4", "free_rows");
  row("negative free rows", "\"free_rows\": 0", "\"free_rows\": -3", "free_rows");
  row("a matrix of two rows", "[2, 0, 0], ", "", "islands[0].A");
  row("a row too short", "[2, 0, 0]", "[2, 0]", "islands[0].A[0]");
  row("no start", "\"start\": [0, 0, 0]", "\"start\": []", "islands[0].start");
  row("the disk of another row", "\"normal_row\": 0", "\"normal_row\": 3", "normal_row");
  row("the disk over its normal", "\"normal_row\": 0", "\"normal_row\": 2", "normal_row");
  row("first row overflows", "\"first_row\": 1", "\"first_row\": 2147483647", "first_row");
  row("first row negative", "\"first_row\": 1", "\"first_row\": -1", "first_row");
  row("disk of three rows", "\"rows\": 2", "\"rows\": 3", "disks[0].rows");
  row("negative friction", "0.5", "-0.5", "friction");
  row("slacks overflow", "\"slacks\": 1", "\"slacks\": 2147483647", "slacks");
  row("no slacks", "\"slacks\": 1", "\"slacks\": 0", "slacks");
  row("the last row has no slacks", "{\"row\": 0,", "{\"row\": 2,", "maxima[0].row");
  row("a row of two disks", "\"friction\": 0.5}",
      "\"friction\": 0.5}, {\"normal_row\": 0, \"first_row\": 2, \"rows\": 1, "
      "\"friction\": 0.5}",
      "disks");
  row("no islands", "\"islands\": [", "\"islands\": [], \"x\": [", "x");
}

void BadFilesTest::badProblemsAreRefused() {
  verifyRefused(kProblem, [](const std::string& path) { readProblems(path); });
}

QTEST_APPLESS_MAIN(BadFilesTest)
#include "tst_bad_files.moc"
