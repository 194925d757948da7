#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// A warning of the steps of a run; texts that differ only in numbers count as one.
struct RunWarning {
  std::string text;  ///< text of the first occurrence
  long frames = 0;   ///< number of frames with it
  double since = 0;  ///< s, time of the first of them
};

/// Scales of a scene, so that a run can be judged at any size.
struct PaneScale {
  double energy = 0;      ///< to lift all bodies by the size of the scene [J]; 0: no gravity
  double restEnergy = 0;  ///< kinetic, at a thousandth of the speed of a fall through the scene [J]
  double settleTime = 0;  ///< duration of four such falls [s]
};

/// Result of a whole run of one pane.
struct PaneSummary {
  std::string method, solver;
  std::string label;  ///< set if it says more than method and solver: distinguishes panes of the same
  long frames = 0;
  long energy = 0, notConverged = 0, noSolution = 0;  ///< frames with that status
  long touching = 0;                                  ///< frames with a contact impulse
  double frozenFrom = -1;                             ///< s, diverged or stopped; −1: neither
  bool planar = false;                                ///< overlaps are areas
  double overlapMedian = 0, overlapMax = 0;           ///< m³, planar m²
  double penetrationMedian = 0, penetrationMax = 0;   ///< m
  double residualMax = 0;                             ///< m/s; NaN for methods without a solver
  double trapShare = 0;                ///< share of frames with standard-model traps; NaN if not measured
  double timeMedian = 0, timeMax = 0;  ///< ms per frame, without measurement
  double endKineticEnergy = 0;         ///< J, mean over the last fifth
  double endJitter = 0;                ///< m/s, mean over the last fifth
  double energyGain = 0;               ///< largest rise of the total energy above its start value [J]
  double endTime = 0;                  ///< s
  PaneScale scale;
  std::vector<RunWarning> warnings;  ///< in the order of first occurrence
};
/// Summarises a run frame by frame in bounded memory. For a very long run, medians and means over its end use
/// every second frame, every fourth, …; counts, maxima and warnings use all frames.
class RunSummary {
 public:
  explicit RunSummary(const Scene& scene);
  void add(const StepRecord& record);
  PaneSummary result() const;

 private:
  struct Sample {
    double overlap, depth, milliseconds, kineticEnergy, jitter;
  };
  static std::vector<double> valuesOf(const std::vector<Sample>& samples, double Sample::*value,
                                      bool lastFifth = false);
  PaneSummary m_sums;
  std::vector<Sample> m_samples;
  long m_seen = 0, m_spacing = 1, m_trapFrames = 0, m_trapsMeasured = 0;
};

/// A published claim, tested on this run.
struct Claim {
  std::string text;      ///< the claim with its source
  std::string measured;  ///< what this run shows, with numbers; or why the claim is not judged
  enum class Verdict { Holds, DoesNotHold, NotJudged } verdict = Verdict::NotJudged;
};
/// A run can judge a claim if bodies touched for long enough, and if no pane is frozen or has gained more
/// energy than the scene contained, unless the claim is about that.
std::vector<Claim> checkClaims(const std::vector<PaneSummary>& panes);

/// The summary, the warnings and the claims as a text table for a terminal.
std::string summaryTable(const std::vector<PaneSummary>& panes);

}  // namespace touchstone
