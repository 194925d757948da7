#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDirIterator>
#include <QElapsedTimer>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "app/window/session_file.h"
#include "core/files/json_file.h"
#include "core/store/database.h"
#include "core/store/recording.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// A program that is killed at any moment leaves complete files, or none. Each test tries a few random
/// moments; TOUCHSTONE_KILLS=200 tries that many of each kind, with other random numbers.
class KillsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void recordings();
  void tables();
  void studies();
  void exports();
  void sessions();
  void movies();

 private:
  QString at(const QString& name) const { return QString::fromStdString(m_files.path(name)); }
  /// Kills the program at random moments. @param look  checks what it left in its folder
  void kill(const QString& program, const QStringList& arguments,
            const std::function<void(const QString& folder)>& look);
  static QStringList filesBelow(const QString& folder);
  test::SceneFolder m_files;
  std::mt19937 m_random;
  int m_kills = 4;
};

static const QString kCli = QStringLiteral("touchstone-cli"), kWindow = QStringLiteral("touchstone");

static QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

static void verifyWholeTable(const QString& path) {
  const QByteArray table = contentOf(path);
  if (table.isEmpty()) return;
  QVERIFY2(table.endsWith('\n'), qPrintable(path));
  QList<QByteArray> lines = table.split('\n');
  while (lines[0].startsWith('#')) lines.removeFirst();
  for (int line = 0; line + 1 < lines.size(); ++line)
    QVERIFY2(lines[line].count(',') == lines[0].count(','), qPrintable(path));
}

void KillsTest::initTestCase() {
  const int asked = qEnvironmentVariableIntValue("TOUCHSTONE_KILLS");
  if (asked > 0) m_kills = asked;
  m_random.seed(asked > 0 ? std::random_device()() : 1u);
  m_files.write("scene.json", test::SceneFolder::withBodies(
                                  R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
                       {"name": "box", "position": [0, 0.499, 0], "shape": {"type": "box", "size": [1, 1, 1]}})",
                                  R"("methods": ["cpf", "peg"], "duration": 2, )"));
  m_files.write("study.json",
                R"({"touchstone_study": 1, "name": "s", "title": "S", "scene": "scene.json", "time": 0.2,
                    "dt": [0.01], "seeds": {"first": 1, "count": 40}, "variation": {"position": 0.01},
                    "panes": [{"label": "C", "method": "cpf"}]})");
  QProcess process;
  process.start(QCoreApplication::applicationDirPath() + "/../app/" + kCli,
                {"run", at("scene.json"), "--time", "0.3", "--record", at("good.touchstone")});
  QVERIFY(process.waitForFinished(60000) && process.exitCode() == 0);
}

QStringList KillsTest::filesBelow(const QString& folder) {
  QStringList files;
  QDirIterator each(folder, QDir::Files, QDirIterator::Subdirectories);
  while (each.hasNext()) files << each.next();
  return files;
}

void KillsTest::kill(const QString& program, const QStringList& arguments,
                     const std::function<void(const QString& folder)>& look) {
  qint64 whole = 0;  // ms, duration of an undisturbed run
  for (int round = -1; round < m_kills; ++round) {
    const QTemporaryDir folder;
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.setStandardOutputFile(QProcess::nullDevice());
    process.setStandardErrorFile(QProcess::nullDevice());
    QElapsedTimer clock;
    clock.start();
    process.start(QCoreApplication::applicationDirPath() + "/../app/" + program, arguments);
    QVERIFY(process.waitForStarted(60000));
    if (round < 0) {
      QVERIFY(process.waitForFinished(120000));
      QCOMPARE(process.exitCode(), 0);
      whole = clock.elapsed();
    } else {
      process.waitForFinished(static_cast<int>(m_random() % static_cast<unsigned>(whole + 1)));
      process.kill();
      process.waitForFinished();
    }
    look(folder.path());
    if (QTest::currentTestFailed()) return;
  }
}

void KillsTest::recordings() {
  int readable = 0;
  kill(kCli, {"run", at("scene.json"), "--record", "r.touchstone"}, [&](const QString& folder) {
    const QString path = folder + "/r.touchstone";
    if (!QFileInfo::exists(path)) return;
    // As if sent to another user: the file alone, without its journal.
    const QString copy = folder + "/copy.touchstone";
    QVERIFY(QFile::copy(path, copy));
    try {
      const Recording alone(copy.toStdString());
      QCOMPARE(static_cast<long>(alone.rows().size()), 2 * (alone.lastFrame() + 1));
    } catch (const DatabaseError& error) {  // killed within a frame: the message names the missing part
      QVERIFY2(QByteArray(error.what()).contains("-journal"), error.what());
    }
    const Recording recording(path.toStdString());
    QCOMPARE(static_cast<long>(recording.rows().size()), 2 * (recording.lastFrame() + 1));
    for (const RecordedRow& row : recording.rows()) QVERIFY(recording.record(row.frame, row.pane));
    ++readable;
  });
  QVERIFY(readable > 0);
}

void KillsTest::tables() {
  kill(kCli, {"run", at("scene.json"), "--out", "o", "--contacts", "--poses"}, [](const QString& folder) {
    for (const QString& file : filesBelow(folder)) {
      if (file.endsWith(".csv") && !file.contains("poses")) verifyWholeTable(file);
      if (file.contains("poses")) QVERIFY(contentOf(file).isEmpty() || contentOf(file).endsWith('\n'));
      if (file.endsWith("manifest.json")) parseJson(contentOf(file).toStdString(), file.toStdString());
    }
  });
}

void KillsTest::studies() {
  kill(kCli, {"study", at("study.json"), "--out", "o"}, [&](const QString& folder) {
    for (const QString& file : filesBelow(folder))
      if (file.endsWith(".csv")) verifyWholeTable(file);
    QProcess process;  // computes the rest; nothing is lost or duplicated
    process.setWorkingDirectory(folder);
    process.start(QCoreApplication::applicationDirPath() + "/../app/" + kCli,
                  {"study", at("study.json"), "--out", "o", "--resume"});
    QVERIFY(process.waitForFinished(120000));
    QCOMPARE(process.exitCode(), 0);
    QCOMPARE(contentOf(folder + "/o/runs.csv").count('\n'), 41);
    verifyWholeTable(folder + "/o/runs.csv");
  });
}

void KillsTest::exports() {
  kill(kCli, {"export", at("good.touchstone"), "--paraview", "pv", "--poses", "p.csv"},
       [](const QString& folder) {
         for (const QString& file : filesBelow(folder)) {
           if (file.endsWith(".vtp") || file.endsWith(".pvd"))
             QVERIFY2(contentOf(file).trimmed().endsWith("</VTKFile>"), qPrintable(file));
           if (file.endsWith(".csv")) QVERIFY2(contentOf(file).endsWith('\n'), qPrintable(file));
         }
       });
}

/// Runs a process that saves one session repeatedly.
void KillsTest::sessions() {
  SessionFile session;
  session.source = at("scene.json");
  session.layout = QByteArray(100000, 'x');
  const QString path = at("s.session.json");
  QCOMPARE(writeSession(session, path), QString());
  for (int round = 0; round < 10 * m_kills; ++round) {
    const pid_t child = fork();
    QVERIFY(child >= 0);
    if (child == 0) {
      while (true) writeSession(session, path);
    }
    usleep(m_random() % 20000);  // any moment is a test
    ::kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    QVERIFY(readSession(path).layout == session.layout);
    QCOMPARE(writeSession(session, path), QString());
  }
}

void KillsTest::movies() {
  if (QStandardPaths::findExecutable("ffmpeg").isEmpty()) QSKIP("no ffmpeg");
  kill(kWindow, {at("scene.json"), "--time", "0.2", "--export-movie", "m.mp4", "--size", "320x240"},
       [](const QString& folder) {
         if (!QFileInfo::exists(folder + "/m.mp4")) return;
         QProcess decoder;
         decoder.start("ffmpeg", {"-v", "error", "-i", folder + "/m.mp4", "-f", "null", "-"});
         QVERIFY(decoder.waitForFinished(60000));
         QCOMPARE(decoder.exitCode(), 0);
         QVERIFY2(decoder.readAllStandardError().isEmpty(), "a frame is damaged");
       });
}

// As QTEST_GUILESS_MAIN, without Qt's watchdog, which would end a long series of kills after five minutes.
int main(int argc, char** argv) {
  if (qEnvironmentVariableIsSet("TOUCHSTONE_KILLS")) qputenv("QTEST_FUNCTION_TIMEOUT", "86400000");  // ms
  QCoreApplication application(argc, argv);
  KillsTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "tst_kills.moc"
