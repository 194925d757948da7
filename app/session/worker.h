#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTemporaryDir>
#include <atomic>
#include <map>
#include <memory>
#include <set>

#include "app/session/pane_state.h"
#include "core/store/recorder.h"

class QTimer;

namespace touchstone {

/// Owns the comparison and advances it. It lives on its own thread: every slot is called through a queued
/// connection and runs between two frames. Errors are reported as texts, never as exceptions. Panes are
/// identified by id.
///
/// Back-pressure: frames are sent in batches. At most kBatchesInFlight of them wait for the window, each of
/// at most kFramesPerBatch frames; then the simulation waits too.
class SimulationWorker : public QObject {
  Q_OBJECT
 public:
  // A larger value makes the window lag behind the run; 1 makes the run wait for every drawing.
  static constexpr int kBatchesInFlight = 2;
  // A larger value takes more memory and blocks the window longer per batch; a smaller one slows fast runs
  // down.
  static constexpr int kFramesPerBatch = 64;

  explicit SimulationWorker(QObject* parent = nullptr);
  ~SimulationWorker() override;

  /// From any thread: cancels the present opening; the present comparison stays. Valid until the next
  /// opening.
  void cancelOpening() { m_openingCancelled = true; }
  void allowOpening() { m_openingCancelled = false; }

 public Q_SLOTS:
  /// Lowers the priority of this thread and of threads that it starts, in favour of the window. Must be the
  /// first command.
  void yieldToWindow();
  /// Loads a scene, a recording, or a mesh, from which it makes a scene. On failure the present comparison
  /// stays. `methods`, for a scene: `method` or `method-solver`; empty: those of the scene.
  void open(const QString& path, const QStringList& methods);
  /// Opens a scene with the panes of a session file.
  void openAs(const QString& path, const command::SetAll& comparison);
  /// @param until  simulated time to stop at [s]; infinite: no end
  void run(double until);
  void pause();
  void step(int frames);
  /// Restart and fork begin the branch with this number.
  void restart(int branch);
  /// Continues all panes from the recorded `frame` of `pane`.
  void fork(int pane, long frame, int branch);
  void showBranch(int branch);
  /// A branch that is not shown goes, and can be restored.
  void removeBranch(int branch);
  void restoreBranch(int branch);
  /// States hold the frames of these branches too, while they rest.
  void watchBranches(const std::set<int>& branches);
  /// Simulated seconds per second of wall-clock time; 0: as fast as possible.
  void setSpeed(double speed);
  void setConcurrent(bool concurrently);
  void setHistoryBudget(std::size_t bytes) { m_historyBudget = bytes; }
  void setSecondsPerFrame(double seconds);
  void setDt(double dt);
  void setParameter(int pane, const std::string& key, const ParameterValue& value);
  void setSubsteps(int pane, int substeps);
  void setDefaultBackend(BackendKind backend) { m_defaultBackend = backend; }
  void setPane(int pane, const PaneSettings& settings);
  void addPane(const PaneSettings& settings, int id, int source);
  void duplicatePane(int pane, int id);
  void removePane(int pane);
  /// A removed pane returns when it has computed the frames that it missed; the others continue meanwhile.
  void restorePane(int pane, int to);
  void movePane(int pane, int to);
  /// The window has drawn a batch.
  void acknowledge();
  /// The mouse spring in all panes; none releases it.
  void pull(const std::optional<Spring>& spring);
  /// Records every frame to a new file, beginning with the frames of the history.
  void record(const QString& path, const QString& command);
  void stopRecording();
  /// Writes the present history to a separate recording, even while another recording runs.
  void writeRecording(const QString& path);
  /// The same for several branches, one file each.
  void writeBranches(const std::map<int, QString>& paths);
  /// Computes frames around `frame` that the history of the pane has dropped.
  void rebuild(const touchstone::BranchPane& pane, long frame);
  void explain(int pane, long frame);
  /// Solves the largest complementarity problem of that step with another solver.
  void resolve(int pane, long frame, const std::string& solver);
  void exportProblem(int pane, long frame, const QString& path);
  void writeManifest(const QString& path, const QString& command);

 Q_SIGNALS:
  /// Progress of opening a large file: rows read of all; 0 of 0 while it is checked for damage.
  void opening(int done, int total);
  void openingCancelled();
  /// A pane returns when it has computed this many frames.
  void catchingUp(int pane, long frames);
  /// @param path  empty: recording has ended
  void recordingChanged(const QString& path);
  void opened(touchstone::ComparisonStatePtr state);
  void changed(touchstone::ComparisonStatePtr state);
  /// A command that leads to that branch was tried, with or without success; changed() follows.
  void branchTried(int branch);
  void stepped(touchstone::FrameBatchPtr frames);
  /// @param records  empty if they are not available
  void rebuilt(const touchstone::BranchPane& pane, long frame, std::vector<touchstone::RecordPtr> records);
  void explained(touchstone::ExplainedPtr explained);
  void resolved(touchstone::Resolved resolved);
  void wrote(const QString& path);
  void runningChanged(bool running);
  void failed(const QString& text);
  void manifestWritten(const QString& path);
  void recordingWritten(const QString& path);
  void branchesWritten(bool done);

 private:
  template <class Command>
  bool attempt(const Command& command);
  void advance();
  BackendKind m_defaultBackend = BackendKind::Cpu;  ///< of panes without a choice by the user
  void stepOnce();
  int indexOf(int pane) const;
  template <class Change>
  void change(const Change& change);
  template <class Change>
  void changeBranch(int wanted, const Change& change);
  void catchUp();
  void flush();  ///< sends pending frames if the window keeps up
  void send();
  void startPacing();
  void setRunning(bool running);
  void show(std::unique_ptr<Comparison> comparison);
  void checkRecorder();
  ComparisonStatePtr state() const;
  RestingBranch stateOf(const Branch& branch) const;
  std::string sceneFileOf(const QString& path) const;
  void openRecording(const std::string& file);

  QTemporaryDir m_meshFolder;  ///< scenes that were made from meshes
  std::unique_ptr<Comparison> m_comparison;
  std::unique_ptr<Recorder> m_recorder;  ///< observes m_comparison, so that it is destroyed first
  std::string m_recordCommand;
  QTimer *m_tick, *m_catchUp;
  std::set<int> m_watched;                        ///< branches
  std::vector<command::RestorePane> m_returning;  ///< panes that have not returned yet, in order of time
  std::atomic<bool> m_openingCancelled{false};
  bool m_running = false;
  bool m_concurrent = false;
  std::size_t m_historyBudget = History::kUsualBudget;  ///< bytes per pane
  double m_secondsPerFrame = 0;                         ///< of the clock; 0: as many as it takes
  double m_speed = 1;
  double m_until = 0;      ///< s
  QElapsedTimer m_clock;   ///< since pacing began
  double m_pacedFrom = 0;  ///< simulated time at which pacing began [s]
  int m_inFlight = 0;
  FrameBatch m_pending;
};

}  // namespace touchstone
