#pragma once

#include <vector>

#include "core/contact/complementarity/rigid_report.h"

namespace touchstone {

/// Result of an exact step for one replica.
struct ExactOutcome {
  bool converged = false;     ///< no switch left and no pair deeper than rounding
  bool solved = true;         ///< every problem was
  bool hasNone = false;       ///< one that was not has no solution
  bool passesCorner = false;  ///< see BranchReview
  int gains = 0;              ///< IslandEnd::gains of the last impulses
  bool isAtEnd = false;       ///< nothing is left to exchange, and no pair is deeper than rounding
  bool isOfStart = false;     ///< the answer is that of takeStartForms()
  int passes = 0, solves = 0;
};

/// Replicas whose step did not end; empty if all did.
ReplicaSet wantBisection(const std::vector<ExactOutcome>& outcomes);
/// Records of replicas that bisect the step only that it was tried.
/// @param report  of the last linearisation   @param residuals  [replicaCount] of each one's last problems
/// [m/s]   @return the report of the others
RigidReport tellOutcomes(RigidReport report, const std::vector<double>& residuals,
                         const std::vector<ExactOutcome>& outcomes, const ReplicaSet& bisected,
                         StepRecord& record);

}  // namespace touchstone
