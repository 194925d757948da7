#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <limits>

#include "core/contact/method_info.h"
#include "core/engine/engine.h"
#include "core/parallel/frame_clock.h"
#include "core/parallel/parallel_for.h"
#include "core/run/comparison.h"
#include "core/run/pane_settings.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "core/store/replay.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// The end of a frame by the clock, and what it leaves.
class FrameClockTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void outsideFramesNothingEnds();
  void loopsEndTheFrameOnEveryThread_data();
  void loopsEndTheFrameOnEveryThread();
  void everyMethodKeepsItsLastState_data();
  void everyMethodKeepsItsLastState();
  void aFrameOfEndlessSubstepsEnds_data();
  void aFrameOfEndlessSubstepsEnds();
  void theOtherPanesGoOnWithTheSameBits();
  void framesBehindTheEndAreTheLastState();
  void aRecordingOfAnEndedPaneRepeats();
  void aLimitThatIsNotReachedChangesNothing();
};

namespace {

constexpr double kNoTime = std::numeric_limits<double>::min();  // s

std::vector<PaneSettings> panes(std::initializer_list<const char*> methods, const Scene& scene) {
  std::vector<PaneSettings> settings;
  for (const char* method : methods) settings.push_back(suggestedPane(scene, method));
  return settings;
}

bool isEndedByClock(const StepRecord& record) {
  return record.status == StepStatus::Stopped && record.statusText.rfind(kEndedByClock, 0) == 0;
}

}  // namespace

void FrameClockTest::outsideFramesNothingEnds() {
  checkFrameClock();
  QVERIFY(!FrameClock::current());
  {
    const FrameClock endless(0);
    checkFrameClock();
    const FrameClock over(kNoTime);
    QVERIFY_EXCEPTION_THROWN(checkFrameClock(), FrameEnded);
  }
  checkFrameClock();
}

void FrameClockTest::loopsEndTheFrameOnEveryThread_data() {
  QTest::addColumn<int>("work");
  QTest::newRow("heavy") << static_cast<int>(Work::Heavy);
  QTest::newRow("long") << static_cast<int>(Work::Long);
}

/// The clock ends while the bodies of the loop run: each of them sees it, whatever thread it is on.
void FrameClockTest::loopsEndTheFrameOnEveryThread() {
  QFETCH(int, work);
  std::atomic<int> begun{0}, blind{0};
  const auto body = [&](int) {
    ++begun;
    const FrameClock* clock = FrameClock::current();
    if (!clock) ++blind;
    while (clock) checkFrameClock();
  };
  bool isEnded = false;
  try {
    const FrameClock clock(0.05);
    parallelFor(1000, body, static_cast<Work>(work));
  } catch (const FrameEnded& ended) {
    isEnded = ended.isByClock;
  }
  QVERIFY(isEnded);
  QVERIFY(begun > 0);
  QCOMPARE(blind.load(), 0);
}

void FrameClockTest::everyMethodKeepsItsLastState_data() {
  QTest::addColumn<QString>("method");
  for (const MethodInfo* method : contactMethods())
    QTest::newRow(method->key.c_str()) << QString::fromStdString(method->key);
}

void FrameClockTest::everyMethodKeepsItsLastState() {
  QFETCH(QString, method);
  const auto scene = test::tower();
  Simulation simulation(scene, suggestedPane(*scene, method.toStdString()), scene->dt);
  for (int frame = 0; frame < 5; ++frame) simulation.step();
  const RecordPtr before = simulation.current();
  simulation.setSecondsPerFrame(kNoTime);
  const RecordPtr ended = simulation.step();
  QVERIFY2(isEndedByClock(*ended), ended->statusText.c_str());
  QVERIFY(simulation.isEndedByClock());
  QCOMPARE(ended->frame, before->frame + 1);
  for (std::size_t body = 0; body < before->bodies.size(); ++body) {
    QVERIFY(ended->bodies[body].position == before->bodies[body].position);
    QVERIFY(ended->bodies[body].linearVelocity == before->bodies[body].linearVelocity);
  }
  simulation.setSecondsPerFrame(0);
  QVERIFY(isEndedByClock(*simulation.step()));  // it stays frozen
}

void FrameClockTest::aFrameOfEndlessSubstepsEnds_data() { everyMethodKeepsItsLastState_data(); }

/// 10⁵ substeps of a pile would take longer than any test may.
void FrameClockTest::aFrameOfEndlessSubstepsEnds() {
  QFETCH(QString, method);
  const auto scene = test::pile(3, 3);
  PaneSettings settings = suggestedPane(*scene, method.toStdString());
  settings.substeps = kMostSubsteps;
  Simulation simulation(scene, settings, scene->dt);
  simulation.setSecondsPerFrame(0.2);
  const RecordPtr record = simulation.step();
  QVERIFY2(isEndedByClock(*record), record->statusText.c_str());
  QVERIFY2(record->statusText.find("0.2 s") != std::string::npos, record->statusText.c_str());
  QVERIFY2(record->statusText.find("--seconds-per-frame 0") != std::string::npos, record->statusText.c_str());
}

void FrameClockTest::theOtherPanesGoOnWithTheSameBits() {
  const auto scene = test::tower();
  Comparison comparison(scene, panes({"cpf", "lcp"}, *scene)), alone(scene, panes({"lcp"}, *scene));
  for (int frame = 0; frame < 20; ++frame) {
    if (frame == 7) comparison.endNextFrame(0);
    comparison.step(frame % 2 == 1);
    alone.step(false);
    QCOMPARE(isEndedByClock(*comparison.pane(0).current()), frame >= 7);
    QCOMPARE(comparison.pane(1).current()->stateHash, alone.pane(0).current()->stateHash);
    QCOMPARE(comparison.pane(0).current()->frame, comparison.pane(1).current()->frame);
  }
}

/// No step leads there again: they are not computed from the state before.
void FrameClockTest::framesBehindTheEndAreTheLastState() {
  const auto scene = test::tower();
  Comparison comparison(scene, panes({"cpf"}, *scene));
  for (int frame = 0; frame < 10; ++frame) comparison.step(false);
  comparison.endNextFrame(0);
  for (int frame = 0; frame < 30; ++frame) comparison.step(false);
  const std::vector<RecordPtr> again = comparison.rebuilt(0, 15, 20);
  QVERIFY(!again.empty());
  for (const RecordPtr& record : again) {
    QVERIFY(isEndedByClock(*record));
    QVERIFY(record->bodies[1].position == comparison.history(0).at(10)->bodies[1].position);
  }
}

void FrameClockTest::aRecordingOfAnEndedPaneRepeats() {
  const QTemporaryDir folder;
  const std::string file = folder.filePath("ended.touchstone").toStdString();
  const auto scene = test::shipped("incline");
  Comparison comparison(scene, panes({"cpf", "lcp"}, *scene));
  {
    Recorder recorder(file, comparison, "test");
    for (int frame = 0; frame < 20; ++frame) {
      if (frame == 7) comparison.endNextFrame(0);
      comparison.step(false);
    }
    recorder.finish();
    QVERIFY2(recorder.problem().empty(), recorder.problem().c_str());
  }
  const Recording recording(file);
  QVERIFY(isEndedByClock(*recording.record(8, comparison.paneId(0))));
  const ReplayResult result = replay(recording);
  QVERIFY2(!result.first, result.first ? result.first->array.c_str() : "");
  QVERIFY2(result.missing.empty(), result.missing.c_str());
  QCOMPARE(result.frames, 2 * 21L);
}

void FrameClockTest::aLimitThatIsNotReachedChangesNothing() {
  const auto scene = test::tower();
  Comparison limited(scene, panes({"cpf", "lcp", "peg"}, *scene)),
      endless(scene, panes({"cpf", "lcp", "peg"}, *scene));
  limited.setSecondsPerFrame(1e6);
  for (int frame = 0; frame < 20; ++frame) {
    limited.step(true);
    endless.step(false);
    for (int pane = 0; pane < 3; ++pane)
      QCOMPARE(limited.pane(pane).current()->stateHash, endless.pane(pane).current()->stateHash);
  }
}

QTEST_APPLESS_MAIN(FrameClockTest)
#include "tst_frame_clock.moc"
