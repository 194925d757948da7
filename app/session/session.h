#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QThread>
#include <QTimer>
#include <QUndoStack>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "app/session/pane_spans.h"
#include "core/run/stop_condition.h"
#include "widgets/timeline/timeline_events.h"

namespace touchstone {

class SimulationWorker;

/// The window's side of a comparison: a copy of the recorded history, the time cursor, the selected pane, the
/// pane that others are compared with, undo, and every command. Widgets listen to it and call it; nothing
/// else talks to the worker. Owns the worker's thread. What branches are is said at Branch.
class Session : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMostPanes = 6;

  explicit Session(QObject* parent = nullptr);
  ~Session() override;

  // State
  std::shared_ptr<const Scene> scene() const { return m_state.scene; }
  int paneCount() const { return static_cast<int>(m_state.panes.size()); }
  const PaneState& pane(int index) const { return m_state.panes[index]; }
  int paneId(int index) const { return m_state.panes[index].id; }
  int indexOf(int id) const;  ///< −1: not there
  const std::vector<History>& histories() const { return m_state.histories; }
  std::vector<const History*> historyPointers() const;
  double dt() const { return m_state.dt; }
  long firstFrame() const;
  long lastFrame() const;
  long cursor() const { return m_cursor; }
  bool isLive() const { return m_live; }
  bool isRunning() const { return m_running || m_starting || m_playback.isActive(); }
  bool isComputing() const { return m_running || m_starting; }
  bool isLooping() const { return m_loop; }
  double speed() const { return m_speed; }
  int selectedPane() const { return m_selected; }
  /// The pane that ghosts and distances refer to: the same one wherever it stands.
  int referencePane() const { return std::max(0, indexOf(m_reference)); }
  /// The record of a pane at the cursor; null where it did not exist, or while a frame that is not kept any
  /// more is computed again (isRebuilding): cursorMoved() then comes once more.
  RecordPtr shown(int pane) const;
  bool isRebuilding(int pane) const;
  /// Time at a recorded frame [s].
  double timeAt(long frame) const;
  const std::vector<TimelineEvent>& events() const { return m_events; }
  QUndoStack* undoStack() { return &m_undo; }
  /// What the pane runs now: for headers. "CPF", "LCP (lemke)".
  QString paneLabel(int pane) const { return spans(pane).back().label; }
  /// Who computed which of its frames, in the order of time: for legends and curves. At least one.
  const std::vector<PaneSpan>& spans(int pane) const { return m_spans[static_cast<std::size_t>(pane)]; }
  const PaneSpan& spanAt(int pane, long frame) const;  ///< that the frame was computed in
  const std::vector<BranchInfo>& branches() const { return m_state.branches; }
  int branch() const { return m_state.branch; }
  /// Frames at which the panes of this branch were given one state.
  const std::vector<long>& forks() const { return m_state.forks; }
  /// "2: forked from CPF at 0.579 s, to 1.205 s"
  QString branchLabel(const BranchInfo& branch) const;
  /// The branch that the next fork or restart takes the place of; −1: there is room.
  int nextToGo() const { return m_state.nextToGo; }

  // Commands; all return at once.
  void open(const QString& path, const QStringList& methods = {});
  /// A scene with these panes.
  void openAs(const QString& path, const command::SetAll& all);
  /// What is open stays; openingCancelled() tells.
  void cancelOpening();
  /// Plays what is recorded from the cursor on, and computes at its end. While it loops it only plays.
  void run(double until = std::numeric_limits<double>::infinity());
  void pause();
  void toggleRunning();
  /// Moves the cursor by recorded frames; computes only beyond the last.
  void step(int frames);
  void seek(long frame);
  void goLive();
  void setSpeed(double speed);  ///< 0: as fast as it goes
  /// Plays the record again and again, from now on; off: stands where it is.
  void setLooping(bool loop);
  void setConcurrent(bool concurrently);
  /// Memory for whole frames of each pane [bytes], from the next scene on.
  void setHistoryBudget(std::size_t bytes);
  /// Whether a run pauses where an event of this kind begins in any pane.
  void setPauseOn(TimelineEventKind kind, bool pause);
  /// Quantities above thresholds that a run pauses on.
  const std::vector<StopCondition>& thresholds() const { return m_thresholds; }
  void setThresholds(const std::vector<StopCondition>& thresholds);
  /// Equal cost: substeps of the other panes follow, so that all spend as long on a frame as the pane that
  /// was the slowest when this was switched on.
  void setEqualCost(bool equal);
  bool isEqualCost() const { return m_costPane >= 0; }
  int costPane() const { return indexOf(m_costPane); }  ///< −1: none
  void selectPane(int pane);
  /// While something goes through the record: commands that would change it are refused with these words.
  /// Empty: nothing does.
  void guardRecord(const QString& reason) { m_guard = reason; }

  // Edits, which are undone.
  void undo();
  void redo();
  void restart();
  /// All panes go on from the state of this one at the cursor, as a new branch.
  void fork(int pane);
  void showBranch(int branch);
  void editDt(double dt);
  void editParameter(int pane, const std::string& key, const ParameterValue& value);
  void editSubsteps(int pane, int substeps);
  void editPane(int pane, const PaneSettings& settings);
  /// Where panes run from now on, from the state and contact memory that they have. @param pane  −1: all
  void editBackend(BackendKind backend, int pane = -1);
  void editReference(int pane);
  /// Starts from the state of the selected pane.
  void addPane(const PaneSettings& settings);
  void duplicatePane(int pane);
  void removePane(int pane);
  void movePane(int pane, int to);

  /// The reference of a session that is opened.
  void setReference(int id);
  /// Where panes of scenes that are opened from now on run.
  void setDefaultBackend(BackendKind backend);
  /// True if the steps of a pane are taken on a CUDA device: wanted, usable, and the method can.
  bool runsOnCuda(int pane) const;
  void writeManifest(const QString& path, const QString& command);
  /// The mouse spring in all panes; none lets go.
  void pull(const std::optional<Spring>& spring);
  /// Starts recording to a file that does not exist yet; recordingChanged() tells.
  void record(const QString& path);
  void stopRecording();
  /// Asks for the inside of the step of a pane at the cursor; explained() tells.
  void explain(int pane);
  /// Solves the problem of that step again; resolvedAtCursor() then has it.
  void resolve(int pane, const std::string& solver);
  void exportProblem(int pane, const QString& path);
  /// What was solved again of the steps at the cursor.
  std::vector<Resolved> resolvedAtCursor() const;
  /// Writes the kept history to a recording; recordingWritten() tells.
  void writeRecording(const QString& path);
  const QString& recordingFile() const { return m_recording; }  ///< empty: nothing is recorded

  /// Time of the clock for which a branch has run and no recording has what it computed [s].
  double unsavedSeconds(int branch) const;
  double unsavedSeconds() const;  ///< of all branches
  /// From so much on it is not lost without a question [s].
  double longRun() const { return m_longRun; }
  void setLongRun(double seconds) { m_longRun = seconds; }
  /// Writes a recording of each branch that has run unsaved: the one that is shown to `path`, the others
  /// next to it. branchesSaved() tells.
  void saveBranches(const QString& path);

  /// The views say that they show the cursor.
  void tellViewsShown() { Q_EMIT viewsShown(); }
  /// Shows a line in log and status bar.
  void note(const QString& text) { Q_EMIT noted(text); }

 Q_SIGNALS:
  void explained(touchstone::ExplainedPtr explained);
  void recordingChanged();
  /// A file that takes long to open: rows read of all; 0 of 0 while that is not known.
  void opening(int done, int all);
  void openingCancelled();
  void sceneChanged();
  void thresholdsChanged();
  void panesChanged();    ///< settings, values, or which panes there are
  void historyChanged();  ///< rewritten, not only grown
  void framesAdded();
  void cursorMoved();
  /// The views have caught up with the cursor: what stands beside them follows now, so that the window is
  /// composed once for all.
  void viewsShown();
  void runningChanged();
  void selectionChanged();
  void referenceChanged();
  void failed(const QString& text);
  void noted(const QString& text);
  void finished();  ///< a run with an end reached it
  void manifestWritten(const QString& path);
  void recordingWritten(const QString& path);
  void branchesSaved(bool done);
  /// A new branch would take the place of one that ran long and is in no recording.
  /// @param goOn  to be called if it may
  void forgetting(int branch, const std::function<void()>& goOn);

 private:
  void connectWorker();
  void take(const ComparisonState& state);
  void onOpened(const ComparisonStatePtr& state);
  void onChanged(const ComparisonStatePtr& state);
  void onStepped(const FrameBatchPtr& frames);
  void onRebuilt(int pane, long frame, const std::vector<RecordPtr>& records);
  void onRunning(bool running);
  void onRecording(const QString& path);
  void onRecordingWritten(const QString& path);
  void onResolved(const Resolved& resolved);
  void onPlaybackTick();
  void compute();
  long frameAfter(long frame, double seconds) const;
  long firstStop(long from, long to);
  void balanceCosts();
  double costOf(int pane) const;
  void setCursor(long frame, bool live);
  bool isGuarded();
  /// The branch that is shown or has been asked for.
  int branchNow() const { return m_goingTo ? m_goingTo->branch : m_state.branch; }
  void goTo(int branch, long frame);
  void withSpaceForBranch(const std::function<void()>& begin);
  void restartNow();
  void forkNow(int id, long frame);
  bool fits();
  bool canRun(const PaneSettings& settings);
  void sendRemove(int id);
  void sendRestore(int id, int to);
  template <class Command>
  void send(const Command& command);

  ComparisonState m_state;
  std::vector<std::vector<PaneSpan>> m_spans;  ///< [paneCount]
  SimulationWorker* m_worker;
  QThread m_thread;
  QTimer m_playback;
  QUndoStack m_undo;
  std::vector<TimelineEvent> m_events;
  std::vector<char> m_hadContact;  ///< [paneCount]
  long m_cursor = 0;
  bool m_live = true, m_running = false, m_loop = false;
  bool m_starting = false;  ///< the worker has been asked to run and has not answered yet
  double m_speed = 1;
  double m_until = std::numeric_limits<double>::infinity();
  std::set<TimelineEventKind> m_pauseOn;
  std::vector<StopCondition> m_thresholds;
  int m_selected = 0;
  int m_reference = 0;  ///< id of a pane, which may be gone and come back
  int m_nextPane = 0, m_nextBranch = 1;
  struct Place {
    int branch;
    long frame;          ///< −1: the newest
    bool tried = false;  ///< the worker has answered, and its state comes next
  };
  std::optional<Place> m_goingTo;  ///< the branch that has been asked for, and the cursor there
  QString m_guard;
  int m_costPane = -1;    ///< id of the pane whose cost the others get; −1: off
  long m_balancedAt = 0;  ///< frame
  QString m_recording;
  double m_longRun = 10;
  std::map<int, double> m_unsaved;  ///< by branch [s], without the run that is going on
  QElapsedTimer m_ranSince;
  std::map<QString, int> m_saving;  ///< branches that are being written, by path
  std::vector<Resolved> m_resolved;
  /// By pane id: frames that were computed again, and those that were asked for; empty once histories are
  /// rewritten.
  mutable std::map<int, std::map<long, RecordPtr>> m_rebuilt;
  mutable std::map<std::pair<int, long>, bool> m_asked;  ///< true: answered
  QElapsedTimer m_sinceTick;
};

}  // namespace touchstone
