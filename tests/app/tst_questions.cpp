#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QUndoStack>

#include "app/exports/movie_export.h"
#include "app/panels/message_bar.h"
#include "core/math/count.h"
#include "core/store/recording.h"
#include "core/store/replay.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"

using namespace touchstone;
using namespace touchstone::test;

/// Data that took long is never lost without a question, and other data never causes one.
class QuestionsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_hand.show(); }
  void cleanup() { m_hand.window.reset(); }
  void quittingAfterAShortRunAsksNothing();
  void whatCanBeComputedAgainIsNotAskedFor();
  void spaceDoesNotOpenADialogOfFiles();
  void quittingWithUnsavedHistoryAsksOnce();
  void quittingSavesWhatNoRecordingHolds();
  void whatARecordingHoldsIsNotAskedFor();
  void whatRanBeforeARecordingEndedIsHeldByIt();
  void aForkWhileItRunsLeavesTheTimeToTheBranchThatRan();
  void quittingWhileAMovieIsWrittenAsks();
  void aMovieIsFinishedBeforeTheWindowCloses();
  void openingAnotherSceneAsks();
  void whileAMovieIsWrittenTheRecordStays();
  void aBranchThatRanLongIsNotForgottenWithoutAQuestion();

 private:
  void runWithChange(long frame);
  Session* session() const { return m_hand.session(); }
  MainWindow& window() const { return *m_hand.window; }
  MovieExport* startMovie(const QString& file, double speed) const;
  void giveFileName(const QString& file);
  QTemporaryDir m_folder;
  WindowDriver m_hand;
};

MovieExport* QuestionsTest::startMovie(const QString& file, double speed) const {
  MovieOptions options;
  options.picture.size = QSize(320, 240);
  options.speed = speed;
  return window().startMovie(file, options);
}

/// Types a name into the next file dialog.
void QuestionsTest::giveFileName(const QString& file) {
  auto* poll = new QTimer(this);
  connect(poll, &QTimer::timeout, poll, [poll, file] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    poll->deleteLater();
    auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    name->setText(file);  // keys would open a list of completions
    QTest::keyClick(name, Qt::Key_Return);
  });
  poll->start(20);
}

/// Runs to a frame, and changes a value on the way, so that the scene alone does not determine the run.
void QuestionsTest::runWithChange(long frame) {
  m_hand.runTo(1);
  session()->editSubsteps(0, 2);
  m_hand.runTo(frame);
}

void QuestionsTest::quittingAfterAShortRunAsksNothing() {
  m_hand.open();
  m_hand.runTo(20);
  QVERIFY(session()->unsavedSeconds() < session()->longRun());
  m_hand.key(Qt::Key_Q, Qt::ControlModifier);
  QVERIFY(!window().isVisible() && !m_hand.question());
}

/// A run that the scene alone determines is computed again at any time.
void QuestionsTest::whatCanBeComputedAgainIsNotAskedFor() {
  m_hand.open();
  m_hand.runTo(20);
  session()->setLongRun(0);
  m_hand.key(Qt::Key_R);  // a new branch does not forget one that must be kept
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 0L, kPatience);
  QVERIFY(session()->unsavedSeconds() > 0);
  QCOMPARE(session()->irreplaceableSeconds(), 0.0);
  window().open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/incline.json"), {"dpf"});
  QTRY_COMPARE_WITH_TIMEOUT(session()->scene()->name, std::string("incline"), kPatience);
  QVERIFY(!m_hand.question());
}

void QuestionsTest::spaceDoesNotOpenADialogOfFiles() {
  m_hand.open();
  runWithChange(20);
  session()->setLongRun(0);
  window().close();
  QTRY_VERIFY_WITH_TIMEOUT(m_hand.question(), kPatience);
  QTest::keyClick(m_hand.question()->defaultButton(), Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!m_hand.question(), kPatience);
  QVERIFY(!QApplication::activeModalWidget());
  QVERIFY(window().isVisible());
  session()->setLongRun(1e9);
}

void QuestionsTest::quittingWithUnsavedHistoryAsksOnce() {
  m_hand.open();
  runWithChange(20);
  session()->setLongRun(0);
  for (int attempt = 0; attempt < 2; ++attempt) {
    m_hand.key(Qt::Key_Q, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(m_hand.question(), kPatience);
    QCOMPARE(window().findChildren<QMessageBox*>().size(), 1);
    QVERIFY(window().isVisible());
    QVERIFY(m_hand.question()->informativeText().contains("no recording holds"));
    QTest::keyClick(m_hand.question(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!m_hand.question(), kPatience);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  QVERIFY(window().isVisible());
  QCOMPARE(session()->lastFrame(), 20L);
  window().close();
  m_hand.answer("lose");
  QVERIFY(!window().isVisible());
}

void QuestionsTest::quittingSavesWhatNoRecordingHolds() {
  m_hand.open();
  runWithChange(30);
  session()->seek(10);
  m_hand.key(Qt::Key_B);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 10L, kPatience);
  m_hand.runTo(15);
  session()->setLongRun(0);
  window().close();
  QTRY_VERIFY_WITH_TIMEOUT(m_hand.question(), kPatience);
  QVERIFY(m_hand.question()->informativeText().contains("2 branches"));
  giveFileName(m_folder.filePath("quit.touchstone"));
  m_hand.answer("keep");
  QTRY_VERIFY_WITH_TIMEOUT(!window().isVisible(), kPatience);
  const Recording shown(m_folder.filePath("quit.touchstone").toStdString());
  const Recording other(m_folder.filePath("quit-branch-1.touchstone").toStdString());
  QCOMPARE(shown.lastFrame(), 15L);
  QCOMPARE(other.lastFrame(), 30L);
  QVERIFY(!replay(shown).first && !replay(other).first);
}

void QuestionsTest::whatARecordingHoldsIsNotAskedFor() {
  m_hand.open();
  m_hand.runTo(20);
  session()->setLongRun(1e-9);
  const QString file = m_folder.filePath("held.touchstone");
  session()->record(file);
  QTRY_COMPARE_WITH_TIMEOUT(session()->recordingFile(), file, kPatience);
  m_hand.runTo(30);
  QCOMPARE(session()->unsavedSeconds(), 0.0);
  window().close();
  QVERIFY(!window().isVisible());
}

void QuestionsTest::whatRanBeforeARecordingEndedIsHeldByIt() {
  m_hand.open();
  const QString file = m_folder.filePath("ended.touchstone");
  session()->record(file);
  QTRY_COMPARE_WITH_TIMEOUT(session()->recordingFile(), file, kPatience);
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > 20, kPatience);
  QElapsedTimer sinceItsEnd;
  sinceItsEnd.start();
  session()->stopRecording();
  QTRY_VERIFY_WITH_TIMEOUT(session()->recordingFile().isEmpty(), kPatience);
  QVERIFY(session()->isComputing());
  const double unsaved = session()->unsavedSeconds();
  QVERIFY(unsaved >= 0 && unsaved <= 1e-9 * static_cast<double>(sinceItsEnd.nsecsElapsed()));
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  const double all = session()->unsavedSeconds();
  QVERIFY(all > 0 && all <= 1e-9 * static_cast<double>(sinceItsEnd.nsecsElapsed()));
}

void QuestionsTest::aForkWhileItRunsLeavesTheTimeToTheBranchThatRan() {
  m_hand.open();
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > 20, kPatience);
  m_hand.key(Qt::Key_B);
  QVERIFY(session()->unsavedSeconds(0) > 0);
  QTRY_COMPARE_WITH_TIMEOUT(session()->branches().size(), std::size_t(2), kPatience);
  QVERIFY(session()->unsavedSeconds(0) > 0);
  QCOMPARE(session()->unsavedSeconds(1), 0.0);
}

void QuestionsTest::quittingWhileAMovieIsWrittenAsks() {
  m_hand.open();
  m_hand.runTo(30);
  MovieExport* movie = startMovie(m_folder.filePath("lost.mp4"), 1e-4);
  QVERIFY(movie);
  m_hand.key(Qt::Key_Q, Qt::ControlModifier);
  QTRY_VERIFY_WITH_TIMEOUT(m_hand.question(), kPatience);
  QVERIFY(m_hand.question()->informativeText().contains("lost.mp4"));
  QVERIFY(window().isVisible());
  m_hand.answer("lose");
  QVERIFY(!window().isVisible());
  QVERIFY(!QFile::exists(m_folder.filePath("lost.mp4")));
}

void QuestionsTest::aMovieIsFinishedBeforeTheWindowCloses() {
  m_hand.open();
  m_hand.runTo(30);
  const QString file = m_folder.filePath("kept.mp4");
  MovieExport* movie = startMovie(file, 0.1);
  QVERIFY(movie);
  const QString result = movie->result();
  window().close();
  m_hand.answer("keep");
  QVERIFY(window().isVisible());
  QTRY_VERIFY_WITH_TIMEOUT(!window().isVisible(), kPatience);
  QVERIFY(QFileInfo::exists(result));
}

void QuestionsTest::openingAnotherSceneAsks() {
  m_hand.open();
  runWithChange(20);
  session()->setLongRun(0);
  const auto open = [this] {
    window().open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/incline.json"), {"dpf"});
  };
  open();
  QTRY_VERIFY_WITH_TIMEOUT(m_hand.question(), kPatience);
  QTest::keyClick(m_hand.question(), Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(!m_hand.question(), kPatience);
  QCOMPARE(session()->scene()->name, std::string("resting-box"));
  QCOMPARE(session()->lastFrame(), 20L);
  open();
  m_hand.answer("lose");
  QTRY_COMPARE_WITH_TIMEOUT(session()->scene()->name, std::string("incline"), kPatience);
  QCOMPARE(session()->unsavedSeconds(), 0.0);
}

void QuestionsTest::whileAMovieIsWrittenTheRecordStays() {
  m_hand.open();
  m_hand.runTo(30);
  session()->editParameter(1, "stiffness", 5e3);
  MovieExport* movie = startMovie(m_folder.filePath("guarded.mp4"), 1e-4);
  QVERIFY(movie);
  QSignalSpy failed(session(), &Session::failed);
  m_hand.key(Qt::Key_R);
  m_hand.key(Qt::Key_B);
  m_hand.key(Qt::Key_Space);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  session()->removePane(0);
  QCOMPARE(failed.count(), 5);
  QVERIFY(failed.first().front().toString().contains("movie"));
  QVERIFY(session()->undoStack()->canUndo());
  movie->cancel();
  QCOMPARE(session()->lastFrame(), 30L);
  QCOMPARE(session()->paneCount(), 4);
  m_hand.key(Qt::Key_R);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 0L, kPatience);
}

void QuestionsTest::aBranchThatRanLongIsNotForgottenWithoutAQuestion() {
  m_hand.open(QStringLiteral("particle"), {"cpf"});
  for (int branch = 1; branch < Comparison::kMostBranches; ++branch) {
    runWithChange(2);
    m_hand.key(Qt::Key_R);
    QTRY_COMPARE_WITH_TIMEOUT(countOf(session()->branches()), branch + 1, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 0L, kPatience);
  }
  runWithChange(2);
  QCOMPARE(session()->nextToGo(), 0);
  session()->setLongRun(0);
  m_hand.key(Qt::Key_R);
  QTRY_VERIFY_WITH_TIMEOUT(m_hand.question(), kPatience);
  QTest::keyClick(m_hand.question(), Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(!m_hand.question(), kPatience);
  QCOMPARE(session()->lastFrame(), 2L);
  m_hand.key(Qt::Key_R);
  m_hand.answer("lose");
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 0L, kPatience);
  QCOMPARE(session()->branches().front().id, 1);
  session()->setLongRun(1e9);
  m_hand.runTo(2);
  m_hand.key(Qt::Key_R);  // no question for a short run
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 0L, kPatience);
  QCOMPARE(session()->branches().front().id, 2);
}

TS_GUI_TEST_MAIN(QuestionsTest)
#include "tst_questions.moc"
