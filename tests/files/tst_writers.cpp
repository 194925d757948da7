#include <QProcess>
#include <QtTest>
#include <functional>

#include "core/files/json_file.h"
#include "core/files/sha256.h"
#include "core/files/written_file.h"
#include "core/store/database.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// Files of the user stay where a command of touchstone-cli wants to write: without `--force` every file,
/// with it all but those that the manifest names with their hashes.
class WritersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aNewFileReplacesNone();
  void noOptionReplacesAFileOfTheUser_data();
  void noOptionReplacesAFileOfTheUser();
  void forceReplacesTheFilesOfAnEarlierRunAndNoOthers_data();
  void forceReplacesTheFilesOfAnEarlierRunAndNoOthers();
  void aFileThatWasEditedStaysAndIsNamed_data();
  void aFileThatWasEditedStaysAndIsNamed();
  void aFolderWithoutHashesIsRefused();
  void aManifestNamesNothingOutsideItsFolder();
  void forceReplacesEarlierExports();
  void aCardKeepsFilesOfTheUserInTheFoldersOfItsRuns();
  void aRecordingWithAMissingFrameIsNotExported();

 private:
  using Result = test::CommandFolder::Result;
  QByteArray content(const QString& name) const { return m_folder.content(name); }
  void write(const QString& name, const QByteArray& text) const {
    QVERIFY(QDir(m_folder.path()).mkpath(QFileInfo(name).path()));
    m_folder.write(name, text);
  }
  /// An earlier run, map or card in a new folder.
  void makeEarlier(const QStringList& command, const QString& out) const {
    QDir(m_folder.at(out)).removeRecursively();
    const Result result = m_folder.run(command + QStringList{"--out", out});
    QVERIFY2(result.code == 0, result.error);
  }
  test::CommandFolder m_folder;
  QString m_harvested;  ///< name of a harvested problem
};

/// A published friction problem.
static const QString kProblem = QStringLiteral(TS_SOURCE_DIR "/tests/vectors/friction.hdf5");
static const QByteArray kMine = "my words\n";

void WritersTest::initTestCase() {
  write("a.json", test::SceneFolder::withBodies(
                      R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
               {"name": "box", "position": [0, 0.499, 0], "shape": {"type": "box", "size": [1, 1, 1]}})",
                      R"("duration": 0.03, )"));
  write("mesh/cube.obj", test::cubeObj());
  write("mesh/m.json",
        test::SceneFolder::withBodies(
            R"({"name": "m", "density": 1000, "shape": {"type": "mesh", "file": "cube.obj"}})"));
  write("robots/arm.urdf",
        R"(<robot name="arm"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
           ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="cube.obj"/></geometry>
           </collision></link></robot>)");
  write("robots/cube.obj", test::cubeObj());
  write("s.json", R"({"touchstone_study": 1, "name": "s", "title": "S", "scene": "a.json", "time": 0.03,
    "dt": [0.01], "panes": [{"label": "P", "method": "cpf"}],
    "plots": [{"id": "p", "x": "dt_s", "y": "depth_max"}]})");
  QCOMPARE(m_folder.run({"run", "a.json", "--methods", "lcp", "--record", "r.touchstone"}).code, 0);
  const Result harvest = m_folder.run({"harvest", "r.touchstone", "--out", "problems"});
  QVERIFY2(harvest.code == 0, harvest.error);
  m_harvested = QDir(m_folder.at("problems")).entryList({"*.json"}).value(0);
  QVERIFY(!m_harvested.isEmpty());
  QCOMPARE(m_folder.run({"solve", kProblem, "--solvers", "newton-fb", "--write", "one.dat"}).code >= 2,
           false);
}

void WritersTest::aNewFileReplacesNone() {
  const std::string path = m_folder.at("new.txt").toStdString();
  const auto words = [](const char* text) { return [text](std::ostream& out) { out << text; }; };
  writeNew(path, words("one"));
  writeNew(path, words("one"));  // the same bytes
  QVERIFY_EXCEPTION_THROWN(writeNew(path, words("two")), std::invalid_argument);
  QCOMPARE(content("new.txt"), QByteArray("one"));
  writeNew(path, words("two"), [](const std::string&) { return true; });
  QCOMPARE(content("new.txt"), QByteArray("two"));
  QVERIFY(QFile::link("nowhere", m_folder.at("link.txt")));
  QVERIFY_EXCEPTION_THROWN(writeNew(m_folder.at("link.txt").toStdString(), words("x")),
                           std::invalid_argument);
  QCOMPARE(QDir(m_folder.path()).entryList({"*.part*"}), QStringList());
}

void WritersTest::noOptionReplacesAFileOfTheUser_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("file");
  const auto row = [](const char* name, const QStringList& arguments, const QString& file) {
    QTest::newRow(name) << arguments << file;
  };
  const QStringList map = {"map", "a.json", "--method", "cpf", "--vary", "stiffness=1e4,1e5"},
                    ensemble = {"ensemble", "a.json", "--methods",  "cpf",
                                "--copies", "2",      "--quantity", "mean_height"},
                    study = {"study", "s.json"}, card = {"conform", "rolling", "--methods", "cpf"},
                    judge = {"judge", "a.json", "poses.csv"};
  row("run --out", {"run", "a.json", "--out", "t"}, "t/quantities.csv");
  row("run --out --poses", {"run", "a.json", "--out", "t", "--poses"}, "t/poses.csv");
  row("run --record", {"run", "a.json", "--record", "t.touchstone"}, "t.touchstone");
  row("map --out", map + QStringList{"--out", "t"}, "t/map.csv");
  row("map figure", map + QStringList{"--out", "t"}, "t/overlap.svg");
  row("ensemble --out", ensemble + QStringList{"--out", "t"}, "t/copies.csv");
  row("ensemble --scenes", ensemble + QStringList{"--scenes", "t"}, "t/test-0.json");
  row("ensemble meshes",
      {"ensemble", "mesh/m.json", "--methods", "cpf", "--copies", "2", "--quantity", "mean_height", "--time",
       "0.02", "--scenes", "t"},
      "t/test-meshes/cube.obj");
  row("study --out", study + QStringList{"--out", "t"}, "t/runs.csv");
  row("study figure", study + QStringList{"--out", "t"}, "t/p.svg");
  row("conform --out", card + QStringList{"--out", "t"}, "t/card.tex");
  row("conform run", card + QStringList{"--out", "t"}, "t/runs/rolling.wheel/quantities.csv");
  row("judge --out", judge + QStringList{"--out", "t"}, "t/laws.csv");
  row("import --out", {"import", "robots/arm.urdf", "--out", "t.json"}, "t.json");
  row("import mesh", {"import", "robots/arm.urdf", "--out", "t/b.json"}, "t/b-meshes/cube.obj");
  row("export --poses", {"export", "r.touchstone", "--poses", "t.csv"}, "t.csv");
  row("export --paraview", {"export", "r.touchstone", "--paraview", "t"}, "t/1-lcp-auto-bodies.pvd");
  row("export --mjcf", {"export", "a.json", "--mjcf", "t.xml"}, "t.xml");
  row("export --urdf", {"export", "a.json", "--urdf", "t"}, "t/world.csv");
  row("solve --write", {"solve", kProblem, "--write", "t.dat"}, "t.dat");
  row("harvest --out", {"harvest", "r.touchstone", "--out", "t"}, "t/" + m_harvested);
  row("profile --csv", {"profile", "one.dat", "--csv", "t.csv"}, "t.csv");
  row("profile --figure", {"profile", "one.dat", "--figure", "t.svg"}, "t.svg");
  row("claims --write", {"claims", "--write", "t.json"}, "t.json");
}

void WritersTest::noOptionReplacesAFileOfTheUser() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, file);
  if (arguments.contains("judge") && content("poses.csv").isEmpty())
    QCOMPARE(m_folder.run({"export", "r.touchstone", "--poses", "poses.csv"}).code, 0);
  QDir(m_folder.at("t")).removeRecursively();
  if (file.endsWith(".pvd")) {  // its name has the label of the pane
    QCOMPARE(m_folder.run({"export", "r.touchstone", "--paraview", "names"}).code, 0);
    file = "t/" + QDir(m_folder.at("names")).entryList({"*-bodies.pvd"}).value(0);
  }
  if (file.contains("rolling.")) {  // the name of a run
    QCOMPARE(
        m_folder.run({"conform", "rolling", "--methods", "cpf", "--out", "runs-of-a-card", "--force"}).code,
        0);
    file = "t/runs/" + QDir(m_folder.at("runs-of-a-card/runs")).entryList({"rolling.*"}).value(0) +
           "/quantities.csv";
  }
  const bool mayForce = arguments[0] != "solve" && arguments[0] != "harvest" && arguments[0] != "study";
  for (const bool force : {false, true}) {
    if (force && !mayForce) continue;
    write(file, kMine);
    const Result result = m_folder.run(arguments + (force ? QStringList{"--force"} : QStringList()));
    QVERIFY2(result.code == 2, result.out + result.error);
    QCOMPARE(content(file), kMine);
    QVERIFY2(result.error.contains(QFileInfo(file).fileName().toUtf8()), result.error);
  }
  QVERIFY(QFile::remove(m_folder.at(file)));
}

void WritersTest::forceReplacesTheFilesOfAnEarlierRunAndNoOthers_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QByteArray>("text");
  const QByteArray trajectory =
      "# touchstone_trajectory: 1\n# engine: bullet\ntime,body,x,y,z,qw,qx,qy,qz\n0,box,0,0.5,0,1,0,0,0\n";
  QTest::newRow("trajectory") << "poses-bullet.csv" << trajectory;
  QTest::newRow("trajectory of ours")
      << "poses-cpf.csv" << QByteArray(trajectory).replace("bullet", "touchstone");
  QTest::newRow("in a folder") << "poses/own.csv" << trajectory;
  QTest::newRow("contacts") << "pose-contacts-x.csv" << QByteArray("# touchstone_contacts: 1\n");
  QTest::newRow("part") << "notes.csv.part" << QByteArray("time_s,frame,\n");
  QTest::newRow("scene") << "summary-2.txt" << QByteArray("Scene of the crime\n");
}

void WritersTest::forceReplacesTheFilesOfAnEarlierRunAndNoOthers() {
  QFETCH(QString, file);
  QFETCH(QByteArray, text);
  const QStringList command = {"run", "a.json", "--methods", "cpf"};
  makeEarlier(QStringList(command) << "--contacts"
                                   << "--poses",
              "e");
  QVERIFY(!content("e/contacts.csv").isEmpty() && !content("e/poses.csv").isEmpty());
  write("e/" + file, text);
  const Result again = m_folder.run(QStringList(command) << "--out"
                                                         << "e"
                                                         << "--force");
  QVERIFY2(again.code == 0, again.error);
  QCOMPARE(content("e/" + file), text);
  QVERIFY(!QFileInfo::exists(m_folder.at("e/contacts.csv")) &&
          !QFileInfo::exists(m_folder.at("e/poses.csv")));
  const auto manifest = parseJson(content("e/manifest.json").toStdString(), "manifest");
  const QByteArray table = content("e/quantities.csv");
  QCOMPARE(manifest.at("files").at("quantities.csv").get<std::string>(), sha256(table.toStdString()));
}

void WritersTest::aFileThatWasEditedStaysAndIsNamed_data() {
  QTest::addColumn<QStringList>("command");
  QTest::addColumn<QString>("file");
  const QStringList run = {"run", "a.json", "--methods", "cpf", "--contacts"};
  for (const char* file : {"summary.txt", "quantities.csv", "contacts.csv", "manifest.json"})
    QTest::newRow(file) << run << file;
  QTest::newRow("card") << QStringList{"conform", "rolling", "--methods", "cpf"} << "card.txt";
  QTest::newRow("map") << QStringList{"map", "a.json", "--method", "cpf", "--vary", "stiffness=1e4,1e5"}
                       << "map.csv";
}

void WritersTest::aFileThatWasEditedStaysAndIsNamed() {
  QFETCH(QStringList, command);
  QFETCH(QString, file);
  makeEarlier(command, "e");
  const QByteArray edited = file == "manifest.json"
                                ? content("e/" + file).replace("\"complete\"", "\"complete and checked\"")
                                : content("e/" + file) + "checked\n";
  QVERIFY(edited != content("e/" + file));
  write("e/" + file, edited);
  command.removeAll("--contacts");  // a file that the new run does not write stays as well
  const Result result = m_folder.run(command + QStringList{"--out", "e", "--force"});
  QVERIFY2(result.code == 2, result.error);
  QVERIFY2(result.error.contains(file.toUtf8()) && result.error.contains("has been changed"), result.error);
  QCOMPARE(content("e/" + file), edited);
}

void WritersTest::aFolderWithoutHashesIsRefused() {
  makeEarlier({"run", "a.json", "--methods", "cpf"}, "old");
  auto manifest = parseJson(content("old/manifest.json").toStdString(), "manifest");
  manifest.erase("files");
  write("old/manifest.json", QByteArray::fromStdString(manifest.dump()));
  const QByteArray table = content("old/quantities.csv");
  const Result result = m_folder.run({"run", "a.json", "--methods", "cpf", "--out", "old", "--force"});
  QCOMPARE(result.code, 2);
  QVERIFY2(result.error.contains("earlier version"), result.error);
  QCOMPARE(content("old/quantities.csv"), table);
}

void WritersTest::aManifestNamesNothingOutsideItsFolder() {
  makeEarlier({"run", "a.json", "--methods", "cpf"}, "out");
  write("thesis.txt", kMine);
  auto manifest = parseJson(content("out/manifest.json").toStdString(), "manifest");
  manifest["files"]["../thesis.txt"] = sha256(kMine.toStdString());
  manifest["files"].erase("manifest.json");
  write("out/manifest.json", QByteArray::fromStdString(manifest.dump()));
  m_folder.run({"run", "a.json", "--methods", "cpf", "--out", "out", "--force"});
  QCOMPARE(content("thesis.txt"), kMine);
}

void WritersTest::forceReplacesEarlierExports() {
  const QStringList command = {"export", "r.touchstone", "--paraview", "pv", "--poses", "x.csv"};
  QCOMPARE(m_folder.run(command).code, 0);
  const QByteArray poses = content("x.csv");
  write("x.csv", poses + "0.9,box,0,0,0,1,0,0,0,0,0,0,0,0,0\n");
  QCOMPARE(m_folder.run({"export", "r.touchstone", "--poses", "x.csv"}).code, 2);
  QCOMPARE(m_folder.run({"export", "r.touchstone", "--poses", "x.csv", "--force"}).code, 0);
  QCOMPARE(content("x.csv"), poses);
  QCOMPARE(m_folder.run({"export", "r.touchstone", "--paraview", "pv"}).code, 2);
  QCOMPARE(m_folder.run({"export", "r.touchstone", "--paraview", "pv", "--force"}).code, 0);
  write("x.csv", QByteArray(poses).replace("# engine: touchstone", "# engine: bullet"));
  QCOMPARE(m_folder.run({"export", "r.touchstone", "--poses", "x.csv", "--force"}).code, 2);
  QCOMPARE(m_folder.run({"profile", "one.dat", "--figure", "f.svg"}).code, 0);
  QCOMPARE(m_folder.run({"profile", "one.dat", "--figure", "f.svg"}).code, 2);
  QCOMPARE(m_folder.run({"profile", "one.dat", "--figure", "f.svg", "--force"}).code, 0);
  const QByteArray problem = content("one.dat");
  QCOMPARE(m_folder.run({"solve", kProblem, "--write", "one.dat"}).code < 2, true);  // the same bytes
  write("one.dat", problem + " ");
  QCOMPARE(m_folder.run({"solve", "one.dat", "--write", "one.dat"}).code, 2);
  QCOMPARE(content("one.dat"), problem + " ");
}

void WritersTest::aCardKeepsFilesOfTheUserInTheFoldersOfItsRuns() {
  makeEarlier({"conform", "rolling", "--methods", "cpf"}, "card");
  const QString folder = "card/runs/" + QDir(m_folder.at("card/runs")).entryList({"rolling.*"}).value(0);
  const QByteArray recording = content(folder + "/recording.touchstone");
  QVERIFY(QFile::remove(m_folder.at(folder + "/recording.touchstone")));
  QVERIFY(QFile::copy(m_folder.at("r.touchstone"), m_folder.at(folder + "/recording.touchstone")));
  const Result result = m_folder.run({"conform", "rolling", "--methods", "cpf", "--out", "card", "--force"});
  QVERIFY2(result.code == 2 && result.error.contains("recording.touchstone"), result.error);
  QCOMPARE(content(folder + "/recording.touchstone"), content("r.touchstone"));
  write(folder + "/recording.touchstone", recording);
  QCOMPARE(m_folder.run({"conform", "rolling", "--methods", "cpf", "--out", "card", "--force"}).code, 0);
}

void WritersTest::aRecordingWithAMissingFrameIsNotExported() {
  for (const char* gap : {"frame = 0", "frame = 2", "frame = 3 AND pane = 1"}) {
    QFile::remove(m_folder.at("gap.touchstone"));
    QCOMPARE(m_folder.run({"run", "a.json", "--methods", "cpf,lcp", "--record", "gap.touchstone"}).code, 0);
    Database(m_folder.at("gap.touchstone").toStdString(), Database::Open::Own)
        .run(std::string("DELETE FROM frames WHERE ") + gap);
    const Result result = m_folder.run({"export", "gap.touchstone", "--poses", "gap.csv"});
    QVERIFY2(result.code == 2 && result.error.contains("has no frame"), gap + result.out + result.error);
  }
}

QTEST_GUILESS_MAIN(WritersTest)
#include "tst_writers.moc"
