#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QDoubleValidator>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QTabBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/branches/branch_rows.h"
#include "app/panels/backend_button.h"
#include "app/panels/help_browser.h"
#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/panels/parameter_sheet.h"
#include "app/panels/shortcuts_overlay.h"
#include "app/panels/transport_bar.h"
#include "app/panels/verdict_panel.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/window/keyboard.h"
#include "app/window/lesson_actions.h"
#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "core/engine/engine.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "core/solver/dense/problem.h"
#include "core/solver/solver_traits.h"
#include "core/store/provenance.h"
#include "widgets/text/text_line.h"
#include "widgets/views/scene_view.h"

namespace touchstone {

namespace {

// Frames of a far step. A larger value jumps over events; a smaller one is slow on long records.
constexpr int kFarStep = 10;

}  // namespace

QAction* MainWindow::addCommand(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                                const std::function<void()>& run) {
  QAction* action = menu->addAction(text);
  action->setShortcuts(keys);
  addAction(action);  // makes keys work while the menu bar is hidden
  connect(action, &QAction::triggered, this, run);
  return action;
}

void MainWindow::buildMenus() {
  buildFileMenu();
  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  QAction* undo =
      addCommand(edit, tr("Undo"), {QKeySequence(QKeySequence::Undo)}, [this] { m_session->undo(); });
  QAction* redo = addCommand(
      edit, tr("Redo"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
      [this] { m_session->redo(); });
  const auto follow = [stack = m_session->undoStack(), undo, redo] {
    undo->setEnabled(stack->canUndo());
    redo->setEnabled(stack->canRedo());
    undo->setText(tr("Undo %1").arg(stack->undoText()).trimmed());
    redo->setText(tr("Redo %1").arg(stack->redoText()).trimmed());
  };
  connect(m_session->undoStack(), &QUndoStack::indexChanged, this, follow);
  follow();
  edit->addSeparator();
  addCommand(edit, tr("Preferences…"), {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
             [this] { showPreferences(); });
  buildViewMenu();
  buildSimulationMenu();
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  addCommand(help, tr("Guide"), {QKeySequence(Qt::Key_F1)}, [this] {
    const bool any = m_session->paneCount() > 0 && m_help;
    showHelp(any ? QString() : QStringLiteral("start"));
  });
  addCommand(help, tr("Method of the selected pane"), {QKeySequence(Qt::SHIFT | Qt::Key_F1)}, [this] {
    showHelp(m_session->paneCount()
                 ? QString::fromStdString(m_session->pane(m_session->selectedPane()).settings.method)
                 : QStringLiteral("start"));
  });
  addCommand(help, tr("Quantities"), {}, [this] { showHelp(QStringLiteral("quantities")); });
  addCommand(help, tr("Keyboard"), {QKeySequence(Qt::Key_Question)}, [this] { showShortcuts(); });
  help->addSeparator();
  addCommand(help, tr("About Touchstone"), {}, [this] { showAbout(); });
}

// Data that identifies the program for a figure in a paper or a bug report; selectable, so that it can be
// copied.
void MainWindow::showAbout() {
  auto* box =
      new QMessageBox(QMessageBox::NoIcon, tr("About Touchstone"),
                      tr("<h3>Touchstone</h3><p>What does each contact method do with the very same scene, "
                         "and why?</p>") +
                          QStringLiteral("<p style='white-space: pre-wrap'>%1</p>")
                              .arg(QString::fromStdString(provenanceText()).toHtmlEscaped()),
                      QMessageBox::Close, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  box->open();
}

void MainWindow::buildFileMenu() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  addCommand(file, tr("Open…"), {QKeySequence::Open}, [this] { chooseFile(); });
  addCommand(file, tr("Open problems…"), {}, [this] { chooseProblems(); });
  m_recent = file->addMenu(tr("Recent"));
  connect(m_recent, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
  file->addSeparator();
  addCommand(file, tr("Save session…"), {QKeySequence::Save}, [this] { chooseSession(); });
  m_recordAction =
      addCommand(file, tr("Record…"), {QKeySequence(Qt::CTRL | Qt::Key_R)}, [this] { toggleRecording(); });
  file->addSeparator();
  addCommand(file, tr("Save all quantities (CSV)…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
             [this] { exportQuantities(); });
  addCommand(file, tr("Figure from a plot…"), {}, [this] { exportPlot(m_plots->enlarged()); });
  addCommand(file, tr("Save view of the selected pane…"), {},
             [this] { exportView(m_session->selectedPane()); });
  addCommand(file, tr("Save window…"), {QKeySequence(Qt::CTRL | Qt::Key_P)}, [this] { exportScreenshot(); });
  addCommand(file, tr("Export movie…"), {QKeySequence(Qt::CTRL | Qt::Key_E)}, [this] { exportMovie(); });
  addCommand(file, tr("Export for ParaView…"), {}, [this] { exportParaview(); });
  file->addSeparator();
  addCommand(file, tr("Conformance card…"), {}, [this] { raiseLarge(m_conformanceDock); });
  file->addSeparator();
  addCommand(file, tr("Quit"), {QKeySequence::Quit}, [this] { close(); });
}

void MainWindow::addViewSwitch(QMenu* menu, const QString& text, bool ViewSettings::*member) {
  QAction* action = menu->addAction(text);
  action->setCheckable(true);
  action->setChecked(m_grid->viewSettings().*member);
  connect(action, &QAction::toggled, this, [this, member](bool on) {
    ViewSettings settings = m_grid->viewSettings();
    if (settings.*member == on) return;
    settings.*member = on;
    m_grid->setViewSettings(settings);
  });
  connect(m_grid, &PaneGrid::viewSettingsChanged, action,
          [this, action, member] { action->setChecked(m_grid->viewSettings().*member); });
}

template <class Choice>
void MainWindow::addChoices(QMenu* menu, Choice ViewSettings::*member,
                            const std::vector<std::pair<QString, Choice>>& choices) {
  auto* group = new QActionGroup(menu);
  for (const auto& [text, choice] : choices) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setActionGroup(group);
    action->setChecked(m_grid->viewSettings().*member == choice);
    connect(action, &QAction::triggered, this, [this, member, choice = choice] {
      ViewSettings settings = m_grid->viewSettings();
      settings.*member = choice;
      m_grid->setViewSettings(settings);
    });
    connect(m_grid, &PaneGrid::viewSettingsChanged, action, [this, action, member, choice = choice] {
      action->setChecked(m_grid->viewSettings().*member == choice);
    });
  }
}

void MainWindow::buildColourMenus(QMenu* view) {
  addChoices<BodyColour>(view->addMenu(tr("Colour of bodies")), &ViewSettings::bodyColour,
                         {{tr("Plain"), BodyColour::Plain},
                          {tr("By penetration"), BodyColour::Penetration},
                          {tr("By distance from the reference pane"), BodyColour::Difference}});
  addChoices<DeformationColour>(view->addMenu(tr("Colour of deforming bodies")), &ViewSettings::deformation,
                                {{tr("As other bodies"), DeformationColour::Plain},
                                 {tr("By change of volume, J − 1"), DeformationColour::Volume},
                                 {tr("By largest strain"), DeformationColour::Strain},
                                 {tr("By contact pressure"), DeformationColour::Pressure}});
}

void MainWindow::buildSectionMenu(QMenu* view) {
  QMenu* menu = view->addMenu(tr("Section"));
  addChoices<Section>(menu, &ViewSettings::section,
                      {{tr("None"), Section::Off},
                       {tr("Across x"), Section::X},
                       {tr("Across y"), Section::Y},
                       {tr("Across z"), Section::Z}});
  menu->addSeparator();
  const auto move = [this](double by) {
    ViewSettings settings = m_grid->viewSettings();
    settings.sectionOffset = std::clamp(settings.sectionOffset + by, -1.0, 1.0);
    m_grid->setViewSettings(settings);
  };
  constexpr double kStep = 0.1;
  addCommand(menu, tr("Section forward along its axis"), {}, [move] { move(kStep); });
  addCommand(menu, tr("Section back along its axis"), {}, [move] { move(-kStep); });
  addCommand(menu, tr("Section to the middle"), {},
             [this, move] { move(-m_grid->viewSettings().sectionOffset); });
}

void MainWindow::buildViewMenu() {
  QMenu* view = menuBar()->addMenu(tr("&View"));
  addViewSwitch(view, tr("Contacts"), &ViewSettings::contacts);
  addViewSwitch(view, tr("Force arrows"), &ViewSettings::forces);
  addViewSwitch(view, tr("Logarithmic arrows"), &ViewSettings::logArrows);
  addViewSwitch(view, tr("Normals"), &ViewSettings::normals);
  addViewSwitch(view, tr("Overlap volumes"), &ViewSettings::overlaps);
  addViewSwitch(view, tr("Joints"), &ViewSettings::joints);
  addViewSwitch(view, tr("Forces of joints"), &ViewSettings::jointForces);
  addViewSwitch(view, tr("Ghost of the reference pane"), &ViewSettings::ghost);
  addViewSwitch(view, tr("Legend of the views"), &ViewSettings::scalarBar);
  addViewSwitch(view, tr("Trails"), &ViewSettings::trails);
  addViewSwitch(view, tr("Wireframe"), &ViewSettings::wireframe);
  addViewSwitch(view, tr("Ground grid"), &ViewSettings::grid);
  buildColourMenus(view);
  buildSectionMenu(view);
  QAction* lock = view->addAction(tr("Lock the depth scale"));
  lock->setCheckable(true);
  connect(lock, &QAction::toggled, this, [this](bool on) {
    ViewSettings settings = m_grid->viewSettings();
    settings.scalarMaximum = on ? m_grid->depthRange() : 0;
    m_grid->setViewSettings(settings);
  });
  connect(m_grid, &PaneGrid::viewSettingsChanged, lock, [this, lock] {
    const QSignalBlocker quiet(lock);
    lock->setChecked(m_grid->viewSettings().scalarMaximum > 0);
  });
  view->addSeparator();
  QAction* linked = view->addAction(tr("Link cameras"));
  linked->setCheckable(true);
  linked->setChecked(m_grid->camerasLinked());
  connect(linked, &QAction::toggled, m_grid, &PaneGrid::setCamerasLinked);
  addCommand(view, tr("Frame what moves"), {QKeySequence(Qt::Key_F)}, [this] { m_grid->frameAll(); });
  addCommand(view, tr("Scene view"), {QKeySequence(Qt::Key_V)}, [this] { m_grid->showSceneView(); });
  addCommand(view, tr("Upright camera"), {QKeySequence(Qt::Key_U)}, [this] { m_grid->straightenCamera(); });
  QMenu* along = view->addMenu(tr("Look along"));
  const std::vector<std::pair<QString, ViewAxis>> axes = {
      {tr("from +X"), ViewAxis::PlusX},         {tr("from −X"), ViewAxis::MinusX},
      {tr("from +Y (top)"), ViewAxis::PlusY},   {tr("from −Y"), ViewAxis::MinusY},
      {tr("from +Z (front)"), ViewAxis::PlusZ}, {tr("from −Z"), ViewAxis::MinusZ}};
  for (const auto& [text, axis] : axes)
    addCommand(along, text, {}, [this, axis = axis] { m_grid->lookAlong(axis); });
  QMenu* enlarge = view->addMenu(tr("Enlarge pane"));
  for (int pane = 0; pane < Session::kMostPanes; ++pane)
    addCommand(enlarge, tr("Pane %1").arg(pane + 1), {QKeySequence(Qt::Key_1 + pane)},
               [this, pane] { m_grid->toggleEnlarged(pane); });
  QMenu* plots = view->addMenu(tr("Plots"));
  addCommand(plots, tr("Marker A at the cursor"), {QKeySequence(Qt::SHIFT | Qt::Key_A)},
             [this] { m_plots->setMarker(0, m_session->cursor()); });
  addCommand(plots, tr("Marker B at the cursor"), {QKeySequence(Qt::SHIFT | Qt::Key_B)},
             [this] { m_plots->setMarker(1, m_session->cursor()); });
  addCommand(plots, tr("Remove markers"), {}, [this] {
    for (const int marker : {0, 1}) m_plots->setMarker(marker, -1);
  });
  addCommand(plots, tr("Values, difference, ratio in turn"), {QKeySequence(Qt::Key_D)}, [this] {
    PlotOptions options = m_plots->options();
    options.form = static_cast<CurveForm>((static_cast<int>(options.form) + 1) % 3);
    m_plots->setOptions(options);
  });
  addCommand(plots, tr("Add a plot"), {}, [this] { m_plots->setTileCount(countOf(m_plots->tiles()) + 1); });
  view->addSeparator();
  for (QDockWidget* dock : {m_plotDock, m_parameterDock, m_galleryDock, m_inspectorDock, m_jointDock,
                            m_stepDock, m_studyDock, m_logDock, m_verdictDock, m_conformanceDock})
    view->addAction(dock->toggleViewAction());
  QMenu* arrangements = view->addMenu(tr("Arrangement"));
  const std::vector<std::pair<QString, Arrangement>> choices = {
      {tr("Explore: all pages"), Arrangement::Explore},
      {tr("Compare: verdict and one plot"), Arrangement::Compare},
      {tr("Lecture: lesson and one plot"), Arrangement::Lecture},
      {tr("Figure: panes and all plots"), Arrangement::Figure}};
  for (std::size_t choice = 0; choice < choices.size(); ++choice)
    addCommand(arrangements, choices[choice].first, {QKeySequence(Qt::Key_F6 + static_cast<int>(choice))},
               [this, arrangement = choices[choice].second] {
                 if (m_presenting) setPresenting(false);
                 arrange(arrangement);
               });
  addCommand(view, tr("Presentation"), {QKeySequence(Qt::Key_F5)}, [this] { setPresenting(!m_presenting); });
  addCommand(view, tr("Full screen"), {QKeySequence(Qt::Key_F11)},
             [this] { isFullScreen() ? showNormal() : showFullScreen(); });
  addCommand(view, tr("Leave mode"), {QKeySequence(Qt::Key_Escape)}, [this] { leaveMode(); });
}

void MainWindow::buildSimulationMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Simulation"));
  addCommand(menu, tr("Run, play or pause"), {QKeySequence(Qt::Key_Space)},
             [this] { m_session->toggleRunning(); });
  addCommand(menu, tr("One frame on"), {QKeySequence(Qt::Key_Right), QKeySequence(Qt::Key_Period)},
             [this] { m_session->step(1); });
  addCommand(menu, tr("One frame back"), {QKeySequence(Qt::Key_Left), QKeySequence(Qt::Key_Comma)},
             [this] { m_session->step(-1); });
  addCommand(menu, tr("Ten frames on"), {QKeySequence(Qt::SHIFT | Qt::Key_Right)},
             [this] { m_session->step(kFarStep); });
  addCommand(menu, tr("Ten frames back"), {QKeySequence(Qt::SHIFT | Qt::Key_Left)},
             [this] { m_session->step(-kFarStep); });
  addCommand(menu, tr("First recorded frame"), {QKeySequence(Qt::Key_Home)},
             [this] { m_session->seek(m_session->firstFrame()); });
  addCommand(menu, tr("Newest frame"), {QKeySequence(Qt::Key_End)}, [this] { m_session->goLive(); });
  addCommand(menu, tr("Restart"), {QKeySequence(Qt::Key_R)}, [this] { m_session->restart(); });
  QAction* fork = addCommand(menu, m_transport->forkText(), {QKeySequence(Qt::Key_B)},
                             [this] { m_session->fork(m_session->selectedPane()); });
  connect(menu, &QMenu::aboutToShow, fork, [this, fork] { fork->setText(m_transport->forkText()); });
  QMenu* branches = menu->addMenu(tr("Branches"));
  connect(branches, &QMenu::aboutToShow, branches, [this, branches] {
    qDeleteAll(branches->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
    m_transport->fillBranches(branches);
    branches->addSeparator();
    for (const BranchInfo& branch : m_session->branches())
      fillBranchMenu(branches->addMenu(m_session->branchName(branch.id)), m_session, branch.id,
                     [this, id = branch.id] { m_branchRows->rename(id); });
  });
  addCommand(menu, tr("Faster"), {QKeySequence(Qt::Key_Plus)}, [this] { m_transport->changeSpeed(1); });
  addCommand(menu, tr("Slower"), {QKeySequence(Qt::Key_Minus)}, [this] { m_transport->changeSpeed(-1); });
  addCommand(menu, tr("Play the record again and again, or stop that"), {QKeySequence(Qt::Key_L)},
             [this] { m_session->setLooping(!m_session->isLooping()); });
  addCommand(menu, tr("Next step of the lesson"), {QKeySequence(Qt::Key_PageDown)},
             [this] { walkLesson(1); });
  addCommand(menu, tr("Take back the step of the lesson"), {QKeySequence(Qt::Key_PageUp)},
             [this] { walkLesson(-1); });
  menu->addSeparator();
  QMenu* add = menu->addMenu(tr("Add pane"));
  for (const MethodInfo& method : methodTable()) {
    const EngineInfo* engine = findEngine(method.key);
    if (engine && engine->isPlayed) continue;  // it asks for a file, below
    addCommand(add, QString::fromStdString(method.name), {}, [this, key = method.key] {
      if (m_session->scene()) m_session->addPane(paneFor(key, *m_session->scene()));
    });
  }
  addCommand(add, tr("Trajectory…"), {}, [this] { chooseTrajectory(); });
  addCommand(add, tr("Recording…"), {}, [this] { chooseRecordingToAdd(); });
  addCommand(menu, tr("Duplicate selected pane"), {}, [this] {
    if (m_session->paneCount() > 0) m_session->duplicatePane(m_session->selectedPane());
  });
  addCommand(menu, tr("Remove selected pane"), {}, [this] {
    if (m_session->paneCount() > 0) m_session->removePane(m_session->selectedPane());
  });
  QMenu* pauseOn = menu->addMenu(tr("Pause on"));
  for (TimelineEventKind kind :
       {TimelineEventKind::FirstContact, TimelineEventKind::Trap, TimelineEventKind::Energy,
        TimelineEventKind::NotConverged, TimelineEventKind::NoSolution, TimelineEventKind::Diverged,
        TimelineEventKind::Stopped}) {
    QAction* action = pauseOn->addAction(tr(toString(kind)));
    action->setCheckable(true);
    connect(action, &QAction::toggled, this, [this, kind](bool on) { m_session->setPauseOn(kind, on); });
  }
  buildThresholdMenu(pauseOn);
  buildProblemMenu(menu->addMenu(tr("This step's problem")));
  QMenu* backend = menu->addMenu(tr("All panes on"));
  backend->addActions(m_backend->menu()->actions());
  backend->setToolTipsVisible(true);
  QAction* equal = menu->addAction(tr("Equal cost (substeps so that all panes take as long)"));
  equal->setCheckable(true);
  connect(equal, &QAction::toggled, m_session, &Session::setEqualCost);
  connect(m_session, &Session::panesChanged, equal,
          [this, equal] { equal->setChecked(m_session->isEqualCost()); });
  addCommand(menu, tr("Parameter sheet…"), {QKeySequence(Qt::CTRL | Qt::Key_T)},
             [this] { showParameterSheet(); });
  addCommand(menu, tr("Study…"), {}, [this] { raiseLarge(m_studyDock); });
  addCommand(menu, tr("Vary a parameter…"), {}, [this] {
    if (m_session->paneCount() > 0)
      varyParameter(m_session->selectedPane(), {});
    else
      note(tr("Open a scene first; a parameter of its panes is varied."));
  });
  addCommand(menu, tr("Ensemble…"), {}, [this] { chooseEnsemble(); });
  QAction* without = addCommand(menu, tr("Remove the ensemble from the plots"), {}, [this] {
    m_plots->setEnsemble(nullptr);
    m_verdict->setEnsemble(nullptr);
  });
  connect(menu, &QMenu::aboutToShow, without,
          [this, without] { without->setEnabled(m_plots->ensemble() != nullptr); });
  connect(menu, &QMenu::aboutToHide, without, [without] { without->setEnabled(true); });
  QAction* together = menu->addAction(tr("Run panes at the same time (step times share the cores)"));
  together->setCheckable(true);
  connect(together, &QAction::toggled, m_session, &Session::setConcurrent);
}

// Beside the plots there is too little room for figures and tables: such a dock begins as a window of its
// own.
void MainWindow::raiseLarge(QDockWidget* dock) {
  if (!dock->isVisible() && !dock->isFloating()) {
    dock->setFloating(true);
    dock->resize(width() * 3 / 5, height() * 4 / 5);
    dock->move(mapToGlobal(rect().center() - dock->rect().center()));
  }
  raise(dock);
}

// The selected pane, or the first one that solves a problem.
int MainWindow::paneWithProblem() const {
  const auto solves = [this](int pane) {
    const RecordPtr record = m_session->shown(pane);
    return record && !record->iterations.empty();
  };
  if (m_session->paneCount() > 0 && solves(m_session->selectedPane())) return m_session->selectedPane();
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    if (solves(pane)) return pane;
  return -1;
}

/// Entries that remove a threshold on a click, and one that adds another.
void MainWindow::buildThresholdMenu(QMenu* menu) {
  menu->addSeparator();
  addCommand(menu, tr("A quantity above…"), {}, [this] { addThreshold(); });
  auto* group = new QActionGroup(menu);
  connect(m_session, &Session::thresholdsChanged, menu, [this, menu, group] {
    qDeleteAll(group->actions());
    for (std::size_t index = 0; index < m_session->thresholds().size(); ++index) {
      QAction* action = menu->addAction(QString::fromStdString(toString(m_session->thresholds()[index])));
      action->setActionGroup(group);
      action->setCheckable(true);
      action->setChecked(true);
      action->setToolTip(tr("Click to remove"));
      group->setExclusive(false);
      connect(action, &QAction::triggered, this, [this, index] {
        std::vector<StopCondition> kept = m_session->thresholds();
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(index));
        // After the menu has closed, because the clicked entry is deleted.
        QTimer::singleShot(0, m_session, [this, kept] { m_session->setThresholds(kept); });
      });
    }
  });
}

void MainWindow::addThreshold() {
  QDialog dialog(this);
  dialog.setWindowTitle(tr("Pause on a quantity"));
  auto* form = new QFormLayout(&dialog);
  auto* quantity = new QComboBox;
  for (const QuantityInfo& info : quantityTable()) {
    const QString unit =
        info.unit.empty() ? QString() : QStringLiteral(" [%1]").arg(QString::fromStdString(info.unit));
    quantity->addItem(QString::fromStdString(info.label) + unit, QString::fromStdString(info.key));
  }
  quantity->setCurrentIndex(quantity->findData(QStringLiteral("penetration_max")));
  auto* threshold = new QLineEdit(QStringLiteral("1e-3"));
  auto* validator = new QDoubleValidator(threshold);
  validator->setLocale(QLocale::c());
  threshold->setValidator(validator);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  form->addRow(tr("Pause where"), quantity);
  form->addRow(tr("rises above"), threshold);
  form->addRow(buttons);
  if (dialog.exec() != QDialog::Accepted) return;
  std::vector<StopCondition> thresholds = m_session->thresholds();
  thresholds.push_back(stopConditionOf(quantity->currentData().toString().toStdString() + ">" +
                                       threshold->text().toStdString()));
  m_session->setThresholds(thresholds);
}

void MainWindow::buildProblemMenu(QMenu* menu) {
  addCommand(menu, tr("Export as JSON…"), {}, [this] { exportProblem(); });
  menu->addSeparator();
  for (const SolverTraits& solver : storedSolvers())
    addCommand(
        menu, tr("Solve again with %1").arg(QString::fromStdString(solver.key)), {},
        [this, key = solver.key] {
          const int pane = paneWithProblem();
          if (pane < 0) {
            note(tr("No pane solves a complementarity problem in this step; step to a frame with contacts."));
          } else {
            m_session->resolve(pane, key);
          }
        });
  m_plots->setProblemMenu(menu);
}

// Esc ends the innermost mode, never the program.
void MainWindow::leaveMode() {
  if (QWidget* overlay = m_overlay) {
    overlay->close();
  } else if (m_grid->enlarged() >= 0) {
    m_grid->toggleEnlarged(-1);
  } else if (m_plots->enlarged() >= 0) {
    m_plots->toggleEnlarged(-1);
  } else if (m_presenting) {
    setPresenting(false);
  } else if (isFullScreen()) {
    showNormal();
  } else if (m_messages->isVisible()) {
    m_messages->clear();
  } else if (m_lessonStrip->isVisible() && m_arrangement != Arrangement::Lecture) {
    m_lessonStrip->hide();
  } else if (m_session->isLooping()) {
    m_session->setLooping(false);
  } else if (focusWidget()) {
    focusWidget()->clearFocus();
  }
}

void MainWindow::walkLesson(int by) {
  if (!m_lessonStrip->hasSteps()) {
    note(m_session->scene() ? tr("The lesson of this scene has no steps.")
                            : tr("Open a scene first; the steps of its lesson are walked with Page Down."));
    return;
  }
  if (m_lessonStrip->isHidden()) {  // the first key shows what the next one does
    m_lessonStrip->show();
    return;
  }
  by > 0 ? m_lessonStrip->goOn() : m_lessonStrip->goBack();
}

// In a lecture the strip is always there; elsewhere a key of it brings it up, and Esc takes it away.
// A presentation gives its large caption the whole width. Elsewhere that would cost the docks height.
void MainWindow::showLessonStrip() {
  // Size of the caption of a presentation [pt]. A larger value cuts long steps; a smaller one is not legible
  // from the back of a hall.
  constexpr double kCaption = 28;
  m_lessonStrip->setCaptionSize(m_presenting ? kCaption : 0);
  constexpr int kPlaceAbovePanes = 1;  // below the messages
  if (m_presenting)
    m_lessonPlace->layout()->addWidget(m_lessonStrip);
  else
    static_cast<QVBoxLayout*>(centralWidget()->layout())->insertWidget(kPlaceAbovePanes, m_lessonStrip);
  m_lessonStrip->setVisible(m_lessonStrip->hasSteps() &&
                            (m_presenting || m_arrangement == Arrangement::Lecture));
  m_lessonBar->setVisible(m_presenting && m_lessonStrip->hasSteps());
}

void MainWindow::showPlot(int tile) {
  const int count = countOf(m_plots->tiles());
  if (tile >= count) return;
  if (tile < 0) {
    if (m_plots->enlarged() >= 0) m_plots->toggleEnlarged(-1);
    if (m_presenting) m_plotDock->hide();
    return;
  }
  if ((m_plots->enlarged() >= 0 || m_presenting) && m_plots->enlarged() != tile)
    m_plots->toggleEnlarged(tile);
  if (m_plotDock->isHidden()) raise(m_plotDock);
}

// Only large type, panes and transport, legible from the back of a lecture hall. Plots stay if they are shown
// alone in their dock (enlarge one first).
void MainWindow::setPresenting(bool presenting) {
  // Scale of texts. A larger value hides the panes; a smaller one is not legible from the back of a hall.
  constexpr double kLarge = 1.5;
  if (presenting == m_presenting) return;
  m_presenting = presenting;
  if (presenting) {
    m_layoutBefore = saveState();
    m_fontBefore = QApplication::font();
    QFont large = m_fontBefore;
    large.setPointSizeF(kLarge * large.pointSizeF());
    QApplication::setFont(large);
    for (QDockWidget* dock : findChildren<QDockWidget*>()) dock->hide();
    m_plotDock->setVisible(m_plots->enlarged() >= 0);
    m_grid->setTextScale(kLarge);
    note(tr("Presentation: Esc or F5 leaves it, Space runs, arrows step, 1 to 6 enlarge a pane."));
  } else {
    QApplication::setFont(m_fontBefore);
    restoreState(m_layoutBefore);
    m_grid->setTextScale(1);
    m_readOut->setText({});
  }
  showLessonStrip();
  menuBar()->setVisible(!presenting);
  for (QWidget* widget : {static_cast<QWidget*>(m_rateLabel), static_cast<QWidget*>(m_backend)})
    widget->setVisible(!presenting);
}

void MainWindow::showPreferences() {
  PreferencesDialog dialog(loadPreferences(), this);
  if (dialog.exec() != QDialog::Accepted) return;
  savePreferences(dialog.preferences());
  applyTheme(dialog.preferences().theme);
  m_session->setHistoryBudget(dialog.preferences().historyBytes());
  m_session->setLongRun(dialog.preferences().longRun);
  m_session->setSecondsPerFrame(dialog.preferences().secondsPerFrame);
}

void MainWindow::showParameterSheet() {
  if (!m_session->scene()) {
    note(tr("Open a scene first; the sheet lists the parameters of its panes."));
    return;
  }
  if (!m_sheet) m_sheet = new ParameterSheet(m_session, this);
  m_sheet->show();
  m_sheet->raise();
}

void MainWindow::showShortcuts() {
  if (m_overlay) {
    m_overlay->close();
    return;
  }
  m_overlay = new ShortcutsOverlay(this);
  m_overlay->show();
  m_overlay->raise();
}

void MainWindow::showHelp(const QString& page) {
  if (!m_help) m_help = new HelpWindow(this);
  if (!page.isEmpty()) m_help->showPage(page);
  m_help->show();
  m_help->raise();
  m_help->activateWindow();
}

// Pages behind others lie outside the window, and Qt gives them the focus.
bool MainWindow::focusNextPrevChild(bool next) {
  const QWidget* first = nullptr;
  while (QMainWindow::focusNextPrevChild(next)) {
    const QWidget* focus = focusWidget();
    if (!focus || Keyboard::isInFront(focus)) return true;
    if (focus == first) return false;
    if (!first) first = focus;
  }
  return false;
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched == this && event->type() == QEvent::Resize) {
    m_dockSizes.clear();
    for (QDockWidget* dock : shownDocks()) m_dockSizes.emplace_back(dock, dock->size());
  }
  // Qt makes the bars of docks, and elides their texts.
  if (event->type() == QEvent::Show && watched->parent() == this)
    if (auto* tabs = qobject_cast<QTabBar*>(watched)) {
      tabs->setElideMode(Qt::ElideNone);
      tabs->setUsesScrollButtons(true);
      tabs->setExpanding(false);
    }
  return QMainWindow::eventFilter(watched, event);
}

}  // namespace touchstone
