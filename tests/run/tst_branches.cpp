#include <QTemporaryDir>
#include <QtTest>

#include "core/math/count.h"
#include "core/record/record_bytes.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/run/settings_spans.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "core/store/replay.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

class BranchesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aForkKeepsTheBranchThatItLeaves();
  void aRestartKeepsTheBranchThatItLeaves();
  void aBranchThatIsShownAgainGoesOnBitForBit();
  void restingBranchesShareTheirFramesAndTakeLittleMemory();
  void whatRestsIsThinnedWhereItWouldTakeTooMuch();
  void theOldestBranchGoesWhenThereAreTooMany();
  void aRemovedBranchComesBackWhole();
  void aRestingBranchComputesDroppedFramesAgain();
  void aRemovedPaneComesBackAsIfItHadNotBeenRemoved_data();
  void aRemovedPaneComesBackAsIfItHadNotBeenRemoved();
  void aDuplicateHasStateMemoryAndHistory();
  void aNewPaneTakesTheStateOfThePaneThatIsNamed();
  void anotherMethodGoesOnCountingTheEnergy();
  void aForkGoesOnCountingForItsSource();
  void theLogTellsWhoComputedWhichFrame();
  void aRecordingHoldsEveryFrameOfPanesThatCameAndWent();
  void forksOfEveryKindReplay_data();
  void forksOfEveryKindReplay();
};

static PaneSettings pane(const char* method, int substeps = 1) {
  PaneSettings settings;
  settings.method = method;
  settings.substeps = substeps;
  return settings;
}

static void run(Comparison& comparison, int frames) {
  for (int frame = 0; frame < frames; ++frame) comparison.step(false);
}

static std::vector<RecordPtr> framesOf(const Comparison& comparison, int index) {
  const auto& frames = comparison.history(index).frames();
  return {frames.begin(), frames.end()};
}

/// Empty if the recording contains the result of its commands.
static QString differenceOf(const Recording& recording) {
  const ReplayResult result = replay(recording);
  if (!result.missing.empty()) return QString::fromStdString(result.missing);
  if (!result.first) return {};
  return QStringLiteral("frame %1 of %2, %3")
      .arg(result.first->frame)
      .arg(QString::fromStdString(result.first->pane), QString::fromStdString(result.first->array));
}

static void compareLast(const Comparison& a, int paneA, const Comparison& b, int paneB) {
  QCOMPARE(a.frame(), b.frame());
  for (long frame = b.frame() - 9; frame <= b.frame(); ++frame) {
    StepRecord one = *a.history(paneA).at(frame), other = *b.history(paneB).at(frame);
    QCOMPARE(one.stateHash, other.stateHash);
    one.times = other.times = {};
    QVERIFY(detailBytes(one) == detailBytes(other));
    const double drift = one.quantities[Quantity::EnergyDrift];
    QVERIFY(drift == other.quantities[Quantity::EnergyDrift]);
  }
}

/// Repeats the commands of a recording and compares the Referee's balances from the start on.
static void compareBalances(const Recording& recording) {
  Comparison comparison(recording.scene(), {});
  comparison.setAll(recording.start());
  auto command = recording.log().begin();
  for (long frame = 0; frame <= recording.lastFrame(); ++frame) {
    if (frame > 0) comparison.step(false);
    const bool isChanged = command != recording.log().end() && command->frame == frame;  // e.g. by a fork
    for (int index = 0; index < comparison.paneCount() && !isChanged; ++index) {
      const RecordPtr then = recording.record(frame, comparison.paneId(index));
      const RecordPtr now = comparison.pane(index).current();
      if (!then) continue;
      for (Quantity quantity : {Quantity::EnergyDrift, Quantity::MomentumLinearError, Quantity::Jitter})
        QCOMPARE(now->quantities[quantity], then->quantities[quantity]);
    }
    for (; command != recording.log().end() && command->frame == frame; ++command)
      comparison.apply(command->command);
  }
}

void BranchesTest::aForkKeepsTheBranchThatItLeaves() {
  Comparison comparison(test::tower(), {pane("dpf"), pane("cpf"), pane("peg")});
  run(comparison, 100);
  const std::vector<RecordPtr> before = framesOf(comparison, 2);
  const std::size_t commands = comparison.log().size();
  QVERIFY(comparison.fork(1, 60));
  run(comparison, 5);
  const std::vector<BranchInfo> branches = comparison.branches();
  QCOMPARE(branches.size(), std::size_t(2));
  QCOMPARE(branches[0].last, 100L);
  QCOMPARE(branches[1].from, 60L);
  QCOMPARE(branches[1].last, 65L);
  QCOMPARE(QString::fromStdString(branches[1].source), QStringLiteral("cpf"));
  QCOMPARE(comparison.branch(), branches[1].id);

  comparison.showBranch(branches[0].id);
  QVERIFY(framesOf(comparison, 2) == before);
  QCOMPARE(comparison.log().size(), commands + 1);  // releases the spring too
  comparison.showBranch(branches[1].id);
  QCOMPARE(comparison.frame(), 65L);
  QCOMPARE(comparison.history(0).at(60)->stateHash, comparison.history(2).at(60)->stateHash);
  QVERIFY_EXCEPTION_THROWN(comparison.showBranch(77), std::invalid_argument);
  QVERIFY(!comparison.fork(0, 90));
  QCOMPARE(comparison.branches().size(), std::size_t(2));
}

void BranchesTest::aRestartKeepsTheBranchThatItLeaves() {
  Comparison comparison(test::tower(), {pane("cpf"), pane("lcp")});
  run(comparison, 40);
  comparison.setParameter(0, "stiffness", 5e3);
  run(comparison, 10);
  const std::vector<RecordPtr> before = framesOf(comparison, 0);
  comparison.restart();
  QCOMPARE(comparison.frame(), 0L);
  QVERIFY(comparison.log().empty());
  QCOMPARE(std::get<double>(comparison.pane(0).parameters().at("stiffness")), 5e3);
  comparison.showBranch(0);
  QVERIFY(framesOf(comparison, 0) == before);
}

void BranchesTest::aBranchThatIsShownAgainGoesOnBitForBit() {
  const std::vector<PaneSettings> panes{pane("dpf"), pane("cpf", 2), pane("lcp"), pane("peg")};
  Comparison straight(test::tower(), panes), forked(test::tower(), panes);
  run(straight, 130);
  run(forked, 100);
  QVERIFY(forked.fork(2, 40));
  run(forked, 20);
  forked.restart();
  run(forked, 3);
  forked.showBranch(0);
  run(forked, 30);
  for (int index = 0; index < 4; ++index) compareLast(forked, index, straight, index);
}

void BranchesTest::restingBranchesShareTheirFramesAndTakeLittleMemory() {
  Comparison comparison(test::tower(), {pane("cpf")});
  run(comparison, 120);
  const std::vector<RecordPtr> before = framesOf(comparison, 0);
  QCOMPARE(comparison.restingBytes(), std::size_t(0));
  QVERIFY(comparison.fork(0, 110));
  // Frames of the old branch only: those from the fork on.
  std::size_t own = 0;
  for (std::size_t frame = 110; frame <= 120; ++frame) own += bytesOf(*before[frame]);
  QVERIFY(comparison.restingBytes() >= own);
  QVERIFY(comparison.restingBytes() < own + comparison.history(0).bytes() / 2);
  QVERIFY(comparison.history(0).at(50) == before[50]);
}

// Branches beyond the memory limit are thinned, the oldest first, and no frame of them is lost.
void BranchesTest::whatRestsIsThinnedWhereItWouldTakeTooMuch() {
  constexpr std::size_t kBudget = 200000;
  Comparison comparison(test::tower(), {pane("cpf")}, kBudget);
  std::vector<unsigned long long> hashes{0};
  for (int frame = 1; frame <= 100; ++frame) hashes.push_back(comparison.step(false)[0]->stateHash);
  comparison.duplicatePane(0);
  comparison.removePane(1);
  const std::size_t whole = comparison.history(0).size();
  for (int branch = 0; branch < 8; ++branch) {
    comparison.restart();
    comparison.setParameter(0, "stiffness", 1e4 + branch);  // so that no branch shares frames with another
    run(comparison, 100);
  }
  comparison.restart();
  QVERIFY(comparison.restingBytes() <= 2 * kBudget);
  comparison.showBranch(0);
  QVERIFY(comparison.history(0).size() < whole);
  for (long frame = 1; frame <= 100; ++frame) {
    const std::vector<RecordPtr> records = comparison.rebuilt(0, frame, frame);
    const RecordPtr record = comparison.history(0).at(frame);
    QVERIFY(record || records.size() == 1);
    QCOMPARE((record ? record : records[0])->stateHash, hashes[frame]);
  }
}

void BranchesTest::theOldestBranchGoesWhenThereAreTooMany() {
  Comparison comparison(test::tower(), {pane("dpf")});
  for (int restart = 1; restart < Comparison::kMostBranches; ++restart) {
    run(comparison, 1);
    QCOMPARE(comparison.nextToGo(), -1);
    comparison.restart();
  }
  QCOMPARE(countOf(comparison.branches()), Comparison::kMostBranches);
  QCOMPARE(comparison.nextToGo(), 0);
  comparison.restart();
  QCOMPARE(countOf(comparison.branches()), Comparison::kMostBranches);
  QVERIFY_EXCEPTION_THROWN(comparison.showBranch(0), std::invalid_argument);
  QCOMPARE(comparison.nextToGo(), 1);
}

void BranchesTest::aRemovedBranchComesBackWhole() {
  Comparison comparison(test::tower(), {pane("dpf"), pane("cpf")});
  Comparison straight(test::tower(), {pane("dpf"), pane("cpf")});
  run(comparison, 40);
  run(straight, 60);
  QVERIFY(comparison.fork(0, 20));
  QVERIFY_EXCEPTION_THROWN(comparison.removeBranch(1), std::invalid_argument);  // it is shown
  comparison.removeBranch(0);
  QCOMPARE(comparison.branches().size(), std::size_t(1));
  QVERIFY(!comparison.restingBranch(0));
  QVERIFY_EXCEPTION_THROWN(comparison.showBranch(0), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(comparison.removeBranch(0), std::invalid_argument);
  run(comparison, 5);
  comparison.restoreBranch(0);
  QVERIFY_EXCEPTION_THROWN(comparison.restoreBranch(0), std::invalid_argument);
  QCOMPARE(comparison.branches().size(), std::size_t(2));
  comparison.showBranch(0);
  run(comparison, 20);
  for (int index = 0; index < 2; ++index) compareLast(comparison, index, straight, index);
  // The oldest of many goes for good.
  comparison.removeBranch(1);
  for (std::size_t branch = 0; branch < Comparison::kMostGone; ++branch) {
    const int left = comparison.branch();
    comparison.restart();
    comparison.removeBranch(left);
  }
  QVERIFY_EXCEPTION_THROWN(comparison.restoreBranch(1), std::invalid_argument);
  comparison.restoreBranch(0);
}

void BranchesTest::aRestingBranchComputesDroppedFramesAgain() {
  Comparison comparison(test::tower(), {pane("dpf")}, 1 << 16);  // a few frames
  Comparison whole(test::tower(), {pane("dpf")});
  run(comparison, 101);
  run(whole, 101);
  long dropped = 40;
  while (comparison.history(0).at(dropped)) ++dropped;
  QVERIFY(dropped < 90);
  comparison.restart();
  const std::vector<RecordPtr> records = comparison.rebuiltOf(0, 0, dropped, dropped + 1);
  QCOMPARE(records.size(), std::size_t(2));
  QCOMPARE(records[0]->stateHash, whole.history(0).at(dropped)->stateHash);
  QVERIFY(comparison.rebuiltOf(0, 0, 102, 105).empty());
  QVERIFY(comparison.rebuiltOf(7, 0, dropped, dropped + 1).empty());
}

void BranchesTest::aRemovedPaneComesBackAsIfItHadNotBeenRemoved_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<int>("missed");
  for (const MethodInfo& method : methodTable())
    for (int missed : {0, 1, 30})
      QTest::addRow("%s, %d frames later", method.key.c_str(), missed)
          << QString::fromStdString(method.key) << missed;
}
void BranchesTest::aRemovedPaneComesBackAsIfItHadNotBeenRemoved() {
  QFETCH(QString, method);
  QFETCH(int, missed);
  const std::vector<PaneSettings> panes{pane("dpf"), pane(qPrintable(method)), pane("lcp")};
  Comparison straight(test::tower(), panes), parted(test::tower(), panes);
  for (Comparison* each : {&straight, &parted}) {
    run(*each, 60);
    each->setSubsteps(1, 2);
    if (each == &parted) each->removePane(1);
    if (missed > 0) each->pull(Spring{2, Vec3(0.1, 0, 0), Vec3(0.2, 0.6, 0), 30, 3});
    run(*each, missed);
    each->setDt(1e-3);
    if (each == &parted) each->restorePane(1, 1);
    run(*each, 20);
  }
  QCOMPARE(parted.paneId(1), 1);
  for (int index = 0; index < 3; ++index) compareLast(parted, index, straight, index);
  QCOMPARE(parted.history(1).size(), straight.history(1).size());
  QVERIFY_EXCEPTION_THROWN(parted.restorePane(1, 0), std::invalid_argument);
}

void BranchesTest::aDuplicateHasStateMemoryAndHistory() {
  Comparison comparison(test::tower(), {pane("dpf"), pane("cpf"), pane("peg")});
  run(comparison, 80);
  for (int index = 0; index < 3; ++index) comparison.duplicatePane(index);
  QCOMPARE(comparison.paneCount(), 6);
  run(comparison, 20);
  for (int index = 0; index < 3; ++index) {
    QCOMPARE(comparison.history(3 + index).at(30), comparison.history(index).at(30));
    compareLast(comparison, 3 + index, comparison, index);
  }
}

void BranchesTest::aNewPaneTakesTheStateOfThePaneThatIsNamed() {
  Comparison comparison(test::tower(), {pane("dpf"), pane("cpf"), pane("peg")});
  run(comparison, 80);
  comparison.movePane(2, 0);
  comparison.addPane(pane("lcp"), -1, 2);
  QCOMPARE(comparison.pane(3).current()->stateHash, comparison.pane(0).current()->stateHash);
  QVERIFY(comparison.pane(3).current()->stateHash != comparison.pane(1).current()->stateHash);
}

void BranchesTest::anotherMethodGoesOnCountingTheEnergy() {
  PaneSettings springs = pane("dpf");
  springs.parameters["stiffness"] = 2e4;  // what PEG gives back grows with the square of the depth
  Comparison comparison(test::tower(), {springs});
  run(comparison, 300);
  const StepRecord before = *comparison.pane(0).current();
  QVERIFY(std::abs(before.quantities[Quantity::EnergyDrift]) > 0.01);  // an impact has dissipated energy
  comparison.setPane(0, pane("peg"));
  const StepRecord after = *comparison.step(false)[0];
  // PEG pushes out at once what the springs of DPF let in: part of the energy, never all of it.
  const double drift = before.quantities[Quantity::EnergyDrift];
  QVERIFY_NEAR(after.quantities[Quantity::EnergyDrift], drift, 0.5 * std::abs(drift));
  QVERIFY(after.quantities[Quantity::MomentumLinearError] < 1e-10);
}

void BranchesTest::aForkGoesOnCountingForItsSource() {
  Comparison comparison(test::tower(), {pane("dpf"), pane("lcp"), pane("peg")});
  run(comparison, 300);
  for (const auto& [source, frame] : {std::pair{1, 250L}, std::pair{2, 250L}, std::pair{0, 255L}}) {
    const double drift = comparison.history(source).at(frame)->quantities[Quantity::EnergyDrift];
    const double elastic = comparison.history(source).at(frame)->quantities[Quantity::EnergyElastic];
    QVERIFY(std::abs(drift) > 0.01);
    QVERIFY(comparison.fork(source, frame));
    for (int index = 0; index < 3; ++index)
      QVERIFY_NEAR(comparison.history(index).at(frame)->quantities[Quantity::EnergyDrift], drift - elastic,
                   1e-12);
    for (const RecordPtr& record : comparison.step(false))
      QVERIFY(record->quantities[Quantity::MomentumLinearError] < 1e-10);
    run(comparison, 10);
  }
}

void BranchesTest::theLogTellsWhoComputedWhichFrame() {
  Comparison comparison(test::tower(), {pane("dpf"), pane("cpf")});
  run(comparison, 3);
  comparison.setParameter(1, "stiffness", 5e3);
  comparison.setParameter(1, "stiffness", 6e3);  // of several commands after one frame the last one counts
  run(comparison, 2);
  comparison.setPane(0, pane("peg"));
  comparison.movePane(0, 1);
  run(comparison, 1);
  comparison.setSubsteps(0, 4);  // CPF is the first now
  comparison.duplicatePane(1, 9);
  run(comparison, 1);
  comparison.removePane(1);
  comparison.setDt(1e-3);
  comparison.restorePane(0, 0);
  const auto spans = settingsSpans(comparison.start(), comparison.log());
  QCOMPARE(spans.size(), std::size_t(3));
  const auto& first = spans.at(0);
  const auto& second = spans.at(1);
  const auto& replica = spans.at(9);
  QCOMPARE(first.size(), std::size_t(3));
  QCOMPARE(spanAt(first, 0).settings.method, std::string("dpf"));
  QCOMPARE(spanAt(first, 5).settings.method, std::string("dpf"));
  QCOMPARE(spanAt(first, 6).settings.method, std::string("peg"));
  QCOMPARE(first[2].after, 7L);
  QCOMPARE(first[2].dt, 1e-3);
  QCOMPARE(second.size(), std::size_t(4));
  QCOMPARE(second[1].after, 3L);
  QCOMPARE(std::get<double>(second[1].settings.parameters.at("stiffness")), 6e3);
  QCOMPARE(spanAt(second, 7).settings.substeps, 4);
  QCOMPARE(spanAt(replica, 4).settings.method, std::string("dpf"));
  QCOMPARE(spanAt(replica, 7).settings.method, std::string("peg"));

  QVERIFY(comparison.fork(0, 4));
  run(comparison, 2);
  const auto forked = settingsSpans(comparison.start(), comparison.log());
  QCOMPARE(spanAt(forked.at(0), 4).settings.method, std::string("dpf"));
  QCOMPARE(spanAt(forked.at(0), 5).settings.method, std::string("peg"));  // the present settings of the pane
}

void BranchesTest::aRecordingHoldsEveryFrameOfPanesThatCameAndWent() {
  QTemporaryDir folder;
  const std::string file = folder.filePath("panes.touchstone").toStdString();
  {
    Comparison comparison(loadScene(TS_SOURCE_DIR "/datasets/scenes/corner-trap.json"),
                          {pane("cpf"), pane("lcp")});
    run(comparison, 10);
    Recorder recorder(file, comparison, "test");
    run(comparison, 10);
    comparison.duplicatePane(0);
    run(comparison, 10);
    comparison.removePane(1);
    run(comparison, 10);
    comparison.restorePane(1, 0);
    run(comparison, 10);
    QVERIFY2(recorder.problem().empty(), recorder.problem().c_str());
  }
  const Recording recording(file);
  QCOMPARE(recording.panes().size(), std::size_t(3));
  QCOMPARE(recording.panes()[0].id, 1);
  for (long frame = 0; frame <= 50; ++frame)
    for (int id = 0; id < 3; ++id) QVERIFY(recording.record(frame, id));
  QCOMPARE(differenceOf(recording), QString());
}

void BranchesTest::forksOfEveryKindReplay_data() {
  QTest::addColumn<QString>("kind");
  for (const char* kind :
       {"twice at one frame", "from a duplicate, before it was made", "from a duplicate, after it was made",
        "from a duplicate after a fork before it", "from a pane that was away then",
        "from a pane that was away then, and again", "after commands of that frame"})
    QTest::newRow(kind) << QString::fromLatin1(kind);
}
void BranchesTest::forksOfEveryKindReplay() {
  QFETCH(QString, kind);
  QTemporaryDir folder;
  const std::string file = folder.filePath("fork.touchstone").toStdString();
  {
    Comparison comparison(loadScene(TS_SOURCE_DIR "/datasets/scenes/corner-trap.json"),
                          {pane("dpf"), pane("cpf"), pane("lcp")});
    Recorder recorder(file, comparison, "test");
    run(comparison, 40);
    if (kind.contains("twice")) {
      QVERIFY(comparison.fork(1, 20));
      run(comparison, 10);
      QVERIFY(comparison.fork(2, 20));
    } else if (kind.contains("duplicate")) {
      comparison.duplicatePane(1);
      comparison.removePane(1);
      comparison.setParameter(2, "stiffness", 5e3);  // from here on the replica differs
      run(comparison, 20);
      if (kind.contains("after a fork before")) {
        QVERIFY(comparison.fork(2, 30));
        run(comparison, 20);
        QVERIFY(comparison.fork(2, 35));
      } else {
        QVERIFY(comparison.fork(2, kind.contains("before it was") ? 25 : 50));
      }
    } else if (kind.contains("away")) {
      comparison.removePane(1);
      run(comparison, 20);
      comparison.restorePane(1, 0);
      run(comparison, 5);
      QVERIFY(comparison.fork(0, 50));
      run(comparison, 5);
      if (kind.contains("again")) QVERIFY(comparison.fork(0, 45));
    } else {
      comparison.setPane(0, pane("peg"));
      comparison.addPane(pane("cpf", 2));
      run(comparison, 10);
      QVERIFY(comparison.fork(3, 40));
    }
    run(comparison, 15);
    QVERIFY2(recorder.problem().empty(), recorder.problem().c_str());
  }
  const Recording recording(file);
  compareBalances(recording);
  QCOMPARE(differenceOf(recording), QString());
  QCOMPARE(replay(recording).frames, static_cast<long>(recording.rows().size()));
}

QTEST_GUILESS_MAIN(BranchesTest)
#include "tst_branches.moc"
