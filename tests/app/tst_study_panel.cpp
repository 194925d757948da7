#include <QComboBox>
#include <QDockWidget>
#include <QMouseEvent>
#include <QProgressBar>
#include <QStandardPaths>
#include <QTextBrowser>

#include "app/study_panel/study_panel.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"
#include "widgets/plots/study_figure.h"

using namespace touchstone;
using namespace touchstone::test;

/// The dock of studies: figures grow as runs finish, and a click opens the run.
class StudyPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
  void init();
  void cleanup() { m_hand.window.reset(); }
  void everyShippedStudyCanBeChosen();
  void aStudyRunsAndSaysWhatItFound();
  void aClickOnAPointOpensThatRun();
  void cancelKeepsWhatIsDone();
  void aBrokenStudySaysWhatIsWrong();

 private:
  StudyPanel* panel() const { return m_hand.window->studyPanel(); }
  void writeStudy(const QByteArray& from = {}, const QByteArray& to = {});
  void runIt() const {
    panel()->run();
    QTRY_VERIFY_WITH_TIMEOUT(!panel()->isRunning(), 60000);
  }
  WindowDriver m_hand;
  std::unique_ptr<CommandFolder> m_folder;
  QString m_name;
};

void StudyPanelTest::init() {
  static int count = 0;
  m_name = QStringLiteral("panel-%1-%2").arg(QCoreApplication::applicationPid()).arg(++count);
  m_folder = std::make_unique<CommandFolder>();
  m_folder->write("a.json", SceneFolder::withBodies(
                                R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
                         {"name": "box", "position": [0, 0.6, 0], "shape": {"type": "box", "size": [1, 1, 1]}})"));
  writeStudy();
  m_hand.show();
}

void StudyPanelTest::writeStudy(const QByteArray& from, const QByteArray& to) {
  QByteArray text =
      R"J({"touchstone_study": 1, "name": "s", "title": "S", "question": "Does it rest?", "scene": "a.json",
    "time": 0.2, "dt": [0.001, 0.002, 0.004], "seeds": {"first": 3, "count": 2}, "variation": {"position": 0.01},
    "panes": [{"label": "C", "method": "cpf", "parameters": {"stiffness": 30000}}, {"label": "L", "method": "lcp"}],
    "quantities": [{"id": "depth", "unit": "m", "value": "max(penetration_max)"}],
    "numbers": {"most": "max(depth)"},
    "accept": [{"id": "shallow", "claim": "no depth above 1 m; here {most} m", "if": "most < 1"}],
    "plots": [{"id": "depth", "x": "dt_s", "y": "depth", "log": "x"}]
})J";
  QVERIFY(from.isEmpty() || text.contains(from));
  m_folder->write((m_name + ".json").toUtf8(), from.isEmpty() ? text : text.replace(from, to));
}

void StudyPanelTest::everyShippedStudyCanBeChosen() {
  for (const std::string& file : cli::shippedStudies()) {
    panel()->choose(QString::fromStdString(file));
    QVERIFY2(panel()->study() != nullptr, file.c_str());
    QVERIFY(!panel()->study()->results.tasks.empty());
  }
}

void StudyPanelTest::aStudyRunsAndSaysWhatItFound() {
  panel()->choose(m_folder->at(m_name + ".json"));
  QVERIFY(panel()->study());
  QCOMPARE(panel()->study()->results.doneCount(), std::size_t(0));
  runIt();
  QCOMPARE(panel()->study()->results.doneCount(), std::size_t(12));
  QVERIFY(panel()->findChild<QTextBrowser*>()->toPlainText().contains("no depth above 1 m"));
  QCOMPARE(panel()->study()->figures.size(), std::size_t(1));
  const FigurePanel& drawn = panel()->study()->figures.front().panels.front();
  QCOMPARE(drawn.curves.size(), std::size_t(2));
  QCOMPARE(drawn.curves.front().x, std::vector<double>({0.001, 0.002, 0.004}));
}

void StudyPanelTest::aClickOnAPointOpensThatRun() {
  panel()->choose(m_folder->at(m_name + ".json"));
  runIt();
  const long run = panel()->study()->figures.front().panels.front().curves.front().runs.back();
  QVERIFY(run >= 0);
  FigureView* view = panel()->view();
  m_hand.window->raise(qobject_cast<QDockWidget*>(panel()->parentWidget()));
  view->resize(400, 300);
  // The place of the point: found as a reader does, by moving over the figure.
  QFont font = view->font();
  font.setPixelSize(QFontInfo(view->font()).pixelSize());
  QPoint place(-1, -1);
  const Figure& figure = panel()->study()->figures.front();
  for (int y = 0; y < view->height() && place.x() < 0; y += 3)
    for (int x = 0; x < view->width(); x += 3)
      if (runAt(figure, view->size(), font, QPointF(x, y)) == run) place = QPoint(x, y);
  QVERIFY(place.x() >= 0);
  QSignalSpy opened(m_hand.session(), &Session::sceneChanged);
  QTest::mouseClick(view, Qt::LeftButton, {}, place);
  QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), kPatience);
  const StudyTask& task = panel()->study()->results.tasks[static_cast<std::size_t>(run)];
  QCOMPARE(m_hand.session()->paneCount(), 1);
  QCOMPARE(QString::fromStdString(m_hand.session()->pane(0).settings.method), QStringLiteral("cpf"));
  QCOMPARE(std::get<double>(m_hand.session()->pane(0).settings.parameters.at("stiffness")), 30000.0);
  QCOMPARE(m_hand.session()->dt(), task.dt);
  QCOMPARE(m_hand.session()->scene()->seed, task.seed);
}

void StudyPanelTest::cancelKeepsWhatIsDone() {
  writeStudy("\"count\": 2", "\"count\": 400");
  panel()->choose(m_folder->at(m_name + ".json"));
  panel()->run();
  auto* bar = panel()->findChild<QProgressBar*>();
  QTRY_VERIFY_WITH_TIMEOUT(bar->maximum() > 0 && bar->value() > 5, 60000);
  panel()->cancel();
  QTRY_VERIFY_WITH_TIMEOUT(!panel()->isRunning(), 60000);
  const std::size_t done = panel()->study()->results.doneCount();
  QVERIFY(done > 5 && done < 2400);
  panel()->choose(m_folder->at(m_name + ".json"));
  QCOMPARE(panel()->study()->results.doneCount(), done);
}

void StudyPanelTest::aBrokenStudySaysWhatIsWrong() {
  writeStudy("max(penetration_max)", "max(penetration_mux)");
  QSignalSpy told(panel(), &StudyPanel::problem);
  panel()->choose(m_folder->at(m_name + ".json"));
  QCOMPARE(told.size(), 1);
  QVERIFY(told.front().front().toString().contains("penetration_mux"));
  QVERIFY(!panel()->study());
  panel()->run();
  QVERIFY(!panel()->isRunning());
}

TS_GUI_TEST_MAIN(StudyPanelTest)
#include "tst_study_panel.moc"
