#pragma once

#include <string>
#include <vector>

#include "core/run/history.h"

namespace touchstone {

/// A warning of the steps of a run; texts that differ only in their numbers are one.
struct RunWarning {
  std::string text;  ///< as it was first said
  long frames = 0;   ///< with it
  double since = 0;  ///< s, of the first of them
};

/// What a whole run of one pane amounts to.
struct PaneSummary {
  std::string method, solver;
  long frames = 0;
  long energy = 0, notConverged = 0, noSolution = 0;  ///< frames with that status
  long touching = 0;                                 ///< frames in which something pushed
  double standsFrom = -1;                            ///< s, diverged or stopped; −1 if it did neither
  bool planar = false;                               ///< overlap is an area
  double overlapMedian = 0, overlapMax = 0;          ///< m³, planar m²
  double penetrationMedian = 0, penetrationMax = 0;  ///< m
  double residualMax = 0;                            ///< m/s; NaN for methods without a solver
  double trapShare = 0;                ///< share of frames with standard-model traps; NaN if not measured
  double timeMedian = 0, timeMax = 0;  ///< ms per frame, without measurement
  double endKineticEnergy = 0;         ///< J, mean over the last fifth
  double mostKineticEnergy = 0;        ///< J
  double endJitter = 0;                ///< m/s, mean over the last fifth
  double energyGain = 0;               ///< largest rise of the total energy above its start, J
  std::vector<RunWarning> warnings;    ///< in the order of their first frames
};
PaneSummary summarise(const History& history);

/// A published claim held against this run.
struct Claim {
  std::string text;      ///< the claim with its source
  std::string measured;  ///< what this run shows, with numbers
  enum class Verdict { Holds, DoesNotHold, CannotTell } verdict = Verdict::CannotTell;
};
std::vector<Claim> checkClaims(const std::vector<PaneSummary>& panes);

/// The summary, the warnings and the claims as a text table for a terminal.
std::string summaryTable(const std::vector<PaneSummary>& panes);

}  // namespace touchstone
