#include "app/cli/export_command.h"
#include "app/cli/map_command.h"
#include "app/cli/run_command.h"
#include "app/cli/study_command.h"
#include "tests/support/failing_calls.h"

#include <QDirIterator>
#include <QXmlStreamReader>
#include <QtTest>
#include <iostream>

#include "app/window/session_file.h"
#include "core/contact/step_detail.h"
#include "core/files/json_file.h"
#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "core/store/database.h"
#include "core/store/manifest.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "core/store/step_problem.h"
#include "core/study/study.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;
using test::Failure;

using Save = std::function<int(const QString& folder)>;
using Load = std::function<void(const std::string& path)>;
Q_DECLARE_METATYPE(Save)
Q_DECLARE_METATYPE(Load)

/// With a full disk or exhausted memory at any moment, writers report it and leave complete files or none,
/// and readers report it.
class FailingCallsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aDiskThatFailsLeavesWholeFiles_data();
  void aDiskThatFailsLeavesWholeFiles();
  void earlierResultsSurviveADiskThatFails();
  void memoryThatFailsIsSaid_data();
  void memoryThatFailsIsSaid();
  void cleanupTestCase();

 private:
  QString at(const QString& name) const { return QString::fromStdString(m_files.path(name)); }
  std::string path(const QString& name) const { return m_files.path(name); }
  cli::RunOptions runInto(const QString& folder) const;
  test::SceneFolder m_files;
  std::streambuf *m_out = nullptr, *m_error = nullptr;
};

namespace {

PaneSettings pane(const char* method) {
  PaneSettings settings;
  settings.method = method;
  return settings;
}

/// Files below a folder except drafts, by name relative to it.
QStringList filesBelow(const QString& folder) {
  QStringList files;
  QDirIterator each(folder, QDir::Files, QDirIterator::Subdirectories);
  while (each.hasNext()) {
    const QString name = QDir(folder).relativeFilePath(each.next());
    if (!name.contains(".part") && !name.endsWith("-journal")) files << name;
  }
  files.sort();
  return files;
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The fault of a file that has its final name, or empty.
QString problemOf(const QString& path) {
  const QByteArray bytes = contentOf(path);
  if (path.endsWith(".csv")) {
    const QList<QByteArray> lines = bytes.split('\n');
    if (!bytes.isEmpty() && !bytes.endsWith('\n')) return path + ": ends within a line";
    for (int line = 0; line + 1 < lines.size(); ++line)
      if (!lines[line].startsWith('#') && lines[line].count(',') != lines[lines.size() - 2].count(','))
        return path + ": has a line of other columns";
    return {};
  }
  if (path.endsWith(".json")) try {
      parseJson(bytes.toStdString(), path.toStdString());
      return {};
    } catch (const SceneError& error) {
      return error.what();
    }
  if (path.endsWith(".touchstone") || path.endsWith(".db")) try {
      if (path.endsWith(".db"))
        Database(path.toStdString(), Database::Open::Foreign);
      else
        Recording(path.toStdString());
      return {};
    } catch (const std::exception& error) {
      return error.what();
    }
  if (path.endsWith(".vtp") || path.endsWith(".pvd"))
    return bytes.trimmed().endsWith("</VTKFile>") ? QString() : path + ": is cut off";
  return bytes.isEmpty() ? path + ": is empty" : QString();
}

struct Outcome {
  int code = 0;
  QString message;
};

Outcome outcomeOf(const Save& save, const QString& folder) {
  try {
    return {save(folder), {}};
  } catch (const std::exception& error) {
    return {3, error.what()};
  }
}

/// Skips more of the later calls, for which the result is the same.
long after(long number) { return number + 1 + number / 12; }

}  // namespace

void FailingCallsTest::initTestCase() {
  static std::ostringstream nowhere;
  m_out = std::cout.rdbuf(nowhere.rdbuf());
  m_error = std::cerr.rdbuf(nowhere.rdbuf());
  m_files.write("box.obj", test::cubeObj());
  const QByteArray bodies =
      R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
         {"name": "box", "position": [0, 0.001, 0], "shape": {"type": "mesh", "file": "box.obj"}})";
  const auto scene = m_files.load(bodies, R"("methods": ["cpf", "lcp"], "duration": 0.05, )");
  m_files.write("study.json",
                R"({"touchstone_study": 1, "name": "s", "title": "S", "scene": "scene.json", "time": 0.05,
                    "dt": [0.01], "seeds": {"first": 0, "count": 2}, "variation": {"position": 0.1},
                    "panes": [{"label": "C", "method": "cpf"}]})");
  Comparison comparison(scene, {pane("cpf"), pane("lcp")});
  Recorder recorder(path("good.touchstone"), comparison, "test");
  for (int frame = 0; frame < 3; ++frame) comparison.step(false);
  recorder.finish();
  Simulation simulation(scene, pane("lcp"), 0.01);
  StepDetail detail;
  for (int frame = 0; frame < 4; ++frame) simulation.step();
  simulation.step(detail);
  m_files.write("problem.json", QByteArray::fromStdString(problemText(detail, *scene, "lcp")));
  m_files.write("manifest.json", QByteArray::fromStdString(manifestText(comparison, {"test", 1})));
  SessionFile session;
  session.source = at("scene.json");
  QCOMPARE(writeSession(session, at("good.session.json")), QString());
}

void FailingCallsTest::cleanupTestCase() {
  std::cout.rdbuf(m_out);
  std::cerr.rdbuf(m_error);
}

cli::RunOptions FailingCallsTest::runInto(const QString& folder) const {
  cli::RunOptions options;
  options.scene = path("scene.json");
  options.out = (folder + "/tables").toStdString();
  options.record = (folder + "/r.touchstone").toStdString();
  options.contacts = options.poses = true;
  options.threads = 1;  // only the calls of this thread fail
  return options;
}

void FailingCallsTest::aDiskThatFailsLeavesWholeFiles_data() {
  QTest::addColumn<Save>("save");
  QTest::newRow("run") << Save([this](const QString& folder) { return cli::run(runInto(folder)); });
  QTest::newRow("study") << Save([this](const QString& folder) {
    cli::StudyOptions options;
    options.studies = {path("study.json")};
    options.out = (folder + "/study").toStdString();
    return cli::study(options);
  });
  QTest::newRow("map") << Save([this](const QString& folder) {
    cli::MapOptions options;
    options.scene = path("scene.json");
    options.method = "cpf";
    options.vary = {"stiffness=1e3,1e4"};
    options.out = (folder + "/map").toStdString();
    return cli::map(options);
  });
  QTest::newRow("frames for ParaView") << Save([this](const QString& folder) {
    return cli::exportParaview(path("good.touchstone"), (folder + "/pv").toStdString());
  });
  QTest::newRow("poses") << Save([this](const QString& folder) {
    return cli::exportPoses(path("good.touchstone"), (folder + "/poses.csv").toStdString());
  });
  QTest::newRow("session") << Save([this](const QString& folder) {
    SessionFile session;
    session.source = at("scene.json");
    const QString problem = writeSession(session, folder + "/s.session.json");
    if (!problem.isEmpty()) throw std::runtime_error(problem.toStdString());
    return 0;
  });
}

void FailingCallsTest::aDiskThatFailsLeavesWholeFiles() {
  QFETCH(Save, save);
  const QTemporaryDir reference;
  QCOMPARE(save(reference.path()), 0);
  const QStringList all = filesBelow(reference.path());
  QVERIFY(!all.isEmpty());
  for (const Failure::Then then : {Failure::Then::Works, Failure::Then::FailsToo}) {
    bool happened = true;
    for (long number = 1; happened; number = after(number)) {
      const QTemporaryDir folder;
      Outcome outcome;
      {
        Failure failure(test::failingWrites, number, then);
        outcome = outcomeOf(save, folder.path());
        happened = failure.happened();
      }
      const QByteArray where = "write " + QByteArray::number(static_cast<qlonglong>(number));
      for (const QString& name : filesBelow(folder.path())) {
        const QString problem = problemOf(folder.filePath(name));
        QVERIFY2(problem.isEmpty(), where + ": " + problem.toUtf8());
      }
      if (outcome.code == 0)
        QVERIFY2(filesBelow(folder.path()) == all, where + ": success, and files are missing");
      else
        QVERIFY2(happened && (outcome.message.isEmpty() || outcome.message.contains(": ")),
                 where + ": " + outcome.message.toUtf8());
    }
  }
}

void FailingCallsTest::earlierResultsSurviveADiskThatFails() {
  const QTemporaryDir folder;
  cli::RunOptions options = runInto(folder.path());
  QCOMPARE(cli::run(options), 0);
  const auto stateOf = [&] {
    std::map<QString, QByteArray> state;
    for (const QString& name : filesBelow(folder.path())) state[name] = contentOf(folder.filePath(name));
    return state;
  };
  options.force = true;
  bool happened = true;
  for (long number = 1; happened; number = after(number)) {
    const auto before = stateOf();
    Outcome outcome;
    {
      Failure failure(test::failingWrites, number, Failure::Then::FailsToo);
      outcome = outcomeOf([&](const QString&) { return cli::run(options); }, folder.path());
      happened = failure.happened();
    }  // readers of a recording write its scene to a folder for a moment
    if (outcome.code == 0) continue;
    for (const auto& [name, content] : before) {
      const QByteArray now = contentOf(folder.filePath(name));
      const QString problem = now == content ? QString() : problemOf(folder.filePath(name));
      QVERIFY2(problem.isEmpty(),
               "write " + QByteArray::number(static_cast<qlonglong>(number)) + ": " + problem.toUtf8());
      QVERIFY2(!now.isEmpty(), qPrintable(name));
    }
  }
  QCOMPARE(cli::run(options), 0);
}

void FailingCallsTest::memoryThatFailsIsSaid_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<Load>("load");
  QTest::newRow("scene with a mesh") << "scene.json" << Load([](const std::string& file) {
    const auto scene = loadScene(file);
    QVERIFY(scene->bodies.size() == 2);
  });
  QTest::newRow("recording") << "good.touchstone" << Load([](const std::string& file) {
    const Recording recording(file);
    for (const RecordedRow& row : recording.rows()) recording.record(row.frame, row.pane);
  });
  QTest::newRow("study") << "study.json" << Load([](const std::string& file) { loadStudy(file); });
  QTest::newRow("manifest") << "manifest.json" << Load([](const std::string& file) { readManifest(file); });
  QTest::newRow("problem") << "problem.json" << Load([](const std::string& file) { readProblems(file); });
  QTest::newRow("session") << "good.session.json" << Load([](const std::string& file) {
    readSession(QString::fromStdString(file));
  });
}

void FailingCallsTest::memoryThatFailsIsSaid() {
  QFETCH(QString, file);
  QFETCH(Load, load);
  load(path(file));  // initialises what is created only once
  bool happened = true;
  int refused = 0;
  for (long number = 1; happened; number = after(number)) {
    Failure failure(test::failingAllocations, number, Failure::Then::Works);
    try {
      load(path(file));
    } catch (const std::bad_alloc&) {
      ++refused;
    } catch (const std::exception& error) {
      test::failingAllocations = nullptr;
      QVERIFY2(QByteArray(error.what()).contains("; "), error.what());
    }
    happened = failure.happened();
  }
  QVERIFY(refused > 0);
}

QTEST_MAIN(FailingCallsTest)
#include "tst_failing_calls.moc"
