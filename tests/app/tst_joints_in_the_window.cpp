#include <QDockWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QUndoStack>
#include <fstream>

#include "app/panels/contact_inspector.h"
#include "app/panels/joint_inspector.h"
#include "app/panels/parameter_panel.h"
#include "app/panels/row_inspector.h"
#include "app/panels/step_inspector.h"
#include "app/plots/plot_panel.h"
#include "app/window/problem_window.h"
#include "core/store/recording.h"
#include "core/store/replay.h"
#include "tests/support/gui_main.h"
#include "tests/support/near.h"
#include "tests/support/window_driver.h"
#include "widgets/parameters/parameter_form.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;
using namespace touchstone::test;

/// Drives, joints, levels of convergence and published problems, by mouse and keyboard.
class JointsInTheWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_hand.show(); }
  void cleanup() { m_hand.window.reset(); }
  void aSliderMovesADriveInAllPanesAndIsUndone();
  void aMovedDriveIsRecordedAndReplayed();
  void scenesWithoutDrivesShowNone();
  void theTableOfJointsFollowsTheCursor();
  void plotsShowTheChosenJoint();
  void rowsOfTheStepAreListedAndOpened();
  void convergenceShowsItsLevels();
  void problemsAreOpenedSolvedAndWritten();

 private:
  Session* session() const { return m_hand.session(); }
  ParameterForm* drives() const { return m_hand.window->findChild<ParameterPanel*>()->driveForm(); }
  QString withDrive() {
    const QString path = m_folder.filePath(QStringLiteral("arm.json"));
    std::ofstream(path.toStdString()) << R"({"touchstone": 1, "name": "arm", "title": "An arm", "dt": 0.01,
      "methods": ["nsn", "lcp", "dpf"], "gravity": [0, 0, 0],
      "bodies": [{"name": "arm", "position": [0.5, 0, 0], "shape": {"type": "box", "size": [1, 0.1, 0.1]}}],
      "joints": [{"name": "elbow", "type": "revolute", "body_b": "arm", "position": [0, 0, 0], "axis": [0, 0, 1],
                  "limits": [-1, 2], "drive": {"stiffness": 5000, "damping": 900, "target": 0.1}}]})";
    return path;
  }
  void openArm() {
    QSignalSpy opened(session(), &Session::sceneChanged);
    m_hand.window->open(withDrive());
    QTRY_VERIFY_WITH_TIMEOUT(!opened.empty(), kPatience);
  }
  double angle(int pane) const { return session()->shown(pane)->joints[0].coordinate; }
  QTemporaryDir m_folder;
  WindowDriver m_hand;
};

void JointsInTheWindowTest::aSliderMovesADriveInAllPanesAndIsUndone() {
  openArm();
  QTRY_VERIFY_WITH_TIMEOUT(drives() && drives()->isVisibleTo(m_hand.window.get()), kPatience);
  QCOMPARE(drives()->editor("elbow")->spec().maximum, 2.0);
  m_hand.runTo(150);
  for (int pane = 0; pane < 3; ++pane) QVERIFY_NEAR(angle(pane), 0.1, 1e-3);
  Q_EMIT drives()->edited("elbow", 1.5);
  for (int pane = 0; pane < 3; ++pane)
    QCOMPARE(std::get<double>(session()->pane(pane).settings.parameters.at("drive:elbow")), 1.5);
  m_hand.runTo(400);
  for (int pane = 0; pane < 3; ++pane) QVERIFY_NEAR(angle(pane), 1.5, 5e-3);
  session()->undoStack()->undo();
  m_hand.runTo(700);
  for (int pane = 0; pane < 3; ++pane) QVERIFY_NEAR(angle(pane), 0.1, 5e-3);
}

void JointsInTheWindowTest::aMovedDriveIsRecordedAndReplayed() {
  openArm();
  const QString file = m_folder.filePath(QStringLiteral("arm.touchstone"));
  session()->record(file);
  m_hand.runTo(20);
  Q_EMIT drives()->edited("elbow", 1.0);
  m_hand.runTo(60);
  QVERIFY(angle(0) > 0.3);
  const int pane = session()->paneId(0);
  m_hand.window.reset();  // ends the recording
  const Recording recording(file.toStdString());
  QVERIFY(recording.lastFrame() >= 60);
  bool isThere = false;
  for (const LoggedCommand& entry : recording.log())
    if (const auto* set = std::get_if<command::SetParameter>(&entry.command))
      isThere = isThere || set->key == "drive:elbow";
  QVERIFY(isThere);
  QVERIFY(recording.record(60, pane)->joints.size() == 1);
}

void JointsInTheWindowTest::scenesWithoutDrivesShowNone() {
  m_hand.open();
  QVERIFY(!drives());
}

void JointsInTheWindowTest::theTableOfJointsFollowsTheCursor() {
  openArm();
  m_hand.runTo(100);
  auto* inspector = m_hand.window->findChild<JointInspector*>();
  inspector->refresh();
  JointTable* table = inspector->table();
  QCOMPARE(table->rowCount(), 1);
  const auto cell = [table](JointTable::Column column) {
    return table->data(table->index(0, column), Qt::DisplayRole).toString();
  };
  QCOMPARE(cell(JointTable::Name), QStringLiteral("elbow"));
  QCOMPARE(cell(JointTable::Kind), QStringLiteral("revolute"));
  QVERIFY_NEAR(cell(JointTable::Coordinate).toDouble(), 0.1, 1e-3);
  m_hand.scrubTo(0);
  inspector->refresh();
  QVERIFY_NEAR(cell(JointTable::Coordinate).toDouble(), 0, 1e-9);
}

void JointsInTheWindowTest::plotsShowTheChosenJoint() {
  openArm();
  m_hand.runTo(50);
  PlotTile* tile = m_hand.window->plots()->tiles()[0];
  tile->setQuantity(PlotTile::kJointCoordinate);
  QCOMPARE(tile->key(), QStringLiteral("joint_coordinate"));
  QCOMPARE(tile->view()->curves().size(), std::size_t(3));
  QVERIFY(tile->title().contains(QStringLiteral("elbow")));
  QVERIFY_NEAR(tile->view()->curves()[0].y.back(), angle(0), 1e-12);
  for (const int other :
       {PlotTile::kJointForce, PlotTile::kJointTorque, PlotTile::kJointDrive, PlotTile::kJointError}) {
    tile->setQuantity(other);
    QCOMPARE(tile->view()->curves().size(), std::size_t(3));
  }
}

void JointsInTheWindowTest::rowsOfTheStepAreListedAndOpened() {
  m_hand.open(QStringLiteral("drawer"), {"lcp", "nsn", "dpf"});
  m_hand.runTo(30);
  auto* contacts = m_hand.window->findChild<ContactInspector*>();
  for (QDockWidget* dock : m_hand.window->findChildren<QDockWidget*>())
    if (dock->objectName() == QLatin1String("contacts")) m_hand.window->raise(dock);
  contacts->showRows();
  const RowTable* rows = contacts->rows()->table();
  const auto rowOf = [rows](const QString& of, const QString& name) {
    for (int row = 0; row < rows->rowCount(); ++row)
      if (rows->index(row, RowTable::Owner).data() == of && rows->index(row, RowTable::Name).data() == name)
        return row;
    return -1;
  };
  const QString joint = QStringLiteral("joint 'left finger'");
  for (int pane = 0; pane < 3; ++pane) {
    session()->selectPane(pane);
    QTRY_VERIFY_WITH_TIMEOUT(rowOf(joint, QStringLiteral("drive")) >= 0, kPatience);
    const int drive = rowOf(joint, QStringLiteral("drive"));
    QVERIFY(rows->index(drive, RowTable::Law).data().toString().startsWith(QStringLiteral("|z| ≤ ")));
    QVERIFY(rowOf(joint, QStringLiteral("point 1")) >= 0 && rowOf(joint, QStringLiteral("lower limit")) >= 0);
    const int point = rowOf(joint, QStringLiteral("point 1"));
    QCOMPARE(rows->index(point, RowTable::Law).data().toString(), QStringLiteral("w = 0"));
    QVERIFY(rows->index(point, RowTable::Residual).data(Qt::UserRole).toDouble() < 1e-6);
  }
  StepInspector* step = m_hand.window->stepInspector();
  for (QDockWidget* dock : m_hand.window->findChildren<QDockWidget*>())
    if (dock->objectName() == QLatin1String("step")) m_hand.window->raise(dock);
  QTRY_VERIFY_WITH_TIMEOUT(!step->visibleRegion().isEmpty(), kPatience);
  contacts->rows()->view()->selectRow(0);
  const QString first = rows->index(0, RowTable::Owner).data().toString();
  QTRY_VERIFY_WITH_TIMEOUT(step->shownText().contains(QStringLiteral("impulse z")), kPatience);
  QVERIFY(!first.isEmpty());
}

void JointsInTheWindowTest::convergenceShowsItsLevels() {
  m_hand.open(QStringLiteral("incline"), {"nsn"});
  session()->editParameter(session()->paneId(0), "newton", std::string("macklin"));
  m_hand.runTo(5);
  PlotTile* tile = m_hand.window->plots()->tiles()[0];
  tile->setQuantity(PlotTile::kConvergence);
  const auto labels = [tile] {
    QStringList all;
    for (const Curve& curve : tile->view()->curves()) all << curve.label;
    return all.join(QLatin1Char('|'));
  };
  QVERIFY(labels().contains(QStringLiteral("rounding")));
  QVERIFY(!labels().contains(QStringLiteral("momentum")));
  QToolButton* levels = nullptr;
  for (QToolButton* button : tile->findChildren<QToolButton*>())
    if (button->menu() && button->menu()->actions().value(0)->text().startsWith(QLatin1String("Parts")))
      levels = button;  // in a narrow tile it lies behind the button for more
  QVERIFY(levels);
  for (QAction* action : levels->menu()->actions()) action->setChecked(true);
  for (const char* label : {"friction", "momentum", "step", "merit", "linear residual"})
    QVERIFY2(labels().contains(QLatin1String(label)), label);
  tile->setQuantity(static_cast<int>(Quantity::Overlap));
  QVERIFY(!levels->isVisibleTo(tile));
}

void JointsInTheWindowTest::problemsAreOpenedSolvedAndWritten() {
  const QString hdf5 = QStringLiteral(TS_SOURCE_DIR "/tests/vectors/friction.hdf5");
  const QString text = m_folder.filePath(QStringLiteral("two.dat"));
  std::ofstream(text.toStdString())
      << "3\n2\n0\n6\n6\n6 6\n2 0 0 0.5 0 0\n0 2 0 0 0.5 0\n0 0 2 0 0 0.5\n0.5 0 0 2 0 0\n0 0.5 0 0 2 0\n"
         "0 0 0.5 0 0 2\n-1 0.3 0 -1 0 0.9\n0.5 0.25\n";
  ProblemWindow* problems = m_hand.window->showProblems({hdf5, text});
  QVERIFY(problems->problemCount() >= 1);
  QSignalSpy solved(problems, &ProblemWindow::solved);
  problems->solve();
  QTRY_VERIFY_WITH_TIMEOUT(!solved.empty(), kPatience);
  QVERIFY(!problems->isSolving());
  QTableWidget* table = problems->table();
  bool isSolvedByPgs = false;
  for (int row = 0; row < table->rowCount(); ++row)
    isSolvedByPgs = isSolvedByPgs || (table->item(row, 2)->text() == QLatin1String("pgs") &&
                                      table->item(row, 5)->text().toDouble() < 1e-6);
  QVERIFY(isSolvedByPgs);
  QVERIFY(problems->convergence()->curves().size() >= 3);
  QVERIFY(problems->profilePlot()->curves().size() >= 3);
  QVERIFY(problems->writeTo(m_folder.filePath(QStringLiteral("profile.svg"))));
  QVERIFY(problems->writeTo(m_folder.filePath(QStringLiteral("profile.csv"))));
  // A file that cannot be read is told, and what was open stays.
  QSignalSpy failed(problems, &ProblemWindow::failed);
  problems->open({m_folder.filePath(QStringLiteral("none.dat"))});
  QCOMPARE(failed.size(), 1);
  QVERIFY(problems->problemCount() >= 1);
}

TS_GUI_TEST_MAIN(JointsInTheWindowTest)
#include "tst_joints_in_the_window.moc"
