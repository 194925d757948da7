#include "app/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QStyle>
#include <QTime>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/branches/branch_rows.h"
#include "app/exports/conformance_job.h"
#include "app/panels/backend_button.h"
#include "app/panels/contact_inspector.h"
#include "app/panels/help_browser.h"
#include "app/panels/joint_inspector.h"
#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/panels/parameter_panel.h"
#include "app/panels/row_inspector.h"
#include "app/panels/scrolled.h"
#include "app/panels/step_inspector.h"
#include "app/panels/transport_bar.h"
#include "app/panels/verdict_panel.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/study_panel/study_panel.h"
#include "app/window/keyboard.h"
#include "app/window/lesson_actions.h"
#include "app/window/preferences.h"
#include "app/window/repaint_gate.h"
#include "app/work/long_job.h"
#include "app/work/program_info.h"
#include "core/parallel/parallel_for.h"
#include "widgets/gallery/gallery.h"
#include "widgets/palette.h"
#include "widgets/text/qt_text.h"
#include "widgets/text/text_line.h"

namespace touchstone {

namespace {

/// A larger log takes more memory; a smaller one loses early messages.
constexpr int kLogLines = 2000;
// [ms] Window of the frame rate. A larger value shows changes late; a smaller one makes the number jump.
constexpr qint64 kRateWindow = 1000;
const char* const kLayoutKey = "window/layout-3";
const char* const kArrangementKey = "window/arrangement";
/// The tile that an arrangement with one plot begins with: deepest penetration.
constexpr int kPlotOfCompare = 1;

const std::pair<Arrangement, const char*> kArrangements[] = {{Arrangement::Explore, "explore"},
                                                             {Arrangement::Compare, "compare"},
                                                             {Arrangement::Lecture, "lecture"},
                                                             {Arrangement::Figure, "figure"}};

/// Qt does not update the colours of widgets with a style sheet.
void styleAnew(const QWidget& window) {
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    const QString sheet = widget->styleSheet();
    if (sheet.isEmpty()) continue;
    widget->setStyleSheet(QString());
    widget->setStyleSheet(sheet);
  }
}

QDockWidget* makeDock(QMainWindow* window, const QString& title, const char* name, QWidget* page) {
  auto* dock = new QDockWidget(title, window);
  dock->setObjectName(QLatin1String(name));
  dock->setWidget(page);
  return dock;
}

/// Heading of a folder of shipped scenes in the gallery.
QString groupOf(const QString& folder) {
  return folder.contains(QLatin1String("/battery/")) ? MainWindow::tr("The battery") : QString();
}

}  // namespace

QString toString(Arrangement arrangement) {
  for (const auto& [value, name] : kArrangements)
    if (value == arrangement) return QLatin1String(name);
  return {};
}

std::optional<Arrangement> arrangementOf(const QString& name) {
  for (const auto& [value, known] : kArrangements)
    if (name == QLatin1String(known)) return value;
  return {};
}

QString datasetsPath() { return QString::fromStdString(datasetsFolder()); }

MainWindow::MainWindow(WindowMemory memory, QWidget* parent)
    : QMainWindow(parent),
      m_memory(memory),
      m_session(new Session(this)),
      m_grid(new PaneGrid(m_session)),
      m_plots(new PlotPanel(m_session)),
      m_parameters(new ParameterPanel(m_session)),
      m_transport(new TransportBar(m_session)),
      m_branchRows(new BranchRows(m_session, m_transport->timeline())),
      m_messages(new MessageBar),
      m_gallery(new Gallery),
      m_inspector(new ContactInspector(m_session)),
      m_joints(new JointInspector(m_session)),
      m_step(new StepInspector(m_session)),
      m_studies(new StudyPanel),
      m_verdict(new VerdictPanel(m_session)),
      m_lessonStrip(new LessonStrip(this)),
      m_lessonBar(new QToolBar(tr("Lesson"))),
      m_lessonPlace(new QWidget),
      m_conformance(new ConformancePanel),
      m_log(new QPlainTextEdit) {
  setWindowTitle(tr("Touchstone"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setAnimated(false);  // an arrangement is there at once
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addWidget(m_messages);
  column->addWidget(m_lessonStrip);
  column->addWidget(m_grid, 1);
  setCentralWidget(centre);
  auto* bottom = new QToolBar(tr("Transport"));
  bottom->setObjectName(QStringLiteral("transport"));
  bottom->setMovable(false);
  bottom->toggleViewAction()->setVisible(false);  // else the mouse would have no way to start a run
  auto* time = new QWidget;
  auto* rows = new QVBoxLayout(time);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(m_transport);
  rows->addWidget(m_branchRows);
  bottom->addWidget(time);
  addToolBar(Qt::BottomToolBarArea, bottom);
  m_lessonBar->setObjectName(QStringLiteral("lesson"));
  m_lessonBar->setMovable(false);
  m_lessonBar->toggleViewAction()->setVisible(false);
  m_lessonBar->addWidget(m_lessonPlace);
  (new QVBoxLayout(m_lessonPlace))->setContentsMargins(0, 0, 0, 0);
  m_lessonBar->hide();
  m_lessonStrip->hide();
  addToolBar(Qt::TopToolBarArea, m_lessonBar);
  buildDocks();
  buildStatusBar();
  buildMenus();
  connectSession();
  qApp->installEventFilter(this);
  m_keyboard = new Keyboard(this);
  m_repaintGate = new RepaintGate(this);
  connect(m_grid, &PaneGrid::framesShown, m_repaintGate, &RepaintGate::letPass);
  connect(m_session, &Session::runningChanged, m_repaintGate,
          [this] { m_repaintGate->setClosed(m_session->isRunning()); });
  for (const std::string& folder : sceneFolders())
    m_gallery->addFolder(QString::fromStdString(folder), groupOf(QString::fromStdString(folder)));
  const QSize title(0, style()->pixelMetric(QStyle::PM_TitleBarHeight));
  resize(QSize(1600, 940).boundedTo(QGuiApplication::primaryScreen()->availableSize() - title));
  restoreLayout();
  updateTheme();
}

MainWindow::~MainWindow() {
  hide();  // hiding widgets call this window, which no longer exists when it deletes them
  qApp->removeEventFilter(this);
}

void MainWindow::buildDocks() {
  m_log->setReadOnly(true);
  m_log->setAccessibleName(tr("Log"));
  m_log->setMaximumBlockCount(kLogLines);
  m_log->setPlaceholderText(tr("What was done and what went wrong appears here."));
  m_plotDock = makeDock(this, tr("Plots"), "plots", m_plots);
  m_parameterDock = makeDock(this, tr("Parameters"), "parameters", scrolled(m_parameters));
  m_galleryDock = makeDock(this, tr("Scenes"), "scenes", m_gallery);
  m_inspectorDock = makeDock(this, tr("Contacts"), "contacts", m_inspector);
  m_jointDock = makeDock(this, tr("Joints"), "joints", m_joints);
  // A low window has not enough height for plots and numbers at the same time.
  m_stepDock = makeDock(this, tr("Step"), "step", scrolled(m_step));
  m_studyDock = makeDock(this, tr("Studies"), "studies", m_studies);
  m_conformanceDock = makeDock(this, tr("Conformance"), "conformance", m_conformance);
  m_logDock = makeDock(this, tr("Log"), "log", m_log);
  m_verdictDock = makeDock(this, tr("Verdict"), "verdictDock", m_verdict);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
  arrange(Arrangement::Explore);
}

// The docks of an arrangement, from above; pages on one place follow the first of them as tabs.
void MainWindow::arrange(Arrangement arrangement) {
  std::vector<std::vector<QDockWidget*>> places;
  const std::vector<QDockWidget*> pages = {m_parameterDock, m_galleryDock, m_inspectorDock,
                                           m_jointDock,     m_stepDock,    m_logDock};
  switch (arrangement) {
    case Arrangement::Explore:
      places = {{m_verdictDock}, {m_plotDock}, pages};
      break;
    case Arrangement::Compare:
      places = {{m_verdictDock}, {m_plotDock}};
      break;
    case Arrangement::Lecture:
      places = {{m_galleryDock}, {m_plotDock}};
      break;
    case Arrangement::Figure:
      places = {{m_plotDock}};
      break;
  }
  m_arrangement = arrangement;
  std::vector<QDockWidget*> others = {m_verdictDock,   m_plotDock,       m_parameterDock, m_galleryDock,
                                      m_inspectorDock, m_jointDock,      m_stepDock,      m_studyDock,
                                      m_logDock,       m_conformanceDock};
  for (QDockWidget* dock : others) {
    dock->setFloating(false);
    removeDockWidget(dock);
  }
  QDockWidget* above = nullptr;
  for (const std::vector<QDockWidget*>& place : places) {
    QDockWidget* front = nullptr;
    for (QDockWidget* dock : place) {
      if (front)
        tabifyDockWidget(front, dock);
      else if (above)
        splitDockWidget(above, dock, Qt::Vertical);
      else
        addDockWidget(Qt::RightDockWidgetArea, dock);
      dock->show();
      if (!front) front = dock;
      others.erase(std::remove(others.begin(), others.end(), dock), others.end());
    }
    if (front) front->raise();
    if (front) above = front;
  }
  for (QDockWidget* dock : others) {  // tabs of the last place, once they are asked for
    tabifyDockWidget(above, dock);
    dock->hide();
  }
  above->raise();
  const bool onePlot = arrangement == Arrangement::Compare || arrangement == Arrangement::Lecture;
  if (onePlot != (m_plots->enlarged() >= 0)) m_plots->toggleEnlarged(onePlot ? kPlotOfCompare : -1);
  m_gallery->setReading(arrangement == Arrangement::Lecture);
  showLessonStrip();
  m_toShare = !isVisible();
  shareSpace();
}

void MainWindow::buildStatusBar() {
  m_sceneLabel = new TextLine;
  m_readOut = new TextLine;
  m_rateLabel = new QLabel;
  m_backend = new BackendButton(m_session);
  m_progress = new QProgressBar;
  m_cancel = new QToolButton;
  for (QWidget* label : std::initializer_list<QWidget*>{m_sceneLabel, m_readOut, m_rateLabel})
    label->setContentsMargins(6, 0, 6, 0);
  m_rateLabel->setMinimumWidth(fontMetrics().horizontalAdvance(tr("1000 fps")) + 16);  // fixed width
  QFont bold = m_sceneLabel->font();
  bold.setBold(true);
  m_sceneLabel->setFont(bold);
  m_sceneLabel->setText(tr("no scene"));
  m_sceneLabel->setSample(m_sceneLabel->text());
  m_progress->setFixedWidth(180);
  m_cancel->setText(tr("Cancel"));
  m_cancel->setFocusPolicy(Qt::NoFocus);
  m_progress->hide();
  m_cancel->hide();
  m_result = new QToolButton;
  m_result->setAutoRaise(true);
  m_result->setFocusPolicy(Qt::NoFocus);
  m_result->setAccessibleName(tr("Show result"));
  m_result->hide();
  connect(m_result, &QToolButton::clicked, this, [this] {
    if (m_showResult) m_showResult();
  });
  statusBar()->addWidget(m_sceneLabel);
  statusBar()->addWidget(m_readOut, 1);
  m_recordButton = new QToolButton;
  m_recordButton->setAutoRaise(true);
  m_recordButton->setFocusPolicy(Qt::NoFocus);
  m_recordButton->setAccessibleName(tr("Stop recording"));
  m_recordButton->hide();
  connect(m_recordButton, &QToolButton::clicked, this, &MainWindow::toggleRecording);
  statusBar()->addPermanentWidget(m_recordButton);
  statusBar()->addPermanentWidget(m_progress);
  statusBar()->addPermanentWidget(m_cancel);
  statusBar()->addPermanentWidget(m_result);
  statusBar()->addPermanentWidget(m_rateLabel);
  statusBar()->addPermanentWidget(m_backend);
  connect(m_cancel, &QToolButton::clicked, this, [this] {
    if (m_job) {
      m_jobCancelled = true;
      m_job->cancel();
    } else {
      m_session->cancelOpening();
    }
  });
}

void MainWindow::connectSession() {
  connect(m_session, &Session::sceneChanged, this, &MainWindow::onSceneChanged);
  connect(m_session, &Session::opening, this, &MainWindow::showOpening);
  connect(m_session, &Session::openingCancelled, this, [this] {
    endOpening();
    note(tr("Opening was cancelled"));
    m_grid->setOpening({});
    m_opening.reset();
    if (!m_session->scene()) raise(m_galleryDock);
  });
  connect(m_session, &Session::failed, this, [this](const QString& text) {
    endOpening();
    m_messages->showProblem(text);
    note(tr("Problem: %1").arg(text));
    m_grid->setOpening({});
    if (!m_session->scene()) raise(m_galleryDock);  // for a file that cannot be opened at the start
  });
  connect(m_session, &Session::noted, this, &MainWindow::note);
  connect(m_session, &Session::recordingChanged, this, &MainWindow::showRecording);
  connect(m_session, &Session::forgetting, this, &MainWindow::askToForget);
  connect(m_session, &Session::branchesSaved, this, [this](bool done) {
    m_saving = false;
    if (!done) m_afterKeeping = nullptr;
    goOnWhenKept();
  });
  connect(m_session, &Session::cursorMoved, this, &MainWindow::updateStatus);
  connect(m_session, &Session::runningChanged, this, &MainWindow::updateStatus);
  connect(m_grid, &PaneGrid::framesShown, this, &MainWindow::countFrame);
  connect(m_gallery, &Gallery::openRequested, this, [this](const QString& path) { open(path); });
  connect(m_gallery, &Gallery::actionRequested, this, [this](const QUrl& link) {
    const QString problem = perform(lessonAction(link), *this);
    if (!problem.isEmpty())
      report(false, QString(), tr("This step of the lesson cannot be done: %1").arg(problem));
  });
  connect(m_lessonStrip, &LessonStrip::problem, this, [this](const QString& problem) {
    report(false, QString(), tr("This step of the lesson cannot be done: %1").arg(problem));
  });
  connect(m_conformance, &ConformancePanel::runRequested, this, &MainWindow::startConformance);
  connect(m_parameters, &ParameterPanel::varyRequested, this, &MainWindow::varyParameter);
  connect(m_studies, &StudyPanel::started, this, &MainWindow::joinStudy);
  connect(m_grid, &PaneGrid::imageRequested, this, &MainWindow::exportView);
  const auto refreshOnSight = [this](QDockWidget* dock, const std::function<void()>& refresh) {
    connect(dock, &QDockWidget::visibilityChanged, this, [this, refresh](bool visible) {
      if (visible) QTimer::singleShot(0, this, refresh);  // after the layout of the tab
    });
  };
  refreshOnSight(m_inspectorDock, [this] { m_inspector->refresh(); });
  refreshOnSight(m_jointDock, [this] { m_joints->refresh(); });
  refreshOnSight(m_stepDock, [this] { m_step->refresh(); });
  refreshOnSight(m_verdictDock, [this] { m_verdict->refresh(); });
  connect(m_verdict, &VerdictPanel::quantityChosen, this, [this](Quantity quantity) {
    m_plots->showLarge(quantity);
    if (!m_plots->isVisible()) raise(m_plotDock);
  });
  connect(m_plots, &PlotPanel::markersChanged, this,
          [this] { m_transport->setPlotMarkers(m_plots->marker(0), m_plots->marker(1)); });
  connect(m_grid, &PaneGrid::contactPicked, m_inspector, &ContactInspector::showContact);
  connect(m_inspector, &ContactInspector::contactChosen, m_grid, &PaneGrid::markContact);
  connect(m_inspector, &ContactInspector::contactChosen, m_step, &StepInspector::showContact);
  connect(m_inspector->rows(), &RowInspector::blockChosen, m_step, &StepInspector::showBlock);
  connect(m_grid, &PaneGrid::contactPicked, this, [this](int contact) {
    m_step->showContact(m_session->selectedPane(), contact);
    if (contact >= 0 && !m_session->isRunning()) raise(m_stepDock);
  });
  connect(m_step, &StepInspector::fractionChanged, m_grid, &PaneGrid::setStepFraction);
  connect(m_plots, &PlotPanel::pointPicked, this, &MainWindow::pickStrongestContact);
  connect(m_studies, &StudyPanel::openRequested, this,
          [this](const QString& recording, const QString& title) {
            note(tr("Run of a study: %1").arg(title));
            open(recording);
          });
  connect(m_studies, &StudyPanel::problem, this,
          [this](const QString& text) { report(false, QString(), text); });
  connect(m_plots, &PlotPanel::readOut, m_readOut, &TextLine::setText);
  connect(m_plots, &PlotPanel::figureRequested, this, &MainWindow::exportPlot);
}

void MainWindow::onSceneChanged() {
  const Scene& scene = *m_session->scene();
  const QString file = QString::fromStdString(scene.file);
  endOpening();
  m_messages->clear();
  const QString title = QString::fromStdString(scene.title.empty() ? scene.name : scene.title);
  m_sceneLabel->setText(title);
  m_sceneLabel->setSample(title);
  m_sceneLabel->setToolTip(plainToolTip(title));
  const QFileInfo opened(m_openingPath);
  const QString name = QString::fromStdString(scene.name);
  setWindowTitle(tr("%1 – Touchstone").arg(opened.completeBaseName() == name ? name : opened.fileName()));
  m_gallery->setCurrent(file);
  m_lessonStrip->setLesson(readGalleryEntry(file).lesson);
  m_source = m_openingSource;
  rememberRecent(m_openingPath);
  for (const std::string& text : scene.notes) note(qtText(text));
  note(tr("Opened %1").arg(opened.fileName()));
  if (m_opening) applySession(*m_opening);
  m_opening.reset();
  showLessonStrip();
  tellMissingTrajectories();
}

// A point in a plot represents all contacts of its pane and frame. This opens the contact with the largest
// impulse.
void MainWindow::pickStrongestContact(int pane) {
  m_session->selectPane(pane);
  const RecordPtr record = m_session->shown(pane);
  if (!record) return;
  int strongest = -1;
  for (std::size_t contact = 0; contact < record->contacts.size(); ++contact)
    if (record->contacts[contact].normalImpulse > 0 &&
        (strongest < 0 ||
         record->contacts[contact].normalImpulse > record->contacts[strongest].normalImpulse))
      strongest = static_cast<int>(contact);
  m_grid->markContact(pane, strongest);
  m_step->showContact(pane, strongest);
  if (strongest >= 0) m_inspector->showContact(strongest);
}

void MainWindow::note(const QString& text) {
  m_log->appendPlainText(QTime::currentTime().toString(QStringLiteral("HH:mm:ss  ")) + text);
  statusBar()->setToolTip(plainToolTip(text));
  m_readOut->setText(text.simplified());
}

// Displayed frames per wall-clock second, counted over the last second of running.
void MainWindow::countFrame() {
  if (!m_session->isRunning()) return;
  ++m_shownFrames;
  if (!m_rateClock.isValid()) {
    m_rateClock.start();
    m_shownFrames = 0;
    return;
  }
  if (m_rateClock.elapsed() < kRateWindow) return;
  m_rateLabel->setText(
      tr("%1 fps").arg(1000.0 * m_shownFrames / static_cast<double>(m_rateClock.restart()), 0, 'f', 0));
  m_shownFrames = 0;
}

void MainWindow::updateStatus() {
  if (m_session->isRunning()) {
    if (!m_rateClock.isValid()) m_rateLabel->setText(tr("running"));  // until frames have been counted
    return;
  }
  m_rateClock.invalidate();
  m_rateLabel->setText(m_session->scene() ? tr("paused") : QString());
}

void MainWindow::updateTheme() {
  const bool dark = isDark(palette());
  m_grid->setDark(dark);
  m_plots->setDark(dark);
  m_step->setDark(dark);
  m_recordButton->setStyleSheet(
      QStringLiteral("QToolButton { color: %1; font-weight: bold; }").arg(themeColours(dark).alarm.name()));
}

void MainWindow::raise(QDockWidget* dock) {
  dock->show();
  dock->raise();
}

/// Docks beside the panes, from above; of pages on one place the one in front.
std::vector<QDockWidget*> MainWindow::shownDocks() const {
  std::vector<QDockWidget*> docks;
  for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
    if (!dock->isFloating() && !dock->isHidden() && dock->x() >= 0 &&
        dockWidgetArea(dock) == Qt::RightDockWidgetArea)
      docks.push_back(dock);
  return docks;
}

// The panes get more than half of the window, and of the rest the plots most, as far as texts leave them.
void MainWindow::shareSpace() {
  const bool reading = m_arrangement == Arrangement::Lecture, figure = m_arrangement == Arrangement::Figure;
  const double side = figure ? 0.5 : reading ? 0.42 : 0.38;
  // Eight lines of a lesson below its title, and a whole plot; the verdict gets the rest.
  constexpr int kLeastPages = 300, kLeastPlots = 260;
  constexpr double kPages = 0.3, kPlots = 0.34;
  const int pages = std::max(kLeastPages, static_cast<int>(kPages * height())),
            plots = std::max(kLeastPlots, static_cast<int>(kPlots * height()));
  QList<QDockWidget*> docks;
  QList<int> widths, heights;
  for (QDockWidget* dock : shownDocks()) {
    const bool isPlots = dock == m_plotDock, isVerdict = dock == m_verdictDock;
    docks << dock;
    widths << static_cast<int>(side * width());
    heights << (isPlots ? plots : isVerdict ? std::max(1, height() - plots - pages) : pages);
  }
  resizeDocks(docks, widths, Qt::Horizontal);
  resizeDocks(docks, heights, Qt::Vertical);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (m_toShare) shareSpace();
  m_toShare = false;
}

// Docks keep their share of the window. The sizes before are those that eventFilter() saw.
void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  const QSize before = event->oldSize(), now = event->size();
  if (before.isEmpty() || m_dockSizes.empty()) return;
  QList<QDockWidget*> docks;
  QList<int> widths, heights;
  for (const auto& [dock, size] : m_dockSizes) {
    docks << dock;
    widths << static_cast<int>(std::lround(size.width() * now.width() / static_cast<double>(before.width())));
    heights << static_cast<int>(
        std::lround(size.height() * now.height() / static_cast<double>(before.height())));
  }
  if (before.width() != now.width()) resizeDocks(docks, widths, Qt::Horizontal);
  if (before.height() != now.height()) resizeDocks(docks, heights, Qt::Vertical);
}

/// The window may have been left on a larger screen.
void MainWindow::keepOnScreen() {
  if (isMaximized() || isFullScreen()) return;
  const QScreen* shown = QGuiApplication::screenAt(frameGeometry().center());
  const QRect screen = (shown ? shown : QGuiApplication::primaryScreen())->availableGeometry();
  const QSize frame(0, style()->pixelMetric(QStyle::PM_TitleBarHeight));
  resize(size().boundedTo(screen.size() - frame));
  const QPoint furthest(screen.right() + 1 - width(), screen.bottom() + 1 - height());
  move(std::clamp(x(), screen.left(), std::max(screen.left(), furthest.x())),
       std::clamp(y(), screen.top(), std::max(screen.top(), furthest.y())));
}

void MainWindow::restoreLayout() {
  shareSpace();
  if (m_memory == WindowMemory::Forget) return;
  const Preferences preferences = loadPreferences();
  applyTheme(preferences.theme);
  m_session->setHistoryBudget(preferences.historyBytes());
  m_session->setLongRun(preferences.longRun);
  m_session->setSecondsPerFrame(preferences.secondsPerFrame);
  QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  keepOnScreen();
  if (const auto last = arrangementOf(settings.value(QLatin1String(kArrangementKey)).toString()))
    arrange(*last);
  if (restoreState(settings.value(QLatin1String(kLayoutKey)).toByteArray())) m_toShare = false;
  showLessonStrip();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!m_quitting && wouldLose()) {
    event->ignore();
    unlessLost(tr("Quit?"), tr("Quit"), [this] {
      m_quitting = true;
      close();
    });
    return;
  }
  if (m_job) m_job->cancel();
  if (m_memory == WindowMemory::Remember) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QLatin1String(kLayoutKey), saveState());
    settings.setValue(QLatin1String(kArrangementKey), toString(m_arrangement));
  }
  if (m_help) m_help->close();
  event->accept();
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange) {
    updateTheme();
    styleAnew(*this);
  }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile())
    event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  open(event->mimeData()->urls().first().toLocalFile());
}

}  // namespace touchstone
