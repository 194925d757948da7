#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkXMLPolyDataReader.h>

#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QSignalSpy>
#include <QSlider>
#include <QStatusBar>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QtTest>

#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/panels/parameter_sheet.h"
#include "app/panels/step_inspector.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "core/math/count.h"
#include "core/record/mouse_spring.h"
#include "core/store/recording.h"
#include "tests/support/gltf.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"
#include "widgets/gallery/gallery.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_view.h"
#include "widgets/views/scene_view.h"

using namespace touchstone;

namespace {

constexpr int kPatience = 60000;  // ms; a limit for a hanging program, not a waiting time
const QString kScene = QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/resting-box.json");

/// Writes a picture of the window to the folder TS_SHOTS: tests are the fastest way to look at a state.
void shoot(MainWindow& window, const char* name) {
  const QByteArray folder = qgetenv("TS_SHOTS");
  if (!folder.isEmpty())
    window.saveScreenshot(QStringLiteral("%1/%2.png").arg(QString::fromUtf8(folder), QLatin1String(name)));
}

}  // namespace

class PerturbRecordReopenTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void cleanup() { m_window.reset(); }
  void controlDragPullsTheBodyInEveryPane();
  void aDragWithoutControlMovesTheCameraAndNothingElse();
  void controlDragPullsABodyThatDeformsWhereItIs();
  void pullingAStaticBodySaysWhyNot();
  void aRecordingOpensAgainToScrubPlotAndFork();
  void theHistoryIsWrittenForParaview();
  void aSessionBringsEverythingBack();
  void badSessionsAndRecordingsAreReported();
  void aPickedContactOpensItsStep_data();
  void aPickedContactOpensItsStep();
  void aMeshThatIsDroppedBecomesAScene();
  void aMeshOfSeveralFilesComesBackWithItsSession();
  void aPointInAPlotOpensTheStrongestContact();
  void presentationHidesDocksAndEscapeBringsThemBack();
  void theSheetNamesTheSourceOfEveryValue();
  void equalCostChangesSubsteps();
  void theStepsProblemIsSolvedAgain();
  void ghostDifferenceAndTrailsAreDrawn();

 private:
  void open(const QString& file, const QStringList& methods = {"dpf", "cpf", "lcp", "peg"});
  void runTo(long frame);
  QPoint centreOf(int pane, int body) const;
  Session* session() { return m_window->session(); }
  SceneView* view(int pane) const { return m_window->grid()->panes()[pane]->view(); }
  QString file(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
  void write(const char* name, const QByteArray& content) const {
    QFile out(file(name));
    QVERIFY(out.open(QIODevice::WriteOnly));
    QCOMPARE(out.write(content), qint64(content.size()));
  }

  std::unique_ptr<MainWindow> m_window;
  QTemporaryDir m_folder;
};

void PerturbRecordReopenTest::init() {
  m_window = std::make_unique<MainWindow>(WindowMemory::Forget);
  m_window->resize(1280, 720);
  m_window->show();
  QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
  QApplication::setActiveWindow(m_window.get());
}

void PerturbRecordReopenTest::open(const QString& file, const QStringList& methods) {
  QSignalSpy opened(session(), &Session::sceneChanged);
  m_window->open(file, methods);
  QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), kPatience);
}

void PerturbRecordReopenTest::runTo(long frame) {
  session()->setSpeed(0);
  QSignalSpy finished(session(), &Session::finished);
  session()->run(static_cast<double>(frame) * session()->dt());
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), frame, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
}

/// Position of a body's centre in the view, found by a search over pixels.
QPoint PerturbRecordReopenTest::centreOf(int pane, int body) const {
  QPoint sum;
  int count = 0;
  for (int x = 4; x < view(pane)->width(); x += 8)
    for (int y = 4; y < view(pane)->height(); y += 8)
      if (view(pane)->bodyAt(QPoint(x, y)) == body) {
        sum += QPoint(x, y);
        ++count;
      }
  return count ? sum / count : QPoint(-1, -1);
}

void PerturbRecordReopenTest::controlDragPullsTheBodyInEveryPane() {
  open(kScene);
  const int box = countOf(session()->scene()->bodies) - 1;
  const QPoint start = centreOf(0, box);
  QVERIFY(start.x() >= 0);
  const Vec3 eye = view(0)->cameraState().eye;
  QTest::mousePress(view(0), Qt::LeftButton, Qt::ControlModifier, start);
  QTest::mouseMove(view(0), start + QPoint(30, -40));
  runTo(60);
  shoot(*m_window, "pull");
  for (int pane = 0; pane < 4; ++pane) {
    const RecordPtr record = session()->shown(pane);
    QVERIFY(record->pull.has_value());
    QCOMPARE(record->pull->body, box);
    QVERIFY(record->pull->force > 0);
  }
  QTest::mouseRelease(view(0), Qt::LeftButton, Qt::ControlModifier, start + QPoint(30, -40));
  QVERIFY(view(0)->cameraState().eye == eye);
  runTo(70);
  QVERIFY(!session()->shown(0)->pull.has_value());
}

void PerturbRecordReopenTest::aDragWithoutControlMovesTheCameraAndNothingElse() {
  open(kScene);
  const Vec3 eye = view(0)->cameraState().eye;
  const QPoint start = view(0)->rect().center();
  QTest::mousePress(view(0), Qt::LeftButton, Qt::NoModifier, start);
  // QTest::mouseMove() presses no button.
  for (int step = 1; step <= 4; ++step) {
    QMouseEvent move(QEvent::MouseMove, start + QPoint(10 * step, 0), Qt::NoButton, Qt::LeftButton,
                     Qt::NoModifier);
    QApplication::sendEvent(view(0), &move);
  }
  QTest::mouseRelease(view(0), Qt::LeftButton, Qt::NoModifier, start + QPoint(40, 0));
  QVERIFY((view(0)->cameraState().eye - eye).norm() > 1e-3);
  QVERIFY((view(3)->cameraState().eye - view(0)->cameraState().eye).norm() < 1e-12);  // linked
  runTo(5);
  QVERIFY(!session()->shown(0)->pull.has_value());
}

/// At the point under the mouse, of the surface as it is then.
void PerturbRecordReopenTest::controlDragPullsABodyThatDeformsWhereItIs() {
  open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/soft-block.json"), {"cpf", "nsn"});
  const Scene& scene = *session()->scene();
  int block = 0;
  while (!scene.bodies[block].deformable) ++block;
  runTo(20);
  const QPoint start = centreOf(0, block);
  QVERIFY(start.x() >= 0);
  Vec3 point;
  QCOMPARE(view(0)->bodyAt(start, &point), block);
  const RecordPtr before = session()->shown(0);
  Spring held;
  held.body = block;
  held.surface = nearestOnSurface(scene, *before, block, point);
  QVERIFY((heldPoint(held, scene, *before) - point).norm() < 1e-4);  // the view has single precision
  QTest::mousePress(view(0), Qt::LeftButton, Qt::ControlModifier, start);
  QTest::mouseMove(view(0), start + QPoint(30, -60));
  runTo(60);
  shoot(*m_window, "pull-of-a-soft-body");
  for (int pane = 0; pane < 2; ++pane) {
    const RecordPtr record = session()->shown(pane);
    QVERIFY(record->pull.has_value());
    QCOMPARE(record->pull->body, block);
    QVERIFY(record->pull->force > 0);
    QVERIFY((record->pull->point - heldPoint(held, scene, *record)).norm() < 0.01);
  }
  QTest::mouseRelease(view(0), Qt::LeftButton, Qt::ControlModifier, start + QPoint(30, -60));
  runTo(70);
  QVERIFY(!session()->shown(0)->pull.has_value());
}

void PerturbRecordReopenTest::pullingAStaticBodySaysWhyNot() {
  open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/pour.json"), {"lcp"});
  int wall = -1;
  QPoint position;
  for (int x = 4; wall < 0 && x < view(0)->width(); x += 8) {
    const int body = view(0)->bodyAt(QPoint(x, view(0)->height() / 2));
    if (body < 0 || session()->scene()->bodies[body].motion != Motion::Static) continue;
    wall = body;
    position = QPoint(x, view(0)->height() / 2);
  }
  QVERIFY(wall >= 0);
  QSignalSpy noted(session(), &Session::noted);
  QTest::mousePress(view(0), Qt::LeftButton, Qt::ControlModifier, position);
  QTest::mouseRelease(view(0), Qt::LeftButton, Qt::ControlModifier, position);
  QVERIFY(!noted.empty() && noted.last().front().toString().contains(QStringLiteral("static")));
}

void PerturbRecordReopenTest::aRecordingOpensAgainToScrubPlotAndFork() {
  open(kScene, {"cpf", "peg"});
  runTo(20);
  QSignalSpy recording(session(), &Session::recordingChanged);
  session()->record(file("box.touchstone"));
  QTRY_COMPARE_WITH_TIMEOUT(recording.size(), 1, kPatience);
  runTo(50);
  shoot(*m_window, "recording");
  const unsigned long long hash = session()->histories()[1].at(33)->stateHash;
  session()->stopRecording();
  QTRY_COMPARE_WITH_TIMEOUT(recording.size(), 2, kPatience);

  open(file("box.touchstone"), {});
  QCOMPARE(session()->paneCount(), 2);
  QCOMPARE(session()->firstFrame(), 0L);
  QCOMPARE(session()->lastFrame(), 50L);
  QCOMPARE(session()->histories()[1].at(33)->stateHash, hash);
  session()->seek(33);
  session()->fork(1);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 33L, kPatience);
  runTo(60);
  QCOMPARE(session()->histories()[0].at(33)->stateHash, hash);
  QVERIFY(m_window->messages()->text().isEmpty());
}

void PerturbRecordReopenTest::theHistoryIsWrittenForParaview() {
  open(kScene, {"cpf", "lcp"});
  runTo(12);
  const QDir folder(file("paraview"));
  m_window->startParaview(folder.path());
  QTRY_VERIFY_WITH_TIMEOUT(folder.exists(QStringLiteral("2-lcp-auto-contacts.pvd")), kPatience);
  QFile series(folder.filePath(QStringLiteral("1-cpf-bodies.pvd")));
  QVERIFY(series.open(QIODevice::ReadOnly));
  QCOMPARE(series.readAll().count("<DataSet"), 13);
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName(qPrintable(folder.filePath(QStringLiteral("1-cpf-bodies/00000012.vtp"))));
  reader->Update();
  QCOMPARE(static_cast<int>(reader->GetOutput()->GetNumberOfPoints()),
           8);  // the box; the ground has no surface
  double bounds[6];
  reader->GetOutput()->GetBounds(bounds);
  const Vec3& centre = session()->histories()[0].at(12)->bodies.back().position;
  QVERIFY(std::abs(0.5 * (bounds[2] + bounds[3]) - centre.y()) < 1e-9);
}

void PerturbRecordReopenTest::aSessionBringsEverythingBack() {
  open(kScene, {"cpf", "lcp", "peg"});
  session()->editParameter(0, "stiffness", 12345.0);
  session()->editSubsteps(1, 3);
  m_window->grid()->setCamerasLinked(false);
  CameraState camera;
  camera.eye = Vec3(1, 2, 3);
  m_window->grid()->setCamera(1, camera);
  ViewSettings settings;
  settings.wireframe = settings.ghost = true;
  settings.bodyColour = BodyColour::Difference;
  settings.deformation = DeformationColour::Pressure;
  settings.section = Section::Y;
  settings.sectionOffset = -0.3;
  m_window->grid()->setViewSettings(settings);
  session()->editReference(2);
  m_window->plots()->setKeys({"jitter", "traps"});
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(1).settings.substeps, 3, kPatience);
  QVERIFY(m_window->saveSession(file("all.session.json")));

  cleanup();
  init();
  m_window->open(file("all.session.json"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 3, kPatience);
  QCOMPARE(std::get<double>(session()->pane(0).values.at("stiffness")), 12345.0);
  QCOMPARE(session()->pane(1).settings.substeps, 3);
  QVERIFY(!m_window->grid()->camerasLinked());
  QVERIFY((m_window->grid()->camera(1).eye - camera.eye).norm() < 1e-12);
  QVERIFY(m_window->grid()->viewSettings().wireframe && m_window->grid()->viewSettings().ghost);
  QVERIFY(m_window->grid()->viewSettings().bodyColour == BodyColour::Difference);
  QVERIFY(m_window->grid()->viewSettings().deformation == DeformationColour::Pressure);
  QVERIFY(m_window->grid()->viewSettings().section == Section::Y);
  QCOMPARE(m_window->grid()->viewSettings().sectionOffset, -0.3);
  QCOMPARE(session()->referencePane(), 2);
  QCOMPARE(m_window->plots()->keys().mid(0, 2), QStringList({"jitter", "traps"}));
  runTo(5);
}

void PerturbRecordReopenTest::badSessionsAndRecordingsAreReported() {
  open(kScene, {"cpf"});
  const std::pair<const char*, QByteArray> files[] = {
      {"broken.session.json", "{\"touchstone_session\": 1, \"source\": 5}"},
      {"gone.session.json", "{\"touchstone_session\": 1, \"source\": \"nowhere.json\"}"},
      {"command.session.json",
       "{\"touchstone_session\": 1, \"source\": \"nowhere.json\", \"comparison\": {\"do\": \"dance\"}}"},
      {"cut.touchstone", QByteArray("SQLite format 3\0 and then nothing", 34)}};
  for (const auto& [name, content] : files) {
    write(name, content);
    m_window->messages()->clear();
    m_window->open(file(name));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->messages()->text().contains(QLatin1String(name)), kPatience);
  }
  QCOMPARE(session()->paneCount(), 1);  // the open scene stays
  runTo(5);
}

void PerturbRecordReopenTest::aPickedContactOpensItsStep_data() {
  QTest::addColumn<int>("pane");
  QTest::addColumn<QString>("says");
  QTest::newRow("dpf") << 0 << QStringLiteral("h k");
  QTest::newRow("cpf") << 1 << QStringLiteral("Penetrates (CCD)");
  QTest::newRow("lcp") << 2 << QStringLiteral("multiplier z");
  QTest::newRow("peg") << 3 << QStringLiteral("multiplier z");
}
void PerturbRecordReopenTest::aPickedContactOpensItsStep() {
  QFETCH(int, pane);
  QFETCH(QString, says);
  open(kScene);
  runTo(180);
  long frame = -1;
  int contact = -1;
  const auto impact = [&](const StepRecord& record) {
    for (std::size_t index = 0; index < record.contacts.size(); ++index)
      if (record.contacts[index].normalImpulse > 0) return static_cast<int>(index);
    return -1;
  };
  for (const RecordPtr& record : session()->histories()[pane].frames())
    if (frame < 0 && (contact = impact(*record)) >= 0) frame = record->frame;
  QVERIFY(frame > 0);
  session()->selectPane(pane);
  session()->seek(frame);
  // Position of the contact on the screen, searched through the view's own picking.
  QPoint position(-1, -1);
  for (int x = 0; position.x() < 0 && x < view(pane)->width(); x += 3)
    for (int y = 0; y < view(pane)->height(); y += 3)
      if (view(pane)->contactAt(QPoint(x, y)) == contact) position = QPoint(x, y);
  QVERIFY(position.x() >= 0);
  QTest::mouseClick(view(pane), Qt::LeftButton, {}, position);
  StepInspector* inspector = m_window->stepInspector();
  QTRY_VERIFY_WITH_TIMEOUT(inspector->isVisible(), kPatience);
  QTRY_VERIFY2_WITH_TIMEOUT(inspector->shownText().contains(says), qPrintable(inspector->shownText()),
                            kPatience);
  QCOMPARE(inspector->gapPlot()->curves().size(), std::size_t(2));
  const QImage before = view(3 - pane)->renderToImage(QSize(400, 300));
  inspector->slider()->setValue(0);  // the features move in the other panes too
  QVERIFY(view(3 - pane)->renderToImage(QSize(400, 300)) != before);
  shoot(*m_window, qPrintable(QStringLiteral("step-%1").arg(pane)));
  inspector->slider()->setValue(200);
}

void PerturbRecordReopenTest::aMeshThatIsDroppedBecomesAScene() {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(QStringLiteral(TS_SOURCE_DIR "/datasets/meshes/torus/torus.obj"))});
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(m_window.get(), &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(m_window.get(), &drop);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 2, kPatience);
  QCOMPARE(session()->scene()->bodies.size(), std::size_t(4));
  runTo(120);
  for (int pane = 0; pane < 2; ++pane) {
    QVERIFY(session()->shown(pane)->status != StepStatus::Diverged);
    QVERIFY(session()->shown(pane)->bodies[1].position.y() > 0);
  }
  shoot(*m_window, "mesh");
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  m_window->open(file("open.obj"));
  QTRY_VERIFY_WITH_TIMEOUT(m_window->messages()->text().contains(QStringLiteral("not closed")), kPatience);
}

void PerturbRecordReopenTest::aMeshOfSeveralFilesComesBackWithItsSession() {
  const std::pair<const char*, QByteArray> files[] = {
      {"piece.gltf", test::tetrahedronGltf("parts/piece.bin")},
      {"parts/piece.bin", test::tetrahedronBuffer()}};
  QVERIFY(QDir(m_folder.path()).mkpath("parts") && QFile::link(m_folder.path(), file("link")));
  for (const auto& [name, content] : files) write(name, content);
  open(file("link/piece.gltf"), {});
  for (const auto& [name, content] : files) QVERIFY(QFile::exists(file(name)));
  QCOMPARE(session()->scene()->bodies.size(), std::size_t(4));
  QVERIFY(m_window->windowTitle().startsWith("piece"));
  QVERIFY(m_window->saveSession(file("mesh.session.json")));

  cleanup();  // removes the scene that was made from the mesh
  init();
  open(file("mesh.session.json"), {});
  QCOMPARE(m_window->messages()->text(), QString());
  QCOMPARE(session()->scene()->bodies.size(), std::size_t(4));
  QVERIFY(m_window->windowTitle().startsWith("mesh.session.json"));
  QVERIFY(m_window->statusBar()->toolTip().endsWith("Opened mesh.session.json"));
}

void PerturbRecordReopenTest::aPointInAPlotOpensTheStrongestContact() {
  open(kScene, {"cpf", "peg"});
  runTo(300);
  PlotTile* tile = m_window->plots()->tiles()[0];  // normal force
  m_window->plots()->refreshNow();
  PlotView* plot = tile->view();
  // The highest point of PEG's curve.
  const Curve& curve = plot->curves()[1];
  const auto peak = std::max_element(curve.y.begin(), curve.y.end(),
                                     [](double a, double b) { return a < b || std::isnan(a); });
  const double time = curve.x[peak - curve.y.begin()];
  QSignalSpy picked(m_window->plots(), &PlotPanel::pointPicked);
  for (int x = 0; picked.empty() && x < plot->width(); ++x)
    for (int y = 10; picked.empty() && y < plot->height() / 2; y += 4) tile->pick(QPoint(x, y));
  QVERIFY(!picked.empty());
  const int pane = picked.last().first().toInt();
  QCOMPARE(session()->selectedPane(), pane);
  QVERIFY(std::abs(session()->timeAt(session()->cursor()) - time) < 0.5);
  QVERIFY(!session()->isLive());
  for (QDockWidget* dock : m_window->findChildren<QDockWidget*>())
    if (dock->objectName() == QLatin1String("step")) m_window->raise(dock);
  QCoreApplication::processEvents();
  if (!session()->shown(pane)->contacts.empty())
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->stepInspector()->shownText().isEmpty(), kPatience);
}

void PerturbRecordReopenTest::presentationHidesDocksAndEscapeBringsThemBack() {
  open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/pour.json"));
  runTo(200);
  const double size = QApplication::font().pointSizeF();
  const bool plots = m_window->plots()->isVisible();
  QTest::keyClick(m_window.get(), Qt::Key_F5);
  QVERIFY(m_window->isPresenting());
  QVERIFY(!m_window->plots()->isVisible() && !m_window->gallery()->isVisible());
  QVERIFY(QApplication::font().pointSizeF() > 1.3 * size);
  QCoreApplication::processEvents();
  // The panes fill the window but for the lines of lesson, transport and status.
  QCOMPARE(m_window->grid()->width(), m_window->width());
  QVERIFY(m_window->grid()->height() > 0.75 * m_window->height());
  shoot(*m_window, "presentation");
  QTest::keyClick(m_window.get(), Qt::Key_2);  // keys work without the menu bar
  QCOMPARE(m_window->grid()->enlarged(), 1);
  QTest::keyClick(m_window.get(), Qt::Key_Escape);
  QTest::keyClick(m_window.get(), Qt::Key_Escape);
  QVERIFY(!m_window->isPresenting());
  for (const QLabel* label : m_window->statusBar()->findChildren<QLabel*>())
    QVERIFY2(!label->text().contains("Esc"), "the keys of a mode that has ended");
  QCOMPARE(m_window->plots()->isVisible(), plots);
  QCOMPARE(QApplication::font().pointSizeF(), size);
}

void PerturbRecordReopenTest::theSheetNamesTheSourceOfEveryValue() {
  open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/pour.json"));
  session()->editParameter(1, "damping", 7.0);
  QTRY_VERIFY_WITH_TIMEOUT(session()->pane(1).settings.parameters.count("damping"), kPatience);
  ParameterSheet sheet(session());
  const QString csv = sheet.csv();
  const auto row = [&csv](const char* name) {
    for (const QString& line : csv.split(QLatin1Char('\n')))
      if (line.startsWith(QLatin1String(name) + QLatin1Char(','))) return line;
    return QString();
  };
  QVERIFY(row("damping").contains(QStringLiteral("7 N·s/m,user")));
  QVERIFY(row("stiffness").contains(QStringLiteral("20000 N/m,scene")));
  QVERIFY(row("friction_weighting").contains(QStringLiteral("our default")));
  QVERIFY(row("normal").contains(QStringLiteral("closed,\"Tang 2012")) ||
          row("normal").contains(QStringLiteral("Tang 2012")));
  QVERIFY(!csv.contains(QStringLiteral(",,,,,,,")));
  QPalette night;
  night.setColor(QPalette::Window, QColor(0x2B, 0x2D, 0x30));
  sheet.setPalette(night);  // values of the scene (row "step") stay legible
  QCOMPARE(sheet.table()->item(0, 0)->foreground().color(), themeColours(true).cool);
  sheet.setPalette(QPalette());
  QCOMPARE(sheet.table()->item(0, 0)->foreground().color(), themeColours(false).cool);
  sheet.show();
  const QByteArray folder = qgetenv("TS_SHOTS");
  if (!folder.isEmpty()) sheet.grab().save(QString::fromUtf8(folder) + QStringLiteral("/sheet.png"));
}

void PerturbRecordReopenTest::equalCostChangesSubsteps() {
  open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/pour.json"), {"cpf", "lcp"});
  session()->setSpeed(0);
  session()->run();
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > 60, kPatience);
  session()->setEqualCost(true);
  const int slow = session()->costPane(), fast = 1 - slow;
  QTRY_VERIFY_WITH_TIMEOUT(session()->pane(fast).settings.substeps > 1, kPatience);
  session()->pause();
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  session()->setEqualCost(false);
  QVERIFY(!session()->isEqualCost());
}

void PerturbRecordReopenTest::theStepsProblemIsSolvedAgain() {
  open(kScene, {"peg", "cpf"});
  runTo(300);
  long frame = -1;
  for (const RecordPtr& record : session()->histories()[0].frames())
    if (record->iterations.size() > 1) frame = record->frame;
  QVERIFY(frame > 0);
  session()->seek(frame);
  session()->resolve(0, "lemke");
  QTRY_COMPARE_WITH_TIMEOUT(session()->resolvedAtCursor().size(), std::size_t(1), kPatience);
  QVERIFY(session()->resolvedAtCursor()[0].result.status == SolveStatus::Solved);
  m_window->plots()->refreshNow();
  const PlotTile* convergence = m_window->plots()->tiles().back();
  QCOMPARE(convergence->view()->curves().size(), std::size_t(2));
  QVERIFY(convergence->view()->curves()[1].label.contains(QStringLiteral("lemke")));
  session()->exportProblem(0, file("problem.json"));
  QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(file("problem.json")), kPatience);
  shoot(*m_window, "resolved");
}

void PerturbRecordReopenTest::ghostDifferenceAndTrailsAreDrawn() {
  open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/pour.json"));
  runTo(300);
  const auto picture = [this] { return view(0)->renderToImage(view(0)->size()); };
  ViewSettings settings = m_window->grid()->viewSettings();
  session()->editReference(3);
  const QImage plain = picture();
  settings.ghost = true;
  m_window->grid()->setViewSettings(settings);
  const QImage ghost = picture();
  QVERIFY(ghost != plain);
  settings.trails = true;
  m_window->grid()->setViewSettings(settings);
  const QImage trails = picture();
  QVERIFY(trails != ghost);
  settings.bodyColour = BodyColour::Difference;
  m_window->grid()->setViewSettings(settings);
  QVERIFY(picture() != trails);
  shoot(*m_window, "ghost");
}

TS_GUI_TEST_MAIN(PerturbRecordReopenTest)
#include "tst_perturb_record_reopen.moc"
