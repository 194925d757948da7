#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/run/pane_settings.h"
#include "core/trajectory/divergence.h"
#include "core/trajectory/trajectory_file.h"
#include "core/trajectory/velocity_belief.h"

namespace touchstone::cli {

/// The smallest distance of two bodies in a motion.
struct PairExtreme {
  double leastGap = 0, time = 0;  ///< m, s
};

/// One motion that is judged: a trajectory file, or a pane of ours that runs beside it.
struct JudgedColumn {
  std::string key;
  std::string path, contacts;  ///< files; empty: a pane of ours, without contacts
  PaneSettings pane;           ///< of ours
  TrajectoryHeader header;
  bool linearDerived = false, angularDerived = false;
  bool hasContacts = false, contactsComplete = false;
  double first = 0, last = 0;  ///< times of its samples [s]
  long samples = 0, rows = 0;
  double shift = 0;  ///< added to its times where motions are compared [s]
  std::vector<std::string> warnings, missing;
  FirstContacts firstContacts;                       ///< at its own times
  std::map<std::pair<int, int>, PairExtreme> pairs;  ///< that came within ε
  Trajectory ours;                                   ///< states of a pane of ours
  BeliefSums belief;                                 ///< of the velocities of a file
  /// Pairs of which one went through the other between two samples, and when first [s].
  std::map<std::pair<int, int>, double> passages;

  bool isOurs() const { return path.empty(); }
  /// The key, with ~ if velocities are derived.
  std::string label() const { return key + (linearDerived || angularDerived ? " ~" : ""); }
};

/// Residuals of the laws of rigid contact over an interval; not a number where unknown.
struct SampleLaws {
  double leastGap, slip;                                 ///< m, m/s; of pairs with gap ≤ ε
  double neededFree, neededFreeCouple;                   ///< N·s, N·m·s
  double outsideCone, outsideHull;                       ///< N·s, m
  double newton, euler, signorini, coulomb, energyMade;  ///< N·s, N·m·s, m/s, m/s, J
};
std::string lawsHeader();
std::string lawsLine(double time, const std::string& key, const SampleLaws& laws);

/// Measures all samples of a motion at its own times, and fills what a column says of them.
/// @param told  called for each sample
using ToldSample = std::function<void(const StepRecord& record, const SampleLaws& laws)>;
void measureColumn(const std::shared_ptr<const Scene>& scene, const TrajectoryOptions& options,
                   JudgedColumn& column, const ToldSample& useSample);
/// Runs a pane of ours to a time [s], measures it likewise, and keeps its states.
void runColumn(const std::shared_ptr<const Scene>& scene, double until, double secondsPerFrame,
               JudgedColumn& column, const ToldSample& useSample);

/// The states of a motion at ascending times, which are its own plus its shift.
std::unique_ptr<StatesInTime> statesOf(const std::shared_ptr<const Scene>& scene,
                                       const TrajectoryOptions& options, const JudgedColumn& column);

}  // namespace touchstone::cli
