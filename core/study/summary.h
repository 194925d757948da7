#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// A warning of the steps of a run; texts that differ only in their numbers are one.
struct RunWarning {
  std::string text;  ///< as it was first said
  long frames = 0;   ///< with it
  double since = 0;  ///< s, of the first of them
};

/// What is much and what is little in a scene, so that a run can be judged at any size.
struct PaneScale {
  double energy = 0;      ///< all bodies lifted by the size of the scene [J]; 0: there is no gravity
  double restEnergy = 0;  ///< all bodies at a thousandth of the speed that a fall through the scene gives [J]
  double settleTime = 0;  ///< four such falls [s]
};

/// What a whole run of one pane amounts to.
struct PaneSummary {
  std::string method, solver;
  std::string label;  ///< where it says more than method and solver: what tells it from a pane of the same
  long frames = 0;
  long energy = 0, notConverged = 0, noSolution = 0;  ///< frames with that status
  long touching = 0;                                  ///< frames in which something pushed
  double frozenFrom = -1;                             ///< s, diverged or stopped; −1 if it did neither
  bool planar = false;                                ///< overlap is an area
  double overlapMedian = 0, overlapMax = 0;           ///< m³, planar m²
  double penetrationMedian = 0, penetrationMax = 0;   ///< m
  double residualMax = 0;                             ///< m/s; NaN for methods without a solver
  double trapShare = 0;                ///< share of frames with standard-model traps; NaN if not measured
  double timeMedian = 0, timeMax = 0;  ///< ms per frame, without measurement
  double endKineticEnergy = 0;         ///< J, mean over the last fifth
  double endJitter = 0;                ///< m/s, mean over the last fifth
  double energyGain = 0;               ///< largest rise of the total energy above its start, J
  double endTime = 0;                  ///< s
  PaneScale scale;
  std::vector<RunWarning> warnings;  ///< in the order of their first frames
};
/// Sums up a run frame by frame in bounded memory: of a very long one medians and means over its end are
/// those of every second frame, of every fourth, …; counts, maxima and warnings are of all.
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

/// A published claim held against this run.
struct Claim {
  std::string text;      ///< the claim with its source
  std::string measured;  ///< what this run shows, with numbers; of a claim that is not judged, why
  enum class Verdict { Holds, DoesNotHold, NotJudged } verdict = Verdict::NotJudged;
};
/// A run can judge a claim where bodies touched for long enough, and where a pane neither stands nor has
/// gained more energy than there was in the scene, unless the claim is about just that.
std::vector<Claim> checkClaims(const std::vector<PaneSummary>& panes);

/// The summary, the warnings and the claims as a text table for a terminal.
std::string summaryTable(const std::vector<PaneSummary>& panes);

}  // namespace touchstone
