#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "core/files/scene_error.h"
#include "core/parallel/parallel_for.h"
#include "core/record/mouse_spring.h"
#include "core/robot/scene_readers.h"
#include "core/store/database.h"
#include "core/store/recorder.h"
#include "core/store/replay.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/failing_calls.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// About a third of the writes of the run below. More: the run ends before the disk is full.
static constexpr long kWritesUntilFull = 100;
static const char* const kScene = TS_SOURCE_DIR "/datasets/scenes/corner-trap.json";

class RecordingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void readsBackEveryFrameAsItWas();
  void replaysEveryCommandBitForBit();
  void replaysThePullOfABodyThatDeforms();
  void replayNamesTheFirstFrameAndArrayThatDiffer();
  void aResumedComparisonForksRecordsAndReplays();
  void aResumedComparisonReplaysWithoutTheMemoryThatItLacks();
  void bodiesThatDeformComeBackAndGoOn();
  void readingTellsHowFarItIsAndCanBeCancelled();
  void meshesTravelWithTheFile();
  void aKilledProgramLeavesAReadableFile();
  void aFullDiskEndsTheRecordingAndNotTheRun();
  void refusesFilesThatAreNoRecordings();
  void theCommandLineTakesThemForBadInput();
  void commandsSurviveText();
  void refusesTextsThatAreNoCommands_data();
  void refusesTextsThatAreNoCommands();

 private:
  std::string file(const char* name) const { return m_folder.filePath(QLatin1String(name)).toStdString(); }
  static QString program() {
    return QCoreApplication::applicationDirPath() + QStringLiteral("/../app/touchstone-cli");
  }
  QTemporaryDir m_folder;
};

static PaneSettings pane(const char* method, int substeps = 1) {
  PaneSettings settings;
  settings.method = method;
  settings.substeps = substeps;
  return settings;
}

static int dynamicBody(const Scene& scene) {
  for (std::size_t body = 0; body < scene.bodies.size(); ++body)
    if (scene.bodies[body].motion == Motion::Dynamic) return static_cast<int>(body);
  return -1;
}

static void compareRecords(const StepRecord& a, const StepRecord& b) {
  QCOMPARE(a.frame, b.frame);
  QCOMPARE(a.time, b.time);
  QVERIFY(a.method == b.method);
  QVERIFY(a.status == b.status);
  QCOMPARE(a.stateHash, b.stateHash);
  QCOMPARE(a.bodies.size(), b.bodies.size());
  for (std::size_t body = 0; body < a.bodies.size(); ++body) {
    QVERIFY(a.bodies[body].position == b.bodies[body].position);
    QVERIFY(a.bodies[body].orientation.coeffs() == b.bodies[body].orientation.coeffs());
  }
  QCOMPARE(a.particles.size(), b.particles.size());
  for (std::size_t particle = 0; particle < a.particles.size(); ++particle) {
    QVERIFY(a.particles[particle] == b.particles[particle]);
    QVERIFY(a.particleVelocities[particle] == b.particleVelocities[particle]);
  }
  for (int quantity = 0; quantity < kQuantityCount; ++quantity)
    QVERIFY(a.quantities.values[quantity] == b.quantities.values[quantity] ||
            (std::isnan(a.quantities.values[quantity]) && std::isnan(b.quantities.values[quantity])));
  QCOMPARE(a.contacts.size(), b.contacts.size());
  for (std::size_t contact = 0; contact < a.contacts.size(); ++contact) {
    QVERIFY(a.contacts[contact].pointB == b.contacts[contact].pointB);
    QCOMPARE(a.contacts[contact].normalImpulse, b.contacts[contact].normalImpulse);
    QCOMPARE(a.contacts[contact].trap, b.contacts[contact].trap);
  }
  QCOMPARE(a.iterations.size(), b.iterations.size());
  QCOMPARE(a.overlaps.size(), b.overlaps.size());
  QCOMPARE(a.pull.has_value(), b.pull.has_value());
  QVERIFY(a.warnings == b.warnings);
}

static bool isSame(const ReplayResult& result) { return !result.first && result.missing.empty(); }

static QString described(const ReplayResult& result) {
  if (!result.first) return QString::fromStdString(result.missing);
  return QStringLiteral("frame %1: %2")
      .arg(result.first->frame)
      .arg(QString::fromStdString(result.first->array));
}

void RecordingTest::readsBackEveryFrameAsItWas() {
  Comparison comparison(loadScene(kScene), {pane("cpf"), pane("peg")});
  std::vector<std::vector<RecordPtr>> frames;
  {
    comparison.step(false);  // frames in the history become part of the recording
    Recorder recorder(file("frames.touchstone"), comparison, "test");
    for (int frame = 0; frame < 60; ++frame) frames.push_back(comparison.step(false));
    QVERIFY(recorder.problem().empty());
    QCOMPARE(recorder.frames(), 2 * 62L);
  }
  const Recording recording(file("frames.touchstone"));
  QCOMPARE(recording.firstFrame(), 0L);
  QCOMPARE(recording.lastFrame(), 61L);
  QCOMPARE(recording.panes().size(), std::size_t(2));
  QCOMPARE(QString::fromStdString(recording.panes()[1].label), QStringLiteral("peg-auto"));
  for (const std::vector<RecordPtr>& records : frames)
    for (int index = 0; index < 2; ++index) {
      const RecordPtr read = recording.record(records[index]->frame, recording.panes()[index].id);
      QVERIFY(read != nullptr);
      compareRecords(*records[index], *read);
    }
}

// Every kind of command, and a fork that discards some of them.
static void drive(Comparison& comparison) {
  const auto steps = [&](int count) {
    for (int step = 0; step < count; ++step) comparison.step(false);
  };
  steps(10);
  comparison.setParameter(0, "stiffness", 3e4);
  steps(5);
  comparison.pull(Spring{dynamicBody(comparison.scene()), Vec3(0.01, 0, 0), Vec3(0.1, 1, 0), 20, 1});
  steps(8);
  comparison.addPane(pane("dpf", 3));
  comparison.setSubsteps(1, 2);
  comparison.movePane(2, 0);
  comparison.movePane(0, 2);
  comparison.movePane(0, 1);
  comparison.movePane(1, 0);
  steps(5);
  comparison.pull(std::nullopt);
  comparison.setPane(1, pane("peg"));
  steps(5);
  QVERIFY(comparison.fork(2, 25));
  steps(6);
  comparison.setDt(0.5 * comparison.dt());
  comparison.removePane(0);
  comparison.movePane(1, 0);
  steps(7);
}

void RecordingTest::replaysEveryCommandBitForBit() {
  {
    Comparison comparison(loadScene(kScene), {pane("cpf"), pane("lcp")});
    Recorder recorder(file("commands.touchstone"), comparison, "test");
    drive(comparison);
  }
  const Recording recording(file("commands.touchstone"));
  QCOMPARE(recording.lastFrame(), 38L);
  for (int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    const ReplayResult result = replay(recording);
    QVERIFY2(isSame(result), qPrintable(described(result)));
    QVERIFY(result.frames > 80);
  }
}

void RecordingTest::replaysThePullOfABodyThatDeforms() {
  test::SceneFolder folder;
  const auto scene = folder.load(
      R"({"name": "block", "shape": {"type": "lattice", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]},
          "deformable": {"model": "corotational", "young": 1e4,
                         "activation": {"eigenstrain": [[0, 0], [0.1, 0.02]]}}})");
  {
    Comparison comparison(scene, {pane("cpf", 4), pane("nsn")});
    Recorder recorder(file("pulled.touchstone"), comparison, "test");
    Spring spring = mouseSpring(*scene, *comparison.pane(0).current(), 0, Vec3(0.08, 0.12, 0.03), scene->dt);
    for (int frame = 0; frame < 20; ++frame) {
      if (frame == 5 || frame == 9) comparison.pull(spring);
      if (frame == 15) comparison.pull(std::nullopt);
      spring.target.x() += 0.02;
      comparison.step(false);
    }
  }
  const Recording recording(file("pulled.touchstone"));
  for (const RecordedPane& each : recording.panes()) {
    QVERIFY(recording.record(10, each.id)->pull && !recording.record(16, each.id)->pull);
  }
  const ReplayResult result = replay(recording);
  QVERIFY2(isSame(result), qPrintable(described(result)));
}

void RecordingTest::replayNamesTheFirstFrameAndArrayThatDiffer() {
  {
    Comparison comparison(loadScene(kScene), {pane("cpf"), pane("lcp")});
    Recorder recorder(file("changed.touchstone"), comparison, "test");
    for (int frame = 0; frame < 20; ++frame) comparison.step(false);
  }
  {
    Database database(file("changed.touchstone"), Database::Open::Own);
    database.run(
        "UPDATE frames SET bodies = (SELECT bodies FROM frames WHERE frame = 11 AND pane = 1) "
        "WHERE frame = 12 AND pane = 1");
  }
  const ReplayResult result = replay(Recording(file("changed.touchstone")));
  QVERIFY(result.first.has_value());
  QCOMPARE(result.first->frame, 12L);
  QCOMPARE(QString::fromStdString(result.first->pane), QStringLiteral("lcp-auto"));
  QVERIFY(QString::fromStdString(result.first->array).startsWith(QStringLiteral("position of body '")));
}

void RecordingTest::aResumedComparisonForksRecordsAndReplays() {
  {
    Comparison comparison(loadScene(kScene), {pane("cpf"), pane("lcp")});
    Recorder recorder(file("first.touchstone"), comparison, "test");
    drive(comparison);
  }
  {
    const std::unique_ptr<Comparison> comparison =
        Recording::resume(std::make_shared<Recording>(file("first.touchstone")));
    QCOMPARE(comparison->frame(), 38L);
    QCOMPARE(comparison->paneCount(), 2);
    QCOMPARE(QString::fromStdString(comparison->pane(1).settings().method), QStringLiteral("peg"));
    Recorder recorder(file("second.touchstone"), *comparison, "test");
    for (int frame = 0; frame < 10; ++frame) comparison->step(false);
    QVERIFY(comparison->fork(0, 30));
    for (int frame = 0; frame < 10; ++frame) comparison->step(false);
  }
  const Recording recording(file("second.touchstone"));
  QCOMPARE(recording.lastFrame(), 40L);
  const ReplayResult result = replay(recording);
  QVERIFY2(isSame(result), qPrintable(described(result)));
}

void RecordingTest::aResumedComparisonReplaysWithoutTheMemoryThatItLacks() {
  {
    Comparison comparison(loadScene(TS_SOURCE_DIR "/datasets/scenes/incline.json"),
                          {pane("cpf"), pane("dpf", 4)});
    Recorder recorder(file("sliding.touchstone"), comparison, "test");
    for (int frame = 0; frame < 150; ++frame) comparison.step(false);
    QVERIFY(!comparison.pane(0).contactMemory().empty());
  }
  {
    const std::unique_ptr<Comparison> comparison =
        Recording::resume(std::make_shared<Recording>(file("sliding.touchstone")));
    Recorder recorder(file("slidingOn.touchstone"), *comparison, "test");
    for (int frame = 0; frame < 20; ++frame) comparison->step(false);
  }
  const ReplayResult result = replay(Recording(file("slidingOn.touchstone")));
  QVERIFY2(isSame(result), qPrintable(described(result)));
}

void RecordingTest::bodiesThatDeformComeBackAndGoOn() {
  test::SceneFolder folder;
  const auto scene = folder.load(
      R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
         {"name": "bar", "position": [0, 0.06, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": 10},
          "shape": {"type": "lattice", "size": [0.3, 0.1, 0.1], "cells": [3, 1, 1]},
          "deformable": {"young": 2e4, "poisson": 0.3}})");
  std::vector<RecordPtr> written;
  {
    Comparison comparison(scene, {pane("cpf"), pane("nsn")});
    Recorder recorder(file("soft.touchstone"), comparison, "test");
    for (int frame = 0; frame < 8; ++frame) comparison.step(false);
    for (int each : {0, 1}) written.push_back(comparison.pane(each).current());
    QCOMPARE(written[0]->particles.size(), std::size_t(16));
  }
  const auto recording = std::make_shared<Recording>(file("soft.touchstone"));
  for (int each : {0, 1}) compareRecords(*recording->record(8, each), *written[each]);
  const ReplayResult whole = replay(*recording);
  QVERIFY2(isSame(whole), qPrintable(described(whole)));
  {
    const std::unique_ptr<Comparison> comparison = Recording::resume(recording);
    for (int each : {0, 1})  // from where it was, and not from rest
      QVERIFY(comparison->pane(each).current()->particles == written[each]->particles);
    Recorder recorder(file("softer.touchstone"), *comparison, "test");
    for (int frame = 0; frame < 3; ++frame) comparison->step(false);
    for (int each : {0, 1}) {
      const RecordPtr next = comparison->pane(each).current();
      QVERIFY((next->particles[0] - written[each]->particles[0]).norm() < 0.05);
    }
  }
  const ReplayResult further = replay(Recording(file("softer.touchstone")));
  QVERIFY2(isSame(further), qPrintable(described(further)));
}

void RecordingTest::readingTellsHowFarItIsAndCanBeCancelled() {
  const std::string path = file("progress.touchstone");
  Comparison comparison(loadScene(kScene), {pane("peg"), pane("cpf")});
  {
    Recorder recorder(path, comparison, "test");
    for (int frame = 0; frame < 200; ++frame) comparison.step(false);
  }
  long asked = 0, last = -1;
  const auto whole = std::make_shared<Recording>(path, [&](long, long all) { return ++asked, all == 0; });
  QVERIFY(asked > 0);  // the check for damage takes some thousand instructions
  const std::unique_ptr<Comparison> resumed = Recording::resume(whole, [&](long done, long all) {
    const bool next = done == last + 1 && all == 402;
    last = done;
    return next;
  });
  QCOMPARE(last, 401L);
  QCOMPARE(resumed->history(1).frames().size(), std::size_t(201));
  QVERIFY_EXCEPTION_THROWN(Recording(path, [](long, long) { return false; }), ReadingCancelled);
  QVERIFY_EXCEPTION_THROWN(Recording::resume(whole, [](long done, long) { return done < 100; }),
                           ReadingCancelled);
}

void RecordingTest::meshesTravelWithTheFile() {
  {
    const auto scene = loadScene(TS_SOURCE_DIR "/datasets/scenes/meshes.json");
    QVERIFY(scene->sources.size() > 1);
    Comparison comparison(scene, {pane("dpf")});
    Recorder recorder(file("meshes.touchstone"), comparison, "test");
    comparison.step(false);
  }
  const Recording recording(file("meshes.touchstone"));
  QVERIFY(recording.scene()->sources.size() > 1);
  QVERIFY(isSame(replay(recording)));
}

// The program is killed at random moments, even before its first frame, while frames are being written. The
// file is complete in its own folder. Alone in another folder it may be damaged by a kill within a frame,
// which is reported.
void RecordingTest::aKilledProgramLeavesAReadableFile() {
  QVERIFY(QFileInfo::exists(program()));
  QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("copy")));
  std::mt19937 random(7);
  int withFrames = 0, whole = 0;
  for (int kill = 0; kill < 20; ++kill) {
    const std::string path = file(qPrintable(QStringLiteral("killed-%1.touchstone").arg(kill)));
    const std::string copy = file(qPrintable(QStringLiteral("copy/killed-%1.touchstone").arg(kill)));
    QProcess process;
    process.start(program(), {"run", "pour", "--methods", "dpf,lcp", "--time", "1000", "--record",
                              QString::fromStdString(path)});
    QVERIFY(process.waitForStarted());
    // A moment is a size of the file, not a time.
    const qint64 size = static_cast<qint64>(random() % 3000000);
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(QString::fromStdString(path)).size() > size, 60000);
    process.kill();
    process.waitForFinished();
    QVERIFY(QFile::copy(QString::fromStdString(path), QString::fromStdString(copy)));
    const Recording recording(path);
    QCOMPARE(QFileInfo(QString::fromStdString(path) + QStringLiteral("-journal")).size(),
             0);  // SQLite has applied it
    QCOMPARE(recording.firstFrame(), 0L);
    QCOMPARE(recording.rows().size(), std::size_t(2 * (recording.lastFrame() + 1)));  // whole frames only
    QVERIFY(recording.record(recording.lastFrame(), 1) != nullptr);
    withFrames += recording.lastFrame() > 0;
    try {
      whole += Recording(copy).lastFrame() == recording.lastFrame();
    } catch (const DatabaseError& error) {
      QVERIFY2(QString(error.what()).contains(QStringLiteral("-journal")), error.what());
    }
    removeRecording(path);
  }
  QVERIFY(withFrames > 10);
  QVERIFY(whole > 10);
}

void RecordingTest::aFullDiskEndsTheRecordingAndNotTheRun() {
  Comparison comparison(loadScene(kScene), {pane("cpf")});
  Recorder recorder(file("full.touchstone"), comparison, "test");
  comparison.step(false);
  {
    const test::Failure fullDisk(test::failingWrites, kWritesUntilFull, test::Failure::Then::FailsToo);
    for (int frame = 0; frame < 200; ++frame) comparison.step(false);
    QVERIFY(fullDisk.happened());
  }
  QVERIFY(QString::fromStdString(recorder.problem()).contains(QStringLiteral("free some space")));
  QCOMPARE(comparison.frame(), 201L);
  const Recording recording(file("full.touchstone"));
  QVERIFY(recording.lastFrame() > 1 && recording.lastFrame() < 201);
  QVERIFY(isSame(replay(recording)));
}

void RecordingTest::refusesFilesThatAreNoRecordings() {
  QVERIFY_EXCEPTION_THROWN(Recording(file("nowhere.touchstone")), DatabaseError);
  QVERIFY(!isRecording(kScene));
  QVERIFY_EXCEPTION_THROWN(Recording(std::string(kScene)), DatabaseError);
  { Database(file("other.db"), Database::Open::New).run("CREATE TABLE other (a)"); }
  QVERIFY(isRecording(file("other.db")));
  QVERIFY_EXCEPTION_THROWN(Recording(file("other.db")), DatabaseError);
  Comparison comparison(loadScene(kScene), {pane("cpf")});
  QVERIFY_EXCEPTION_THROWN(Recorder(file("other.db"), comparison, "test"), DatabaseError);
}

void RecordingTest::theCommandLineTakesThemForBadInput() {
  for (const std::string& path : {file("nowhere.touchstone"), std::string(kScene)})
    QCOMPARE(QProcess::execute(program(), {"replay", QString::fromStdString(path)}), 2);
}

void RecordingTest::commandsSurviveText() {
  PaneSettings settings = pane("peg", 4);
  settings.solver = "newton-fb";
  settings.parameters = {{"step", std::string("exact")}, {"margin", 0.1 + 0.2}};
  const std::vector<Command> commands{
      command::SetDt{1.0 / 3},
      command::SetParameter{1, "stiffness", 1e5},
      command::SetPane{2, settings},
      command::AddPane{settings, 5},
      command::AddPane{settings, 5, 3},
      command::DuplicatePane{1, 6},
      command::RemovePane{0},
      command::RestorePane{6, 1},
      command::MovePane{2, 0},
      command::Fork{1, 77},
      command::Fork{0, 77, 3},
      command::Pull{Spring{3, Vec3(0.1, 0.2, 0.3), Vec3(1, 2, 3), 4, 5}},
      command::Pull{Spring{3, Vec3(0, 0, 0), Vec3(1, 2, 3), 4, 5, {{7, 8, -1}, {1.0 / 3, 2.0 / 3, 0}}}},
      command::Pull{},
      command::SetAll{0.01, {settings, pane("dpf")}, {4, 2}}};
  for (const Command& each : commands) QVERIFY(toText(commandOf(toText(each), "log")) == toText(each));
}

void RecordingTest::refusesTextsThatAreNoCommands_data() {
  QTest::addColumn<QByteArray>("text");
  const QByteArray settings =
      "{\"method\": \"cpf\", \"solver\": \"\", \"substeps\": 1, \"backend\": \"cpu\"}";
  const auto all = [&](const QByteArray& ids, const QByteArray& dt = "0.01") {
    return "{\"do\": \"all\", \"dt_s\": " + dt + ", \"panes\": [" + settings + ", " + settings +
           "], \"ids\": " + ids + "}";
  };
  QTest::newRow("nothing") << QByteArray();
  QTest::newRow("no verb") << QByteArray("{}");
  QTest::newRow("a list") << QByteArray("[1]");
  QTest::newRow("unknown verb") << QByteArray("{\"do\": \"dance\"}");
  QTest::newRow("no frame length") << QByteArray("{\"do\": \"dt\"}");
  QTest::newRow("frame length 0") << QByteArray("{\"do\": \"dt\", \"dt_s\": 0}");
  QTest::newRow("frame length 2 s") << QByteArray("{\"do\": \"dt\", \"dt_s\": 2}");
  QTest::newRow("twice") << QByteArray("{\"do\": \"dt\", \"dt_s\": 0.1, \"dt_s\": 0.2}");
  QTest::newRow("unknown field") << QByteArray("{\"do\": \"dt\", \"dt_s\": 0.1, \"of\": 1}");
  QTest::newRow("pane 1.5") << QByteArray("{\"do\": \"remove\", \"pane\": 1.5}");
  QTest::newRow("pane -1") << QByteArray("{\"do\": \"remove\", \"pane\": -1}");
  QTest::newRow("substeps") << QByteArray("{\"do\": \"substeps\", \"pane\": 0, \"value\": 2000000000}");
  QTest::newRow("substeps as text") << QByteArray("{\"do\": \"substeps\", \"pane\": 0, \"value\": \"2\"}");
  QTest::newRow("fork to frame 2^62")
      << QByteArray("{\"do\": \"fork\", \"pane\": 0, \"frame\": 4611686018427387904}");
  QTest::newRow("ids twice") << all("[3, 3]");
  QTest::newRow("ids negative") << all("[0, -1]");
  QTest::newRow("one id") << all("[0]");
  QTest::newRow("all in no time") << all("[0, 1]", "-1");
  QTest::newRow("method unknown") << all("[0, 1]").replace("cpf", "cfp");
  QTest::newRow("backend unknown") << all("[0, 1]").replace("cpu", "gpu");
}

void RecordingTest::refusesTextsThatAreNoCommands() {
  QFETCH(QByteArray, text);
  QVERIFY_EXCEPTION_THROWN(commandOf(text.toStdString(), "log"), SceneError);
}

QTEST_GUILESS_MAIN(RecordingTest)
#include "tst_recording.moc"
