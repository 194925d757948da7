#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QTabWidget>
#include <QUndoStack>

#include "app/panels/parameter_panel.h"
#include "app/panels/step_inspector.h"
#include "app/plots/plot_panel.h"
#include "tests/support/gui_main.h"
#include "tests/support/near.h"
#include "tests/support/window_driver.h"
#include "widgets/parameters/parameter_form.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;
using namespace touchstone::test;

/// A gesture has its described effect and no other.
class GesturesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void cleanup() { m_hand.window.reset(); }
  void aClickInAPlotGoesThere();
  void aDoubleClickInAPlotOnlyShowsAll_data();
  void aDoubleClickInAPlotOnlyShowsAll();
  void aClickInAPlotChangesTheTimeOnly();
  void aDoubleClickInAViewOnlyEnlargesIt();
  void framingAndLookingAlongSelectNothing();
  void aDragInAViewSelectsItsPane();
  void keysOfTheTransportWorkAfterAChoiceInAHeader();
  void keysOfTheTransportWorkAfterAChoiceElsewhere();
  void aZoomBelongsToItsScene();
  void whatWasHiddenInAPlotBelongsToItsScene();
  void aLockedDepthScaleBelongsToItsScene();
  void camerasStayWithTheirPanes();
  void aRefusedNumberSaysWhyAndTheOldOneReturns_data();
  void aRefusedNumberSaysWhyAndTheOldOneReturns();
  void theReferenceIsNamedInTheViews();
  void forcesInsideTheStepBeginAtZeroAndTheirAreaIsTheImpulse_data();
  void forcesInsideTheStepBeginAtZeroAndTheirAreaIsTheImpulse();
  void insideTheStepComparesWhatIsWithoutDamping();
  void insideTheStepKnowsTheMethodOfItsFrame();

 private:
  Session* session() const { return m_hand.session(); }
  PlotView* plot(int tile) const { return m_hand.window->plots()->tiles()[tile]->view(); }
  void zoom(PlotView* plot) const;
  void openStep(int pane);
  WindowDriver m_hand;
};

void GesturesTest::init() {
  QApplication::setDoubleClickInterval(150);  // ms
  m_hand.show();
}

void GesturesTest::zoom(PlotView* plot) const {
  const QPoint from = plot->rect().center() - QPoint(25, 8), to = plot->rect().center() + QPoint(25, 8);
  QTest::mousePress(plot, Qt::LeftButton, {}, from);
  QMouseEvent move(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(plot, &move);
  QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
  QVERIFY(!plot->following());
}

void GesturesTest::aClickInAPlotGoesThere() {
  m_hand.open();
  m_hand.runTo(60);
  m_hand.window->plots()->refreshNow();
  QTest::mouseClick(plot(0), Qt::LeftButton, {}, plot(0)->rect().center());
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isLive(), kPatience);
  QVERIFY(session()->cursor() > 15 && session()->cursor() < 45);
}

void GesturesTest::aDoubleClickInAPlotOnlyShowsAll_data() {
  QTest::addColumn<bool>("running");
  QTest::newRow("paused") << false;
  QTest::newRow("running") << true;
}
void GesturesTest::aDoubleClickInAPlotOnlyShowsAll() {
  QFETCH(bool, running);
  m_hand.open();
  m_hand.runTo(150);
  m_hand.window->plots()->refreshNow();
  zoom(plot(1));
  const int selected = session()->selectedPane();
  const long cursor = session()->cursor();
  if (running) m_hand.key(Qt::Key_Space);
  QSignalSpy picked(m_hand.window->plots(), &PlotPanel::pointPicked);
  // On curves and between them: it must not matter what a click would pick.
  for (int y = 10; y < plot(1)->height() - 30; y += 6) {
    QTest::mouseDClick(plot(1), Qt::LeftButton, {}, QPoint(plot(1)->width() / 2, y));
    QVERIFY(plot(1)->following());
  }
  m_hand.letClicksPass();
  QCOMPARE(picked.count(), 0);
  QCOMPARE(session()->selectedPane(), selected);
  QVERIFY(session()->isLive());
  QCOMPARE(session()->isRunning(), running);
  if (!running) QCOMPARE(session()->cursor(), cursor);
  QVERIFY(!m_hand.window->transport()->runButton()->text().contains("Play"));
  QVERIFY(!session()->undoStack()->canUndo());
}

void GesturesTest::aClickInAPlotChangesTheTimeOnly() {
  m_hand.open();
  m_hand.runTo(150);
  m_hand.window->plots()->refreshNow();
  session()->selectPane(2);
  QSignalSpy selection(session(), &Session::selectionChanged),
      contacts(m_hand.window->grid(), &PaneGrid::contactPicked),
      picked(m_hand.window->plots(), &PlotPanel::pointPicked);
  // On curves and between them.
  for (int y = 10; y < plot(1)->height() - 30; y += 6) {
    QTest::mouseClick(plot(1), Qt::LeftButton, {}, QPoint(plot(1)->width() / 2 + y % 12, y));
    m_hand.letClicksPass();
  }
  QVERIFY(!session()->isLive());
  QCOMPARE(session()->selectedPane(), 2);
  QCOMPARE(selection.count(), 0);
  QCOMPARE(contacts.count(), 0);
  QCOMPARE(picked.count(), 0);
  QVERIFY(!session()->undoStack()->canUndo());
}

void GesturesTest::aDoubleClickInAViewOnlyEnlargesIt() {
  m_hand.open();
  m_hand.runTo(150);
  QSignalSpy picked(m_hand.window->grid(), &PaneGrid::contactPicked);
  QTest::mouseDClick(m_hand.view(1), Qt::LeftButton, {}, m_hand.view(1)->rect().center());
  QCOMPARE(m_hand.window->grid()->enlarged(), 1);
  m_hand.letClicksPass();
  QCOMPARE(picked.count(), 0);
  QTest::mouseClick(m_hand.view(1), Qt::LeftButton, {}, m_hand.view(1)->rect().center());
  QTRY_COMPARE_WITH_TIMEOUT(picked.count(), 1, kPatience);
}

void GesturesTest::framingAndLookingAlongSelectNothing() {
  m_hand.open();
  QSignalSpy selection(session(), &Session::selectionChanged);
  for (const int selected : {0, 2}) {
    session()->selectPane(selected);
    selection.clear();
    for (const bool linked : {true, false}) {
      m_hand.window->grid()->setCamerasLinked(linked);
      m_hand.key(Qt::Key_F);
      for (QAction* action : m_hand.window->findChildren<QAction*>()) {
        if (!action->text().startsWith("from ")) continue;
        const Vec3 eye = m_hand.view(1)->cameraState().eye;
        action->trigger();
        QVERIFY((m_hand.view(1)->cameraState().eye - eye).norm() > 1e-3);
      }
      QCOMPARE(session()->selectedPane(), selected);
    }
    QCOMPARE(selection.count(), 0);
  }
}

void GesturesTest::aDragInAViewSelectsItsPane() {
  m_hand.open();
  SceneView* view = m_hand.view(2);
  const QPoint start = view->rect().center();
  QTest::mousePress(view, Qt::LeftButton, Qt::NoModifier, start);
  QMouseEvent move(QEvent::MouseMove, start + QPoint(30, 0), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(view, &move);
  QTest::mouseRelease(view, Qt::LeftButton, Qt::NoModifier, start + QPoint(30, 0));
  QCOMPARE(session()->selectedPane(), 2);
  QVERIFY((m_hand.view(0)->cameraState().eye - view->cameraState().eye).norm() < 1e-12);  // linked
}

void GesturesTest::keysOfTheTransportWorkAfterAChoiceInAHeader() {
  m_hand.open();
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(session()->lastFrame() > 3, kPatience);
  m_hand.choose(m_hand.pane(0)->methodBox(), QStringLiteral("dpf-ccd"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(0).settings.method, std::string("dpf-ccd"), kPatience);
  QVERIFY(session()->isRunning());
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  QVERIFY(!QApplication::activePopupWidget());
  const long at = session()->cursor();
  m_hand.key(Qt::Key_Left);
  QCOMPARE(session()->cursor(), at - 1);
  m_hand.key(Qt::Key_Home);
  QCOMPARE(session()->cursor(), 0L);
  m_hand.choose(m_hand.pane(2)->solverBox(), QStringLiteral("pgs"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(2).settings.solver, std::string("pgs"), kPatience);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(2).settings.solver, std::string("auto"), kPatience);
  // A list that was opened and left unchanged takes no keys either.
  QComboBox* box = m_hand.pane(1)->methodBox();
  QTest::mouseClick(box, Qt::LeftButton, {}, box->rect().center());
  QTRY_VERIFY_WITH_TIMEOUT(box->view()->isVisible(), kPatience);
  QTest::keyClick(box->view(), Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(!box->view()->isVisible(), kPatience);
  m_hand.key(Qt::Key_Right);
  QCOMPARE(session()->cursor(), 1L);
}

void GesturesTest::keysOfTheTransportWorkAfterAChoiceElsewhere() {
  m_hand.open();
  m_hand.runTo(10);
  m_hand.scrubTo(4);
  const long at = session()->cursor();
  // A quantity of a plot.
  QComboBox* quantity = m_hand.window->plots()->tiles()[0]->findChild<QComboBox*>();
  m_hand.choose(quantity, static_cast<int>(Quantity::Jitter));
  m_hand.key(Qt::Key_Right);
  QCOMPARE(session()->cursor(), at + 1);
  // A list among the parameters, which the keyboard could reach.
  m_hand.window->parameters()->findChild<QTabWidget*>()->setCurrentIndex(3);
  QComboBox* step = m_hand.window->parameters()->paneForm(3)->editor("step")->findChild<QComboBox*>();
  QVERIFY(step);
  step->setFocus(Qt::MouseFocusReason);
  m_hand.key(Qt::Key_Space);
  QVERIFY(!step->view()->isVisible());
  QVERIFY(session()->isRunning());
  m_hand.key(Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(!session()->isRunning(), kPatience);
  // A typed number.
  auto* field = m_hand.window->parameters()->sceneForm()->editor("dt")->findChild<QLineEdit*>();
  QTest::mouseClick(field, Qt::LeftButton);
  QVERIFY(field->hasFocus());
  field->selectAll();
  QTest::keyClicks(field, "0.004");
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(!field->hasFocus());
  QTRY_COMPARE_WITH_TIMEOUT(session()->dt(), 0.004, kPatience);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_VERIFY_WITH_TIMEOUT(session()->dt() != 0.004, kPatience);
}

void GesturesTest::aZoomBelongsToItsScene() {
  m_hand.open();
  m_hand.runTo(60);
  m_hand.window->plots()->refreshNow();
  for (int tile = 0; tile < 3; ++tile) zoom(plot(tile));
  m_hand.runTo(65);
  QVERIFY(!plot(0)->following());
  m_hand.open(QStringLiteral("incline"));
  for (int tile = 0; tile < 3; ++tile) QVERIFY(plot(tile)->following());
  m_hand.runTo(20);
  m_hand.window->plots()->refreshNow();
  QVERIFY(plot(0)->xRange().high > 0 && plot(0)->xRange().high <= session()->timeAt(20));
}

void GesturesTest::whatWasHiddenInAPlotBelongsToItsScene() {
  m_hand.open();
  m_hand.runTo(10);
  m_hand.window->plots()->refreshNow();
  const auto legend = [this] {
    for (QToolButton* entry : m_hand.window->plots()->findChildren<QToolButton*>())
      if (entry->text() == QLatin1String("CPF")) return entry;
    return static_cast<QToolButton*>(nullptr);
  };
  QTest::mouseClick(legend(), Qt::LeftButton);
  QVERIFY(plot(0)->curveVisible(0) && !plot(0)->curveVisible(1));
  m_hand.runTo(12);
  m_hand.window->plots()->refreshNow();
  QVERIFY(!plot(0)->curveVisible(1) && !legend()->isChecked());
  m_hand.open(QStringLiteral("incline"), {"dpf", "cpf"});
  m_hand.runTo(10);
  m_hand.window->plots()->refreshNow();
  QVERIFY(plot(0)->curveVisible(1) && legend()->isChecked());
}

void GesturesTest::aLockedDepthScaleBelongsToItsScene() {
  m_hand.open();
  ViewSettings settings = m_hand.window->grid()->viewSettings();
  settings.scalarMaximum = 0.123;
  settings.wireframe = true;
  m_hand.window->grid()->setViewSettings(settings);
  m_hand.open(QStringLiteral("incline"));
  QCOMPARE(m_hand.window->grid()->viewSettings().scalarMaximum, 0.0);
  QCOMPARE(m_hand.view(0)->settings().scalarMaximum, 0.0);
  QVERIFY(m_hand.window->grid()->viewSettings().wireframe);
}

void GesturesTest::camerasStayWithTheirPanes() {
  m_hand.open();
  m_hand.window->grid()->setCamerasLinked(false);
  CameraState camera;
  camera.eye = Vec3(1, 2, 3);
  m_hand.window->grid()->setCamera(1, camera);
  const auto isThere = [&](int pane) {
    return (m_hand.window->grid()->camera(pane).eye - camera.eye).norm() < 1e-12;
  };
  m_hand.drag(1, 3);
  QTRY_VERIFY_WITH_TIMEOUT(isThere(3) && !isThere(1), kPatience);
  session()->removePane(0);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 3, kPatience);
  QVERIFY(isThere(2) && !isThere(1));
  session()->removePane(2);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 2, kPatience);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->paneCount(), 3, kPatience);
  QVERIFY(isThere(2));
}

void GesturesTest::aRefusedNumberSaysWhyAndTheOldOneReturns_data() {
  QTest::addColumn<QString>("typed");
  QTest::addColumn<QString>("says");
  QTest::addColumn<bool>("byReturn");
  QTest::newRow("too large") << "1e30"
                             << "1e+30" << true;
  QTest::newRow("negative") << "-5"
                            << "-5" << true;
  QTest::newRow("no number") << "stiff"
                             << "is not a number" << true;
  QTest::newRow("leaving the field") << "1e30"
                                     << "1e+30" << false;
}
void GesturesTest::aRefusedNumberSaysWhyAndTheOldOneReturns() {
  QFETCH(QString, typed);
  QFETCH(QString, says);
  QFETCH(bool, byReturn);
  m_hand.open();
  m_hand.window->parameters()->findChild<QTabWidget*>()->setCurrentIndex(1);
  ParameterEditor* editor = m_hand.window->parameters()->paneForm(1)->editor("stiffness");
  auto* field = editor->findChild<QLineEdit*>();
  const QString before = field->text();
  QTest::mouseClick(field, Qt::LeftButton);
  field->selectAll();
  QTest::keyClicks(field, typed);
  if (byReturn) {
    QTest::keyClick(field, Qt::Key_Return);
  } else {
    QTest::mouseClick(m_hand.view(0), Qt::LeftButton, {}, QPoint(3, 3));
  }
  QCOMPARE(field->text(), before);
  const auto reason = [editor] {
    for (const QLabel* label : editor->findChildren<QLabel*>())
      if (label->isVisible() && label->wordWrap()) return label->text();
    return QString();
  };
  QVERIFY2(reason().contains(says) && reason().contains("stays"), qPrintable(reason()));
  m_hand.runTo(3);
  m_hand.window->parameters()->findChild<QTabWidget*>()->setCurrentIndex(1);  // a click may have changed it
  QVERIFY(!reason().isEmpty());                                               // the text is still visible
  QTest::mouseClick(field, Qt::LeftButton);
  field->selectAll();
  QTest::keyClicks(field, "3000");
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(reason().isEmpty());
  QTRY_COMPARE_WITH_TIMEOUT(std::get<double>(session()->pane(1).values.at("stiffness")), 3000.0, kPatience);
}

void GesturesTest::theReferenceIsNamedInTheViews() {
  m_hand.open();
  m_hand.runTo(5);
  session()->editReference(2);
  ViewSettings settings = m_hand.window->grid()->viewSettings();
  settings.ghost = true;
  m_hand.window->grid()->setViewSettings(settings);
  const auto mark = [this](int pane) {
    for (const QLabel* label : m_hand.pane(pane)->findChildren<QLabel*>())
      if (label->text() == QLatin1String("ref")) return label->isVisible();
    return false;
  };
  QVERIFY(mark(2) && !mark(0));
  QCOMPARE(m_hand.view(0)->frame().referenceName, session()->paneLabel(2));
  m_hand.drag(2, 0);
  QTRY_VERIFY_WITH_TIMEOUT(mark(0) && !mark(2), kPatience);
}

/// Runs until a pane has a contact with an impulse, and opens the step of the first such frame.
void GesturesTest::openStep(int pane) {
  m_hand.runTo(180);
  const auto& frames = session()->histories()[pane].frames();
  const auto impact = [](const StepRecord& record) {
    for (std::size_t contact = 0; contact < record.contacts.size(); ++contact)
      if (record.contacts[contact].normalImpulse > 0) return static_cast<int>(contact);
    return -1;
  };
  const auto found =
      std::find_if(frames.begin(), frames.end(), [&](const RecordPtr& each) { return impact(*each) >= 0; });
  QVERIFY(found != frames.end());
  session()->selectPane(pane);
  session()->seek((*found)->frame);
  for (QDockWidget* dock : m_hand.window->findChildren<QDockWidget*>())
    if (dock->objectName() == QLatin1String("step")) m_hand.window->raise(dock);
  StepInspector* inspector = m_hand.window->stepInspector();
  QTRY_VERIFY_WITH_TIMEOUT(!inspector->visibleRegion().isEmpty(), kPatience);
  inspector->showContact(pane, impact(**found));
  QTRY_VERIFY_WITH_TIMEOUT(inspector->shownText().contains("Normal impulse"), kPatience);
}

void GesturesTest::forcesInsideTheStepBeginAtZeroAndTheirAreaIsTheImpulse_data() {
  QTest::addColumn<int>("pane");
  QTest::addColumn<double>("damping");
  QTest::newRow("dpf") << 0 << 0.0;
  QTest::newRow("dpf, damped") << 0 << 5.0;
  QTest::newRow("cpf") << 1 << 0.0;
  QTest::newRow("cpf, damped") << 1 << 5.0;
}
void GesturesTest::forcesInsideTheStepBeginAtZeroAndTheirAreaIsTheImpulse() {
  QFETCH(int, pane);
  QFETCH(double, damping);
  m_hand.open();
  session()->editParameter(pane, "damping", damping);
  openStep(pane);
  const RecordPtr record = session()->shown(pane);
  double impulse = 0;
  for (const Contact& contact : record->contacts)
    if (impulse == 0) impulse = contact.normalImpulse;
  PlotView* plot = m_hand.window->stepInspector()->forcePlot();
  QVERIFY(plot->yRange().low <= 0 && plot->yRange().high > 0);
  const Curve& force = plot->curves().front();
  QVERIFY(force.filled);
  double area = 0;
  for (std::size_t k = 0; k + 1 < force.x.size(); ++k)
    area += 0.5 * (force.y[k] + force.y[k + 1]) * (force.x[k + 1] - force.x[k]) * record->dt;
  QVERIFY_NEAR(area, impulse, 1e-9 * impulse);
  QCOMPARE(plot->curves().size(), std::size_t(damping > 0 ? 2 : 1));
}

void GesturesTest::insideTheStepComparesWhatIsWithoutDamping() {
  m_hand.open();
  session()->editParameter(1, "damping", 5.0);
  openStep(1);
  const QString text = m_hand.window->stepInspector()->shownText();
  const auto number = [&text](const char* row) {
    const int at = text.indexOf(QString::fromUtf8(row));
    const QRegularExpressionMatch found =
        QRegularExpression("\n[^0-9+-]*([-+]?[0-9.e-]+)").match(text, std::max(at, 0));
    return at < 0 ? std::nan("") : found.captured(1).toDouble();
  };
  const double dpf = number("h k δ(1)"), cpf = number("h k ∫ δ dt");
  QVERIFY2(dpf > 0 && cpf > 0, qPrintable(text));
  // Numbers are shown with five digits, the share with one digit after the point.
  QVERIFY_NEAR(number("DPF against CPF"), 100 * (dpf / cpf - 1), 0.1);
  QVERIFY(text.contains("by damping"));
}

void GesturesTest::insideTheStepKnowsTheMethodOfItsFrame() {
  m_hand.open();
  openStep(1);
  const QString before = m_hand.window->stepInspector()->shownText();
  const long at = session()->cursor();
  session()->editParameter(1, "stiffness", 5e3);
  m_hand.choose(m_hand.pane(1)->methodBox(), QStringLiteral("lcp"));
  QTRY_COMPARE_WITH_TIMEOUT(session()->pane(1).settings.method, std::string("lcp"), kPatience);
  session()->seek(at - 1);
  session()->seek(at);
  QTRY_COMPARE_WITH_TIMEOUT(m_hand.window->stepInspector()->shownText(), before, kPatience);
}

TS_GUI_TEST_MAIN(GesturesTest)
#include "tst_gestures.moc"
