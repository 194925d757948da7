#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/math/count.h"
#include "core/run/branch.h"

namespace touchstone {

class Comparison;

/// Receives every change, on the thread that makes it.
class ComparisonObserver {
 public:
  virtual ~ComparisonObserver() = default;
  /// A frame has been added to every pane.
  virtual void stepped(const Comparison& comparison) = 0;
  /// A command was applied. Frames from `firstFrame` on are new or gone.
  virtual void changed(const Comparison& comparison, long firstFrame) = 0;
  /// A pane was added that may have frames of its past; changed() follows.
  virtual void cameIn(const Comparison& comparison, int pane) = 0;
};

/// Several simulations of one scene in lockstep: every pane advances by the same frame length, whatever its
/// substeps. It is at the end of one branch of time and keeps the others (Branch says how). Used by one
/// thread at a time (the workbench's worker or the command line).
class Comparison {
 public:
  /// @param historyBudget  of each pane [bytes]
  Comparison(std::shared_ptr<const Scene> scene, const std::vector<PaneSettings>& panes,
             std::size_t historyBudget = History::kUsualBudget);

  static constexpr int kMostBranches = 12;         ///< with the one that is shown
  static constexpr std::size_t kRestingShare = 8;  ///< of its memory a pane keeps where too much rests
  static constexpr std::size_t kMostRemoved = 16;  ///< panes of a branch that can come back
  static constexpr std::size_t kMostGone = 6;      ///< removed branches that can come back

  const Scene& scene() const { return *m_scene; }
  std::shared_ptr<const Scene> scenePtr() const { return m_scene; }
  int paneCount() const { return countOf(m_now.panes); }
  const Simulation& pane(int index) const { return *m_now.panes[index].simulation; }
  const History& history(int index) const { return m_now.panes[index].history; }
  double dt() const { return m_now.dt; }
  double time() const;
  long frame() const;

  /// One frame in all panes, concurrently if asked (step times then share the cores). @return a record per
  /// pane
  std::vector<RecordPtr> step(bool concurrently);

  /// Records of the panes that there are hold the contacts of every substep from now on.
  void recordAllContacts();
  /// Limits the frames of every pane, from its next one on, see Simulation. It is no command: it changes no
  /// state.
  void setSecondsPerFrame(double seconds) { m_secondsPerFrame = seconds; }
  /// Limits the next frame of one pane only.
  void limitNextFrame(int pane, double seconds) { m_nextFrames.push_back({paneId(pane), seconds}); }
  /// The clock ends the next frame of a pane before its first step.
  void endNextFrame(int pane) { limitNextFrame(pane, std::numeric_limits<double>::min()); }
  void setDt(double dt);  ///< takes effect at the next frame
  void setParameter(int pane, const std::string& key, const ParameterValue& value);
  void setSubsteps(int pane, int substeps);
  /// Replaces what a pane runs; it continues from its present state under the new method, and the Referee
  /// goes on counting.
  void setPane(int pane, const PaneSettings& settings);
  /// The pane starts from the state of another, at the same time; a motion that is given is played from the
  /// start, so that it has every frame. @param id  −1: the next that is free
  /// @param source  id of the other; −1: the first pane
  void addPane(const PaneSettings& settings, int id = -1, int source = -1);
  /// Another pane with settings, state, contact memory and history of this one. @param id  as above
  void duplicatePane(int pane, int id = -1);
  /// It rests and can come back.
  void removePane(int pane);
  /// Frames that a removed pane has missed since. @throws std::invalid_argument if no such pane was removed
  long missedBy(int id);
  /// Computes one of them. @return false if there are none
  bool catchUp(int id);
  /// A removed pane comes back to a place, after it has caught up, as if it had not been removed.
  void restorePane(int id, int to);
  /// The pane takes the place `to`; those between move up. Changes no state.
  void movePane(int pane, int to);
  /// Index of a pane, −1 if it is not there.
  int indexOf(int id) const;
  /// The mouse spring of all panes; none lets go.
  void pull(const std::optional<Spring>& spring);
  const std::optional<Spring>& spring() const { return m_spring; }

  // Branches. New ones get the `branch` that is given as their number, −1: the next that is free.
  /// Back to the scene's start, as a new branch.
  void restart(int branch = -1);
  /// Gives the state of `pane` at recorded `frame` to all panes, as a new branch. @return false if the frame
  /// is not kept
  bool fork(int pane, long frame, int branch = -1);
  /// Stands at the end of another branch. @throws std::invalid_argument if it is not kept
  void showBranch(int branch);
  /// A branch that is not shown goes, and can come back. @throws std::invalid_argument if it is the one that
  /// is shown, or not kept
  void removeBranch(int branch);
  /// A removed branch comes back. @throws std::invalid_argument if it was not removed, is no longer kept, or
  /// has no space
  void restoreBranch(int branch);
  /// A branch that rests; null if it is the one that is shown, or not kept.
  const Branch* restingBranch(int branch) const;
  /// All that are kept, by number; the one that is shown among them.
  std::vector<BranchInfo> branches() const;
  int branch() const { return m_now.info.id; }
  /// The branch that a new one takes the place of; −1: there is room.
  int nextToGo() const;
  /// Memory of frames and checkpoints that only what rests holds.
  std::size_t restingBytes() const;

  /// Frame length and panes at once; panes go on from their states, contact memory starts empty.
  void setAll(const command::SetAll& configuration);
  /// Any of the above. @throws std::invalid_argument, also if a fork finds its frame no longer kept
  void apply(const Command& command);

  /// Names a pane for good, whatever panes are added or removed before it.
  int paneId(int index) const { return m_now.panes[index].id; }
  /// The panes and frame length at the start; with log() they determine every state.
  const command::SetAll& start() const { return m_now.start; }
  /// The panes and frame length now.
  command::SetAll settings() const;
  const std::vector<LoggedCommand>& log() const { return m_now.log; }

  /// A comparison at the end of what was recorded. Contact memory starts empty, as after a fork.
  static std::unique_ptr<Comparison> resumed(std::shared_ptr<const Scene> scene, const command::SetAll& start,
                                             std::vector<LoggedCommand> log, const command::SetAll& now,
                                             std::vector<History> histories);

  /// Records of a pane first … last that the history keeps no more, computed again bit for bit (but for clock
  /// times) or read from the recording that was resumed. Fewer, or none, where they cannot be had.
  std::vector<RecordPtr> rebuilt(int pane, long first, long last) const;
  /// The same for a pane of any branch. @param id  of the pane
  std::vector<RecordPtr> rebuiltOf(int branch, int id, long first, long last) const;
  /// The inside of the last step of a frame. @return false if no step led to that frame here
  bool explain(int pane, long frame, StepDetail& detail) const;
  /// Source of the frames that a resumed comparison does not keep: record(frame, pane id) or null.
  using Archive = std::function<RecordPtr(long frame, int paneId)>;
  void setArchive(Archive archive);

  /// At most one; null: none. Must outlive its use.
  void observe(ComparisonObserver* observer) { m_observer = observer; }

 private:
  /// @throws std::out_of_range where there is none
  std::vector<ComparedPane>::iterator placeOf(int pane);
  void noteFallBack(int pane);
  void logToPanes(const Command& command);
  void changed(long firstFrame) const;
  void cameIn(int pane);
  /// A pane whose first frame is the present one of its simulation.
  ComparedPane begun(int id, std::unique_ptr<Simulation> simulation) const;
  void addPlayed(const PaneSettings& settings, int id, int source);
  void log(const Command& command);
  friend struct Applier;
  void fork(const command::Fork& fork);
  void duplicate(const ComparedPane& source, int id);
  /// The pane that a log names. One that was removed by then, and may have come back later, computes first
  /// the frames that it has missed. @throws std::invalid_argument if there is none
  const ComparedPane& caughtUp(int id);
  std::optional<RefereeHistory> measuredAt(const ComparedPane& pane, long frame) const;
  /// @param measured  of the source on the way to that frame; none: the Referee counts from there
  void forkTo(const StepRecord& record, int source, const std::optional<RefereeHistory>& measured,
              int branch);
  ComparedPane resting(const ComparedPane& pane) const;
  void wake(ComparedPane& pane) const;
  void rest(ComparedPane& pane) const;
  void boundResting();
  /// Budget of the checkpoints of each pane [bytes].
  std::size_t checkpointBudget() const { return m_historyBudget / 4; }
  int takeId(int id);
  /// Keeps the present branch; what is changed then is another, that begins at `frame`.
  void leaveBranch(int branch, long frame, double time, const std::string& source);
  std::vector<ComparedPane>::iterator removed(int id);
  BranchInfo infoNow() const;
  std::vector<RecordPtr> rebuilt(const Branch& branch, const ComparedPane& pane, long first, long last) const;

  std::shared_ptr<const Scene> m_scene;
  Branch m_now;
  std::vector<Branch> m_kept;  ///< at rest, oldest first
  std::vector<Branch> m_gone;  ///< removed, at rest, oldest first
  int m_nextId = 0, m_nextBranch = 1;
  std::optional<Spring> m_spring;
  ComparisonObserver* m_observer = nullptr;
  std::size_t m_historyBudget;
  double m_secondsPerFrame = 0;
  std::vector<std::pair<int, double>> m_nextFrames;  ///< ids of panes, and their seconds
  Archive m_archive;
};

}  // namespace touchstone
