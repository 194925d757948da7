#include <QDragEnterEvent>
#include <QFile>
#include <QMimeData>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "app/panels/message_bar.h"
#include "app/panels/parameter_panel.h"
#include "core/engine/trajectory_engine.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"
#include "widgets/parameters/parameter_form.h"

using namespace touchstone;

/// Trajectory files in the window: added, dropped, played, refused, recorded.
class TrajectoryPaneTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    addTrajectoryEngine();
  }
  void init() { m_driver.show(); }
  void cleanup() { m_driver.window.reset(); }
  void aFileThatIsDroppedBecomesAPane();
  void itsParametersAreGreyedAndItIsNotPulled();
  void forkGivesItsStateToTheMethods();
  void aBadFileIsReportedAndNothingIsLost_data();
  void aBadFileIsReportedAndNothingIsLost();
  void aRecordingShowsItsFramesWhereTheFileIsGone();
  void twoRecordingsStandUnderOneCursor();
  void aBrokenRecordingIsReportedAndNothingIsLost();

 private:
  QString write(const char* name, int samples, const QByteArray& body = "box") const;
  void drop(const QString& path) const;
  Session* session() const { return m_driver.session(); }
  QString told() const { return m_driver.window->messages()->text(); }

  test::WindowDriver m_driver;
  QTemporaryDir m_folder;
};

/// The box of resting-box rises with 0.5 m/s from where the scene has it, without turning.
QString TrajectoryPaneTest::write(const char* name, int samples, const QByteArray& body) const {
  const QString path = m_folder.filePath(QLatin1String(name));
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  const double length = std::sqrt(1 + 0.3 * 0.3 + 0.6 * 0.6), half = 12 * M_PI / 180;
  const double q[] = {std::cos(half), std::sin(half) / length, 0.3 * std::sin(half) / length,
                      0.6 * std::sin(half) / length};
  file.write("# touchstone_trajectory: 1\ntime,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
  for (int sample = 0; sample < samples; ++sample) {
    const double time = 0.01 * sample;
    file.write(QByteArray::number(time, 'g', 17) + "," + body + ",0," +
               QByteArray::number(0.24 + 0.5 * time, 'g', 17) + ",0");
    for (const double each : q) file.write("," + QByteArray::number(each, 'g', 17));
    file.write(",0,0.5,0,0,0,0\n");
  }
  return path;
}

void TrajectoryPaneTest::drop(const QString& path) const {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(path)});
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(m_driver.window.get(), &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(m_driver.window.get(), &drop);
}

void TrajectoryPaneTest::aFileThatIsDroppedBecomesAPane() {
  m_driver.open(QStringLiteral("resting-box"), {"cpf"});
  drop(write("rising.csv", 61));
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 2, test::kPatience);
  QCOMPARE(told(), QString());
  QVERIFY2(session()->paneLabel(1).contains(QStringLiteral("rising")), qPrintable(session()->paneLabel(1)));
  m_driver.runTo(40);
  const double time = session()->shown(1)->time;
  QVERIFY(std::abs(session()->shown(1)->bodies[1].position.y() - (0.24 + 0.5 * time)) < 1e-12);
  QVERIFY(std::isnan(session()->shown(1)->quantities[Quantity::NormalForce]));
  const QByteArray shots = qgetenv("TS_SHOTS");
  if (!shots.isEmpty())
    m_driver.window->saveScreenshot(QString::fromUtf8(shots) + QStringLiteral("/trajectory.png"));
  m_driver.scrubTo(10);
  QTRY_COMPARE_WITH_TIMEOUT(session()->shown(1)->frame, 10L, test::kPatience);
  QVERIFY(std::abs(session()->shown(1)->bodies[1].position.y() - (0.24 + 0.5 * session()->shown(1)->time)) <
          1e-12);
}

void TrajectoryPaneTest::itsParametersAreGreyedAndItIsNotPulled() {
  m_driver.open(QStringLiteral("resting-box"), {"cpf"});
  m_driver.window->addTrajectory(write("rising.csv", 61));
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 2, test::kPatience);
  int greyed = 0;
  for (ParameterForm* form : m_driver.window->parameters()->findChildren<ParameterForm*>())
    if (form->editor(kTrajectoryFile)) {
      ++greyed;
      QVERIFY(!form->editor(kTrajectoryFile)->isEnabled());
    }
  QCOMPARE(greyed, 1);
  QSignalSpy noted(session(), &Session::noted);
  Q_EMIT m_driver.view(1)->pullStarted(1, QPoint(10, 10));
  QVERIFY(!noted.empty());
  QVERIFY(noted.last().first().toString().contains(QStringLiteral("cannot be perturbed")));
}

void TrajectoryPaneTest::forkGivesItsStateToTheMethods() {
  m_driver.open(QStringLiteral("resting-box"), {"cpf"});
  m_driver.window->addTrajectory(write("rising.csv", 61));
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 2, test::kPatience);
  m_driver.runTo(40);
  m_driver.scrubTo(20);
  session()->fork(1);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 20L, test::kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(session()->shown(0) && session()->shown(0)->bodies[1].position.y() > 0.25,
                           test::kPatience);
  QVERIFY(session()->shown(0)->bodies[1].position == session()->shown(1)->bodies[1].position);
}

void TrajectoryPaneTest::aBadFileIsReportedAndNothingIsLost_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("problem");
  QTest::newRow("unknown body") << write("other.csv", 3, "bok") << "other.csv:3:";
  QTest::newRow("no file") << m_folder.filePath("missing.csv") << "missing.csv";
}
void TrajectoryPaneTest::aBadFileIsReportedAndNothingIsLost() {
  QFETCH(QString, file);
  QFETCH(QString, problem);
  m_driver.open(QStringLiteral("resting-box"), {"cpf", "dpf"});
  m_driver.runTo(10);
  drop(file);
  QTRY_VERIFY2_WITH_TIMEOUT(told().contains(problem), qPrintable(told()), test::kPatience);
  QCOMPARE(session()->paneCount(), 2);
  QCOMPARE(session()->lastFrame(), 10L);
}

void TrajectoryPaneTest::aRecordingShowsItsFramesWhereTheFileIsGone() {
  const QString csv = write("gone.csv", 61), recording = m_folder.filePath("gone.touchstone");
  m_driver.open(QStringLiteral("resting-box"), {"cpf"});
  m_driver.window->addTrajectory(csv);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 2, test::kPatience);
  session()->record(recording);
  m_driver.runTo(20);
  session()->stopRecording();
  cleanup();
  QVERIFY(QFile::remove(csv));
  init();
  QSignalSpy opened(session(), &Session::sceneChanged);
  m_driver.window->open(recording);
  QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), test::kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(told().contains(QStringLiteral("gone.csv")), test::kPatience);
  QCOMPARE(session()->lastFrame(), 20L);
  m_driver.scrubTo(10);
  QTRY_COMPARE_WITH_TIMEOUT(session()->shown(1)->frame, 10L, test::kPatience);
  QVERIFY(std::abs(session()->shown(1)->bodies[1].position.y() - (0.24 + 0.5 * session()->shown(1)->time)) <
          1e-12);
}

void TrajectoryPaneTest::twoRecordingsStandUnderOneCursor() {
  const auto record = [this](const QStringList& methods, const char* name) {
    const QString file = m_folder.filePath(QLatin1String(name));
    m_driver.open(QStringLiteral("resting-box"), methods);
    session()->record(file);
    m_driver.runTo(40);
    session()->stopRecording();
    QTRY_VERIFY_WITH_TIMEOUT(session()->recordingFile().isEmpty(), test::kPatience);
  };
  record({"cpf", "dpf"}, "first.touchstone");
  std::vector<std::vector<RecordPtr>> frames;
  for (int pane = 0; pane < 2; ++pane) frames.push_back(test::framesOf(*session(), pane));
  record({"lcp"}, "second.touchstone");
  cleanup();
  init();
  QSignalSpy opened(session(), &Session::sceneChanged);
  m_driver.window->open(m_folder.filePath(QStringLiteral("second.touchstone")));
  QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), test::kPatience);
  m_driver.window->addRecording(m_folder.filePath(QStringLiteral("first.touchstone")));
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 3, test::kPatience);
  QCOMPARE(told(), QString());
  QVERIFY(session()->paneLabel(1).contains(QStringLiteral("first")));
  for (const long frame : {3L, 40L, 0L, 17L}) {
    m_driver.scrubTo(frame);
    for (int pane = 1; pane < 3; ++pane) {
      QTRY_VERIFY_WITH_TIMEOUT(session()->shown(pane) && session()->shown(pane)->frame == frame,
                               test::kPatience);
      const BodyState& shown = session()->shown(pane)->bodies[1];
      const BodyState& recorded = frames[static_cast<std::size_t>(pane) - 1][frame]->bodies[1];
      QVERIFY((shown.position - recorded.position).norm() < 1e-12);
    }
    QCOMPARE(session()->shown(0)->frame, frame);
  }
}

void TrajectoryPaneTest::aBrokenRecordingIsReportedAndNothingIsLost() {
  m_driver.open(QStringLiteral("resting-box"), {"cpf"});
  m_driver.runTo(5);
  const QString file = m_folder.filePath(QStringLiteral("broken.touchstone"));
  QFile broken(file);
  QVERIFY(broken.open(QIODevice::WriteOnly));
  broken.write("no recording");
  broken.close();
  m_driver.window->addRecording(file);
  QTRY_VERIFY_WITH_TIMEOUT(told().contains(QStringLiteral("broken.touchstone")), test::kPatience);
  QCOMPARE(session()->paneCount(), 1);
  QCOMPARE(session()->lastFrame(), 5L);
}

TS_GUI_TEST_MAIN(TrajectoryPaneTest)
#include "tst_trajectory_pane.moc"
