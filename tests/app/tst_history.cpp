#include <QDir>
#include <QTemporaryDir>
#include <QUndoStack>

#include "app/plots/plot_panel.h"
#include "core/math/count.h"
#include "core/store/recording.h"
#include "core/store/replay.h"
#include "tests/support/gui_main.h"
#include "tests/support/near.h"
#include "tests/support/window_driver.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;
using namespace touchstone::test;

/// Time in the window: playback, forks, history, undo.
class HistoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_hand.show(); }
  void cleanup() { m_hand.window.reset(); }
  void spaceAfterScrubbingPlaysWhatIsRecordedAndThenComputes();
  void spaceWhilePlayingPausesAndLosesNothing();
  void playingStopsWhereARunWouldPause();
  void loopPlaysAtOnceAndUntilItIsClickedAgain_data();
  void loopPlaysAtOnceAndUntilItIsClickedAgain();
  void loopWithNothingRecordedSaysSoAndStaysOff();
  void aForkNamesItsSourceAndKeepsTheOldFuture_data();
  void aForkNamesItsSourceAndKeepsTheOldFuture();
  void aForkIsUndoneAndDoneAgain();
  void branchesAreListedAndShownOnTheTimeline();
  void aRestartIsUndone();
  void aRestartWhereNothingRanKeepsNoBranch();
  void panesThatAreAddedAreTakenBack();
  void aRemovedPaneComesBackWithItsOwnFrames();
  void aRemovedPaneThatMissedFramesComputesThemFirst();
  void theOrderOfPanesIsUndone();
  void aMethodIsUndoneAfterPanesCameAndMoved();
  void aDuplicateIsACopyOfItsPane();
  void whatCannotRunIsRefusedAndLeavesNothingToUndo();
  void theReferenceIsAPaneAndNotAPlace();
  void aCurveKeepsTheMethodItWasComputedWith();
  void theEnergyChangeGoesOnWhereTheMethodChanges();
  void aChangedParameterLeavesAMark();
  void aRecordingHoldsOneBranchAndGoesOnInAFileOfItsOwn();
  void anOpeningThatIsCancelledLeavesWhatIsOpen();
  void aPullActsWhereTheRunStands();

 private:
  Session* session() const { return m_hand.session(); }
  TransportBar* transport() const { return m_hand.window->transport(); }
  QString method(int pane) const { return QString::fromStdString(session()->pane(pane).settings.method); }
  const std::vector<Curve>& curves(const char* quantity) const;
  WindowDriver m_hand;
};

const std::vector<Curve>& HistoryTest::curves(const char* quantity) const {
  for (PlotTile* tile : m_hand.window->plots()->tiles())
    if (tile->key() == QLatin1String(quantity)) {
      tile->refreshData();
      return tile->view()->curves();
    }
  static const std::vector<Curve> none;
  return none;
}

void HistoryTest::spaceAfterScrubbingPlaysWhatIsRecordedAndThenComputes() {
  m_hand.open();
  m_hand.runTo(60);
  const std::vector<RecordPtr> before = framesOf(*session(), 0);
  m_hand.scrubTo(20);
  const long from = session()->cursor();
  QVERIFY(from > 0 && from < 40);
  QVERIFY(transport()->runButton()->text().contains("Play"));
  QSignalSpy moved(session(), &Session::cursorMoved);
  m_hand.key(Qt::Key_Space);
  QVERIFY(session()->isRunning() && !session()->isComputing());
  QTRY_VERIFY_WITH_TIMEOUT(session()->cursor() > from, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > 60, kPatience);  // at its end the panes run on
  QVERIFY(session()->isComputing() && session()->isLive());
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  const std::vector<RecordPtr> after = framesOf(*session(), 0);
  for (std::size_t frame = 0; frame < before.size(); ++frame) QVERIFY(after[frame] == before[frame]);
  QCOMPARE(session()->branches().size(), std::size_t(1));
  QVERIFY(!session()->undoStack()->canUndo());
}

void HistoryTest::spaceWhilePlayingPausesAndLosesNothing() {
  m_hand.open();
  m_hand.runTo(300);
  m_hand.scrubTo(20);
  QSignalSpy rewritten(session(), &Session::historyChanged);
  for (int round = 0; round < 3; ++round) {
    const long from = session()->cursor();
    session()->setSpeed(0.25);
    m_hand.key(Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(session()->cursor() > from, kPatience);
    m_hand.key(Qt::Key_Space);
    QVERIFY(!session()->isRunning());
    QVERIFY(!session()->isLive());
  }
  m_hand.key(Qt::Key_End);
  QCOMPARE(session()->cursor(), 300L);
  QCOMPARE(session()->lastFrame(), 300L);
  QCOMPARE(rewritten.count(), 0);
}

void HistoryTest::playingStopsWhereARunWouldPause() {
  m_hand.open();
  m_hand.runTo(150);
  QVERIFY(!session()->events().empty());
  const long contact = session()->events().front().frame;
  m_hand.key(Qt::Key_Home);
  session()->setPauseOn(TimelineEventKind::FirstContact, true);
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  QCOMPARE(session()->cursor(), contact);
  QCOMPARE(session()->lastFrame(), 150L);
}

void HistoryTest::loopPlaysAtOnceAndUntilItIsClickedAgain_data() {
  QTest::addColumn<bool>("byKey");
  QTest::newRow("button") << false;
  QTest::newRow("L") << true;
}
void HistoryTest::loopPlaysAtOnceAndUntilItIsClickedAgain() {
  QFETCH(bool, byKey);
  m_hand.open();
  m_hand.runTo(30);
  m_hand.key(Qt::Key_Home);
  session()->setSpeed(0.25);  // a tick shows the next frame, not one after a whole loop
  const auto loop = [&] {
    if (byKey) {
      m_hand.key(Qt::Key_L);
    } else {
      QTest::mouseClick(transport()->loopButton(), Qt::LeftButton);
    }
  };
  loop();
  QVERIFY(session()->isLooping() && session()->isRunning() && transport()->loopButton()->isChecked());
  QTRY_VERIFY_WITH_TIMEOUT(session()->cursor() > 0, kPatience);
  session()->seek(29);  // stops, but looping stays on
  QVERIFY(!session()->isRunning() && session()->isLooping());
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->cursor() < 20, kPatience);  // around the end
  loop();
  QVERIFY(!session()->isLooping() && !session()->isRunning() && !transport()->loopButton()->isChecked());
  QCOMPARE(session()->lastFrame(), 30L);
}

void HistoryTest::loopWithNothingRecordedSaysSoAndStaysOff() {
  m_hand.open();
  QSignalSpy noted(session(), &Session::noted);
  QTest::mouseClick(transport()->loopButton(), Qt::LeftButton);
  QVERIFY(!session()->isLooping() && !transport()->loopButton()->isChecked());
  QVERIFY(noted.last().front().toString().contains("Nothing is recorded"));
}

void HistoryTest::aForkNamesItsSourceAndKeepsTheOldFuture_data() {
  QTest::addColumn<bool>("byKey");
  QTest::newRow("button") << false;
  QTest::newRow("B") << true;
}
void HistoryTest::aForkNamesItsSourceAndKeepsTheOldFuture() {
  QFETCH(bool, byKey);
  m_hand.open();
  m_hand.runTo(60);
  const std::vector<RecordPtr> before = framesOf(*session(), 3);
  m_hand.scrubTo(20);
  const long at = session()->cursor();
  session()->selectPane(1);
  const Vec3 position = session()->shown(1)->bodies.back().position;
  QVERIFY(transport()->forkButton()->text().contains("CPF"));
  QVERIFY(transport()->forkButton()->toolTip().contains("CPF"));
  QSignalSpy noted(session(), &Session::noted);
  if (byKey) {
    m_hand.key(Qt::Key_B);
  } else {
    QTest::mouseClick(transport()->forkButton(), Qt::LeftButton);
  }
  QTRY_COMPARE_WITH_TIMEOUT(session()->branches().size(), std::size_t(2), kPatience);
  QVERIFY(noted.front().front().toString().contains("CPF"));
  QCOMPARE(session()->lastFrame(), at);
  QVERIFY(session()->isLive() && !session()->isRunning());  // a fork does not run
  for (int pane = 0; pane < session()->paneCount(); ++pane)
    QVERIFY(session()->shown(pane)->bodies.back().position == position);
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > at + 3, kPatience);
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  QVERIFY(session()->histories()[3].at(at + 1) != before[at + 1]);
}

void HistoryTest::aForkIsUndoneAndDoneAgain() {
  m_hand.open();
  m_hand.runTo(60);
  std::vector<std::vector<RecordPtr>> before;
  for (int pane = 0; pane < 4; ++pane) before.push_back(framesOf(*session(), pane));
  m_hand.scrubTo(20);
  const long at = session()->cursor();
  m_hand.key(Qt::Key_B);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), at, kPatience);
  m_hand.runTo(at + 5);
  const RecordPtr forked = session()->histories()[2].at(at + 5);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 60L, kPatience);
  QCOMPARE(session()->cursor(), at);  // the frame of the fork
  for (int pane = 0; pane < 4; ++pane) QVERIFY(framesOf(*session(), pane) == before[pane]);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), at + 5, kPatience);
  QVERIFY(session()->histories()[2].at(at + 5) == forked);
  QVERIFY(session()->isLive());
  m_hand.runTo(at + 8);
}

void HistoryTest::branchesAreListedAndShownOnTheTimeline() {
  m_hand.open();
  m_hand.runTo(40);
  QVERIFY(!transport()->branchButton()->isVisible());
  QVERIFY(transport()->timeline()->marks().empty());
  session()->seek(25);
  m_hand.key(Qt::Key_B);
  QTRY_VERIFY_WITH_TIMEOUT(transport()->branchButton()->isVisible(), kPatience);
  QCOMPARE(transport()->timeline()->marks().size(), std::size_t(1));
  QCOMPARE(transport()->timeline()->marks()[0].frame, 25L);
  QVERIFY(transport()->timeline()->marks()[0].text.contains("DPF"));
  m_hand.runTo(30);
  m_hand.chooseFromMenu(transport()->branchButton(), QStringLiteral("1: from the start"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 40L, kPatience);
  QVERIFY(transport()->timeline()->marks().empty());
  m_hand.chooseFromMenu(transport()->branchButton(), QStringLiteral("2: forked from DPF at 0.050 s"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 30L, kPatience);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 40L, kPatience);
}

void HistoryTest::aRestartIsUndone() {
  m_hand.open();
  m_hand.runTo(40);
  const std::vector<RecordPtr> before = framesOf(*session(), 1);
  m_hand.key(Qt::Key_R);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 0L, kPatience);
  QCOMPARE(session()->cursor(), 0L);
  m_hand.runTo(10);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 40L, kPatience);
  QVERIFY(framesOf(*session(), 1) == before);
  QCOMPARE(session()->cursor(), 40L);
  m_hand.runTo(45);
}

void HistoryTest::aRestartWhereNothingRanKeepsNoBranch() {
  m_hand.open();
  m_hand.key(Qt::Key_R);
  m_hand.runTo(2);
  QCOMPARE(session()->branches().size(), std::size_t(1));
  QVERIFY(!session()->undoStack()->canUndo());
}

void HistoryTest::panesThatAreAddedAreTakenBack() {
  m_hand.open();
  m_hand.runTo(10);
  session()->editParameter(1, "stiffness", 5e3);
  session()->selectPane(2);
  PaneSettings settings;
  settings.method = "dpf-ccd";
  session()->addPane(settings);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 5, kPatience);
  QCOMPARE(session()->shown(4)->stateHash, session()->shown(2)->stateHash);  // state of the selected pane
  m_hand.runTo(20);
  const std::vector<RecordPtr> added = framesOf(*session(), 4);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 4, kPatience);
  QCOMPARE(session()->lastFrame(), 20L);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 5, kPatience);
  QVERIFY(framesOf(*session(), 4) == added);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);  // earlier changes can still be undone
  QTRY_VERIFY_WITH_TIMEOUT(std::get<double>(session()->pane(1).values.at("stiffness")) != 5e3, kPatience);
}

void HistoryTest::aRemovedPaneComesBackWithItsOwnFrames() {
  m_hand.open();
  m_hand.runTo(30);
  const std::vector<RecordPtr> before = framesOf(*session(), 1);
  const int id = session()->paneId(1);
  m_hand.chooseFromMenu(m_hand.paneMenu(1), QStringLiteral("Remove"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 3, kPatience);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 4, kPatience);
  QCOMPARE(session()->paneId(1), id);
  QVERIFY(framesOf(*session(), 1) == before);
}

void HistoryTest::aRemovedPaneThatMissedFramesComputesThemFirst() {
  m_hand.open();
  m_hand.runTo(60);
  std::vector<unsigned long long> expected;
  for (const RecordPtr& record : framesOf(*session(), 1)) expected.push_back(record->stateHash);
  m_hand.key(Qt::Key_R);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 0L, kPatience);
  m_hand.runTo(20);
  session()->removePane(1);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 3, kPatience);
  m_hand.runTo(60);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 4, kPatience);
  std::vector<unsigned long long> found;
  for (const RecordPtr& record : framesOf(*session(), 1)) found.push_back(record->stateHash);
  QCOMPARE(found, expected);
  m_hand.runTo(65);
}

void HistoryTest::theOrderOfPanesIsUndone() {
  m_hand.open();
  m_hand.runTo(8);
  m_hand.drag(3, 0);
  QTRY_COMPARE_WITH_TIMEOUT(method(0), QString("peg"), kPatience);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(method(0), QString("dpf"), kPatience);
  QCOMPARE(method(3), QString("peg"));
  m_hand.key(Qt::Key_Y, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(method(0), QString("peg"), kPatience);
}

void HistoryTest::aMethodIsUndoneAfterPanesCameAndMoved() {
  m_hand.open();
  m_hand.runTo(5);
  m_hand.choose(m_hand.pane(0)->methodBox(), QStringLiteral("dpf-ccd"));
  QTRY_COMPARE_WITH_TIMEOUT(method(0), QString("dpf-ccd"), kPatience);
  m_hand.chooseFromMenu(m_hand.paneMenu(2), QStringLiteral("Duplicate"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 5, kPatience);
  m_hand.drag(0, 4);
  QTRY_COMPARE_WITH_TIMEOUT(method(4), QString("dpf-ccd"), kPatience);
  for (int undo = 0; undo < 3; ++undo) m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(method(0), QString("dpf"), kPatience);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 4, kPatience);
}

void HistoryTest::aDuplicateIsACopyOfItsPane() {
  m_hand.open();
  m_hand.runTo(250);
  const std::vector<RecordPtr> before = framesOf(*session(), 3);
  QVERIFY(before.back()->stateHash != session()->shown(0)->stateHash);
  m_hand.chooseFromMenu(m_hand.paneMenu(3), QStringLiteral("Duplicate"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 5, kPatience);
  QVERIFY(framesOf(*session(), 4) == before);
  m_hand.runTo(260);
  QCOMPARE(session()->shown(4)->stateHash, session()->shown(3)->stateHash);
}

void HistoryTest::whatCannotRunIsRefusedAndLeavesNothingToUndo() {
  m_hand.open(QStringLiteral("pour-2d"), {"lcp", "peg"});
  QSignalSpy failed(session(), &Session::failed);
  PaneSettings settings;
  settings.method = "dpf";
  session()->addPane(settings);
  QCOMPARE(failed.count(), 1);
  session()->editParameter(0, "margin", -1.0);
  QCOMPARE(failed.count(), 2);
  QVERIFY(!session()->undoStack()->canUndo());
}

void HistoryTest::theReferenceIsAPaneAndNotAPlace() {
  m_hand.open();
  m_hand.runTo(20);
  const int cpf = session()->paneId(1);
  m_hand.chooseFromMenu(m_hand.paneMenu(1), QStringLiteral("Compare the others"));
  const auto reference = [this] { return session()->paneId(session()->referencePane()); };
  QCOMPARE(reference(), cpf);
  m_hand.drag(1, 3);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneId(3), cpf, kPatience);
  QCOMPARE(session()->referencePane(), 3);
  m_hand.drag(0, 2);
  QTRY_COMPARE_WITH_TIMEOUT(method(2), QString("dpf"), kPatience);
  QCOMPARE(reference(), cpf);
  session()->removePane(3);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 3, kPatience);
  QCOMPARE(session()->referencePane(), 0);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 4, kPatience);
  QCOMPARE(reference(), cpf);
  for (int undo = 0; undo < 3; ++undo) m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QCOMPARE(session()->paneId(session()->referencePane()), 0);  // as it was at the start
}

void HistoryTest::aCurveKeepsTheMethodItWasComputedWith() {
  m_hand.open();
  m_hand.runTo(30);
  m_hand.choose(m_hand.pane(0)->methodBox(), QStringLiteral("dpf-ccd"));
  QTRY_COMPARE_WITH_TIMEOUT(method(0), QString("dpf-ccd"), kPatience);
  m_hand.runTo(60);
  const double change = session()->timeAt(30);
  const std::vector<Curve>& all = curves("penetration_max");
  QCOMPARE(all.size(), std::size_t(5));
  QCOMPARE(all[0].label, QString("DPF"));
  QCOMPARE(all[1].label, QString("DPF-CCD"));
  QVERIFY(all[0].colour != all[1].colour);
  QVERIFY(!std::isnan(nearestValue(all[0], 0.5 * change)) && std::isnan(nearestValue(all[0], 1.5 * change)));
  QVERIFY(std::isnan(nearestValue(all[1], 0.5 * change)) && !std::isnan(nearestValue(all[1], 1.5 * change)));
  QCOMPARE(all[1].marks, std::vector<double>{session()->timeAt(31)});
  QStringList legend;
  for (QToolButton* entry : m_hand.window->plots()->findChildren<QToolButton*>())
    if (entry->toolTip().startsWith("Show or hide")) legend << entry->text();
  QCOMPARE(legend.mid(0, 3), QStringList({"DPF", "DPF-CCD", "CPF"}));
  const std::vector<TimelineMark>& marks = transport()->timeline()->marks();
  QCOMPARE(marks.size(), std::size_t(1));
  QCOMPARE(marks[0].frame, 31L);
  QCOMPARE(marks[0].text, QString("DPF → DPF-CCD"));
  session()->seek(10);
  QVERIFY2(m_hand.pane(0)->badgeText().startsWith("DPF: "), qPrintable(m_hand.pane(0)->badgeText()));
  session()->seek(50);
  QCOMPARE(m_hand.pane(0)->badgeText().left(2), QString("ok"));
}

void HistoryTest::theEnergyChangeGoesOnWhereTheMethodChanges() {
  m_hand.open();
  m_hand.runTo(250);
  const double before = session()->shown(2)->quantities[Quantity::EnergyDrift];
  QVERIFY2(std::abs(before) > 1e-4, qPrintable(QString::number(before)));  // the box has fallen on the ground
  m_hand.choose(m_hand.pane(2)->methodBox(), QStringLiteral("peg"));
  QTRY_COMPARE_WITH_TIMEOUT(method(2), QString("peg"), kPatience);
  m_hand.runTo(251);
  QVERIFY_NEAR(session()->shown(2)->quantities[Quantity::EnergyDrift], before, 0.1 * std::abs(before));
}

void HistoryTest::aChangedParameterLeavesAMark() {
  m_hand.open();
  m_hand.runTo(10);
  session()->editParameter(1, "stiffness", 5e3);
  m_hand.runTo(20);
  const std::vector<Curve>& all = curves("penetration_max");
  QCOMPARE(all.size(), std::size_t(4));
  QCOMPARE(all[1].marks.size(), std::size_t(1));
  QVERIFY(all[0].marks.empty());
  QCOMPARE(transport()->timeline()->marks().size(), std::size_t(1));
  QVERIFY(transport()->timeline()->marks()[0].text.contains("stiffness"));
}

void HistoryTest::aRecordingHoldsOneBranchAndGoesOnInAFileOfItsOwn() {
  QTemporaryDir folder;
  m_hand.open();
  m_hand.runTo(20);
  const QString file = folder.filePath("box.touchstone");
  session()->record(file);
  QTRY_COMPARE_WITH_TIMEOUT(session()->recordingFile(), file, kPatience);
  m_hand.runTo(40);
  const unsigned long long hash = session()->histories()[1].at(40)->stateHash;
  session()->seek(25);
  m_hand.key(Qt::Key_B);
  QTRY_VERIFY_WITH_TIMEOUT(session()->recordingFile() != file && !session()->recordingFile().isEmpty(),
                           kPatience);
  const QString second = session()->recordingFile();
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 25L, kPatience);
  m_hand.runTo(30);
  session()->stopRecording();
  QTRY_VERIFY_WITH_TIMEOUT(session()->recordingFile().isEmpty(), kPatience);
  const Recording before(file.toStdString()), after(second.toStdString());
  QCOMPARE(before.lastFrame(), 40L);
  QCOMPARE(before.record(40, 1)->stateHash, hash);
  QCOMPARE(after.lastFrame(), 30L);
  QCOMPARE(after.firstFrame(), 0L);
  for (const Recording* each : {&before, &after}) QVERIFY(!replay(*each).first);
}

void HistoryTest::anOpeningThatIsCancelledLeavesWhatIsOpen() {
  QTemporaryDir folder;
  m_hand.open();
  m_hand.runTo(20);
  const QString file = folder.filePath("box.touchstone");
  QSignalSpy written(session(), &Session::recordingWritten), cancelled(session(), &Session::openingCancelled);
  session()->writeRecording(file);
  QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, kPatience);
  m_hand.runTo(30);
  session()->open(file);
  session()->cancelOpening();
  QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, kPatience);
  QCOMPARE(session()->lastFrame(), 30L);
  m_hand.runTo(40);
  session()->open(file);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 20L, kPatience);
}

void HistoryTest::aPullActsWhereTheRunStands() {
  m_hand.open();
  m_hand.runTo(20);
  const int box = countOf(session()->scene()->bodies) - 1;
  QPoint place(-1, -1);
  for (int x = 4; place.x() < 0 && x < m_hand.view(0)->width(); x += 8)
    for (int y = 4; y < m_hand.view(0)->height(); y += 8)
      if (m_hand.view(0)->bodyAt(QPoint(x, y)) == box) place = QPoint(x, y);
  QVERIFY(place.x() >= 0);
  session()->seek(5);
  QSignalSpy noted(session(), &Session::noted);
  QTest::mousePress(m_hand.view(0), Qt::LeftButton, Qt::ControlModifier, place);
  QTest::mouseRelease(m_hand.view(0), Qt::LeftButton, Qt::ControlModifier, place);
  QVERIFY(!noted.empty() && noted.last().front().toString().contains("newest frame"));
  m_hand.runTo(22);
  QVERIFY(!session()->shown(0)->pull.has_value());
}

TS_GUI_TEST_MAIN(HistoryTest)
#include "tst_history.moc"
