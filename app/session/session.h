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
#include "core/math/count.h"
#include "core/record/stop_condition.h"
#include "widgets/timeline/timeline_events.h"

namespace touchstone {

class SimulationWorker;

/// The window's side of a comparison: a copy of the recorded history, the time cursor, the selected pane, the
/// reference pane, undo, and every command. Widgets listen to it and call it; only the session communicates
/// with the worker. It owns the worker's thread. See Branch for branches.
class Session : public QObject {
  Q_OBJECT
 public:
  // Most panes of a window. More are too small to read and too slow to run; fewer refuse sessions with six
  // panes.
  static constexpr int kMostPanes = 6;

  explicit Session(QObject* parent = nullptr);
  ~Session() override;

  // State
  std::shared_ptr<const Scene> scene() const { return m_state.scene; }
  int paneCount() const { return countOf(m_state.panes); }
  const PaneState& pane(int index) const { return m_state.panes[index]; }
  int paneId(int index) const { return m_state.panes[index].id; }
  int indexOf(int id) const;  ///< −1: the pane is gone
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
  /// The reference pane of ghosts and distances, wherever it is in the order.
  int referencePane() const { return std::max(0, indexOf(m_reference)); }
  /// The record of a pane at the cursor. Null if the pane did not exist then, or while a dropped frame is
  /// computed again (isRebuilding); cursorMoved() is then emitted again.
  RecordPtr shown(int pane) const;
  bool isRebuilding(int pane) const { return isRebuilding(BranchPane{branch(), paneId(pane)}, m_cursor); }
  /// True while a frame that a view shows at the cursor is computed again, of other branches too.
  bool isRebuildingAny() const;
  /// False for a frame of a motion that is given, outside the times of its file: it has neither bodies nor
  /// values.
  static bool hasData(const StepRecord& record) {
    return record.status != StepStatus::Ok || record.statusText.empty();
  }
  /// Time of a recorded frame [s].
  double timeAt(long frame) const;
  const std::vector<TimelineEvent>& events() const { return m_events; }
  QUndoStack* undoStack() { return &m_undo; }
  /// The method that the pane runs now, for headers: "CPF", "LCP (lemke)".
  QString paneLabel(int pane) const { return spans(pane).back().label; }
  /// The origin of a pane's frames, in order of time, for legends and curves. At least one span.
  const std::vector<PaneSpan>& spans(int pane) const { return m_spans[pane]; }
  const PaneSpan& spanAt(int pane, long frame) const;  ///< span in which the frame was computed
  const std::vector<BranchInfo>& branches() const { return m_state.branches; }
  int branch() const { return m_state.branch; }
  /// Frames at which the panes of this branch got a common state.
  const std::vector<long>& forks() const { return m_state.forks; }
  /// "2: forked from CPF at 0.579 s, to 1.205 s"
  QString branchLabel(const BranchInfo& branch) const;
  /// The branch that the next fork or restart replaces; −1: there is space for another.
  int nextToGo() const { return m_state.nextToGo; }

  // Branches beside the shown one
  /// The name that the user gave, or "Branch 2".
  QString branchName(int branch) const;
  /// A branch that does not go on; null for the one that is shown.
  const RestingBranch* restingBranch(int branch) const;
  /// The panes of other branches that are shown with those of this one.
  std::vector<BranchPane> branchPanes() const;
  /// True if the user wants a pane of the branch beside the others; it waits while the branch itself is
  /// shown.
  bool hasBranchPane(int branch) const;
  bool isOverlaid(int branch) const { return m_overlaid.count(branch) > 0; }
  /// The branches whose curves are in the plots beside those of the shown one.
  std::vector<int> overlaidBranches() const;
  // Reasons why a branch cannot get what it has not; empty: it can.
  QString whyNoPane(int branch) const;
  QString whyNoOverlay(int branch) const;
  QString whyNoRemoval() const;
  /// "Branch 2 · CPF"
  QString labelOf(const BranchPane& pane) const;
  /// Spans of a pane of a branch that rests, at least one.
  const std::vector<PaneSpan>& spansOf(const BranchPane& pane) const;
  const History& historyOf(const BranchPane& pane) const;
  /// The record of such a pane at the time of the cursor; null where the branch has none.
  RecordPtr shownOf(const BranchPane& pane) const;
  bool isRebuildingOf(const BranchPane& pane) const;

  // Commands; they return at once.
  void open(const QString& path, const QStringList& methods = {});
  /// Opens a scene with these panes.
  void openAs(const QString& path, const command::SetAll& comparison);
  /// Cancels opening. The present comparison stays; openingCancelled() is emitted.
  void cancelOpening();
  /// Plays the record from the cursor on, and computes at its end. With looping it only plays.
  void run(double until = std::numeric_limits<double>::infinity());
  void pause();
  /// Runs to the duration of the scene, or on without end if the cursor stands there; or pauses.
  void toggleRunning();
  /// Moves the cursor by recorded frames; computes only beyond the last one.
  void step(int frames);
  void seek(long frame);
  void goLive();
  void setSpeed(double speed);  ///< 0: as fast as it goes
  /// On: plays the record repeatedly from now on. Off: stops at the present frame.
  void setLooping(bool loop);
  void setConcurrent(bool concurrently);
  /// Memory for whole frames of each pane [bytes]; applies from the next scene on.
  void setHistoryBudget(std::size_t bytes);
  /// Seconds of the clock after which a frame ends its pane; 0: none. Applies from the next frame on.
  void setSecondsPerFrame(double seconds);
  /// Sets whether a run pauses when an event of this kind begins in any pane.
  void setPauseOn(TimelineEventKind kind, bool pause);
  /// Thresholds of quantities at which a run pauses.
  const std::vector<StopCondition>& thresholds() const { return m_thresholds; }
  void setThresholds(const std::vector<StopCondition>& thresholds);
  /// Equal cost: adapts the substeps of the other panes, so that all panes spend as much time per frame as
  /// the pane that was slowest when this was switched on.
  void setEqualCost(bool equal);
  bool isEqualCost() const { return m_costPane >= 0; }
  int costPane() const { return indexOf(m_costPane); }  ///< −1: none
  void selectPane(int pane);
  /// The joint that plots show; of the scene.
  void selectJoint(int joint);
  int selectedJoint() const { return m_selectedJoint; }
  /// Protects the record while an operation reads all of it: commands that would change it are refused with
  /// this text. Empty: no protection.
  void guardRecord(const QString& reason) { m_guard = reason; }

  // Edits, which can be undone.
  void undo();
  void redo();
  void restart();
  /// Continues all panes from the state of this pane at the cursor, as a new branch.
  void fork(int pane);
  /// @param frame  the cursor in it; −1: the newest
  void showBranch(int branch, long frame = -1);
  /// An empty name takes the given one away.
  void renameBranch(int branch, const QString& name);
  /// If it is the one that is shown, another one is shown then.
  void removeBranch(int branch);
  // Views, which undo leaves alone.
  /// @param pane  id of one of its panes; −1: the one of the selected pane
  void showBranchPane(int branch, int pane = -1);
  /// @param pane  id; −1: all of the branch
  void hideBranchPane(int branch, int pane = -1);
  void setOverlaid(int branch, bool overlaid);
  void editDt(double dt);
  /// The target of a drive in all panes [m, rad], or kAutomatic: as the scene has it.
  void editDrive(const std::string& joint, const ParameterValue& target);
  void editParameter(int pane, const std::string& key, const ParameterValue& value);
  void editSubsteps(int pane, int substeps);
  void editPane(int pane, const PaneSettings& settings);
  /// Moves panes to a backend, with their state and contact memory. @param pane  −1: all
  void editBackend(BackendKind backend, int pane = -1);
  void editReference(int pane);
  /// Adds a pane with the state of the selected pane.
  void addPane(const PaneSettings& settings);
  void duplicatePane(int pane);
  void removePane(int pane);
  void movePane(int pane, int to);

  /// Sets the reference of an opened session.
  void setReference(int id);
  /// Backend for the panes of scenes that are opened later.
  void setDefaultBackend(BackendKind backend);
  /// True if the steps of a pane run on a CUDA device: requested, usable, and supported by the method.
  bool runsOnCuda(int pane) const;
  void writeManifest(const QString& path, const QString& command);
  /// The mouse spring in all panes; none releases it.
  void pull(const std::optional<Spring>& spring);
  /// Starts recording to a new file; recordingChanged() is emitted.
  void record(const QString& path);
  void stopRecording();
  /// Requests the inside of a pane's step at the cursor; explained() is emitted.
  void explain(int pane);
  /// Solves the problem of that step again; resolvedAtCursor() then contains it.
  void resolve(int pane, const std::string& solver);
  void exportProblem(int pane, const QString& path);
  /// Problems of the steps at the cursor that were solved again.
  std::vector<Resolved> resolvedAtCursor() const;
  /// Writes the kept history to a recording; recordingWritten() is emitted.
  void writeRecording(const QString& path);
  const QString& recordingFile() const { return m_recording; }  ///< empty: no recording

  /// Wall-clock time that a branch has run without being saved to a recording [s].
  double unsavedSeconds(int branch) const;
  double unsavedSeconds() const;  ///< sum over all branches
  /// True if the scene alone determines the branch: opening and running it gives the same bits. A pull, a
  /// fork or a value that is changed during the run makes a branch that cannot be computed again.
  bool isRepeatable(int branch) const { return m_changedBranches.count(branch) == 0; }
  /// Unsaved time of the branches that cannot be computed again [s].
  double irreplaceableSeconds() const;
  /// Unsaved time from which the user is asked before it is lost [s].
  double longRun() const { return m_longRun; }
  void setLongRun(double seconds) { m_longRun = seconds; }
  /// Writes a recording of each branch with unsaved time: the present branch to `path`, the others next to
  /// it. branchesSaved() is emitted.
  void saveBranches(const QString& path);

  /// Called by the views when they show the cursor.
  void tellViewsShown() { Q_EMIT viewsShown(); }
  /// Shows a line in log and status bar.
  void note(const QString& text) { Q_EMIT noted(text); }

 Q_SIGNALS:
  void explained(touchstone::ExplainedPtr explained);
  void recordingChanged();
  /// Progress of opening a large file: rows read of all; 0 of 0 while the total is unknown.
  void opening(int done, int total);
  void openingCancelled();
  void sceneChanged();
  void thresholdsChanged();
  void panesChanged();     ///< settings, values, or the set of panes
  void branchesChanged();  ///< names of branches, or which of them are shown with the current one
  void historyChanged();   ///< rewritten, not only extended
  void framesAdded();
  void cursorMoved();
  /// The views show the cursor. Other widgets update now, so that the window is composed once for all.
  void viewsShown();
  void runningChanged();
  void selectionChanged();
  void jointSelected();
  void referenceChanged();
  void failed(const QString& text);
  void noted(const QString& text);
  void finished();  ///< a run with an end time reached it
  void manifestWritten(const QString& path);
  void recordingWritten(const QString& path);
  void branchesSaved(bool done);
  /// A new branch would replace a branch that ran long and is in no recording.
  /// @param goOn  call it to replace the branch
  void forgetting(int branch, const std::function<void()>& goOn);

 private:
  void connectWorker();
  void take(const ComparisonState& state);
  void onOpened(const ComparisonStatePtr& state);
  void onChanged(const ComparisonStatePtr& state);
  void onStepped(const FrameBatchPtr& frames);
  void onRebuilt(const BranchPane& pane, long frame, const std::vector<RecordPtr>& records);
  void onRunning(bool running);
  void onRecording(const QString& path);
  void onRecordingWritten(const QString& path);
  void onResolved(const Resolved& resolved);
  void onPlaybackTick();
  void compute();
  long frameAfter(long frame, double seconds) const;
  long firstStop(long start, long end);
  void balanceCosts();
  double costOf(int pane) const;
  void setCursor(long frame, bool live);
  bool isGuarded();
  void noteChange();
  void tellEnd();
  /// The present or requested branch.
  int branchNow() const { return m_goingTo ? m_goingTo->branch : m_state.branch; }
  void goTo(int branch, long frame);
  void withSpaceForBranch(const std::function<void()>& begin);
  void restartNow();
  void forkNow(int id, long frame);
  RecordPtr shown(const BranchPane& pane, long frame) const;
  bool isRebuilding(const BranchPane& pane, long frame) const;
  long frameOf(const BranchPane& pane, double time) const;
  QString nameWithin(int branch) const;
  void setBranchName(int branch, const QString& name);
  void watch();
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
  bool m_starting = false;  ///< the worker was asked to run and has not answered yet
  double m_speed = 1;
  double m_until = std::numeric_limits<double>::infinity();
  std::set<TimelineEventKind> m_pauseOn;
  std::vector<StopCondition> m_thresholds;
  int m_selected = 0;
  int m_selectedJoint = 0;
  int m_reference = 0;  ///< id of a pane, which may be removed and restored
  int m_nextPane = 0, m_nextBranch = 1;
  struct Place {
    int branch;
    long frame;          ///< −1: the newest
    bool tried = false;  ///< the worker has answered; its state follows
  };
  std::optional<Place> m_goingTo;         ///< the requested branch, and the cursor in it
  std::map<int, QString> m_branchNames;   ///< those that the user gave
  std::vector<BranchPane> m_branchPanes;  ///< wanted beside the others
  std::set<int> m_overlaid;               ///< branches
  std::set<int> m_watching;               ///< branches whose frames were requested
  std::map<int, std::vector<std::vector<PaneSpan>>> m_restingSpans;  ///< by branch, [panes]
  QString m_guard;
  int m_costPane = -1;    ///< id of the pane whose cost the others match; −1: off
  long m_balancedAt = 0;  ///< frame
  QString m_recording;
  double m_longRun = 10;
  std::map<int, double> m_unsaved;  ///< by branch [s], without the present run
  std::set<int> m_changedBranches;  ///< that cannot be computed again
  QElapsedTimer m_ranSince;
  std::map<QString, int> m_saving;  ///< branches that are being written, by path
  std::vector<Resolved> m_resolved;
  /// Frames that were computed again, and frames that were requested. Cleared when histories are rewritten.
  mutable std::map<BranchPane, std::map<long, RecordPtr>> m_rebuilt;
  mutable std::map<std::pair<BranchPane, long>, bool> m_asked;  ///< true: answered
  QElapsedTimer m_sinceTick;
};

}  // namespace touchstone
