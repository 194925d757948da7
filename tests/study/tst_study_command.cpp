#include <signal.h>

#include <QProcess>
#include <QtTest>

#include "core/store/database.h"
#include "core/study/study_runs.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// A study can be resumed, several programs can work on it, and a killed program loses only the run that it
/// was computing.
class StudyCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void whatWasKilledAnywhereIsResumedToTheSameTable();
  void twoProgramsShareTheRuns();
  void aKillOfOneLeavesTheOtherToFinish();
  void aSignalEndsItAndResumeGoesOn();
  void aSignalEndsTheReadingOfAStudy_data();
  void aSignalEndsTheReadingOfAStudy();
  void runsOfAnotherStudyAreNeverMixedIn_data();
  void runsOfAnotherStudyAreNeverMixedIn();
  void aLabelIsNoPartOfARun();
  void foreignFilesStay_data();
  void foreignFilesStay();
  void aClaimEndsWithItsProgram();
  void numbersOfASweepAreNotCut_data();
  void numbersOfASweepAreNotCut();
  void resultsThatNoRunGivesAreRefused_data();
  void resultsThatNoRunGivesAreRefused();
  void partsElsewhereAreMergedIntoTheNamedFolder();
  void anExpressionOfSeveralNumbersIsBadInput();
  void aProcessThatIsNotTheFirstSaysSo();
  void tablesThatWereEditedStay();
  void titlesOfFiguresAreLetters();

 private:
  QString at(const QString& name) const { return m_folder->at(name); }
  QByteArray content(const QString& name) const { return m_folder->content(name); }
  /// Writes a study that takes some seconds, with one text replaced.
  void writeStudy(const QByteArray& from = {}, const QByteArray& to = {}) const;
  std::unique_ptr<QProcess> started(const QStringList& arguments) const;
  int ended(QProcess& process) const;
  int study(const QStringList& arguments) const { return ended(*started(arguments)); }
  /// The lines of runs.csv.
  QStringList table(const QString& folder) const;
  long doneRuns(const QString& folder) const;
  std::unique_ptr<test::CommandFolder> m_folder;
};

constexpr int kRuns = 60;

void StudyCommandTest::init() {
  m_folder = std::make_unique<test::CommandFolder>();
  m_folder->write("a.json", test::SceneFolder::withBodies(
                                R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
                         {"name": "box", "position": [0, 0.6, 0], "shape": {"type": "box", "size": [1, 1, 1]}})"));
  m_folder->write("b.json", content("a.json").replace("0.6", "0.7"));
  writeStudy();
}

void StudyCommandTest::writeStudy(const QByteArray& from, const QByteArray& to) const {
  QByteArray text = R"({"touchstone_study": 1, "name": "s", "title": "S", "scene": "a.json", "time": 0.4,
    "dt": [0.002], "seeds": {"first": 1, "count": 30}, "variation": {"position": 0.01},
    "panes": [{"label": "P", "method": "cpf"}, {"label": "Q", "method": "lcp"}]})";
  QVERIFY(from.isEmpty() || text.contains(from));
  m_folder->write("s.json", from.isEmpty() ? text : text.replace(from, to));
}

std::unique_ptr<QProcess> StudyCommandTest::started(const QStringList& arguments) const {
  return m_folder->started(QStringList{"study", "s.json", "--out"} + arguments);
}

int StudyCommandTest::ended(QProcess& process) const { return test::endOf(process, 120000); }

QStringList StudyCommandTest::table(const QString& folder) const {
  return QString::fromUtf8(content(folder + "/runs.csv")).split('\n');
}

/// Scenes lie beside the studies of this test.
static StudyPlaces noPlaces() {
  return {"", [](const std::string& name) { return name; }};
}

long StudyCommandTest::doneRuns(const QString& folder) const {
  try {
    Database file(at(folder + "/runs.db").toStdString(), Database::Open::Glance);
    Statement count(file, "SELECT count(*) FROM runs WHERE done = 1");
    return count.step() ? count.integer(0, 0, 1'000'000) : 0;
  } catch (const DatabaseError&) {
    return 0;  // it does not exist yet
  }
}

void StudyCommandTest::whatWasKilledAnywhereIsResumedToTheSameTable() {
  QCOMPARE(study({"whole"}), 0);
  QCOMPARE(table("whole").size(), 1 + kRuns + 1);
  QStringList resume;
  for (long runs : {0L, 7L, 30L, 45L}) {
    const auto process = started(QStringList{"o"} + resume);
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(at("o/runs.db")) && doneRuns("o") >= runs, 60000);
    process->kill();
    process->waitForFinished();
    resume = QStringList{"--resume"};
  }
  QCOMPARE(study({"o", "--resume", "--jobs", "2"}), 0);
  QCOMPARE(table("o"), table("whole"));
  QVERIFY(content("o/tables.md").contains("0/30"));
  QVERIFY(content("o/manifest.json").contains("touchstone_study_manifest"));
  QCOMPARE(study({"o"}), 2);
  QCOMPARE(study({"o", "--resume"}), 0);
  QCOMPARE(table("o"), table("whole"));
}

void StudyCommandTest::twoProgramsShareTheRuns() {
  QCOMPARE(study({"whole"}), 0);
  const auto first = started({"o"});
  QTRY_VERIFY_WITH_TIMEOUT(doneRuns("o") > 0, 60000);
  const auto second = started({"o", "--resume"});
  QCOMPARE(ended(*first), 0);
  QCOMPARE(ended(*second), 0);
  QCOMPARE(table("o"), table("whole"));
}

void StudyCommandTest::aKillOfOneLeavesTheOtherToFinish() {
  const auto first = started({"o"});
  QTRY_VERIFY_WITH_TIMEOUT(doneRuns("o") > 0, 60000);
  const auto second = started({"o", "--resume", "--jobs", "2"});
  const long before = doneRuns("o");
  QTRY_VERIFY_WITH_TIMEOUT(doneRuns("o") > before + 4 || first->state() == QProcess::NotRunning, 60000);
  second->kill();
  second->waitForFinished();
  QCOMPARE(ended(*first), 0);
  QCOMPARE(table("o").size(), 1 + kRuns + 1);
}

void StudyCommandTest::aSignalEndsItAndResumeGoesOn() {
  const auto process = started({"o"});
  QTRY_VERIFY_WITH_TIMEOUT(doneRuns("o") > 3, 60000);
  kill(static_cast<pid_t>(process->processId()), SIGTERM);
  QCOMPARE(ended(*process), 1);
  QVERIFY(process->readAllStandardError().contains("interrupted by SIGTERM"));
  QCOMPARE(table("o").size() - 2L, doneRuns("o"));
  QCOMPARE(study({"o", "--resume"}), 0);
  QCOMPARE(table("o").size(), 1 + kRuns + 1);
}

void StudyCommandTest::aSignalEndsTheReadingOfAStudy_data() {
  QTest::addColumn<int>("signal");
  QTest::newRow("SIGINT") << SIGINT;
  QTest::newRow("SIGTERM") << SIGTERM;
}

/// True if a program runs and handles a signal by itself. Before it runs the process is a copy of this test.
static bool handles(const QProcess& process, int signal) {
  const QString program = QFile::symLinkTarget(QStringLiteral("/proc/%1/exe").arg(process.processId()));
  if (!program.endsWith(QStringLiteral("touchstone-cli"))) return false;
  QFile file(QStringLiteral("/proc/%1/status").arg(process.processId()));
  if (!file.open(QIODevice::ReadOnly)) return false;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (line.startsWith("SigCgt:")) return line.mid(7).trimmed().toULongLong(nullptr, 16) >> (signal - 1) & 1;
  return false;
}

/// The expression searches texts until the clock refuses it.
void StudyCommandTest::aSignalEndsTheReadingOfAStudy() {
  QFETCH(int, signal);
  const QByteArray text(500, 'a'), part(250, 'a');
  QByteArrayList tables;
  for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f', 'g'})
    tables << QByteArray("(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) ") + letter;
  const QByteArray value =
      "(select sum(instr('" + text + "' || a.column1, '" + part + "b')) from " + tables.join(", ") + ")";
  writeStudy("\"panes\":", "\"quantities\": [{\"id\": \"q\", \"value\": \"" + value + "\"}], \"panes\":");
  const auto process = started({"o"});
  QTRY_VERIFY_WITH_TIMEOUT(handles(*process, signal), 60000);
  kill(static_cast<pid_t>(process->processId()), signal);
  QCOMPARE(ended(*process), 1);
  const QByteArray said = process->readAllStandardError();
  QVERIFY2(said.contains("interrupted by " + QByteArray(QTest::currentDataTag())), said);
  QVERIFY(!QFileInfo::exists(at("o")));
}

void StudyCommandTest::runsOfAnotherStudyAreNeverMixedIn_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  const auto row = [](const char* name, const char* from, const char* to) {
    QTest::newRow(name) << QByteArray(from) << QByteArray(to);
  };
  row("time", "\"time\": 0.4", "\"time\": 0.1");
  row("scene", "a.json", "b.json");
  row("method behind a label", "\"P\", \"method\": \"cpf\"", "\"P\", \"method\": \"dpf\"");
  row("parameter", "\"method\": \"cpf\"", "\"method\": \"cpf\", \"parameters\": {\"damping\": 3}");
  row("substeps", "\"method\": \"cpf\"", "\"method\": \"cpf\", \"substeps\": 2");
  row("solver", "\"method\": \"lcp\"", "\"method\": \"lcp\", \"solver\": \"pgs\"");
  row("variation", "\"position\": 0.01", "\"position\": 0.02");
  row("crash speed", "\"time\"", "\"crash_speed\": 0.1, \"time\"");
}

void StudyCommandTest::runsOfAnotherStudyAreNeverMixedIn() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  QVERIFY(content("s.json").contains("\"count\": 30"));
  m_folder->write("s.json", content("s.json").replace("\"count\": 30", "\"count\": 2"));
  QCOMPARE(study({"o"}), 0);
  const QStringList first = table("o");
  m_folder->write("s.json", content("s.json").replace(from, to));
  QCOMPARE(study({"whole"}), 0);
  const auto process = started({"o", "--resume"});
  QCOMPARE(ended(*process), 0);
  QVERIFY(process->readAllStandardError().contains("left out"));
  QCOMPARE(table("o"), table("whole"));
  QVERIFY(table("o") != first);
}

void StudyCommandTest::aLabelIsNoPartOfARun() {
  Study study = loadStudy(at("s.json").toStdString());
  const std::string path = at("runs.db").toStdString();
  {
    StudyRuns runs(path, tasksOf(study, noPlaces()));
    const auto task = runs.next(std::nullopt);
    StudyRun run;
    run.frames = 12;
    run.failedAt = 0.25;
    run.reason = "too fast";
    run.milliseconds = std::nan("");
    run.values = {0.1, std::nan("")};
    StudyRun::Series series;
    series.x = {0, 1};
    series.y = {1.0 / 3, std::nan("")};
    run.series = {series};
    QVERIFY(runs.next(StudyRuns::Done{*task, run}).has_value());
  }
  study.panes[0].label = "renamed";
  StudyRuns runs(path, tasksOf(study, noPlaces()));
  QCOMPARE(runs.progress().done, std::size_t(1));
  QCOMPARE(runs.progress().left, std::size_t(0));
  const std::optional<StudyRun> kept = runs.runs().front();
  QVERIFY(kept.has_value());
  QCOMPARE(kept->frames, 12L);
  QCOMPARE(kept->failedAt, 0.25);
  QCOMPARE(kept->reason, std::string("too fast"));
  QVERIFY(std::isnan(kept->milliseconds));
  QVERIFY(kept->values.at(0) == 0.1 && std::isnan(kept->values.at(1)));
  QVERIFY(kept->series.at(0).y.at(0) == 1.0 / 3 && std::isnan(kept->series.at(0).y.at(1)));
  QVERIFY(!runs.runs().back().has_value());
}

void StudyCommandTest::foreignFilesStay_data() {
  QTest::addColumn<QString>("file");
  for (const char* file :
       {"runs.csv", "series.csv", "times.csv", "tables.md", "verdict.json", "manifest.json", "runs.db"})
    QTest::newRow(file) << file;
}

void StudyCommandTest::foreignFilesStay() {
  QFETCH(QString, file);
  QVERIFY(QDir(m_folder->path()).mkpath("o"));
  m_folder->write("o/" + file, "my,own,data\n");
  for (const QStringList& arguments : {QStringList{"o"}, QStringList{"o", "--resume"}}) {
    QCOMPARE(study(arguments), 2);
    QCOMPARE(content("o/" + file), QByteArray("my,own,data\n"));
  }
}

void StudyCommandTest::aClaimEndsWithItsProgram() {
  const Study study = loadStudy(at("s.json").toStdString());
  const auto tasks = tasksOf(study, noPlaces());
  const std::string path = at("runs.db").toStdString();
  StudyRuns here(path, tasks);
  auto other = std::make_unique<StudyRuns>(path, tasks);
  QCOMPARE(*other->next(std::nullopt), std::size_t(0));
  QCOMPARE(*here.next(std::nullopt), std::size_t(1));
  QCOMPARE(here.progress().ofOthers, std::size_t(1));
  QVERIFY(QString::fromStdString(here.progress().other).contains(QString::number(getpid())));
  other.reset();
  QCOMPARE(here.progress().ofOthers, std::size_t(0));
  QCOMPARE(*here.next(std::nullopt), std::size_t(0));
  here.giveBack(1);
  QCOMPARE(*here.next(std::nullopt), std::size_t(1));
}

/// A study of one run of 5 frames, with a sweep of one value z that sets one thing.
static QByteArray sweepOf(const QByteArray& value, const QByteArray& target, const QByteArray& set) {
  return R"json({"touchstone_study": 1, "name": "s", "title": "S", "scene": "a.json", "time": 0.05, "dt": [0.01],
    "panes": [{"label": "P", "method": "cpf"}], "sweep": [{"axis": "z", "values": [)json" +
         value + R"json(], "set": {")json" + target + R"json(": )json" + set +
         R"json(}}], "quantities": [{"id": "q", "value": "max(time_s)"}]})json";
}

void StudyCommandTest::numbersOfASweepAreNotCut_data() {
  QTest::addColumn<QByteArray>("value");
  QTest::addColumn<QByteArray>("target");
  QTest::addColumn<QByteArray>("set");
  QTest::addColumn<int>("code");
  const auto row = [](const char* name, const char* value, const char* target, const char* set, int code) {
    QTest::newRow(name) << QByteArray(value) << QByteArray(target) << QByteArray(set) << code;
  };
  const char* const z = "\"=z\"";
  row("substeps", "2", "substeps", z, 0);
  row("half a substep", "1.5", "substeps", z, 2);
  row("2^32 + 1 substeps", "4294967297", "substeps", z, 2);
  row("no substep", "0", "substeps", z, 2);
  row("substeps as a text", "1", "substeps", "\"two\"", 2);
  row("no frame length", "0", "dt", z, 2);
  row("negative frame length", "-0.01", "dt", z, 2);
  row("long frame length", "1.5", "dt", z, 2);
  row("no time", "0", "time", z, 2);
  row("endless time", "1e20", "time", z, 2);
  row("stiffness", "1e4", "parameters/stiffness", z, 0);
  row("true stiffness", "1", "parameters/stiffness", "true", 2);
  row("stiffness of no number", "1", "parameters/stiffness", "null", 2);
  row("negative stiffness", "-1", "parameters/stiffness", z, 2);
}

void StudyCommandTest::numbersOfASweepAreNotCut() {
  QFETCH(QByteArray, value);
  QFETCH(QByteArray, target);
  QFETCH(QByteArray, set);
  QFETCH(int, code);
  m_folder->write("s.json", sweepOf(value, target, set));
  const auto process = started({"o"});
  QCOMPARE(ended(*process), code);
  if (code == 0) return;
  const QByteArray told = process->readAllStandardError();
  QVERIFY2(told.contains("s.json") && told.contains(target.mid(target.indexOf('/') + 1)), told);
}

void StudyCommandTest::resultsThatNoRunGivesAreRefused_data() {
  QTest::addColumn<QString>("change");
  QTest::newRow("-5 frames") << "result = replace(result, '\"frames\":5', '\"frames\":-5')";
  QTest::newRow("2^62 frames")
      << "result = replace(result, '\"frames\":5', '\"frames\":4611686018427387904')";
  QTest::newRow("6 frames") << "result = replace(result, '\"frames\":5', '\"frames\":6')";
  QTest::newRow("half a frame") << "result = replace(result, '\"frames\":5', '\"frames\":4.5')";
  QTest::newRow("negative time") << "result = replace(result, '\"failed_at\":-1.0', '\"failed_at\":-2.0')";
  QTest::newRow("late time") << "result = replace(result, '\"failed_at\":-1.0', '\"failed_at\":9.0')";
  QTest::newRow("beyond numbers") << "result = replace(result, '\"failed_at\":-1.0', '\"failed_at\":1e999')";
  QTest::newRow("done 5") << "done = 5";
  QTest::newRow("no result") << "result = NULL";
}

void StudyCommandTest::resultsThatNoRunGivesAreRefused() {
  QFETCH(QString, change);
  m_folder->write("s.json", sweepOf("2", "substeps", "\"=z\""));
  QCOMPARE(study({"o"}), 0);
  const QStringList before = table("o");
  Database(at("o/runs.db").toStdString(), Database::Open::Own).run("UPDATE runs SET " + change.toStdString());
  const auto process = started({"o", "--resume"});
  QCOMPARE(ended(*process), 2);
  const QByteArray told = process->readAllStandardError();
  QVERIFY2(told.contains("runs.db") && !told.contains("json.exception"), told);
  QCOMPARE(table("o"), before);
}

void StudyCommandTest::partsElsewhereAreMergedIntoTheNamedFolder() {
  m_folder->write("s.json", sweepOf("1, 2", "substeps", "\"=z\""));
  QCOMPARE(study({"x", "--shard", "1/2"}), 0);
  QCOMPARE(study({"x", "--shard", "2/2"}), 0);
  const auto process =
      m_folder->started({"study", "merge", "s.json", "x/shard-1-of-2", "x/shard-2-of-2", "--out", "merged"});
  QCOMPARE(ended(*process), 0);
  QCOMPARE(table("merged").size(), 1 + 2 + 1);
  QVERIFY(!QFileInfo::exists(at("merged/s")));
}

void StudyCommandTest::anExpressionOfSeveralNumbersIsBadInput() {
  m_folder->write(
      "s.json",
      sweepOf("2", "substeps", "\"=z\"").replace("max(time_s)", "max(time_s) where 1 group by frame"));
  const auto process = started({"o"});
  QCOMPARE(ended(*process), 2);
  const QByteArray told = process->readAllStandardError();
  QVERIFY2(told.contains("quantities"), told);
}

void StudyCommandTest::aProcessThatIsNotTheFirstSaysSo() {
  m_folder->write("s.json", sweepOf("2", "substeps", "\"=z\""));
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("OMPI_COMM_WORLD_RANK", "1");
  environment.insert("OMPI_COMM_WORLD_SIZE", "2");
  process.setProcessEnvironment(environment);
  process.setWorkingDirectory(m_folder->path());
  process.start(test::CommandFolder::program(), {"study", "s.json", "--out", "o"});
  QCOMPARE(ended(process), 0);
  const QByteArray told = process.readAllStandardError();
  QVERIFY2(told.contains("process 2 of 2") && told.contains("OMPI_COMM_WORLD_RANK"), told);
}

void StudyCommandTest::tablesThatWereEditedStay() {
  m_folder->write("s.json", sweepOf("2", "substeps", "\"=z\""));
  QCOMPARE(study({"o"}), 0);
  QCOMPARE(study({"o", "--resume"}), 0);
  for (const char* file : {"o/tables.md", "o/runs.csv"}) {
    const QByteArray written = content(file);
    m_folder->write(file, written + "checked\n");
    const auto process = started({"o", "--resume"});
    QCOMPARE(ended(*process), 2);
    QVERIFY(process->readAllStandardError().contains("has been changed"));
    QCOMPARE(content(file), written + "checked\n");
    m_folder->write(file, written);
  }
  QCOMPARE(study({"o", "--resume"}), 0);
}

void StudyCommandTest::titlesOfFiguresAreLetters() {
  const QByteArray title = R"(e < 0.5 & </title><script>alert(1)</script><title>\u0007)";
  m_folder->write("s.json", sweepOf("2, 3", "substeps", "\"=z\"")
                                .replace("\"quantities\"",
                                         R"("plots": [{"id": "p", "x": "z", "y": "q", "title": ")" + title +
                                             R"(", "y_title": ")" + title + R"("}], "quantities")"));
  QCOMPARE(study({"o"}), 0);
  const QByteArray svg = content("o/p.svg");
  if (svg.isEmpty()) QSKIP("this program draws no figures");
  QXmlStreamReader reader(svg);
  QString told;
  while (!reader.atEnd()) {
    if (reader.readNext() != QXmlStreamReader::StartElement) continue;
    QVERIFY(reader.name() != QLatin1String("script"));
    if (reader.name() == QLatin1String("title")) told = reader.readElementText();
  }
  QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
  QVERIFY2(told.contains("e < 0.5 & </title>"), qPrintable(told));
}

QTEST_GUILESS_MAIN(StudyCommandTest)
#include "tst_study_command.moc"
