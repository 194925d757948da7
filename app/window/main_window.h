#pragma once

#include <QElapsedTimer>
#include <QFont>
#include <QMainWindow>
#include <QPointer>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/ensemble/ensemble_job.h"
#include "app/exports/movie_export.h"
#include "app/window/session_file.h"
#include "widgets/plots/figure.h"

class QAction;
class QDockWidget;
class QLabel;
class QMenu;
class QMessageBox;
class QPlainTextEdit;
class QProgressBar;
class QToolBar;
class QToolButton;

namespace touchstone {

struct ViewSettings;
class BackendButton;
class BranchRows;
class ContactInspector;
class JointInspector;
class Gallery;
class ConformancePanel;
class HelpWindow;
class Keyboard;
class LessonStrip;
class MessageBar;
class PaneGrid;
class ParameterPanel;
class ParameterSheet;
class ProblemWindow;
class PlotPanel;
class RepaintGate;
class Session;
class StepInspector;
class StudyPanel;
class TextLine;
class TransportBar;
class VerdictPanel;

enum class WindowMemory { Remember, Forget };

/// Choice of the docks next to the panes.
enum class Arrangement {
  Explore,  ///< verdict, all plots, parameters and the other pages
  Compare,  ///< verdict and one plot
  Lecture,  ///< lesson and one plot
  Figure,   ///< all plots
};
/// "explore", "compare", "lecture", "figure".
QString toString(Arrangement arrangement);
/// The arrangement of a name; none: it is unknown.
std::optional<Arrangement> arrangementOf(const QString& name);

/// The main window. It composes widgets around one session and connects them; it computes nothing.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// @param memory  whether layout and recent files are kept between runs (not in tests and batch runs)
  explicit MainWindow(WindowMemory memory = WindowMemory::Remember, QWidget* parent = nullptr);
  ~MainWindow() override;

  Session* session() const { return m_session; }
  PaneGrid* grid() const { return m_grid; }
  PlotPanel* plots() const { return m_plots; }
  ParameterPanel* parameters() const { return m_parameters; }
  TransportBar* transport() const { return m_transport; }
  BranchRows* branchRows() const { return m_branchRows; }
  Gallery* gallery() const { return m_gallery; }
  MessageBar* messages() const { return m_messages; }
  StepInspector* stepInspector() const { return m_step; }
  StudyPanel* studyPanel() const { return m_studies; }
  VerdictPanel* verdict() const { return m_verdict; }
  LessonStrip* lessonStrip() const { return m_lessonStrip; }
  ConformancePanel* conformance() const { return m_conformance; }

  /// Opens a scene, a recording or a session, depending on the file. Asks first if data that took long would
  /// be lost.
  /// @param methods  panes of a scene: `method` or `method-solver`; empty: those of the scene
  void open(const QString& path, const QStringList& methods = {});
  /// Opens files of friction problems, or of exported steps, in a window of their own.
  ProblemWindow* showProblems(const QStringList& files);
  bool saveSession(const QString& file);
  /// Adds a pane that shows a trajectory file. Where it cannot be read, the message bar says why.
  void addTrajectory(const QString& path);
  /// Adds a pane for each pane of a recording, which shows its motion at all of its times.
  void addRecording(const QString& path);
  /// Puts the docks where an arrangement has them, in shares of the window.
  void arrange(Arrangement arrangement);
  /// The arrangement that was chosen last.
  Arrangement arrangement() const { return m_arrangement; }
  /// Large type and no docks; Esc ends it.
  void setPresenting(bool presenting);
  bool isPresenting() const { return m_presenting; }
  /// Brings a dock page to the front.
  void raise(QDockWidget* dock);
  /// Brings a plot into sight: alone, where one plot is shown alone or the docks are hidden. −1: all plots,
  /// or in a presentation none.
  void showPlot(int tile);

  // Exports. Each returns false and shows the reason if it fails.
  bool saveScreenshot(const QString& file);
  bool saveView(int pane, const QString& file, const QSize& size, double textScale = 1);
  bool savePlots(const QString& folder, const QStringList& endings);
  bool saveQuantities(const QString& file);
  /// Starts a movie; movieExport() reports the end. Null if there is nothing to export or an export is
  /// running.
  MovieExport* startMovie(const QString& file, const MovieOptions& options = MovieOptions());
  /// Writes the kept history as .pvd and .vtp files, on another thread.
  void startParaview(const QString& folder);
  /// Computes copies of the scene under the panes, on another thread; the plots then show their bands. Does
  /// nothing while another job runs.
  void startEnsemble(const EnsembleChoice& choice);

 Q_SIGNALS:
  /// Problem of an export, or of a session file that cannot be opened; later problems are Session::failed.
  void problemReported(const QString& problem);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  // main_window.cpp
  void buildDocks();
  void buildStatusBar();
  void connectSession();
  void onSceneChanged();
  void updateTheme();
  void updateStatus();
  void countFrame();
  void note(const QString& text);
  void pickStrongestContact(int pane);
  void restoreLayout();
  void keepOnScreen();
  std::vector<QDockWidget*> shownDocks() const;
  void shareSpace();

  // main_window_actions.cpp
  void buildMenus();
  void buildFileMenu();
  void buildViewMenu();
  void buildSimulationMenu();
  QAction* addCommand(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                      const std::function<void()>& run);
  void buildColourMenus(QMenu* view);
  void buildSectionMenu(QMenu* view);
  template <class Choice>
  void addChoices(QMenu* menu, Choice ViewSettings::*member,
                  const std::vector<std::pair<QString, Choice>>& choices);
  void buildProblemMenu(QMenu* menu);
  void buildThresholdMenu(QMenu* menu);
  void addThreshold();
  void addViewSwitch(QMenu* menu, const QString& text, bool ViewSettings::*member);
  void leaveMode();
  void walkLesson(int by);
  void raiseLarge(QDockWidget* dock);
  void showLessonStrip();
  void showParameterSheet();
  void chooseProblems();
  void chooseTrajectory();
  void chooseRecordingToAdd();
  void tellMissingTrajectories();
  void showPreferences();
  void showShortcuts();
  void showAbout();
  void showHelp(const QString& page);

  // main_window_questions.cpp
  bool wouldLose() const;
  QString lossText() const;
  void unlessLost(const QString& question, const QString& verb, const std::function<void()>& goOn);
  void keepThen(const std::function<void()>& goOn);
  void goOnWhenKept();
  void askToForget(int branch, const std::function<void()>& goOn);

  // main_window_files.cpp
  void openNow(const QString& path, const QStringList& methods);
  void chooseFile();
  void openSession(const QString& path);
  void applySession(const SessionFile& session);
  SessionFile currentSession() const;
  void chooseSession();
  void toggleRecording();
  QString chooseRecording(const QString& title);
  void showRecording();
  void rememberRecent(const QString& path);
  void fillRecent();

  // main_window_exports.cpp
  QString suggestedFile(const QString& method, const QString& quantity, const QString& ending) const;
  void exportView(int pane);
  void exportPlot(int tile);
  void exportQuantities();
  void exportMovie();
  void exportParaview();
  void startConformance(const QString& folder, const QStringList& phenomena);
  void offerResult(const QString& text, const std::function<void()>& show);
  void joinStudy();
  void varyParameter(int pane, const QString& key);
  void exportProblem();
  void chooseEnsemble();
  int paneWithProblem() const;
  void startJob(LongJob* job, const QString& name, const std::function<void(const QString& result)>& show);
  void tellProgress(const QString& name, int done, int total);
  void showOpening(int done, int total);
  void endOpening();
  void exportScreenshot();
  bool report(bool done, const QString& file, const QString& problem);

  WindowMemory m_memory;
  Session* m_session;
  PaneGrid* m_grid;
  PlotPanel* m_plots;
  ParameterPanel* m_parameters;
  TransportBar* m_transport;
  BranchRows* m_branchRows;
  MessageBar* m_messages;
  Keyboard* m_keyboard;
  RepaintGate* m_repaintGate;
  Gallery* m_gallery;
  ContactInspector* m_inspector;
  JointInspector* m_joints;
  StepInspector* m_step;
  StudyPanel* m_studies;
  VerdictPanel* m_verdict;
  LessonStrip* m_lessonStrip;
  QToolBar* m_lessonBar;   ///< has the strip in a presentation
  QWidget* m_lessonPlace;  ///< in the bar
  ConformancePanel* m_conformance;
  QPlainTextEdit* m_log;
  HelpWindow* m_help = nullptr;
  QPointer<QWidget> m_overlay;
  ParameterSheet* m_sheet = nullptr;
  ProblemWindow* m_problems = nullptr;
  Arrangement m_arrangement = Arrangement::Explore;
  bool m_toShare = false;  ///< the docks were placed while the window had no final size
  std::vector<std::pair<QDockWidget*, QSize>> m_dockSizes;  ///< before the window got another size
  bool m_presenting = false;
  QByteArray m_layoutBefore;  ///< layout of docks before presenting
  QFont m_fontBefore;
  LongJob* m_job = nullptr;
  QString m_jobName;  ///< "The movie pour.mp4"
  bool m_jobCancelled = false;
  std::function<void()> m_showResult;  ///< of the job that ended last
  QElapsedTimer m_jobClock;
  QPointer<QMessageBox> m_question;
  std::function<void()> m_afterKeeping;  ///< action of the user that continues when all is written
  bool m_saving = false, m_quitting = false;
  QDockWidget *m_plotDock, *m_parameterDock, *m_galleryDock, *m_inspectorDock, *m_jointDock, *m_stepDock,
      *m_studyDock, *m_logDock, *m_verdictDock, *m_conformanceDock;
  QMenu* m_recent = nullptr;
  TextLine *m_sceneLabel, *m_readOut;
  QLabel* m_rateLabel;
  BackendButton* m_backend;
  QProgressBar* m_progress;
  QToolButton *m_cancel, *m_recordButton, *m_result;
  QAction* m_recordAction = nullptr;
  QString m_source;                        ///< the present scene, mesh or recording
  QString m_openingSource, m_openingPath;  ///< requested last
  std::optional<SessionFile> m_opening;    ///< session whose panes are not there yet
  QElapsedTimer m_rateClock;
  int m_shownFrames = 0;
  FigureStyle m_figureStyle;
  MovieOptions m_movieOptions;
  EnsembleChoice m_ensembleChoice;
};

/// Folder of the shipped datasets: TOUCHSTONE_DATASETS, else next to the program, else in the source tree.
QString datasetsPath();

}  // namespace touchstone
