#include <QAction>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMimeData>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "app/exports/movie_export.h"
#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/panels/parameter_panel.h"
#include "app/panels/transport_bar.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "core/math/count.h"
#include "tests/support/gui_main.h"
#include "widgets/parameters/parameter_form.h"
#include "widgets/timeline/timeline.h"

using namespace touchstone;

namespace {

constexpr int kPatience = 60000;  // ms; a limit for a hanging program, not a waiting time

const QString kScene = QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/resting-box.json");

}  // namespace

class MainWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void cleanup();
  void opensASceneWithAPanePerMethod();
  void aNewThemeReachesEveryWidget();
  void runsAndPauses();
  void panesAtTheSameTimeComeToTheSame();
  void scrubbingPausesAndShowsTheRecordedFrame();
  void steppingInsideTheRecordComputesNothing();
  void swappingTheMethodKeepsTheTime();
  void parameterChangesAreUndone();
  void refusedParameterIsShownAndTakenBack();
  void aStepAndASolverThatClashAreSaidAndTakenBack();
  void badSceneIsReportedAndTheProgramGoesOn();
  void whatThePanesWouldBeIsSaidWhereThereAreNone();
  void aPaneThatStandsSaysWhyAboveItsView();
  void panesAreAddedAndRemoved();
  void droppingAHeaderMovesThePane();
  void digitEnlargesAPaneAndEscapeEndsIt();
  void pausesWhereTheFirstContactBegins();
  void pausesWhereAQuantityRisesAboveItsThreshold();
  void exportsPlotsAndQuantities();
  void exportsAMovie();
  void cancelledMovieLeavesNothing();

 private:
  void open(const QString& file = kScene);
  void runTo(long frame);
  Session* session() { return m_window->session(); }

  std::unique_ptr<MainWindow> m_window;
};

void MainWindowTest::init() {
  m_window = std::make_unique<MainWindow>(WindowMemory::Forget);
  m_window->resize(1280, 720);
  m_window->show();
  QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
  QApplication::setActiveWindow(
      m_window.get());  // an X server without window manager activates no window itself
}

void MainWindowTest::cleanup() { m_window.reset(); }

void MainWindowTest::open(const QString& file) {
  m_window->open(file, {"dpf", "cpf", "lcp", "peg"});
  QTRY_VERIFY_WITH_TIMEOUT(session()->scene() != nullptr, kPatience);
}

void MainWindowTest::runTo(long frame) {
  session()->setSpeed(0);
  // Runs up to a time, not until a pause: batches that the worker has already sent would arrive after a
  // pause.
  session()->run(static_cast<double>(frame) * session()->dt());
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), frame, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  session()->goLive();
}

void MainWindowTest::opensASceneWithAPanePerMethod() {
  open();
  QCOMPARE(session()->paneCount(), 4);
  QCOMPARE(m_window->grid()->panes().size(), std::size_t(4));
  QCOMPARE(m_window->grid()->panes()[1]->methodBox()->currentData().toString(), QString("cpf"));
  QVERIFY(!m_window->messages()->isVisible());
}

void MainWindowTest::aNewThemeReachesEveryWidget() {
  open();
  const auto darkButtons = [this] {
    const QList<QComboBox*> boxes = m_window->findChildren<QComboBox*>();
    return std::count_if(boxes.begin(), boxes.end(), [](const QComboBox* box) {
      return box->palette().color(QPalette::Button).lightness() < 128;
    });
  };
  const auto all = m_window->findChildren<QComboBox*>().size();
  QVERIFY(all > 6);
  QCOMPARE(static_cast<int>(darkButtons()), 0);
  applyTheme(Preferences::Theme::Dark);
  QTRY_COMPARE_WITH_TIMEOUT(static_cast<int>(darkButtons()), static_cast<int>(all), kPatience);
  applyTheme(Preferences::Theme::System);
  QTRY_COMPARE_WITH_TIMEOUT(static_cast<int>(darkButtons()), 0, kPatience);
}

void MainWindowTest::runsAndPauses() {
  open();
  QTest::keyClick(m_window.get(), Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->isRunning(), kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() >= 3, kPatience);
  QTest::keyClick(m_window.get(), Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  QTRY_COMPARE_WITH_TIMEOUT(session()->cursor(), session()->lastFrame(), kPatience);
  QCOMPARE(m_window->grid()->panes()[0]->badgeText().left(2), QString("ok"));
}

void MainWindowTest::panesAtTheSameTimeComeToTheSame() {
  open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/pour.json"));
  QAction* together = nullptr;
  for (QAction* action : m_window->findChildren<QAction*>())
    if (action->text().startsWith(QStringLiteral("Run panes at the same time"))) together = action;
  QVERIFY(together);
  std::vector<unsigned long long> hashes[2];
  for (const bool on : {true, false}) {
    together->setChecked(on);
    runTo(60);
    for (int pane = 0; pane < session()->paneCount(); ++pane)
      hashes[on].push_back(session()->shown(pane)->stateHash);
    session()->restart();
    QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 0L, kPatience);
  }
  QVERIFY(hashes[0] == hashes[1]);
}

void MainWindowTest::scrubbingPausesAndShowsTheRecordedFrame() {
  open();
  session()->setSpeed(0);
  session()->run();
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() >= 8, kPatience);
  Timeline* timeline = m_window->transport()->timeline();
  const QPoint place(static_cast<int>(timeline->scale().xOf(timeline->scale().first)) + 1,
                     timeline->height() / 2);
  QTest::mouseClick(timeline, Qt::LeftButton, {}, place);
  QVERIFY(session()->cursor() < session()->lastFrame());
  QVERIFY(!session()->isLive());
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  const long shown = session()->cursor();
  QCOMPARE(session()->shown(0)->frame, shown);
}

void MainWindowTest::steppingInsideTheRecordComputesNothing() {
  open();
  runTo(5);
  const long last = session()->lastFrame();
  QTest::keyClick(m_window.get(), Qt::Key_Home);
  QCOMPARE(session()->cursor(), 0L);
  QTest::keyClick(m_window.get(), Qt::Key_Right);
  QTest::keyClick(m_window.get(), Qt::Key_Period);
  QCOMPARE(session()->cursor(), 2L);
  QCOMPARE(session()->lastFrame(), last);
  QTest::keyClick(m_window.get(), Qt::Key_End);
  QVERIFY(session()->isLive());
  QTest::keyClick(m_window.get(), Qt::Key_Right);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), last + 1, kPatience);
}

void MainWindowTest::swappingTheMethodKeepsTheTime() {
  open();
  runTo(4);
  const long last = session()->lastFrame();
  QComboBox* box = m_window->grid()->panes()[0]->methodBox();
  box->setCurrentIndex(box->findData("lcp"));
  Q_EMIT box->activated(box->currentIndex());
  QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(session()->pane(0).settings.method), QString("lcp"),
                            kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(m_window->grid()->panes()[0]->solverBox()->isVisibleTo(m_window.get()), kPatience);
  session()->step(1);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), last + 1, kPatience);
  QCOMPARE(QString::fromStdString(session()->shown(0)->method), QString("lcp"));
}

void MainWindowTest::parameterChangesAreUndone() {
  open();
  ParameterForm* form = m_window->parameters()->paneForm(1);
  QVERIFY(form);
  ParameterEditor* editor = form->editor("stiffness");
  QVERIFY(editor);
  const double before = std::get<double>(editor->value());
  session()->editParameter(1, "stiffness", 2 * before);
  QTRY_COMPARE_WITH_TIMEOUT(std::get<double>(editor->value()), 2 * before, kPatience);
  QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(std::get<double>(editor->value()), before, kPatience);
  QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  QTRY_COMPARE_WITH_TIMEOUT(std::get<double>(editor->value()), 2 * before, kPatience);
}

void MainWindowTest::refusedParameterIsShownAndTakenBack() {
  open();
  ParameterEditor* editor = m_window->parameters()->paneForm(1)->editor("stiffness");
  const double before = std::get<double>(editor->value());
  session()->editParameter(1, "stiffness", -1.0);
  QTRY_VERIFY_WITH_TIMEOUT(m_window->messages()->isVisible(), kPatience);
  QVERIFY(m_window->messages()->text().contains("-1"));
  QTRY_COMPARE_WITH_TIMEOUT(std::get<double>(session()->pane(1).values.at("stiffness")), before, kPatience);
}

void MainWindowTest::aStepAndASolverThatClashAreSaidAndTakenBack() {
  open();
  constexpr int kPeg = 3;
  ParameterForm* form = m_window->parameters()->paneForm(kPeg);
  const auto step = [&] { return std::get<std::string>(form->editor("step")->value()); };
  const auto choose = [&](const char* solver) {
    QComboBox* box = m_window->grid()->panes()[kPeg]->solverBox();
    box->setCurrentIndex(box->findData(QString(solver)));
    Q_EMIT box->activated(box->currentIndex());
  };
  choose("pgs");
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(kPeg).settings.solver, std::string("pgs"), kPatience);
  form = m_window->parameters()->paneForm(kPeg);
  session()->editParameter(kPeg, "step", std::string("exact"));
  QTRY_VERIFY_WITH_TIMEOUT(m_window->messages()->isVisible(), kPatience);
  QVERIFY2(m_window->messages()->text().contains("pgs"), qPrintable(m_window->messages()->text()));
  QTRY_COMPARE_WITH_TIMEOUT(step(), std::string("plain"), kPatience);

  m_window->messages()->hide();
  choose("auto");
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(kPeg).settings.solver, std::string("auto"), kPatience);
  session()->editParameter(kPeg, "step", std::string("exact"));
  form = m_window->parameters()->paneForm(kPeg);
  QTRY_COMPARE_WITH_TIMEOUT(std::get<std::string>(session()->pane(kPeg).values.at("step")),
                            std::string("exact"), kPatience);
  choose("pgs");
  QTRY_VERIFY_WITH_TIMEOUT(m_window->messages()->isVisible(), kPatience);
  QTRY_COMPARE_WITH_TIMEOUT(m_window->grid()->panes()[kPeg]->solverBox()->currentData().toString(),
                            QString("auto"), kPatience);
  QCOMPARE(session()->pane(kPeg).settings.solver, std::string("auto"));
}

void MainWindowTest::aPaneThatStandsSaysWhyAboveItsView() {
  open();
  const auto notice = [this](std::size_t pane) { return m_window->grid()->panes()[pane]->noticeText(); };
  QCOMPARE(notice(0), QString());
  session()->editDt(0.01);
  session()->editParameter(0, "stiffness", 1e8);
  QTRY_COMPARE_WITH_TIMEOUT(session()->dt(), 0.01, kPatience);
  runTo(60);
  QTRY_COMPARE_WITH_TIMEOUT(m_window->grid()->panes()[0]->badgeText(), QString("diverged"), kPatience);
  QVERIFY2(notice(0).contains("is frozen at its last finite state"), qPrintable(notice(0)));
  QCOMPARE(notice(1), QString());
  QTest::keyClick(m_window.get(), Qt::Key_Home);
  QCOMPARE(notice(0), QString());
}

void MainWindowTest::badSceneIsReportedAndTheProgramGoesOn() {
  open();
  QTemporaryDir folder;
  QFile file(folder.filePath("bad.json"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("{\"touchstone\": 1, \"name\": ");
  file.close();
  m_window->open(file.fileName());
  QTRY_VERIFY_WITH_TIMEOUT(m_window->messages()->isVisible(), kPatience);
  QVERIFY2(m_window->messages()->text().contains("bad.json"), qPrintable(m_window->messages()->text()));
  runTo(2);
  QVERIFY(session()->lastFrame() >= 2);
}

void MainWindowTest::whatThePanesWouldBeIsSaidWhereThereAreNone() {
  const auto says = [this](const char* text) {
    const QList<QLabel*> labels = m_window->grid()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [text](const QLabel* label) {
      return label->isVisible() && label->text().contains(QLatin1String(text));
    });
  };
  QVERIFY(says("No scene is open"));
  m_window->open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/pour-2d.json"), {"dpf"});
  QVERIFY(says("Opening pour-2d.json"));
  QTRY_VERIFY_WITH_TIMEOUT(m_window->messages()->isVisible(), kPatience);
  QVERIFY2(m_window->messages()->text().contains("dpf"), qPrintable(m_window->messages()->text()));
  QVERIFY(!session()->scene() && says("No scene is open"));

  QFile shipped(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/resting-box.json"));
  QVERIFY(shipped.open(QIODevice::ReadOnly));
  QJsonObject scene = QJsonDocument::fromJson(shipped.readAll()).object();
  scene["methods"] = QJsonArray();
  QTemporaryDir folder;
  QFile file(folder.filePath("none.json"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QJsonDocument(scene).toJson());
  file.close();
  m_window->open(file.fileName());
  QTRY_VERIFY_WITH_TIMEOUT(session()->scene(), kPatience);
  QVERIFY(session()->paneCount() == 0 && says("This scene suggests no method"));
  PaneSettings cpf;
  cpf.method = "cpf";
  session()->addPane(cpf);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 1, kPatience);
  runTo(3);
}

void MainWindowTest::panesAreAddedAndRemoved() {
  open();
  runTo(2);
  session()->addPane(session()->pane(1).settings);
  QTRY_COMPARE_WITH_TIMEOUT(m_window->grid()->panes().size(), std::size_t(5), kPatience);
  QVERIFY(session()->paneLabel(4).endsWith("#2"));
  session()->removePane(0);
  QTRY_COMPARE_WITH_TIMEOUT(m_window->grid()->panes().size(), std::size_t(4), kPatience);
  const long last = session()->lastFrame();
  session()->step(1);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), last + 1, kPatience);
}

void MainWindowTest::droppingAHeaderMovesThePane() {
  open();
  runTo(8);
  const unsigned long long hash = session()->shown(3)->stateHash;
  QMimeData data;
  data.setData("application/x-touchstone-pane", "3");
  PaneWidget* first = m_window->grid()->panes()[0];
  QDragEnterEvent enter(QPoint(5, 5), Qt::MoveAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(first, &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(QPointF(5, 5), Qt::MoveAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(first, &drop);
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(0).settings.method, std::string("peg"), kPatience);
  QCOMPARE(session()->pane(1).settings.method, std::string("dpf"));
  QCOMPARE(session()->shown(0)->stateHash, hash);  // the history was taken over
  runTo(10);
}

void MainWindowTest::digitEnlargesAPaneAndEscapeEndsIt() {
  open();
  QTest::keyClick(m_window.get(), Qt::Key_3);
  QCOMPARE(m_window->grid()->enlarged(), 2);
  QVERIFY(m_window->grid()->panes()[2]->isVisible());
  QVERIFY(!m_window->grid()->panes()[0]->isVisible());
  QTest::keyClick(m_window.get(), Qt::Key_Escape);
  QCOMPARE(m_window->grid()->enlarged(), -1);
  QVERIFY(m_window->grid()->panes()[0]->isVisible());
  QVERIFY(m_window->isVisible());
}

void MainWindowTest::pausesWhereTheFirstContactBegins() {
  open();
  session()->setPauseOn(TimelineEventKind::FirstContact, true);
  session()->setSpeed(0);
  session()->run();
  QTRY_VERIFY_WITH_TIMEOUT(!session()->events().empty(), kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  QCOMPARE(session()->cursor(), session()->events().front().frame);
  QVERIFY(!session()->shown(session()->events().front().pane)->contacts.empty());
}

void MainWindowTest::pausesWhereAQuantityRisesAboveItsThreshold() {
  open();
  session()->setThresholds({stopConditionOf("penetration_max>5e-4")});
  session()->setSpeed(0);
  session()->run();
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > 10, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  double deepest = 0, before = 0;
  for (int pane = 0; pane < session()->paneCount(); ++pane) {
    deepest = std::max(deepest, session()->shown(pane)->quantities[Quantity::PenetrationMax]);
    before = std::max(
        before,
        session()->histories()[pane].at(session()->cursor() - 1)->quantities[Quantity::PenetrationMax]);
  }
  QVERIFY(deepest > 5e-4 && before <= 5e-4);
  for (const char* bad : {"", "beauty>1", "penetration_max>", "penetration_max>deep", "contact"})
    QVERIFY_EXCEPTION_THROWN(stopConditionOf(bad), std::invalid_argument);
  for (const char* good : {"first-contact", "trap", "diverged", "stopped", "penetration_max>0.0005"})
    QCOMPARE(QString::fromStdString(toString(stopConditionOf(good))), QString(good));
}

void MainWindowTest::exportsPlotsAndQuantities() {
  open();
  runTo(5);
  QTemporaryDir folder;
  QVERIFY(m_window->savePlots(folder.filePath("plots"), {"png", "csv"}));
  const QStringList plots = QDir(folder.filePath("plots")).entryList(QDir::Files);
  QCOMPARE(plots.size(), 2 * countOf(m_window->plots()->tiles()));
  for (const QString& name : plots)
    if (name.endsWith("png")) QVERIFY(!QImage(QDir(folder.filePath("plots")).filePath(name)).isNull());

  QSignalSpy manifest(session(), &Session::manifestWritten);
  const QString file = folder.filePath("all.csv");
  QVERIFY(m_window->saveQuantities(file));
  QFile csv(file);
  QVERIFY(csv.open(QIODevice::ReadOnly));
  QVERIFY(csv.readLine().startsWith("time_s,"));
  QTRY_COMPARE_WITH_TIMEOUT(manifest.count(), 1, kPatience);
  QVERIFY(QFile::exists(folder.filePath("all.manifest.json")));
}

void MainWindowTest::exportsAMovie() {
  open();
  runTo(6);
  QTemporaryDir folder;
  MovieOptions options;
  options.picture.size = QSize(640, 360);
  options.framesPerSecond = 50;
  options.speed = 0.05;
  MovieExport* movie = m_window->startMovie(folder.filePath("movie.mp4"), options);
  QVERIFY(movie);
  QSignalSpy finished(movie, &MovieExport::finished);
  QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
  QVERIFY2(finished.first().at(0).toBool(), qPrintable(finished.first().at(1).toString()));
  QVERIFY(QFileInfo::exists(finished.first().at(1).toString()));
  QVERIFY(!QFile::exists(folder.filePath("movie.mp4.part")));
  QProcess probe;  // part of ffmpeg
  probe.start("ffprobe",
              {"-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames", "-of",
               "csv=p=0", folder.filePath("movie.mp4")});
  if (probe.waitForStarted() && probe.waitForFinished())
    QCOMPARE(QString::fromUtf8(probe.readAll()).trimmed(),
             QStringLiteral("640,360,13"));  // 12 ms at a twentieth
}

void MainWindowTest::cancelledMovieLeavesNothing() {
  open();
  runTo(6);
  QTemporaryDir folder;
  MovieExport* movie = m_window->startMovie(folder.filePath("movie.mp4"));
  QVERIFY(movie);
  QSignalSpy progress(movie, &MovieExport::progress);
  QTRY_VERIFY_WITH_TIMEOUT(progress.count() >= 1, kPatience);
  movie->cancel();
  QVERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
}

TS_GUI_TEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
