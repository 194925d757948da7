#include <signal.h>

#include <QProcess>
#include <QtTest>

#include "core/store/database.h"
#include "core/sweep/study_runs.h"
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
  void runsOfAnotherStudyAreNeverMixedIn_data();
  void runsOfAnotherStudyAreNeverMixedIn();
  void aLabelIsNoPartOfARun();
  void foreignFilesStay_data();
  void foreignFilesStay();
  void aClaimEndsWithItsProgram();

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

QTEST_GUILESS_MAIN(StudyCommandTest)
#include "tst_study_command.moc"
