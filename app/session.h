#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QThread>
#include <QTimer>
#include <QUndoStack>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "app/pane_state.h"
#include "core/run/stop_condition.h"
#include "widgets/timeline/timeline_events.h"

namespace touchstone {

class SimulationWorker;

/// The window's side of a comparison: a copy of the recorded history, the time cursor, the selected pane,
/// undo, and every command. Widgets listen to it and call it; nobody else talks to the worker. Owns the
/// worker's thread.
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
  const std::vector<History>& histories() const { return m_state.histories; }
  std::vector<const History*> historyPointers() const;
  double dt() const { return m_state.dt; }
  long firstFrame() const;
  long lastFrame() const;
  long cursor() const { return m_cursor; }
  bool isLive() const { return m_live; }
  bool isRunning() const { return m_running || m_playback.isActive(); }
  bool isComputing() const { return m_running; }
  bool isLooping() const { return m_loop; }
  double speed() const { return m_speed; }
  int selectedPane() const { return m_selected; }
  /// The record of a pane at the cursor; null where it did not exist, or while a frame that is not kept any
  /// more is computed again (isRebuilding): cursorMoved() then comes once more.
  RecordPtr shown(int pane) const;
  bool isRebuilding(int pane) const;
  /// Time at a recorded frame [s].
  double timeAt(long frame) const;
  const std::vector<TimelineEvent>& events() const { return m_events; }
  QUndoStack* undoStack() { return &m_undo; }
  /// "CPF", "LCP (lemke)": for legends and headers.
  QString paneLabel(int pane) const;

  // Commands; all return at once.
  void open(const QString& path, const QStringList& methods = {});
  /// A scene with these panes.
  void openAs(const QString& path, const command::SetAll& all);
  void run(double until = std::numeric_limits<double>::infinity());
  void pause();
  void toggleRunning();
  void restart();
  /// Moves the cursor by recorded frames; computes only beyond the last.
  void step(int frames);
  void seek(long frame);
  void goLive();
  void setSpeed(double speed);  ///< 0: as fast as it goes
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
  int costPane() const { return m_costPane; }
  void selectPane(int pane);
  void editDt(double dt);
  void editParameter(int pane, const std::string& key, const ParameterValue& value);
  void editSubsteps(int pane, int substeps);
  void editPane(int pane, const PaneSettings& settings);
  /// Where panes run from now on, from the state and contact memory that they have. @param pane  −1: all
  void editBackend(BackendKind backend, int pane = -1);
  /// Where panes of scenes that are opened from now on run.
  void setDefaultBackend(BackendKind backend);
  /// True if the steps of a pane are taken on a CUDA device: wanted, usable, and the method can.
  bool runsOnCuda(int pane) const;
  void addPane(const PaneSettings& settings);
  void removePane(int pane);
  void movePane(int pane, int to);
  void writeManifest(const QString& path, const QString& command);
  /// The mouse spring in all panes; none lets go. A run from a past frame lets go, as it forks.
  void pull(const std::optional<Spring>& spring);
  /// Frame length and all panes at once, as a session file has them.
  void setAll(const command::SetAll& all);
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
  /// The views say that they show the cursor.
  void tellViewsShown() { Q_EMIT viewsShown(); }
  /// Shows a line in log and status bar.
  void note(const QString& text) { Q_EMIT noted(text); }

 Q_SIGNALS:
  void explained(touchstone::ExplainedPtr explained);
  void recordingChanged();
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
  void failed(const QString& text);
  void noted(const QString& text);
  void finished();  ///< a run with an end reached it
  void manifestWritten(const QString& path);
  void recordingWritten(const QString& path);

 private:
  friend class SessionCommand;
  void connectWorker();
  void take(const ComparisonState& state);
  void onOpened(const ComparisonStatePtr& state);
  void onChanged(const ComparisonStatePtr& state);
  void onStepped(const FrameBatchPtr& frames);
  void onRebuilt(int pane, long frame, const std::vector<RecordPtr>& records);
  void pauseAtEvents(std::size_t firstNew);
  void pauseAtThresholds(const FrameBatch& frames);
  void balanceCosts();
  double costOf(int pane) const;
  void onPlaybackTick();
  void setCursor(long frame, bool live);
  template <class Command>
  void send(const Command& command);

  ComparisonState m_state;
  SimulationWorker* m_worker;
  QThread m_thread;
  QTimer m_playback;
  QUndoStack m_undo;
  std::vector<TimelineEvent> m_events;
  std::vector<char> m_hadContact;  ///< [paneCount]
  long m_cursor = 0;
  bool m_live = true, m_running = false, m_loop = false;
  double m_speed = 1;
  double m_until = std::numeric_limits<double>::infinity();
  std::set<TimelineEventKind> m_pauseOn;
  std::vector<StopCondition> m_thresholds;
  int m_selected = 0;
  int m_costPane = -1;    ///< whose cost the others get; −1: off
  long m_balancedAt = 0;  ///< frame
  QString m_recording;
  std::vector<Resolved> m_resolved;
  /// By pane: frames that were computed again, and those that were asked for; empty once histories are
  /// rewritten.
  mutable std::map<int, std::map<long, RecordPtr>> m_rebuilt;
  mutable std::map<std::pair<int, long>, bool> m_asked;  ///< true: answered
  QElapsedTimer m_sinceEdit;
};

}  // namespace touchstone
