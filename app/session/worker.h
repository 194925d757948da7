#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTemporaryDir>
#include <atomic>
#include <map>
#include <memory>

#include "app/session/pane_state.h"
#include "core/store/recorder.h"

class QTimer;

namespace touchstone {

/// Owns the comparison and advances it. Lives on a thread of its own: every slot is called through a queued
/// connection and runs between two frames. What goes wrong comes back as a text, never as an exception. A
/// pane is named by its id.
///
/// Back-pressure: frames travel in batches; at most kBatchesInFlight of them wait for the window, each of at
/// most kFramesPerBatch frames. Then the simulation waits too.
class SimulationWorker : public QObject {
  Q_OBJECT
 public:
  static constexpr int kBatchesInFlight = 2;
  static constexpr int kFramesPerBatch = 64;

  explicit SimulationWorker(QObject* parent = nullptr);
  ~SimulationWorker() override;

  /// From any thread: an opening that was asked for ends, and the present comparison stays; until the next is
  /// asked for.
  void cancelOpening() { m_openingCancelled = true; }
  void allowOpening() { m_openingCancelled = false; }

 public Q_SLOTS:
  /// Gives way to the window where both want the processor; threads that this one starts do so too. First
  /// command.
  void yieldToWindow();
  /// Loads a scene, a recording, or a mesh, which becomes a scene; on failure the present comparison stays.
  /// `methods`, of a scene: `method` or `method-solver`; empty: as the scene suggests.
  void open(const QString& path, const QStringList& methods);
  /// A scene with panes as a session file has them.
  void openAs(const QString& path, const command::SetAll& all);
  /// @param until  simulated time to stop at [s]; infinite to run on
  void run(double until);
  void pause();
  void step(int frames);
  /// Restart and fork begin the branch with that number.
  void restart(int branch);
  /// All panes continue from recorded `frame` of `pane`.
  void fork(int pane, long frame, int branch);
  void showBranch(int branch);
  /// Simulated seconds per second of the wall clock; 0: as fast as it goes.
  void setSpeed(double speed);
  void setConcurrent(bool concurrently);
  void setHistoryBudget(std::size_t bytes) { m_historyBudget = bytes; }
  void setDt(double dt);
  void setParameter(int pane, const std::string& key, const ParameterValue& value);
  void setSubsteps(int pane, int substeps);
  void setDefaultBackend(BackendKind backend) { m_defaultBackend = backend; }
  void setPane(int pane, const PaneSettings& settings);
  void addPane(const PaneSettings& settings, int id, int source);
  void duplicatePane(int pane, int id);
  void removePane(int pane);
  /// A removed pane comes back as soon as it has computed what it has missed; the others go on meanwhile.
  void restorePane(int pane, int to);
  void movePane(int pane, int to);
  /// The window has shown a batch.
  void acknowledge();
  /// The mouse spring in all panes; none lets go.
  void pull(const std::optional<Spring>& spring);
  /// Records every frame to a file that does not exist yet, from what the history holds on.
  void record(const QString& path, const QString& command);
  void stopRecording();
  /// Writes what the history holds now to a recording of its own, beside one that may be running.
  void writeRecording(const QString& path);
  /// The same of several branches, a file each.
  void writeBranches(const std::map<int, QString>& paths);
  /// Frames around `frame` that the history of the pane keeps no more.
  void rebuild(int pane, long frame);
  void explain(int pane, long frame);
  /// The largest complementarity problem of that step with another solver.
  void resolve(int pane, long frame, const std::string& solver);
  void exportProblem(int pane, long frame, const QString& path);
  void writeManifest(const QString& path, const QString& command);

 Q_SIGNALS:
  /// A file that takes long to open: rows read of all; 0 of 0 while it is looked for damage.
  void opening(int done, int all);
  void openingCancelled();
  /// A pane comes back once it has computed so many frames.
  void catchingUp(int pane, long frames);
  /// @param path  empty: nothing is recorded any more
  void recordingChanged(const QString& path);
  void opened(touchstone::ComparisonStatePtr state);
  void changed(touchstone::ComparisonStatePtr state);
  /// A command that leads to that branch has been taken, and succeeded or not; changed() follows.
  void branchTried(int branch);
  void stepped(touchstone::FrameBatchPtr frames);
  /// @param records  may be empty: they cannot be had
  void rebuilt(int pane, long frame, std::vector<touchstone::RecordPtr> records);
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
  BackendKind m_defaultBackend = BackendKind::Cpu;  ///< of panes that nobody has placed
  void stepOnce();
  int indexOf(int pane) const;
  template <class Change>
  void change(const Change& change);
  template <class Change>
  void changeBranch(int wanted, const Change& change);
  void catchUp();
  void flush();  ///< sends what is pending if the window keeps up
  void send();
  void startPacing();
  void setRunning(bool running);
  void show(std::unique_ptr<Comparison> comparison);
  void checkRecorder();
  ComparisonStatePtr state() const;
  std::string sceneFileOf(const QString& path) const;
  void openRecording(const std::string& file);

  QTemporaryDir m_meshFolder;  ///< scenes that were made of meshes
  std::unique_ptr<Comparison> m_comparison;
  std::unique_ptr<Recorder> m_recorder;  ///< observes m_comparison, so it goes first
  std::string m_recordCommand;
  QTimer *m_tick, *m_catchUp;
  std::vector<command::RestorePane> m_returning;  ///< panes that are not back yet, in the order of time
  std::atomic<bool> m_openingCancelled{false};
  bool m_running = false;
  bool m_concurrent = false;
  std::size_t m_historyBudget = History::kUsualBudget;  ///< bytes a pane
  double m_speed = 1;
  double m_until = 0;      ///< s
  QElapsedTimer m_clock;   ///< since the pacing began
  double m_pacedFrom = 0;  ///< simulated time at which the pacing began [s]
  int m_inFlight = 0;
  FrameBatch m_pending;
};

}  // namespace touchstone
