#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/conform/quantity_query.h"
#include "core/trajectory/trajectory.h"

namespace touchstone {

/// A number measured of a trajectory, or why there is none.
struct Measured {
  /// Undefined: the run is there, but has no such number, which is a failure where one is asked for.
  enum class State { Known, NotApplicable, Failed, Undefined };
  State state = State::Known;
  double value = 0;
  std::string reason;  ///< a sentence without its full stop; empty if known

  static Measured known(double value) { return {State::Known, value, {}}; }
  static Measured notApplicable(std::string why);
  static Measured failed(std::string why);
};

/// A measured trajectory and the time that its run was to take.
struct MeasuredRun {
  const Trajectory* trajectory = nullptr;
  double dt = 0;    ///< frame length [s]
  double time = 0;  ///< s; kEnd of a query
};

/// A quantity of trajectories. All work on poses, velocities and given contacts only, so that panes, other
/// engines and recorded motions are measured by the same code.
struct TrajectoryQuantity {
  std::string key, unit;
  std::vector<std::string> required, optional;  ///< members of its query by the names of the file
  std::vector<std::string> choices;             ///< of `which`; empty: it has none
  bool needsContacts = false;
  std::string help;  ///< formula
};
const std::vector<TrajectoryQuantity>& trajectoryQuantityTable();
/// The quantity with this key, or null.
const TrajectoryQuantity* findTrajectoryQuantity(const std::string& key);

/// The value of a query. @param runs  one; several, finest last, for self_convergence
Measured evaluate(const QuantityQuery& query, const std::vector<MeasuredRun>& runs);

/// Course of what the query measures, for a plot: (time [s], value) at the samples; empty where it has no
/// course.
std::vector<std::pair<double, double>> courseOf(const QuantityQuery& query, const MeasuredRun& run);

}  // namespace touchstone
