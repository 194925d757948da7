#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFontInfo>
#include <QListWidget>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QtTest>
#include <cmath>

#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "app/window/session_file.h"
#include "core/contact/method_info.h"
#include "core/math/count.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "tests/support/projected.h"
#include "tests/support/window_fit.h"
#include "widgets/gallery/gallery.h"
#include "widgets/plots/plot_view.h"
#include "widgets/views/camera_fit.h"
#include "widgets/views/legend_strip.h"

using namespace touchstone;

namespace {

constexpr int kPatience = 120000;  // ms; a limit for a hanging program, not a waiting time
const QString kScenes = QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/");
const QString kBattery = QStringLiteral(TS_SOURCE_DIR "/datasets/battery/scenes/");

/// The last is 3840 × 2160 at scale 2, in logical pixels.
const std::vector<QSize> kSizes = {{1280, 720}, {1600, 1000}, {1920, 1080}};

/// Six panes of methods that can run the scene, those with the longest names of solvers first.
QStringList sixMethods(const std::string& file) {
  const std::shared_ptr<const Scene> scene = loadScene(file);
  QStringList names;
  for (const MethodInfo& method : methodTable()) {
    if (!refusalOf(method, *scene).empty() || method.key == "trajectory") continue;
    std::string longest;
    for (const std::string& solver : method.solvers)
      if (solver.size() > longest.size() && solver != "lemke") longest = solver;
    names << QString::fromStdString(longest.empty() ? method.key : method.key + "-" + longest);
  }
  for (int next = 0; !names.isEmpty() && names.size() < 6; ++next) names << names[next];
  return names.mid(0, 6);
}

/// A record whose header texts are as long as any.
StepRecord longestRecord() {
  StepRecord record;
  record.status = StepStatus::NotConverged;
  record.statusText = "the solver stopped before its tolerance after 100000 iterations";
  record.warnings = {"a warning"};
  record.solver = "auto";
  record.deliveredBy = "newton-min-gauss-seidel";
  record.quantities[Quantity::TimeStep] = 88888.8;
  record.substeps = 1000;
  record.backend = "cuda";
  record.contacts.resize(88888);
  return record;
}

void addScenes() {
  QTest::addColumn<QString>("file");
  for (const QString& folder : {kScenes, kBattery})
    for (const QString& file : QDir(folder).entryList({"*.json"}))
      if (file != QLatin1String("humanoids-400.json"))  // 5200 drives in the dock take minutes
        QTest::newRow(qPrintable(file)) << folder + file;
}

}  // namespace

class LayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cleanup();
  void everySceneFitsEverySize_data();
  void everySceneFitsEverySize();
  void itFitsAtScaleTwo();
  void framingFillsTheFrameWithWhatMoves_data();
  void framingFillsTheFrameWithWhatMoves();
  void framingLeavesOutWhatWasThrownAway();
  void uprightTakesTheRollAndSceneViewTheRest();
  void keysArrangeTheDocks();
  void aLessonHasEightLinesBesideAPlot_data();
  void aLessonHasEightLinesBesideAPlot();
  void sessionsKeepTheArrangement();
  void legendIsOneStripBelowAllPanes();
  void cellsOfARowFillIt_data();
  void cellsOfARowFillIt();

 private:
  void show(const QSize& size);
  void open(const QString& file, const QStringList& methods = {});
  void checkFit(const QSize& size, const QString& what) { test::checkFit(*m_window, size, what); }
  Session* session() { return m_window->session(); }
  PaneGrid& grid() { return *m_window->grid(); }
  std::unique_ptr<MainWindow> m_window;
};

void LayoutTest::cleanup() {
  m_window.reset();
  applyTheme(Preferences::Theme::System);
}

// A window that is not on the screen has the same layout, and no view draws.
void LayoutTest::show(const QSize& size) {
  m_window = std::make_unique<MainWindow>(WindowMemory::Forget);
  m_window->setAttribute(Qt::WA_DontShowOnScreen);
  m_window->move(0, 0);
  m_window->resize(size);
  m_window->show();
  QApplication::setActiveWindow(m_window.get());  // keys go there
}

void LayoutTest::open(const QString& file, const QStringList& methods) {
  const auto before = session()->scene();
  const auto isThere = [&] { return session()->scene() && session()->scene() != before; };
  QSignalSpy refused(session(), &Session::failed);
  m_window->open(file, methods);
  QTRY_VERIFY_WITH_TIMEOUT(isThere() || !refused.isEmpty(), kPatience);
  if (!isThere()) {  // what a solver or an engine refuses is known at its first step
    QStringList others;
    const std::vector<std::string> suggested = loadScene(file.toStdString())->methods;
    for (int next = 0; next < methods.size(); ++next)
      others << QString::fromStdString(suggested[static_cast<std::size_t>(next) % suggested.size()]);
    m_window->open(file, others);
    QTRY_VERIFY_WITH_TIMEOUT(isThere(), kPatience);
  }
  if (!methods.isEmpty()) QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), methods.size(), kPatience);
}

void LayoutTest::everySceneFitsEverySize_data() { addScenes(); }

void LayoutTest::everySceneFitsEverySize() {
  QFETCH(QString, file);
  show(kSizes[0]);
  const QStringList methods = sixMethods(file.toStdString());
  QVERIFY(methods.size() == 6);
  open(file, methods);
  const StepRecord record = longestRecord();
  for (int panes = 6; panes >= 1; --panes) {
    if (session()->paneCount() > panes) session()->removePane(panes);
    QTRY_COMPARE_WITH_TIMEOUT(countOf(grid().panes()), panes, kPatience);
    for (Preferences::Theme theme : {Preferences::Theme::Light, Preferences::Theme::Dark}) {
      if (theme == Preferences::Theme::Dark && panes < 6)
        continue;  // colours move nothing; once a scene is enough
      applyTheme(theme);
      for (PaneWidget* pane : grid().panes()) pane->showHeader(&record);
      for (const QSize& size : kSizes) {
        checkFit(size, QStringLiteral("%1 panes at %2").arg(panes).arg(size.width()));
        if (QTest::currentTestFailed()) return;
      }
    }
  }
}

/// The same program again, since the scale of a display is fixed when it starts.
void LayoutTest::itFitsAtScaleTwo() {
  if (qEnvironmentVariableIsSet("QT_SCALE_FACTOR")) QSKIP("this is that program");
  QProcess again;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QStringLiteral("2"));
  again.setProcessEnvironment(environment);
  QStringList slots;
  for (const char* scene : {"thin-plate", "humanoid", "isotropy"})
    slots << QStringLiteral("everySceneFitsEverySize:%1.json").arg(QLatin1String(scene));
  again.start(QCoreApplication::applicationFilePath(), slots);
  QVERIFY(again.waitForFinished(2 * kPatience));
  QVERIFY2(again.exitCode() == 0, again.readAllStandardOutput().right(1500).constData());
}

void LayoutTest::framingFillsTheFrameWithWhatMoves_data() { addScenes(); }

namespace {

/// Vertices of the dynamic bodies at the start; of all of them where none takes part yet.
std::vector<Vec3> dynamicVertices(const Scene& scene) {
  std::vector<Vec3> points;
  for (bool released : {true, false}) {
    for (int body = 0; body < countOf(scene.bodies); ++body) {
      const Body& description = scene.bodies[body];
      if (description.motion != Motion::Dynamic || (released && description.releaseTime > 0)) continue;
      for (int surface = 0; surface < countOf(description.shape->surfaces); ++surface)
        for (const Vec3& vertex : placedSurface(scene, StepRecord(), body, surface)) points.push_back(vertex);
    }
    if (!points.empty()) return points;
  }
  return points;
}

}  // namespace

void LayoutTest::framingFillsTheFrameWithWhatMoves() {
  QFETCH(QString, file);
  show(kSizes[0]);
  open(file, sixMethods(file.toStdString()).mid(0, 2));
  QTest::keyClick(m_window.get(), Qt::Key_F);
  const test::Projected box = test::projected(grid().camera(0), dynamicVertices(*session()->scene()));
  QVERIFY2(box.isInside(), "inside the frame");
  QVERIFY2(box.share() >= 0.4, qPrintable(QString::number(box.share())));
  QCOMPARE((grid().camera(1).eye - grid().camera(0).eye).norm(), 0.0);
}

void LayoutTest::framingLeavesOutWhatWasThrownAway() {
  const auto scene = loadScene((kScenes + QStringLiteral("pour.json")).toStdString());
  auto record = std::make_shared<StepRecord>();
  for (int body = 0; body < countOf(scene->bodies); ++body)
    record->bodies.push_back(stateIn(*scene, StepRecord(), body));
  for (BodyState& state : record->bodies) state.active = true;
  const std::vector<Vec3> before = movingPoints(*scene, {record});
  int thrown = -1;
  for (int body = 0; body < countOf(scene->bodies); ++body)
    if (scene->bodies[body].motion == Motion::Dynamic) thrown = body;
  record->bodies[thrown].position.y() += 100 * scene->size;
  const std::vector<Vec3> after = movingPoints(*scene, {record});
  QVERIFY(after.size() < before.size());
  for (const Vec3& point : after) QVERIFY(point.y() < 50 * scene->size);
}

void LayoutTest::uprightTakesTheRollAndSceneViewTheRest() {
  show(kSizes[0]);
  open(kScenes + QStringLiteral("resting-box.json"), {"dpf", "cpf"});
  CameraState camera = grid().camera(0);
  const Vec3 eye = camera.eye;
  camera.up = Vec3(0.6, 0.8, 0);
  for (int pane : {0, 1}) grid().setCamera(pane, camera);
  QTest::keyClick(m_window.get(), Qt::Key_U);
  for (int pane : {0, 1}) {
    QVERIFY((grid().camera(pane).up - Vec3(0, 1, 0)).norm() < 1e-12);
    QVERIFY((grid().camera(pane).eye - eye).norm() < 1e-12);
  }
  camera.eye += Vec3(1, 2, 3);
  grid().setCamera(0, camera);
  QTest::keyClick(m_window.get(), Qt::Key_V);
  for (int pane : {0, 1}) {
    QVERIFY((grid().camera(pane).eye - session()->scene()->view.eye).norm() < 1e-12);
    QVERIFY((grid().camera(pane).target - session()->scene()->view.target).norm() < 1e-12);
  }
}

void LayoutTest::keysArrangeTheDocks() {
  show(kSizes[0]);
  open(kScenes + QStringLiteral("thin-plate.json"));
  const auto isShown = [this](const char* name) {
    const auto* dock = m_window->findChild<QDockWidget*>(QLatin1String(name));
    return dock && dock->isVisible();
  };
  struct Expected {
    Qt::Key key;
    Arrangement arrangement;
    bool parameters, scenes, onePlot;
  };
  for (const Expected& expected : {Expected{Qt::Key_F7, Arrangement::Compare, false, false, true},
                                   Expected{Qt::Key_F8, Arrangement::Lecture, false, true, true},
                                   Expected{Qt::Key_F9, Arrangement::Figure, false, false, false},
                                   Expected{Qt::Key_F6, Arrangement::Explore, true, true, false}}) {
    QTest::keyClick(m_window.get(), expected.key);
    QVERIFY(m_window->arrangement() == expected.arrangement);
    QVERIFY(isShown("plots"));
    QCOMPARE(isShown("parameters"), expected.parameters);
    QCOMPARE(isShown("scenes"), expected.scenes);
    QCOMPARE(m_window->plots()->enlarged() >= 0, expected.onePlot);
    for (const QSize& size : kSizes) checkFit(size, toString(expected.arrangement));
    checkFit(kSizes[0], toString(expected.arrangement));
    QVERIFY2(grid().width() >= 0.48 * m_window->width(), "the panes have the larger part");
  }
}

void LayoutTest::aLessonHasEightLinesBesideAPlot_data() {
  QTest::addColumn<int>("key");
  QTest::newRow("lecture") << static_cast<int>(Qt::Key_F8);
  QTest::newRow("explore") << static_cast<int>(Qt::Key_F6);
}

void LayoutTest::aLessonHasEightLinesBesideAPlot() {
  QFETCH(int, key);
  show(kSizes[0]);
  open(kScenes + QStringLiteral("thin-plate.json"));
  QTest::keyClick(m_window.get(), static_cast<Qt::Key>(key));
  m_window->raise(m_window->findChild<QDockWidget*>(QStringLiteral("scenes")));
  QCoreApplication::sendPostedEvents();
  const QTextBrowser* lesson = m_window->gallery()->lesson();
  QVERIFY(lesson->isVisible());
  QCOMPARE(m_window->gallery()->list()->isVisible(), key == Qt::Key_F6);
  const double lines =
      static_cast<double>(lesson->viewport()->height()) / lesson->fontMetrics().lineSpacing();
  QVERIFY2(lines >= 8, qPrintable(QString::number(lines)));
  int plots = 0;
  for (const PlotTile* tile : m_window->plots()->tiles())
    plots += tile->isVisible() && !tile->visibleRegion().isEmpty() &&
             tile->view()->visibleRegion().boundingRect().height() >= tile->view()->minimumHeight();
  QVERIFY2(plots >= 1, "one plot is whole");
}

void LayoutTest::sessionsKeepTheArrangement() {
  QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("a.session.json"));
  show(kSizes[0]);
  open(kScenes + QStringLiteral("thin-plate.json"));
  QTest::keyClick(m_window.get(), Qt::Key_F8);
  QVERIFY(m_window->saveSession(file));
  QCOMPARE(readSession(file).arrangement, QString("lecture"));
  QTest::keyClick(m_window.get(), Qt::Key_F6);
  QVERIFY(m_window->plots()->enlarged() < 0);
  open(file);
  QTRY_VERIFY_WITH_TIMEOUT(m_window->arrangement() == Arrangement::Lecture, kPatience);
  QVERIFY(m_window->plots()->enlarged() >= 0);
  QVERIFY(!m_window->findChild<QDockWidget*>(QStringLiteral("parameters"))->isVisible());
}

void LayoutTest::legendIsOneStripBelowAllPanes() {
  show(kSizes[0]);
  open(kScenes + QStringLiteral("thin-plate.json"), {"dpf", "cpf", "lcp", "peg", "nsn", "cpf"});
  const LegendStrip* strip = grid().legendStrip();
  QVERIFY(strip->isVisible());
  QVERIFY2(strip->height() >= 18 && strip->height() <= 28, qPrintable(QString::number(strip->height())));
  QVERIFY(grid().rect().contains(strip->geometry()));
  int lowest = 0;
  for (const PaneWidget* pane : grid().panes()) lowest = std::max(lowest, pane->geometry().bottom());
  QVERIFY(strip->y() > lowest);
  const LegendContent& content = strip->content();
  QCOMPARE(content.ramps.size(), std::size_t(1));
  QVERIFY(content.ramps[0].hasThreshold);
  QCOMPARE(content.methods.size(), std::size_t(5));  // each method once
  for (const LegendContent::Method& method : content.methods) QVERIFY(strip->toolTip().contains(method.name));
  for (const char* mark : {"contact", "first contact", "overlap"})
    QVERIFY2(strip->toolTip().contains(QLatin1String(mark)), mark);
  ViewSettings settings = grid().viewSettings();
  settings.scalarBar = false;
  grid().setViewSettings(settings);
  QVERIFY(!strip->isVisible());
  int after = 0;
  for (const PaneWidget* pane : grid().panes()) after = std::max(after, pane->geometry().bottom());
  QVERIFY(after > lowest);
}

void LayoutTest::cellsOfARowFillIt_data() {
  QTest::addColumn<int>("panes");
  for (int panes = 1; panes <= 6; ++panes) QTest::newRow(qPrintable(QString::number(panes))) << panes;
}

void LayoutTest::cellsOfARowFillIt() {
  QFETCH(int, panes);
  for (const QRect& area : {QRect(3, 5, 793, 601), QRect(0, 0, 1501, 400), QRect(0, 0, 500, 900)}) {
    const std::vector<QRect> cells = paneCells(panes, area, 4, 25);
    QCOMPARE(countOf(cells), panes);
    std::map<int, std::vector<QRect>> rows;
    for (const QRect& cell : cells) rows[cell.top()].push_back(cell);
    int fewest = panes, most = 0;
    for (const auto& [top, row] : rows) {
      QCOMPARE(row.front().left(), area.left());
      QCOMPARE(row.back().right(), area.right());
      for (const QRect& cell : row) QVERIFY(std::abs(cell.width() - row.front().width()) <= 1);
      for (std::size_t cell = 1; cell < row.size(); ++cell)
        QCOMPARE(row[cell].left() - row[cell - 1].right() - 1, 4);
      fewest = std::min(fewest, countOf(row));
      most = std::max(most, countOf(row));
    }
    QVERIFY(most - fewest <= 1);
    QCOMPARE(rows.begin()->first, area.top());
    QCOMPARE(rows.rbegin()->second.front().bottom(), area.bottom());
  }
}

// On no screen: views that cannot draw cost nothing. The size of the type is that of usual desktops.
int main(int argc, char** argv) {
  constexpr int kType = 13;  // px
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QFont font = QApplication::font();
  font.setPointSizeF(font.pointSizeF() * kType / QFontInfo(font).pixelSize());
  QApplication::setFont(font);
  QApplication::setStyle(QStringLiteral("Fusion"));
  QStringList arguments = QCoreApplication::arguments();
  arguments << QStringLiteral("-maxwarnings")
            << QStringLiteral("1");  // one a view would tell that it cannot draw
  LayoutTest test;
  return QTest::qExec(&test, arguments);
}

#include "tst_layout.moc"
