#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/simulation.h"

namespace touchstone {

/// One row of a study: a method and its parameters, with a label.
struct StudyPane {
  std::string label;
  PaneSettings settings;
};

/// A sweep: panes × time steps × seeds of one scene.
struct Study {
  std::string name, title, file;
  std::string scene;       ///< as in the file: a path relative to the study, or the name of a shipped scene
  double time = 5;         ///< simulated time of each run [s]
  double crashSpeed = 50;  ///< m/s; a faster body ends the run as crashed
  std::vector<double> dt;  ///< s
  std::vector<int> seeds;  ///< 0: the unchanged scene
  StartVariation variation;
  std::vector<StudyPane> panes;
};

/// Reads a study file (JSON, "touchstone_study": 1).
/// @throws SceneError with file, field and remedy
Study loadStudy(const std::string& path);

/// Result of one run. A crashed run counts up to the crash.
struct StudyRun {
  std::string pane;
  double dt = 0;
  int seed = 0;
  long frames = 0;
  double crashedAt = -1;  ///< s: no answer, or a body above the crash speed; −1: survived
  std::string reason;     ///< reason of the crash
  double overlapMedian = 0, overlapQuartile = 0, overlapMax = 0;  ///< over the frames [m³, planar m²]
  double depthMax = 0;                                            ///< m
  long unsolved = 0;        ///< solves of the method's own problem without an answer, before any retry
  double trapShare = 0;     ///< share of frames with standard-model traps
  double solves = 0;        ///< problems per frame
  long bisected = 0;        ///< frames with a bisected step
  double milliseconds = 0;  ///< median step time, not reproducible
};

/// @param goesOn  called after each frame; false aborts the run
/// @return null if the run was aborted
std::optional<StudyRun> runOne(const Study& study, std::shared_ptr<const Scene> scene, const StudyPane& pane,
                               double dt, int seed, const std::function<bool()>& goesOn = nullptr);

/// The header of runs.csv, and one of its lines.
std::string csvHeaderOfRuns();
std::string csvLine(const StudyRun& run);

/// A Markdown table per quantity: one row per pane, one column per time step, over the seeds that have run.
std::string tablesOf(const Study& study, const std::vector<StudyRun>& runs, bool planar);

}  // namespace touchstone
