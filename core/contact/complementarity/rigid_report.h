#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/solver/rows/row_report.h"
#include "core/world/world.h"

namespace touchstone {

/// Unit that a step has a row for: lcp each contact, peg each constraint set.
enum class RowPer { Contact, Set };

/// Result of a step.
struct RigidReport : RowSolverReport {
  int withLargestGap = 0;  ///< islands whose primaries are not the published ones
  int retries = 0;         ///< of these, in this solve, since their answer with those was refused …
  int rescued = 0;         ///< … or there was none, where there is one now
  int softened = 0;        ///< of the unsolved: answered by a problem with kSoftness
};

/// Result of a solve for an island.
struct IslandEnd {
  int replica;
  int isSolved, hasNoSolution;
  double residual;  ///< natural [m/s]
  int gains;        ///< its impulses bring in energy, 2: much; of constraint sets, and of an exact step
};

/// Replicas whose answer is not used, with the reasons.
struct Refusal {
  ReplicaSet replicas;  ///< or empty
  std::vector<std::string> reasons;
};

/// Counts the islands that were solved once more, with other primaries.
void addRetries(const RigidReport& report, StepRecord& record);
/// Names the replicas without a solution, because the status of a record does not say which of several it is.
void noteReplicasWithoutSolution(const std::vector<IslandEnd>& ends, StepRecord& record);
/// Reports the residual that the solver reached, without the problems that it could not solve.
void reportReached(const RigidReport& report, const std::string& solverKey, StepRecord& record);
/// Reports the problems that it could not solve, whose answers are used.
void tellUnsolved(const RigidReport& report, StepRecord& record);

}  // namespace touchstone
