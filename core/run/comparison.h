#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/run/command.h"
#include "core/run/history.h"
#include "core/run/keyframes.h"
#include "core/run/simulation.h"

namespace touchstone {

class Comparison;

/// Is told of every change, on the thread that makes it.
class ComparisonObserver {
 public:
  virtual ~ComparisonObserver() = default;
  /// A frame has been added to every pane.
  virtual void stepped(const Comparison& comparison) = 0;
  /// A command was taken. Frames from `from` on are new or gone.
  virtual void changed(const Comparison& comparison, long from) = 0;
};

/// Several simulations of one scene in lockstep: every pane advances by the same frame length, whatever its
/// substeps. Used by one thread at a time (the workbench's worker or the command line).
class Comparison {
 public:
  /// @param historyBudget  of each pane [bytes]
  Comparison(std::shared_ptr<const Scene> scene, const std::vector<PaneSettings>& panes,
             std::size_t historyBudget = History::kUsualBudget);

  const Scene& scene() const { return *m_scene; }
  std::shared_ptr<const Scene> scenePtr() const { return m_scene; }
  int paneCount() const { return static_cast<int>(m_panes.size()); }
  const Simulation& pane(int index) const { return *m_panes[index].simulation; }
  const History& history(int index) const { return m_panes[index].history; }
  double dt() const { return m_dt; }
  double time() const;
  long frame() const;

  /// One frame in all panes, concurrently if asked (step times then share the cores). @return a record per
  /// pane
  std::vector<RecordPtr> step(bool concurrently);

  /// Records of the panes that there are hold the contacts of every substep from now on.
  void recordAllContacts();
  void restart();
  void setDt(double dt);  ///< takes effect at the next frame
  void setParameter(int pane, const std::string& key, const ParameterValue& value);
  void setSubsteps(int pane, int substeps);
  /// Replaces what a pane runs; it continues from its present state under the new method.
  void setPane(int pane, const PaneSettings& settings);
  /// The pane starts from the state of pane 0, at the same time. @param id  −1: the next that is free
  void addPane(const PaneSettings& settings, int id = -1);
  void removePane(int pane);
  /// The pane takes the place `to`; those between move up. Changes no state.
  void movePane(int pane, int to);
  /// The mouse spring of all panes; none lets go.
  void pull(const std::optional<Spring>& spring);
  const std::optional<Spring>& spring() const { return m_spring; }
  /// Gives the state of `pane` at recorded `frame` to all panes; later frames are forgotten. @return false if
  /// the frame is not kept
  bool fork(int pane, long frame);
  /// Frame length and panes at once; panes go on from their states, contact memory starts anew.
  void setAll(const command::SetAll& all);
  /// Any of the above. @throws std::invalid_argument, also if a fork finds its frame no longer kept
  void apply(const Command& command);

  /// Names a pane for good, whatever panes are added or removed before it.
  int paneId(int index) const { return m_panes[index].id; }
  /// The panes and frame length at the start; with log() they determine every state.
  const command::SetAll& start() const { return m_start; }
  /// The panes and frame length now.
  command::SetAll settings() const;
  const std::vector<LoggedCommand>& log() const { return m_log; }

  /// A comparison at the end of what was recorded. Contact memory starts anew, as after a fork.
  static std::unique_ptr<Comparison> resumed(std::shared_ptr<const Scene> scene, const command::SetAll& start,
                                             std::vector<LoggedCommand> log, const command::SetAll& now,
                                             std::vector<History> histories);

  /// Records of a pane first … last that the history keeps no more, computed again bit for bit (but for clock
  /// times) or read from the recording that was resumed. Fewer, or none, where they cannot be had.
  std::vector<RecordPtr> rebuilt(int pane, long first, long last) const;
  /// The inside of the last step of a frame. @return false if no step led to that frame here
  bool explain(int pane, long frame, StepDetail& detail) const;
  /// Where frames come from that a resumed comparison does not keep: record(frame, pane id) or null.
  using Archive = std::function<RecordPtr(long frame, int paneId)>;
  void setArchive(Archive archive);

  /// At most one; null: nobody. Must outlive its use.
  void observe(ComparisonObserver* observer) { m_observer = observer; }

 private:
  struct Pane {
    std::unique_ptr<Simulation> simulation;
    History history;
    int id;
    Keyframes keyframes = Keyframes();
  };
  std::vector<Pane>::iterator placeOf(int pane);  ///< throws where there is none
  void noteFallBack(int pane);
  void logToPanes(const Command& command);
  void changed(long from) const;
  void log(const Command& command);
  /// Forgets the commands after `frame`: what led to frames that are forgotten too.
  void rewindLog(long frame);
  std::shared_ptr<const Scene> m_scene;
  double m_dt;
  std::vector<Pane> m_panes;
  int m_nextId = 0;
  std::optional<Spring> m_spring;
  command::SetAll m_start;
  ComparisonObserver* m_observer = nullptr;
  std::size_t m_historyBudget;
  Archive m_archive;
  long m_archiveEnd = -1;  ///< its last frame that still is what happened
  std::vector<LoggedCommand> m_log;
};

}  // namespace touchstone
