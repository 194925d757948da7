#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QLineEdit>
#include <QMouseEvent>
#include <QProgressBar>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTextBrowser>

#include "app/panels/parameter_panel.h"
#include "app/study_panel/study_panel.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"
#include "widgets/parameters/parameter_form.h"
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
  void everyNumberOfEveryMethodCanBeVaried();
  void aParameterIsVariedFromItsMenu();
  void twoParametersMakeAMap();
  void theDialogSaysWhatIsWrong();

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
  for (const std::string& file : shippedStudies()) {
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
  const StudyTask& task = panel()->study()->results.tasks[run];
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

// The words of a method, a key and a quantity must never clash in the tables of a study.
void StudyPanelTest::everyNumberOfEveryMethodCanBeVaried() {
  int count = 0;
  for (const MethodInfo& method : methodTable())
    for (const ParameterSpec& spec : method.parameters) {
      if (spec.kind != ParameterKind::Number && spec.kind != ParameterKind::Integer) continue;
      VaryChoice choice;
      choice.name = "vary";
      choice.scene = "a.json";
      choice.time = 0.01;
      choice.dt = 0.001;
      VariedParameter axis;
      axis.spec = spec;
      axis.from = spec.minimum;
      axis.to = std::min(spec.maximum, spec.minimum + 3);
      axis.steps = 3;
      choice.axes = {axis};
      PaneSettings settings;
      settings.method = method.key;
      choice.panes = {{"a pane", settings}};
      choice.quantity = quantityTable()[static_cast<std::size_t>(count) % quantityTable().size()].key;
      choice.reduce = count % 3 == 0 ? "max" : count % 3 == 1 ? "median" : "last";
      m_folder->write("vary.json", QByteArray::fromStdString(studyOf(choice)));
      try {
        const Study study = loadStudy(m_folder->at("vary.json").toStdString(), false);
        QCOMPARE(study.plots.size(), std::size_t(1));
      } catch (const std::exception& error) {
        QFAIL(error.what());
      }
      ++count;
    }
  QVERIFY(count > 40);
}

void StudyPanelTest::aParameterIsVariedFromItsMenu() {
  m_hand.window->open(m_folder->at("a.json"), {"cpf", "lcp"});
  QTRY_COMPARE_WITH_TIMEOUT(m_hand.session()->paneCount(), 2, kPatience);
  ParameterEditor* editor = m_hand.window->parameters()->paneForm(0)->editor("stiffness");
  QVERIFY(editor);
  const QString file = m_folder->at("mine.json");
  bool isAnswered = false;
  QTimer answer;
  connect(&answer, &QTimer::timeout, this, [&] {
    auto* dialog = m_hand.window->findChild<VaryDialog*>();
    if (!dialog || !dialog->isVisible() || isAnswered) return;
    isAnswered = true;
    const auto field = [dialog](const char* name) -> QLineEdit* {
      for (QLineEdit* each : dialog->findChildren<QLineEdit*>())
        if (each->accessibleName() == QLatin1String(name)) return each;
      return nullptr;
    };
    const auto write = [&](const char* name, const QString& text) {
      field(name)->selectAll();
      QTest::keyClicks(field(name), text);
    };
    write("Parameter: from", QStringLiteral("2e4"));
    write("Parameter: to", QStringLiteral("8e4"));
    write("Time of a run", QStringLiteral("0.3"));
    write("Study file", file);
    for (QSpinBox* box : dialog->findChildren<QSpinBox*>())
      if (box->accessibleName() == QLatin1String("Parameter: steps")) box->setValue(3);
    auto* ok = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    if (!ok->isEnabled()) dialog->reject();
    QTest::mouseClick(ok, Qt::LeftButton);
  });
  answer.start(10);
  const QPoint place = editor->rect().center();
  QContextMenuEvent asked(QContextMenuEvent::Mouse, place, editor->mapToGlobal(place));
  QApplication::sendEvent(editor, &asked);
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  QVERIFY(menu);
  QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(menu->actions().front()).center());
  QTRY_VERIFY_WITH_TIMEOUT(isAnswered, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(panel()->study() && !panel()->isRunning(), 60000);
  const StudyResults& results = panel()->study()->results;
  QCOMPARE(results.doneCount(), std::size_t(6));
  const FigurePanel& drawn = panel()->study()->figures.front().panels.front();
  QCOMPARE(drawn.curves.size(), std::size_t(2));
  // Three equal factors from 2e4 to 8e4.
  QCOMPARE(drawn.curves.front().x.size(), std::size_t(3));
  QVERIFY(std::abs(drawn.curves.front().x[1] - 4e4) < 1e-6);
  QVERIFY(drawn.curves.front().y[0] > drawn.curves.front().y[2]);  // a stiffer spring lets less in
  QVERIFY(QFileInfo::exists(file));
  QVERIFY(panel()->isVisible());
}

void StudyPanelTest::twoParametersMakeAMap() {
  VaryChoice choice;
  choice.name = "map";
  choice.scene = "a.json";
  choice.time = 0.02;
  choice.dt = 0.002;
  VariedParameter stiffness, length;
  for (const ParameterSpec& spec : findMethod("cpf")->parameters)
    if (spec.key == "stiffness") stiffness.spec = spec;
  stiffness.from = 1e4;
  stiffness.to = 1e6;
  stiffness.steps = 3;
  stiffness.byFactors = true;
  length.spec.key = "dt";
  length.spec.label = "Frame length";
  length.from = 0.001;
  length.to = 0.002;
  choice.axes = {stiffness, length};
  PaneSettings settings;
  settings.method = "cpf";
  choice.panes = {{"it's CPF", settings}};
  choice.quantity = "penetration_max";
  choice.reduce = "max";
  m_folder->write((m_name + ".json").toUtf8(), QByteArray::fromStdString(studyOf(choice)));
  panel()->chooseWhole(m_folder->at(m_name + ".json"));
  QVERIFY(panel()->study());
  runIt();
  QCOMPARE(panel()->study()->results.doneCount(), std::size_t(6));
  QCOMPARE(panel()->study()->figures.size(), std::size_t(1));
}

void StudyPanelTest::theDialogSaysWhatIsWrong() {
  m_hand.window->open(m_folder->at("a.json"), {"cpf", "lcp"});
  QTRY_COMPARE_WITH_TIMEOUT(m_hand.session()->paneCount(), 2, kPatience);
  VaryDialog dialog(*m_hand.session(), 0, QStringLiteral("stiffness"));
  const auto* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
  QVERIFY(ok->isEnabled());
  for (QLineEdit* field : dialog.findChildren<QLineEdit*>()) {
    if (!field->isEnabled() || field->accessibleName().isEmpty()) continue;
    const QString before = field->text();
    for (const char* wrong : {"", "-3"}) {
      if (field->accessibleName() == QLatin1String("Study file") && *wrong) continue;
      field->setText(QLatin1String(wrong));
      QVERIFY2(!ok->isEnabled(), qPrintable(field->accessibleName()));
    }
    field->setText(before);
    QVERIFY(ok->isEnabled());
  }
}

TS_GUI_TEST_MAIN(StudyPanelTest)
#include "tst_study_panel.moc"
