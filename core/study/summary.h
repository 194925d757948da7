#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/record/step_record.h"

namespace touchstone {

/// A warning of the steps of a run; texts that differ only in numbers count as one.
struct RunWarning {
  std::string text;      ///< text of the first occurrence
  long frames = 0;       ///< number of frames with it, of which the start is none
  double since = 0;      ///< s, time of the first of them
  bool atStart = false;  ///< the state at the start has it
};

/// Result of a whole run of one pane.
struct PaneSummary {
  std::string method, solver;
  std::string label;  ///< set if it says more than method and solver: distinguishes panes of the same
  long frames = 0;
  long energy = 0, notConverged = 0, noSolution = 0;  ///< frames with that status
  double frozenFrom = -1;                             ///< s, diverged or stopped; −1: neither
  bool planar = false;                                ///< overlaps are areas
  double overlapMedian = 0, overlapMax = 0;           ///< m³, planar m²
  double penetrationMedian = 0, penetrationMax = 0;   ///< m
  double residualMax = 0;                             ///< m/s; NaN for methods without a solver
  double timeMedian = 0, timeMax = 0;                 ///< ms per frame, without measurement
  double endKineticEnergy = 0;                        ///< J, mean over the last fifth
  std::vector<RunWarning> warnings;                   ///< in the order of first occurrence
  /// Solvers whose answers were used, as records name them, with their frames; in the order of first use.
  std::vector<std::pair<std::string, long>> delivered;
};
/// Summarises a run frame by frame in bounded memory. For a very long run, medians and means over its end use
/// every second frame, every fourth, …; counts, maxima and warnings use all frames.
class RunSummary {
 public:
  void add(const StepRecord& record);
  PaneSummary result() const;

 private:
  struct Sample {
    double overlap, depth, milliseconds, kineticEnergy;
  };
  static std::vector<double> valuesOf(const std::vector<Sample>& samples, double Sample::*value,
                                      bool lastFifth = false);
  PaneSummary m_sums;
  std::vector<Sample> m_samples;
  long m_seen = 0, m_spacing = 1;
};

/// The summary and the warnings as a text table for a terminal.
std::string summaryTable(const std::vector<PaneSummary>& panes);

}  // namespace touchstone
