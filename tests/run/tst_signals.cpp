#include <signal.h>
#include <unistd.h>

#include <QProcess>
#include <QtTest>

#include "core/robot/scene_readers.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"
#include "tests/support/tosses.h"

using namespace touchstone;

/// Signals that end the program, in the middle of the work of every command that may take long.
class SignalsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void sigtermEndsEveryCommand_data();
  void sigtermEndsEveryCommand();
  void aFrameThatTakesLongIsEndedWithAllFramesBefore();
  void aSecondSignalEndsTheProgramAtOnce();

 private:
  std::unique_ptr<QProcess> started(const QStringList& arguments) const {
    return m_folder.started(arguments);
  }
  test::CommandFolder m_folder;
};

namespace {

constexpr int kPatience = 60000;  // ms, on a busy machine

/// A floor, and boxes in a column above it that touch.
QByteArray boxes(int count, const QByteArray& more = {}) {
  QByteArray bodies = R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}})";
  for (int box = 0; box < count; ++box)
    bodies += R"(, {"name": "box )" + QByteArray::number(box) + R"(", "position": [)" +
              QByteArray::number(0.01 * (box % 3)) + ", " + QByteArray::number(0.499 + 0.999 * box) +
              R"(, 0], "shape": {"type": "box", "size": [1, 1, 1]}})";
  return test::SceneFolder::withBodies(bodies, more);
}

/// Seconds of processor time that a process has used, or −1.
double processorSeconds(const QProcess& process) {
  QFile file(QStringLiteral("/proc/%1/stat").arg(process.processId()));
  if (!file.open(QIODevice::ReadOnly)) return -1;
  const QByteArray text = file.readAll();
  const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
  if (fields.size() < 13) return -1;
  return (fields[11].toDouble() + fields[12].toDouble()) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// True when the process is well within its work, or has ended.
bool isAtWork(const QProcess& process) {
  return process.state() == QProcess::NotRunning || processorSeconds(process) > 0.5;
}

}  // namespace

void SignalsTest::initTestCase() {
  m_folder.write("long.json", boxes(1, R"("methods": ["cpf", "peg"], "duration": 100000, )"));
  m_folder.write("heavy.json", boxes(60, R"("methods": ["lcp"], "duration": 10, "dt": 0.01, )"));
  m_folder.write("frames.json", boxes(12, R"("methods": ["lcp"], "duration": 20, "dt": 0.002, )"));
  m_folder.write("poses.csv",
                 "# touchstone_trajectory: 1\ntime,body,x,y,z,qw,qx,qy,qz\n0,box "
                 "0,0,0.499,0,1,0,0,0\n100000,box 0,0,0.499,0,1,0,0,0\n");
  m_folder.write("toss.json", test::tossScene(0.2));
  const auto tossed = loadScene(m_folder.at("toss.json").toStdString());
  RecordedMotion motion = test::simulatedTosses(*tossed, 1);
  for (int toss = 1; toss < 2000; ++toss) {
    motion.tosses.push_back(motion.tosses.front());
    motion.tosses.back().name = std::to_string(toss);
  }
  m_folder.write("tosses.csv", QByteArray::fromStdString(test::csvOf(motion)));
}

void SignalsTest::sigtermEndsEveryCommand_data() {
  QTest::addColumn<QStringList>("arguments");
  const auto row = [](const char* name, const QStringList& arguments) { QTest::newRow(name) << arguments; };
  row("run", {"run", "long.json", "--out", "run"});
  row("run, recorded", {"run", "long.json", "--record", "run.touchstone"});
  row("run, motion", {"run", "toss.json", "--motion", "tosses.csv", "--methods", "lcp,cpf,peg"});
  row("map, motion", {"map", "toss.json", "--motion", "tosses.csv", "--method", "lcp", "--vary",
                      "scene.friction=0.1..0.4/20"});
  row("judge", {"judge", "long.json", "other=poses.csv", "--methods", "cpf,lcp"});
  row("ensemble",
      {"ensemble", "long.json", "--methods", "cpf,lcp", "--quantity", "mean_height", "--copies", "20"});
  row("map", {"map", "long.json", "--method", "cpf", "--vary", "stiffness=1e3..1e5/20"});
  row("conform", {"conform", "--jobs", "2"});
  row("conform, controls", {"conform", "--controls", "--jobs", "2", "--out", "card"});
  row("study", {"study", "pour", "--out", "study", "--jobs", "2"});
  row("verify", {"verify"});
  row("bench", {"bench"});
  for (const char* command : {"replay", "export", "harvest"}) {
    QStringList arguments{command, "frames.touchstone"};
    if (command == QByteArray("export"))
      arguments << "--paraview"
                << "paraview";
    if (command == QByteArray("harvest"))
      arguments << "--out"
                << "problems";
    row(command, arguments);
  }
}

void SignalsTest::sigtermEndsEveryCommand() {
  QFETCH(QStringList, arguments);
  if (arguments.contains("frames.touchstone") && !QFileInfo::exists(m_folder.at("frames.touchstone"))) {
    const auto recorded = started({"run", "frames.json", "--record", "frames.touchstone", "--time", "4"});
    QCOMPARE(test::endOf(*recorded, 4 * kPatience), 0);
  }
  const auto process = started(arguments);
  QTRY_VERIFY_WITH_TIMEOUT(isAtWork(*process), kPatience);
  QVERIFY2(process->state() == QProcess::Running,
           process->readAllStandardOutput().right(200) + process->readAllStandardError());
  kill(static_cast<pid_t>(process->processId()), SIGTERM);
  QVERIFY(process->waitForFinished(kPatience));
  const QByteArray problem = process->readAllStandardError();
  QCOMPARE(process->exitStatus(), QProcess::NormalExit);
  QVERIFY2(process->exitCode() == 1 || process->exitCode() == 128 + SIGTERM,
           QByteArray::number(process->exitCode()) + problem);
  QVERIFY2(problem.contains("interrupted by SIGTERM"), problem);
}

void SignalsTest::aFrameThatTakesLongIsEndedWithAllFramesBefore() {
  const auto process = started({"run", "heavy.json", "--substeps", "100000", "--out", "heavy"});
  QTRY_VERIFY_WITH_TIMEOUT(isAtWork(*process), kPatience);
  kill(static_cast<pid_t>(process->processId()), SIGTERM);
  QVERIFY(process->waitForFinished(kPatience));
  QCOMPARE(process->exitCode(), 1);
  const QByteArray manifest = m_folder.content("heavy/manifest.json");
  QVERIFY2(manifest.contains("interrupted by SIGTERM"), manifest);
  const QByteArray table = m_folder.content("heavy/quantities.csv");
  QVERIFY(table.endsWith('\n'));
  QCOMPARE(table.count('\n'), 2);  // its head and the start
}

void SignalsTest::aSecondSignalEndsTheProgramAtOnce() {
  const auto process = started({"run", "heavy.json", "--substeps", "100000", "--out", "second"});
  QTRY_VERIFY_WITH_TIMEOUT(m_folder.content("second/manifest.json").contains("unfinished"), kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(isAtWork(*process), kPatience);
  kill(static_cast<pid_t>(process->processId()), SIGTERM);
  kill(static_cast<pid_t>(process->processId()), SIGINT);
  QVERIFY(process->waitForFinished(kPatience));
  QVERIFY2(process->exitCode() == 128 + SIGTERM || process->exitCode() == 128 + SIGINT,
           QByteArray::number(process->exitCode()));
  QVERIFY(!QFileInfo::exists(m_folder.at("second/quantities.csv")));  // only a part, as after a kill
}

QTEST_GUILESS_MAIN(SignalsTest)
#include "tst_signals.moc"
