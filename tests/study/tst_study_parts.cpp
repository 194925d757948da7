#include <signal.h>

#include <QProcess>
#include <QStandardPaths>
#include <QtTest>
#include <map>

#include "core/store/database.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// A study in parts: shards that are merged, jobs of a Slurm array, and processes that mpirun has started.
/// However its runs are computed, its tables are the same bytes, and no run is computed twice.
class StudyPartsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void shardsMergeToTheWhole();
  void aMissingShardIsNamed();
  void badShardsAreRefused_data();
  void badShardsAreRefused();
  void slurmChoosesTheShard();
  void ranksShareTheRuns();
  void aKilledRankLosesItsRunOnly();

 private:
  /// Writes a study with so many seeds.
  void writeStudy(int seeds, double time) const;
  QString at(const QString& name) const { return m_folder->at(name); }
  QByteArray content(const QString& name) const { return m_folder->content(name); }
  /// The environment without variables of launchers that this test may itself run under.
  static QProcessEnvironment environment();
  std::unique_ptr<QProcess> started(const QString& program, const QStringList& arguments,
                                    const QProcessEnvironment& variables) const;
  /// Exit code of the program; keeps what it has written to stderr.
  int ran(const QStringList& arguments, const QProcessEnvironment& variables = environment());
  /// A number of a file of runs; 0 as long as there is none.
  long number(const QString& file, const char* sql) const;
  /// Whether the tables of a folder are those of the whole study, computed by one program.
  bool hasTablesOfTheWhole(const QString& folder) const;

  std::unique_ptr<test::CommandFolder> m_folder;
  QByteArray m_errors;
};

namespace {

constexpr char kDone[] = "SELECT count(*) FROM runs WHERE done = 1";
constexpr char kClaimed[] = "SELECT count(*) FROM runs WHERE done = 0 AND worker IS NOT NULL";
constexpr char kWorkers[] = "SELECT count(*) FROM workers";

QStringList ranks(int count, const QStringList& arguments) {
  return QStringList{"--allow-run-as-root", "--oversubscribe", "-n", QString::number(count),
                     test::CommandFolder::program()} +
         arguments;
}

/// Processes of a launcher that run a study, as the system lists them: the children of its children, too.
std::vector<pid_t> descendantsOf(qint64 launcher) {
  std::map<pid_t, pid_t> parents;
  for (const QString& name : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    bool isNumber = false;
    const int process = name.toInt(&isNumber);
    QFile file("/proc/" + name + "/stat");
    if (!isNumber || !file.open(QIODevice::ReadOnly)) continue;
    const QByteArray text = file.readAll();
    // The name of the program stands in parentheses and may hold any character.
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    if (fields.size() > 1) parents[process] = fields[1].toInt();
  }
  std::vector<pid_t> all;
  for (const auto& [process, parent] : parents) {
    pid_t above = parent;
    while (above > 1 && above != launcher && parents.count(above) > 0) above = parents[above];
    if (above == launcher) all.push_back(process);
  }
  return all;
}

}  // namespace

void StudyPartsTest::init() {
  m_folder = std::make_unique<test::CommandFolder>();
  m_errors.clear();
  m_folder->write("a.json", test::SceneFolder::withBodies(
                                R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
                         {"name": "box", "position": [0, 0.6, 0], "shape": {"type": "box", "size": [1, 1, 1]}})"));
  writeStudy(5, 0.05);
}

void StudyPartsTest::writeStudy(int seeds, double time) const {
  const QByteArray text =
      R"json({"touchstone_study": 1, "name": "s", "title": "S", "scene": "a.json", "time": TIME,
    "dt": [0.002], "seeds": {"first": 1, "count": SEEDS}, "variation": {"position": 0.01, "angle_deg": 5},
    "panes": [{"label": "P", "method": "cpf"}, {"label": "Q", "method": "lcp"}],
    "columns": {"p": "body_position:box"},
    "quantities": [{"id": "deepest", "value": "max(penetration_max)"}, {"id": "slow", "value": "max(time_step)"},
                   {"id": "height", "series": "p_y"}]})json";
  m_folder->write(
      "s.json",
      QByteArray(text).replace("SEEDS", QByteArray::number(seeds)).replace("TIME", QByteArray::number(time)));
}

QProcessEnvironment StudyPartsTest::environment() {
  QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
  for (const QString& name : variables.keys())
    if (name.startsWith("SLURM_") || name.startsWith("PMI") || name.startsWith("OMPI_COMM_WORLD"))
      variables.remove(name);
  return variables;
}

std::unique_ptr<QProcess> StudyPartsTest::started(const QString& program, const QStringList& arguments,
                                                  const QProcessEnvironment& variables) const {
  auto process = std::make_unique<QProcess>();
  process->setWorkingDirectory(m_folder->path());
  process->setProcessEnvironment(variables);
  process->start(program, arguments);
  return process;
}

int StudyPartsTest::ran(const QStringList& arguments, const QProcessEnvironment& variables) {
  const auto process = started(test::CommandFolder::program(), QStringList{"study"} + arguments, variables);
  const int code = test::endOf(*process, 120000);
  m_errors = process->readAllStandardError();
  return code;
}

long StudyPartsTest::number(const QString& file, const char* sql) const {
  try {
    Database database(at(file).toStdString(), Database::Open::Glance);
    Statement count(database, sql);
    return count.step() ? count.integer(0, 0, 1'000'000) : 0;
  } catch (const DatabaseError&) {
    return 0;
  }
}

bool StudyPartsTest::hasTablesOfTheWhole(const QString& folder) const {
  for (const char* table : {"/runs.csv", "/series.csv"}) {
    const QByteArray whole = content(QString("whole") + table);
    if (whole.isEmpty() || content(folder + table) != whole) return false;
  }
  return true;
}

void StudyPartsTest::shardsMergeToTheWhole() {
  QCOMPARE(ran({"s.json", "--out", "whole"}), 0);
  QCOMPARE(content("whole/runs.csv").count('\n'), 1 + 10);
  QCOMPARE(content("whole/series.csv").count('\n'), 1 + 10 * 25);
  QVERIFY(!content("whole/runs.csv").contains("slow"));
  QVERIFY(content("whole/times.csv").startsWith("pane,dt_s,seed,step_time_ms,slow\n"));
  for (const char* shard : {"3/3", "1/3", "2/3"})
    QCOMPARE(ran({"s.json", "--out", "o", "--shard", shard}), 0);
  // 10 runs over 3 shards
  QCOMPARE(number("o/shard-1-of-3/runs.db", kDone), 4L);
  QCOMPARE(number("o/shard-2-of-3/runs.db", kDone), 3L);
  QCOMPARE(number("o/shard-3-of-3/runs.db", kDone), 3L);
  QVERIFY(content("o/shard-1-of-3/verdict.json").isEmpty());  // a part has none
  QCOMPARE(ran({"merge", "s.json", "--out", "o"}), 0);
  QVERIFY(hasTablesOfTheWhole("o"));
  QVERIFY(content("o/verdict.json").contains("touchstone_study_verdict"));
  QCOMPARE(ran({"merge", "s.json", "--out", "o"}), 0);  // again
  QVERIFY(hasTablesOfTheWhole("o"));
  QCOMPARE(number("o/runs.db", kDone), 10L);
}

void StudyPartsTest::aMissingShardIsNamed() {
  QCOMPARE(ran({"s.json", "--out", "whole"}), 0);
  for (const char* shard : {"1/3", "3/3"}) QCOMPARE(ran({"s.json", "--out", "o", "--shard", shard}), 0);
  QCOMPARE(ran({"merge", "s.json", "--out", "o"}), 1);
  QVERIFY2(m_errors.contains("3 of 10 runs are missing"), m_errors.constData());
  for (const char* run : {"number 1: Q, step 0.002 s, seed 1", "number 4: P, step 0.002 s, seed 3",
                          "number 7: Q, step 0.002 s, seed 4"})
    QVERIFY2(m_errors.contains(run), m_errors.constData());
  QVERIFY(content("o/verdict.json").isEmpty());
  QCOMPARE(content("o/runs.csv").count('\n'), 1 + 7);
  QCOMPARE(ran({"s.json", "--out", "o", "--shard", "2/3"}), 0);
  QCOMPARE(ran({"merge", "s.json", "--out", "o"}), 0);
  QVERIFY2(m_errors.contains("shard-1-of-3: 0 runs"), m_errors.constData());  // known since the first pass
  QVERIFY2(m_errors.contains("shard-2-of-3: 3 runs"), m_errors.constData());
  QVERIFY(hasTablesOfTheWhole("o"));
}

void StudyPartsTest::badShardsAreRefused_data() {
  QTest::addColumn<QString>("shard");
  for (const char* shard : {"0/3", "4/3", "3", "/3", "1/", "1/3x", "a/b", "-1/3", "1/0", "1/99999999"})
    QTest::newRow(shard) << QString(shard);
}

void StudyPartsTest::badShardsAreRefused() {
  QFETCH(QString, shard);
  QCOMPARE(ran({"s.json", "--out", "o", "--shard=" + shard}), 2);
  QVERIFY2(m_errors.contains("write for example 3/8"), m_errors.constData());
  QVERIFY(!QFileInfo::exists(at("o")));
}

/// The array 4, 6, 8: a job each third.
void StudyPartsTest::slurmChoosesTheShard() {
  QCOMPARE(ran({"s.json", "--out", "whole"}), 0);
  QProcessEnvironment variables = environment();
  variables.insert("SLURM_ARRAY_TASK_COUNT", "3");
  variables.insert("SLURM_ARRAY_TASK_MIN", "4");
  variables.insert("SLURM_ARRAY_TASK_MAX", "8");
  variables.insert("SLURM_ARRAY_TASK_STEP", "2");
  for (int id : {4, 6, 8}) {
    variables.insert("SLURM_ARRAY_TASK_ID", QString::number(id));
    QCOMPARE(ran({"s.json", "--out", "o"}, variables), 0);
    QVERIFY(QFileInfo::exists(at(QString("o/shard-%1-of-3/runs.db").arg(id / 2 - 1))));
  }
  QVERIFY(!QFileInfo::exists(at("o/runs.db")));
  QCOMPARE(number("o/shard-1-of-3/runs.db", kDone), 4L);
  QCOMPARE(ran({"merge", "s.json", "--out", "o"}), 0);
  QVERIFY(hasTablesOfTheWhole("o"));
  // The numbers of an array with gaps do not tell the number of parts.
  variables.insert("SLURM_ARRAY_TASK_STEP", "1");
  QCOMPARE(ran({"s.json", "--out", "o"}, variables), 2);
  QVERIFY(m_errors.contains("--shard"));
  // Another division takes over what is done.
  QCOMPARE(ran({"s.json", "--out", "o", "--shard", "2/2"}, variables), 0);
  QCOMPARE(number("o/shard-2-of-2/runs.db", kDone), 5L);
  QCOMPARE(
      number("o/shard-2-of-2/runs.db", "SELECT count(*) FROM runs WHERE done = 1 AND worker IS NOT NULL"),
      0L);
  // A part that is named is taken, whatever the array says.
  QCOMPARE(ran({"s.json", "--out", "named", "--shard", "1/2"}, variables), 0);
  QVERIFY(QFileInfo::exists(at("named/shard-1-of-2/runs.db")));
}

void StudyPartsTest::ranksShareTheRuns() {
  const QString mpirun = QStandardPaths::findExecutable("mpirun");
  if (mpirun.isEmpty()) QSKIP("mpirun is not installed");
  writeStudy(12, 0.2);
  QCOMPARE(ran({"s.json", "--out", "whole"}), 0);
  const auto process = started(mpirun, ranks(4, {"study", "s.json", "--out", "o"}), environment());
  const int code = test::endOf(*process, 120000);
  const QByteArray errors = process->readAllStandardError();
  QVERIFY2(code == 0, errors.constData());
  QVERIFY(hasTablesOfTheWhole("o"));
  QCOMPARE(number("o/runs.db", kDone), 24L);
  QCOMPARE(number("o/runs.db", kWorkers), 4L);
  QCOMPARE(process->readAllStandardOutput().count("Written to "), 1);  // the first rank speaks for all
}

/// A rank is killed while it works. What was done then stays: the second command leaves those results as they
/// are, to the times that were measured, and computes the others only.
void StudyPartsTest::aKilledRankLosesItsRunOnly() {
  const QString mpirun = QStandardPaths::findExecutable("mpirun");
  if (mpirun.isEmpty()) QSKIP("mpirun is not installed");
  writeStudy(30, 0.4);
  QCOMPARE(ran({"s.json", "--out", "whole"}), 0);
  const QStringList arguments = ranks(3, {"study", "s.json", "--out", "o"});
  const auto first = started(mpirun, arguments, environment());
  QTRY_VERIFY_WITH_TIMEOUT(number("o/runs.db", kDone) >= 3 && number("o/runs.db", kWorkers) == 3, 60000);
  pid_t rank = 0;
  for (pid_t process : descendantsOf(first->processId()))
    if (QFileInfo(QString("/proc/%1/exe").arg(process)).symLinkTarget().endsWith("/touchstone-cli"))
      rank = process;
  QVERIFY(rank > 0);
  QCOMPARE(kill(rank, SIGKILL), 0);
  first->waitForFinished(120000);  // its launcher may end the other ranks with it, or let them finish
  QCOMPARE(first->state(), QProcess::NotRunning);
  QVERIFY(number("o/runs.db", kClaimed) <= 3);  // at most what the ranks had just begun

  std::map<std::string, std::string> before;
  {
    Database database(at("o/runs.db").toStdString(), Database::Open::Own);
    Statement rows(database, "SELECT hash, result FROM runs WHERE done = 1");
    while (rows.step()) before[rows.bytes(0, 1000)] = rows.bytes(1, 10'000'000);
  }
  QVERIFY(before.size() >= 3);
  const auto second = started(mpirun, arguments, environment());
  const int code = test::endOf(*second, 120000);
  const QByteArray errors = second->readAllStandardError();
  QVERIFY2(code == 0, errors.constData());
  QVERIFY(hasTablesOfTheWhole("o"));
  QCOMPARE(number("o/runs.db", kDone), 60L);
  QCOMPARE(number("o/runs.db", kWorkers), 6L);
  Database database(at("o/runs.db").toStdString(), Database::Open::Own);
  Statement rows(database, "SELECT hash, result FROM runs WHERE done = 1");
  std::size_t kept = 0;
  while (rows.step()) {
    const auto earlier = before.find(rows.bytes(0, 1000));
    if (earlier == before.end()) continue;
    QVERIFY(earlier->second == rows.bytes(1, 10'000'000));  // with its step times: not computed again
    ++kept;
  }
  QCOMPARE(kept, before.size());
}

QTEST_GUILESS_MAIN(StudyPartsTest)
#include "tst_study_parts.moc"
