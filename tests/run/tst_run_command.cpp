#include <signal.h>
#include <sys/resource.h>

#include <QCryptographicHash>
#include <QProcess>
#include <QtTest>

#include "core/files/json_file.h"
#include "core/store/database.h"
#include "core/store/recording.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// Files that `touchstone-cli run` leaves after any end, and files that it never touches.
class RunCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void tablesGrowWhileItRunsAndSurviveAKill();
  void aSignalEndsItAfterTheFrameWithAllThatWasComputed_data();
  void aSignalEndsItAfterTheFrameWithAllThatWasComputed();
  void aSecondWriterIsToldWhoWrites();
  void aReaderBesideARunningRecorderSeesWholeFrames();
  void earlierResultsStayUntilTheNewOnesAreWhole();
  void nothingOfAnEarlierRunStaysBesideANewManifest();
  void foreignFilesAreNeverReplaced_data();
  void foreignFilesAreNeverReplaced();
  void aRecordingIsReplacedOnlyByAWholeOne();
  void whatCannotBeRunIsNoSuccess_data();
  void whatCannotBeRunIsNoSuccess();
  void aFullOutputIsNoSuccess();
  void aFileThatMayNotGrowEndsTheRunWithAMessage();
  void closedStreamsAreNotWrittenInto();
  void panesOfOneMethodAreToldApart();
  void posesAreATrajectoryFile();
  void extentsHoldWhatMoves();
  void quantitiesOfNamedBodiesAreColumns();
  void contactsOfAllSubstepsAddUpToTheForce();
  void quantitiesOfBodiesThatAreNotThereAreRefused_data();
  void quantitiesOfBodiesThatAreNotThereAreRefused();
  void aSeedMovesTheStartAndIsRepeated();
  void aReplayNamesTheVersionThatMadeTheRecording();
  void meshesAreToldInTheSummary();

 private:
  QString at(const QString& name) const { return m_folder->at(name); }
  QByteArray content(const QString& name) const { return m_folder->content(name); }
  using Result = test::CommandFolder::Result;
  /// Starts a long run and waits for its first frames.
  std::unique_ptr<QProcess> started(const QStringList& arguments) const;
  static QByteArray endOf(const QByteArray& manifest);
  std::unique_ptr<test::CommandFolder> m_folder;
};

void RunCommandTest::init() {
  m_folder = std::make_unique<test::CommandFolder>();
  m_folder->write("a.json", test::SceneFolder::withBodies(
                                R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
                         {"name": "box", "position": [0, 0.499, 0], "shape": {"type": "box", "size": [1, 1, 1]}})",
                                R"("methods": ["cpf", "peg"], "duration": 0.1, )"));
}

std::unique_ptr<QProcess> RunCommandTest::started(const QStringList& arguments) const {
  return m_folder->started(QStringList{"run", "a.json", "--time", "100000"} + arguments);
}

QByteArray RunCommandTest::endOf(const QByteArray& manifest) {
  return QByteArray::fromStdString(
      parseJson(manifest.toStdString(), "manifest").at("end").get<std::string>());
}

static void verifyWholeLines(const QByteArray& table) {
  QVERIFY(table.endsWith('\n'));
  const QList<QByteArray> lines = table.split('\n');
  for (int line = 0; line + 1 < lines.size(); ++line) QCOMPARE(lines[line].count(','), lines[0].count(','));
}

void RunCommandTest::tablesGrowWhileItRunsAndSurviveAKill() {
  const auto process = started({"--out", "o", "--contacts"});
  QTRY_VERIFY_WITH_TIMEOUT(content("o/quantities.csv.part").count('\n') > 100, 60000);
  QCOMPARE(endOf(content("o/manifest.json")), QByteArray("unfinished"));
  process->kill();
  process->waitForFinished();
  for (const QString table : {"o/quantities.csv", "o/convergence.csv", "o/contacts.csv"}) {
    QVERIFY(!QFileInfo::exists(at(table)));  // a final name belongs to a complete table
    const QByteArray part = content(table + ".part");
    QVERIFY(part.count('\n') > 50);
    verifyWholeLines(part.left(part.lastIndexOf('\n') + 1));
  }
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o"}).code, 2);  // it contains results
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o", "--force"}).code, 0);
  QCOMPARE(endOf(content("o/manifest.json")), QByteArray("complete"));
  QCOMPARE(content("o/quantities.csv").count('\n'), 1 + 2 * 11);
  QCOMPARE(QDir(at("o")).entryList({"*.part*"}), QStringList());
}

void RunCommandTest::aSignalEndsItAfterTheFrameWithAllThatWasComputed_data() {
  QTest::addColumn<int>("signal");
  QTest::newRow("SIGINT") << SIGINT;
  QTest::newRow("SIGTERM") << SIGTERM;
  QTest::newRow("SIGHUP") << SIGHUP;
}

void RunCommandTest::aSignalEndsItAfterTheFrameWithAllThatWasComputed() {
  QFETCH(int, signal);
  const QByteArray name = QTest::currentDataTag();
  const auto process = started({"--out", "o", "--record", "r.touchstone"});
  QTRY_VERIFY_WITH_TIMEOUT(content("o/quantities.csv.part").count('\n') > 100, 60000);
  kill(static_cast<pid_t>(process->processId()), signal);
  QVERIFY(process->waitForFinished(60000));
  QCOMPARE(process->exitStatus(), QProcess::NormalExit);
  QCOMPARE(process->exitCode(), 1);
  QVERIFY(process->readAllStandardError().contains("interrupted by " + name));
  QCOMPARE(endOf(content("o/manifest.json")), "interrupted by " + name);
  QVERIFY(content("o/summary.txt").contains("NOT COMPLETE: interrupted by " + name));
  verifyWholeLines(content("o/quantities.csv"));
  const Recording recording(at("r.touchstone").toStdString());
  QCOMPARE(2 * (recording.lastFrame() + 1), content("o/quantities.csv").count('\n') - 1L);
  QCOMPARE(QDir(m_folder->path()).entryList({"r.touchstone*"}), QStringList{"r.touchstone"});
}

void RunCommandTest::aSecondWriterIsToldWhoWrites() {
  const auto process = started({"--out", "o", "--record", "r.touchstone"});
  QTRY_VERIFY_WITH_TIMEOUT(content("o/quantities.csv.part").count('\n') > 10, 60000);
  const QByteArray who = "process " + QByteArray::number(process->processId()) + " (touchstone-cli)";
  for (const QStringList& arguments : {QStringList{"--out", "o"}, QStringList{"--out", "o", "--force"},
                                       QStringList{"--record", "r.touchstone", "--force"}}) {
    const Result second = m_folder->run(QStringList{"run", "a.json"} + arguments);
    QCOMPARE(second.code, 3);
    QVERIFY2(second.error.contains(who), second.error);
  }
  kill(static_cast<pid_t>(process->processId()), SIGTERM);
  QVERIFY(process->waitForFinished(60000));
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o", "--force"}).code, 0);
}

void RunCommandTest::aReaderBesideARunningRecorderSeesWholeFrames() {
  const auto process = started({"--record", "r.touchstone"});
  QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(at("r.touchstone")).size() > 100000, 60000);
  long last = 0;
  for (int look = 0; look < 30; ++look) {
    const Recording recording(at("r.touchstone").toStdString());
    QVERIFY(recording.lastFrame() >= last);
    last = recording.lastFrame();
    QCOMPARE(recording.rows().size(), 2 * (last + 1));
  }
  const auto lastRecorded = [this] { return Recording(at("r.touchstone").toStdString()).lastFrame(); };
  QTRY_VERIFY_WITH_TIMEOUT(lastRecorded() > last, 60000);
  kill(static_cast<pid_t>(process->processId()), SIGTERM);
  QVERIFY(process->waitForFinished(60000));
  QCOMPARE(process->exitCode(), 1);
  QVERIFY(!process->readAllStandardError().contains("r.touchstone"));  // no complaint
  QVERIFY(lastRecorded() > last);
}

void RunCommandTest::earlierResultsStayUntilTheNewOnesAreWhole() {
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o", "--contacts"}).code, 0);
  const QByteArray table = content("o/quantities.csv"), manifest = content("o/manifest.json");
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o", "--force", "--stop-on", "nonsense"}).code, 2);
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o", "--force", "--record", "no/such/folder"}).code, 3);
  const auto process = started({"--out", "o", "--force"});
  QTRY_VERIFY_WITH_TIMEOUT(content("o/quantities.csv.part").count('\n') > 10, 60000);
  process->kill();
  process->waitForFinished();
  QCOMPARE(content("o/quantities.csv"), table);
  QCOMPARE(content("o/manifest.json"), manifest);
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o", "--force"}).code, 0);
  QCOMPARE(QDir(at("o")).entryList({"*.part*"}), QStringList());
}

void RunCommandTest::nothingOfAnEarlierRunStaysBesideANewManifest() {
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o", "--contacts"}).code, 0);
  m_folder->write("o/notes.txt", "mine");
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "o", "--force"}).code, 0);
  QCOMPARE(QDir(at("o")).entryList(QDir::Files),
           (QStringList{"convergence.csv", "manifest.json", "notes.txt", "quantities.csv", "summary.txt"}));
}

void RunCommandTest::foreignFilesAreNeverReplaced_data() {
  QTest::addColumn<QString>("file");
  for (const char* file :
       {"quantities.csv", "convergence.csv", "contacts.csv", "summary.txt", "manifest.json"})
    QTest::newRow(file) << file;
}

void RunCommandTest::foreignFilesAreNeverReplaced() {
  QFETCH(QString, file);
  QVERIFY(QDir(m_folder->path()).mkpath("o"));
  m_folder->write("o/" + file, "{\"my\": \"own\"}");
  for (const QStringList& force : {QStringList(), QStringList{"--force"}}) {
    const Result result = m_folder->run(QStringList{"run", "a.json", "--out", "o", "--contacts"} + force);
    QCOMPARE(result.code, 2);
    QVERIFY2(result.error.contains(file.toUtf8()), result.error);
    QCOMPARE(content("o/" + file), QByteArray("{\"my\": \"own\"}"));
  }
  // Not even next to results of this program.
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "p", "--contacts"}).code, 0);
  m_folder->write("p/" + file, "{\"my\": \"own\"}");
  QCOMPARE(m_folder->run({"run", "a.json", "--out", "p", "--contacts", "--force"}).code, 2);
  QCOMPARE(content("p/" + file), QByteArray("{\"my\": \"own\"}"));
}

void RunCommandTest::aRecordingIsReplacedOnlyByAWholeOne() {
  m_folder->write("thesis.txt", "precious");
  for (const char* file : {"thesis.txt", "a.json"}) {
    const QByteArray before = content(file);
    QCOMPARE(m_folder->run({"run", "a.json", "--record", file, "--force"}).code, 2);
    QCOMPARE(content(file), before);
  }
  QCOMPARE(m_folder->run({"run", "a.json", "--record", "r.touchstone"}).code, 0);
  QCOMPARE(m_folder->run({"run", "a.json", "--record", "r.touchstone"}).code, 2);
  QCOMPARE(
      m_folder->run({"run", "a.json", "--record", "r.touchstone", "--force", "--stop-on", "nonsense"}).code,
      2);
  const auto process = started({"--record", "r.touchstone", "--force"});
  QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(at("r.touchstone.part")).size() > 200000, 60000);
  process->kill();
  process->waitForFinished();
  QCOMPARE(Recording(at("r.touchstone").toStdString()).lastFrame(), 10L);
  QVERIFY(Recording(at("r.touchstone.part").toStdString()).lastFrame() >
          10);  // plus the frames that the killed one recorded
  QCOMPARE(m_folder->run({"run", "a.json", "--time", "0.05", "--record", "r.touchstone", "--force"}).code, 0);
  QCOMPARE(Recording(at("r.touchstone").toStdString()).lastFrame(), 5L);
}

void RunCommandTest::whatCannotBeRunIsNoSuccess_data() {
  QTest::addColumn<QStringList>("arguments");
  for (const char* time : {"1e300", "1e19", "0.001"}) QTest::newRow(time) << QStringList{"--time", time};
  for (const char* dt : {"10", "1e30", "0", "1e-300"}) QTest::addRow("dt %s", dt) << QStringList{"--dt", dt};
  for (const char* set :
       {"cpf.substeps=1.5", "cpf.stiffness=true", "cpf.stiffness=nan", "cpf.substeps=1e30", "cpf.x=1"})
    QTest::newRow(set) << QStringList{"--set", set};
  for (const char* condition : {"penetration_max>nan", "penetration_max>", "x>1"})
    QTest::newRow(condition) << QStringList{"--stop-on", condition};
  QTest::newRow("17 panes recorded") << QStringList{"--methods", QString("cpf,").repeated(16) + "cpf",
                                                    "--record", "r"};
}

void RunCommandTest::whatCannotBeRunIsNoSuccess() {
  QFETCH(QStringList, arguments);
  const Result result = m_folder->run(QStringList{"run", "a.json"} + arguments);
  QCOMPARE(result.code, 2);
  QVERIFY(!result.error.isEmpty() && result.out.isEmpty());
  QVERIFY(!QFileInfo::exists(at("r")));
}

void RunCommandTest::aFullOutputIsNoSuccess() {
  for (const QStringList& arguments :
       {QStringList{"run", "a.json"}, QStringList{"list"}, QStringList{"--help"}}) {
    QProcess process;
    process.setWorkingDirectory(m_folder->path());
    process.setStandardOutputFile("/dev/full");
    process.start(test::CommandFolder::program(), arguments);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 3);
    QVERIFY(process.readAllStandardError().contains("standard output"));
  }
}

void RunCommandTest::aFileThatMayNotGrowEndsTheRunWithAMessage() {
  QProcess process;
  process.setWorkingDirectory(m_folder->path());
  process.start("sh", {"-c", "ulimit -f 40; exec \"$0\" run a.json --time 1000 --out o",
                       test::CommandFolder::program()});
  QVERIFY(process.waitForFinished(60000));
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QCOMPARE(process.exitCode(), 3);
  QVERIFY(process.readAllStandardError().contains("quantities.csv: cannot be written"));
  verifyWholeLines(content("o/quantities.csv"));
}

void RunCommandTest::closedStreamsAreNotWrittenInto() {
  QProcess process;
  process.setWorkingDirectory(m_folder->path());
  process.start("sh", {"-c", "exec \"$0\" run a.json --out o --record r.touchstone <&- >&- 2>&-",
                       test::CommandFolder::program()});
  QVERIFY(process.waitForFinished(60000));
  QCOMPARE(process.exitCode(), 0);
  verifyWholeLines(content("o/quantities.csv"));
  QCOMPARE(Recording(at("r.touchstone").toStdString()).lastFrame(), 10L);
}

void RunCommandTest::panesOfOneMethodAreToldApart() {
  const Result result =
      m_folder->run({"run", "a.json", "--methods", "peg,peg:step=exact,cpf,cpf:substeps=3,cpf", "--out", "o",
                     "--contacts"});
  QCOMPARE(result.code, 0);
  for (const char* name : {"o/quantities.csv", "o/contacts.csv"}) {
    const QList<QByteArray> lines = content(name).split('\n');
    const int column = lines[0].split(',').indexOf("pane");
    QVERIFY(column > 0);
    QStringList panes;
    for (int line = 1; line + 1 < lines.size(); ++line) panes << lines[line].split(',')[column];
    panes.removeDuplicates();
    QCOMPARE(panes, (QStringList{"peg-auto:step=plain", "peg-auto:step=exact", "cpf:substeps=1",
                                 "cpf:substeps=3", "cpf:substeps=1#2"}));
  }
  QVERIFY(result.out.contains("step=exact"));
  QCOMPARE(m_folder->run({"run", "--from", "o/manifest.json", "--out", "p"}).code, 0);
  QCOMPARE(content("p/convergence.csv"), content("o/convergence.csv"));
}

/// Cells of a column of a table, for one pane.
static QList<QByteArray> columnOf(const QByteArray& table, const QByteArray& name, const QByteArray& pane) {
  const QList<QByteArray> lines = table.split('\n');
  const QList<QByteArray> heads = lines[0].split(',');
  const int column = heads.indexOf(name), paneColumn = heads.indexOf("pane");
  QList<QByteArray> cells;
  for (int line = 1; line + 1 < lines.size() && column >= 0; ++line)
    if (lines[line].split(',')[paneColumn] == pane) cells << lines[line].split(',')[column];
  return cells;
}

void RunCommandTest::posesAreATrajectoryFile() {
  m_folder->write("b.json", test::SceneFolder::withBodies(
                                R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
               {"name": "late", "release_time": 0.05, "position": [5, 2, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
               {"name": "a, b", "position": [0, 3, 0], "velocity": [1, 0, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": 90},
                "shape": {"type": "pieces", "pieces": [{"type": "box", "size": [1, 1, 1], "position": [2, 0, 0]}]}})",
                                R"("methods": ["cpf"], "duration": 0.1, )"));
  QCOMPARE(m_folder->run({"run", "b.json", "--substeps", "4", "--out", "o", "--poses"}).code, 0);
  const QList<QByteArray> lines = content("o/poses.csv").split('\n');
  const QByteArray sum =
      QByteArray(QCryptographicHash::hash(content("b.json"), QCryptographicHash::Sha256)).toHex();
  const QList<QByteArray> head = {"# touchstone_trajectory: 1", "# scene: test", "# scene_sha256: " + sum};
  QCOMPARE(lines.mid(0, 3), head);
  QVERIFY2(lines[3].startsWith("# engine: touchstone ") && lines[3].endsWith(" (cpf)"), lines[3]);
  const QList<QByteArray> rest = {"# length: m",
                                  "# up: y",
                                  "# frame: com",
                                  "# omega: world",
                                  "# step: 0.0025",
                                  "# integrator: semi-implicit-euler",
                                  "# centre_of_mass: late 0 0 0",
                                  "# centre_of_mass: a, b 2 0 0",
                                  "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"};
  QCOMPARE(lines.mid(4, rest.size()), rest);
  // The centre of mass, 2 m along the x axis of the shape, which points up.
  const QByteArray first = lines[4 + rest.size()];
  QVERIFY2(first.startsWith("0,\"a, b\","), first);
  const QList<QByteArray> cells = first.mid(9).split(',');
  QCOMPARE(cells.size(), 13);
  QVERIFY(std::abs(cells[0].toDouble()) < 1e-15 && std::abs(cells[1].toDouble() - 5) < 1e-15);
  QVERIFY(std::abs(cells[3].toDouble() - std::sqrt(0.5)) < 1e-15);
  QVERIFY(std::abs(cells[6].toDouble() - std::sqrt(0.5)) < 1e-15);
  QCOMPARE(cells[7], QByteArray("1"));
  // 11 times of one body, and those of the other from its release on.
  const QByteArray text = content("o/poses.csv");
  QCOMPARE(text.count("\"a, b\","), 11);
  QVERIFY(text.count(",late,") >= 5 && text.count(",late,") < 11);
  QCOMPARE(m_folder
               ->run({"run", "b.json", "--methods", "cpf,dpf", "--out", "p", "--poses", "--record",
                      "r.touchstone"})
               .code,
           0);
  QVERIFY(content("p/poses-cpf.csv").contains("(cpf)") && content("p/poses-dpf.csv").contains("(dpf)"));
  QCOMPARE(m_folder->run({"export", "r.touchstone", "--poses", "q.csv"}).code, 0);
  QCOMPARE(content("q-cpf.csv"), content("p/poses-cpf.csv"));
  QCOMPARE(m_folder->run({"export", "r.touchstone", "--poses", "q.csv"}).code,
           0);  // replaces a file of this program
  m_folder->write("q-dpf.csv", "mine");
  QCOMPARE(m_folder->run({"export", "r.touchstone", "--poses", "q.csv"}).code, 2);
  QCOMPARE(content("q-dpf.csv"), QByteArray("mine"));
}

/// A box falls freely for 0.1 s in both panes: its corners at the start, at the end, and the outermost of
/// both.
void RunCommandTest::extentsHoldWhatMoves() {
  m_folder->write(
      "fall.json",
      test::SceneFolder::withBodies(
          R"({"name": "box", "position": [0, 5, 0], "shape": {"type": "box", "size": [1, 1, 1]}})",
          R"("methods": ["cpf", "lcp"], "duration": 0.1, )"));
  QCOMPARE(m_folder->run({"run", "fall.json", "--extents"}).code, 2);  // it is a file of --out
  QCOMPARE(m_folder->run({"run", "fall.json", "--extents", "--out", "o"}).code, 0);
  std::map<QByteArray, std::pair<double, double>> heights;
  int corners = 0;
  for (const QByteArray& line : content("o/extents.csv").split('\n').mid(1)) {
    if (line.isEmpty()) continue;
    const QList<QByteArray> cells = line.split(',');
    QCOMPARE(cells[1], QByteArray("0"));
    for (int axis : {2, 4}) QCOMPARE(std::abs(cells[axis].toDouble()), 0.5);
    const double height = cells[3].toDouble();
    const auto [at, isNew] = heights.try_emplace(cells[0], height, height);
    at->second = {std::min(at->second.first, height), std::max(at->second.second, height)};
    corners += cells[0] == "start";
  }
  QCOMPARE(corners, 8);
  QCOMPARE(heights.at("start"), std::pair(4.5, 5.5));
  QVERIFY(heights.at("end").second < 5.5 - 0.04 && heights.at("end").first > 4.5 - 0.06);  // ½ g t² is 49 mm
  QCOMPARE(heights.at("run"), std::pair(heights.at("end").first, 5.5));
}

void RunCommandTest::quantitiesOfNamedBodiesAreColumns() {
  QCOMPARE(m_folder
               ->run({"run", "a.json", "--out", "o", "--poses", "--quantity", "body_position:box",
                      "--quantity", "body_velocity:box", "--quantity", "body_spin:box"})
               .code,
           0);
  const QByteArray table = content("o/quantities.csv");
  const QList<QByteArray> poses = content("o/poses-cpf.csv").split('\n');
  const QByteArray last = poses[poses.size() - 2];
  const QList<QByteArray> cells = last.split(',');
  QCOMPARE(columnOf(table, "body_position_y_m:box", "cpf").last(), cells[3]);
  QCOMPARE(columnOf(table, "body_velocity_y_m_per_s:box", "cpf").last(), cells[10]);
  QCOMPARE(columnOf(table, "body_spin_z_rad_per_s:box", "cpf").last(), cells[14]);
}

/// Impulses of a box at rest on the ground equal its weight times the time, for any recorded subset.
void RunCommandTest::contactsOfAllSubstepsAddUpToTheForce() {
  QCOMPARE(m_folder
               ->run({"run", "a.json", "--methods", "peg", "--substeps", "5", "--time", "0.5", "--out", "o",
                      "--all-contacts", "--quantity", "pair_force:floor:box", "--quantity",
                      "pair_force:bo*:floor"})
               .code,
           0);
  const QByteArray table = content("o/quantities.csv");
  const QList<QByteArray> up = columnOf(table, "pair_force_y_N:floor:box", "peg-auto"),
                          down = columnOf(table, "pair_force_y_N:bo*:floor", "peg-auto");
  QCOMPARE(up.size(), 51);
  QVERIFY2(std::abs(up.last().toDouble() - 9810) < 1, up.last());  // 1 m³ of 1000 kg/m³
  QCOMPARE(down.last().toDouble(), -up.last().toDouble());
  const QByteArray contacts = content("o/contacts.csv");
  const QList<QByteArray> substeps = columnOf(contacts, "substep", "peg-auto"),
                          frames = columnOf(contacts, "frame", "peg-auto"),
                          impulses = columnOf(contacts, "normal_impulse_Ns", "peg-auto");
  double sum = 0;
  for (int row = 0; row < frames.size(); ++row)
    if (frames[row] == "50") sum += impulses[row].toDouble();
  QVERIFY(std::abs(sum / 0.01 - up.last().toDouble()) < 1e-6);
  for (const char* substep : {"1", "2", "3", "4", "5"}) QVERIFY(substeps.contains(substep));
}

void RunCommandTest::quantitiesOfBodiesThatAreNotThereAreRefused_data() {
  QTest::addColumn<QString>("quantity");
  QTest::addColumn<QByteArray>("said");
  QTest::newRow("no body") << "body_position:bix" << QByteArray("did you mean 'box'");
  QTest::newRow("no kind") << "body_mass:box" << QByteArray("body_position:NAME");
  QTest::newRow("one body only") << "pair_force:box" << QByteArray("pair_force:A:B");
  QTest::newRow("a body in both") << "pair_force:box:b*" << QByteArray("pair_force");
  QTest::newRow("an empty group") << "pair_force:stone*:box" << QByteArray("stone*");
}

void RunCommandTest::quantitiesOfBodiesThatAreNotThereAreRefused() {
  QFETCH(QString, quantity);
  QFETCH(QByteArray, said);
  const Result result = m_folder->run({"run", "a.json", "--out", "o", "--quantity", quantity});
  QCOMPARE(result.code, 2);
  QVERIFY2(result.error.contains(said), result.error);
  QVERIFY(!QFileInfo::exists(at("o")));
}

void RunCommandTest::aSeedMovesTheStartAndIsRepeated() {
  const QStringList seeded = {"run", "a.json", "--seed", "3", "--variation", "position=0.05,angle_deg=10"};
  QCOMPARE(m_folder->run(seeded + QStringList{"--out", "o", "--poses", "--record", "r.touchstone"}).code, 0);
  QCOMPARE(m_folder
               ->run({"run", "a.json", "--seed", "4", "--variation", "position=0.05,angle_deg=10", "--out",
                      "p", "--poses"})
               .code,
           0);
  QVERIFY(content("o/poses-cpf.csv") != content("p/poses-cpf.csv"));
  QVERIFY(content("o/summary.txt").contains("Start of seed 3"));
  QCOMPARE(m_folder->run({"run", "--from", "o/manifest.json", "--out", "q", "--poses"}).code, 0);
  QCOMPARE(content("q/poses-cpf.csv"), content("o/poses-cpf.csv"));
  QCOMPARE(m_folder->run({"replay", "r.touchstone"}).code, 0);
  QCOMPARE(m_folder->run({"run", "a.json", "--variation", "position=1"}).code, 2);  // without a seed
  QCOMPARE(m_folder->run({"run", "a.json", "--seed", "1", "--variation", "position=-1"}).code, 2);
  QCOMPARE(m_folder->run({"run", "a.json", "--seed", "-1"}).code, 2);
}

void RunCommandTest::aReplayNamesTheVersionThatMadeTheRecording() {
  QCOMPARE(m_folder->run({"run", "a.json", "--record", "r.touchstone"}).code, 0);
  const std::string path = at("r.touchstone").toStdString();
  Database(path, Database::Open::Own)
      .run("UPDATE frames SET state_hash = '0123456789abcdef' WHERE frame = 3");
  const Result same = m_folder->run({"replay", "r.touchstone"});
  QCOMPARE(same.code, 1);
  QVERIFY2(same.out.contains("frame 3") && same.out.contains("differs by"), same.out);
  Database(path, Database::Open::Own)
      .run(
          "UPDATE meta SET value = json_set(value, '$.version', '0.0.7', '$.commit', 'abc1234') "
          "WHERE key = 'manifest'");
  const Result other = m_folder->run({"replay", "r.touchstone"});
  QCOMPARE(other.code, 1);
  QVERIFY2(other.out.contains("was made by Touchstone 0.0.7 (abc1234)") && other.out.contains("frame 3"),
           other.out);
  QVERIFY2(!other.out.contains("differs by"), other.out);
}

void RunCommandTest::meshesAreToldInTheSummary() {
  m_folder->write("cube.obj", test::cubeObj());
  m_folder->write("m.json", test::SceneFolder::withBodies(
                                R"({"name": "part", "shape": {"type": "mesh", "file": "cube.obj"}})",
                                R"("methods": ["cpf"], "duration": 0.1, )"));
  QVERIFY(m_folder->run({"run", "m.json"})
              .out.contains("Body 'part': mesh 'cube.obj', 1 × 1 × 1 m, 1 m³, convex; 1000 kg\n"));
}

QTEST_GUILESS_MAIN(RunCommandTest)
#include "tst_run_command.moc"
