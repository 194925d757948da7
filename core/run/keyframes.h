#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/run/command.h"
#include "core/run/simulation.h"

namespace touchstone {

/// Basis for rebuilding the frames of a pane that are no longer kept: checkpoints at a spacing that widens
/// with the length of the run, and the pane's own commands.
class Keyframes {
 public:
  explicit Keyframes(std::size_t budgetBytes = std::size_t(32) << 20) : m_budget(budgetBytes) {}

  /// Forgets everything from `frame` on, and starts from that frame with a state that came from elsewhere
  /// (start, fork, a pane that was added).
  void begin(const Simulation& simulation, long frame);
  /// After each frame.
  void stepped(const Simulation& simulation, long frame);
  /// A command to this pane, given after `frame`; its pane number is not read.
  void log(long frame, const Command& command) { m_journal.push_back({frame, command}); }

  /// The records first … last, as they were, bit for bit but for their clock times. Fewer where the state at
  /// `first` did not come from a step.
  std::vector<RecordPtr> rebuilt(const std::shared_ptr<const Scene>& scene, long first, long last) const;
  /// The inside of the last step of a frame; false if that frame did not come from a step.
  bool explain(const std::shared_ptr<const Scene>& scene, long frame, StepDetail& detail) const;

  /// Measurements of the Referee at the end of a frame; none where they are not available.
  std::optional<RefereeHistory> measuredAt(const std::shared_ptr<const Scene>& scene, long frame) const;
  /// Gives the commands that were logged after the frame at which a simulation of this pane is.
  void giveCommands(const std::shared_ptr<const Scene>& scene, std::unique_ptr<Simulation>& simulation) const;

  long spacing() const { return m_spacing; }
  std::size_t bytes() const { return m_bytes; }
  /// A smaller one thins at once; a larger one brings nothing back.
  void setBudget(std::size_t bytes);
  std::vector<std::shared_ptr<const Checkpoint>> checkpoints() const;

 private:
  struct Entry {
    std::shared_ptr<const Checkpoint> checkpoint;  ///< shared by the branches that have it
    bool base;                                     ///< no step led here: never dropped
  };
  /// At a frame before `frame`, with the commands up to there applied.
  std::unique_ptr<Simulation> simulationBefore(const std::shared_ptr<const Scene>& scene, long frame) const;
  void add(const Simulation& simulation, long frame, bool base);
  void thin();

  std::size_t m_budget, m_bytes = 0;
  long m_spacing = 16;
  std::map<long, Entry> m_entries;
  std::vector<LoggedCommand> m_journal;
};

/// The same pane under other settings, from the same state. The Referee goes on counting; contact memory is
/// lost, unless only the backend is another.
std::unique_ptr<Simulation> swapped(const std::shared_ptr<const Scene>& scene, const Simulation& simulation,
                                    const PaneSettings& settings);

}  // namespace touchstone
