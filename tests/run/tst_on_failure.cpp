#include <QTemporaryDir>
#include <QtTest>

#include "core/run/comparison.h"
#include "core/run/simulation.h"
#include "core/store/recorder.h"
#include "core/store/replay.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// The parameter on_failure of lcp and peg, in a scene that the standard model cannot solve.
class OnFailureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void byDefaultAPaneGoesOnAndItsFramesAreMarked();
  void aPaneThatStopsKeepsTheFrameThatFailed();
  void noConvergenceStopsItToo();
  void aStateFromBeforeRunsAgain();
  void aCheckpointGoesOnWithTheSameBits_data();
  void aCheckpointGoesOnWithTheSameBits();
  void aCheckpointGoesOnWithTheSameStatus();
  void framesThatAreForgottenAreRebuiltAlike();
  void aRecordingReplaysBitForBitAndTheOtherPanesGoOn();
  void otherWordsAreRefused();
};

namespace {

PaneSettings pane(const std::string& method, const ParameterValues& values = {}) {
  PaneSettings settings;
  settings.method = method;
  settings.parameters = values;
  return settings;
}

const ParameterValues kStops = {{"on_failure", std::string("stop")}};

std::shared_ptr<const Scene> dualTrap() { return test::shipped("dual-trap"); }

/// Steps until a frame has the status, at most 200. @return its record, or null
RecordPtr firstWith(StepStatus status, Simulation& simulation) {
  for (int frame = 0; frame < 200; ++frame)
    if (const RecordPtr record = simulation.step(); record->status == status) return record;
  return nullptr;
}

}  // namespace

void OnFailureTest::byDefaultAPaneGoesOnAndItsFramesAreMarked() {
  Simulation usual(dualTrap(), pane("lcp"), dualTrap()->dt);
  Simulation told(dualTrap(), pane("lcp", {{"on_failure", std::string("go-on")}}), dualTrap()->dt);
  int failed = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const RecordPtr record = usual.step();
    failed += record->status == StepStatus::NoSolution;
    QVERIFY(!isFrozen(record->status));
    QCOMPARE(told.step()->stateHash, record->stateHash);
  }
  QVERIFY(failed > 1);
}

void OnFailureTest::aPaneThatStopsKeepsTheFrameThatFailed() {
  const auto scene = dualTrap();
  Simulation goesOn(scene, pane("lcp"), scene->dt), stops(scene, pane("lcp", kStops), scene->dt);
  const RecordPtr failed = firstWith(StepStatus::NoSolution, goesOn);
  const RecordPtr last = firstWith(StepStatus::Stopped, stops);
  QVERIFY(failed && last);
  QCOMPARE(last->frame, failed->frame);
  QCOMPARE(last->stateHash, failed->stateHash);  // the compromise, as without
  QCOMPARE(last->contacts.size(), failed->contacts.size());
  QCOMPARE(last->statusText, failed->statusText + "; the pane stops here since on_failure is stop");
  for (int frame = 1; frame <= 5; ++frame) {
    const RecordPtr repeated = stops.step();
    QCOMPARE(repeated->frame, last->frame + frame);
    QVERIFY(repeated->status == StepStatus::Stopped);
    QCOMPARE(repeated->statusText, last->statusText);
    QCOMPARE(repeated->stateHash, last->stateHash);
  }
}

void OnFailureTest::noConvergenceStopsItToo() {
  const auto scene = test::pile(2, 2);
  ParameterValues few = {{"max_iterations", 1.0}, {"tolerance", 1e-15}};
  PaneSettings settings = pane("lcp", few);
  settings.solver = "pgs";
  Simulation goesOn(scene, settings, 0.01);
  settings.parameters["on_failure"] = std::string("stop");
  Simulation stops(scene, settings, 0.01);
  const RecordPtr failed = firstWith(StepStatus::NotConverged, goesOn);
  const RecordPtr last = firstWith(StepStatus::Stopped, stops);
  QVERIFY(failed && last);
  QCOMPARE(last->frame, failed->frame);
  QCOMPARE(last->stateHash, failed->stateHash);
}

void OnFailureTest::aStateFromBeforeRunsAgain() {
  const auto scene = dualTrap();
  Simulation simulation(scene, pane("lcp", kStops), scene->dt);
  const Snapshot start = simulation.snapshot();
  const RecordPtr stopped = firstWith(StepStatus::Stopped, simulation);
  QVERIFY(stopped);
  simulation.restore(start);
  simulation.setParameter("on_failure", std::string("go-on"));
  for (long frame = 0; frame < stopped->frame + 5; ++frame) QVERIFY(!isFrozen(simulation.step()->status));
}

void OnFailureTest::aCheckpointGoesOnWithTheSameBits_data() {
  QTest::addColumn<int>("after");  // the frame that failed
  QTest::newRow("before it") << -1;
  QTest::newRow("at it") << 0;
  QTest::newRow("after it") << 3;
}

void OnFailureTest::aCheckpointGoesOnWithTheSameBits() {
  QFETCH(int, after);
  const auto scene = dualTrap();
  Simulation search(scene, pane("lcp", kStops), scene->dt);
  const RecordPtr stopped = firstWith(StepStatus::Stopped, search);
  QVERIFY(stopped);
  Simulation simulation(scene, pane("lcp", kStops), scene->dt);
  for (long frame = 0; frame < stopped->frame + after; ++frame) simulation.step();
  Simulation same(scene, simulation.checkpoint());
  for (int frame = 0; frame < 5; ++frame) {
    const RecordPtr record = simulation.step(), again = same.step();
    QCOMPARE(again->frame, record->frame);
    QCOMPARE(again->stateHash, record->stateHash);
    QVERIFY(again->status == StepStatus::Stopped && record->status == StepStatus::Stopped);
    QCOMPARE(again->statusText, record->statusText);
    QCOMPARE(again->time, record->time);
  }
}

void OnFailureTest::aCheckpointGoesOnWithTheSameStatus() {
  // The status of a frame looks back: at the overlaps of the frame before, and at who was there. Boxes are
  // released in turn here.
  const auto scene = test::shipped("bin");
  Simulation simulation(scene, pane("dpf"), scene->dt), again(scene, pane("dpf"), scene->dt);
  for (int frame = 0; frame < 280; ++frame) {
    const Checkpoint before = simulation.checkpoint();
    const RecordPtr record = simulation.step();
    if (frame % 4 != 0) continue;
    again.goOn(before);
    const RecordPtr repeated = again.step();
    QVERIFY2(repeated->status == record->status, std::to_string(frame).c_str());
    QCOMPARE(repeated->statusText, record->statusText);
    QCOMPARE(repeated->stateHash, record->stateHash);
  }
}

void OnFailureTest::framesThatAreForgottenAreRebuiltAlike() {
  Comparison comparison(dualTrap(), {pane("lcp", kStops)}, History::kNewestOnly);
  std::vector<RecordPtr> records;
  for (int frame = 0; frame < 60; ++frame) records.push_back(comparison.step(false).front());
  QVERIFY(records.back()->status == StepStatus::Stopped);
  const std::vector<RecordPtr> rebuilt = comparison.rebuilt(0, 1, 50);
  QCOMPARE(rebuilt.size(), std::size_t(50));
  for (const RecordPtr& record : rebuilt) {
    const StepRecord& meant = *records[record->frame - 1];
    QVERIFY(record->status == meant.status);
    QCOMPARE(record->statusText, meant.statusText);
    QCOMPARE(record->stateHash, meant.stateHash);
  }
}

void OnFailureTest::aRecordingReplaysBitForBitAndTheOtherPanesGoOn() {
  const QTemporaryDir folder;
  const std::string file = folder.filePath("stopped.touchstone").toStdString();
  {
    Comparison comparison(dualTrap(), {pane("lcp", kStops), pane("peg", kStops)});
    Recorder recorder(file, comparison, "test");
    for (int frame = 0; frame < 40; ++frame) comparison.step(false);
    recorder.finish();
  }
  const Recording recording(file);
  QVERIFY(recording.record(40, 0)->status == StepStatus::Stopped);
  QVERIFY(recording.record(40, 1)->status == StepStatus::Ok);
  const ReplayResult result = replay(recording);
  QVERIFY2(!result.first, result.first ? result.first->array.c_str() : "");
  QCOMPARE(result.missing, std::string());
  QCOMPARE(result.frames, 82L);
}

void OnFailureTest::otherWordsAreRefused() {
  for (const char* method : {"lcp", "peg"}) {
    try {
      Simulation(dualTrap(), pane(method, {{"on_failure", std::string("halt")}}), 0.01);
      QFAIL("it was taken");
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      QVERIFY2(text.find("on_failure") != std::string::npos && text.find("go-on") != std::string::npos,
               text.c_str());
    }
  }
  QVERIFY_EXCEPTION_THROWN(Simulation(dualTrap(), pane("nsn", kStops), 0.01), std::invalid_argument);
}

QTEST_APPLESS_MAIN(OnFailureTest)
#include "tst_on_failure.moc"
