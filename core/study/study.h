#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/simulation.h"

namespace touchstone {

/// One row of a study: a method with its parameters under a name of its own.
struct StudyPane {
  std::string label;
  PaneSettings settings;
};

/// A sweep: panes × time steps × seeds of one scene.
struct Study {
  std::string name, title, file;
  std::string scene;       ///< as the file names it: a path beside the study, or the name of a shipped scene
  double time = 5;         ///< simulated time of each run [s]
  double crashSpeed = 50;  ///< m/s; a faster body ends the run as crashed
  std::vector<double> dt;  ///< s
  std::vector<int> seeds;  ///< 0 is the scene as it stands
  StartVariation variation;
  std::vector<StudyPane> panes;
};

/// Reads a study file (JSON, "touchstone_study": 1).
/// @throws SceneError naming file, field and remedy
Study loadStudy(const std::string& path);

/// What one run amounts to. A crashed run counts up to the crash.
struct StudyRun {
  std::string pane;
  double dt = 0;
  int seed = 0;
  long frames = 0;
  double crashedAt = -1;  ///< s: no answer, or a body above the crash speed; −1: survived
  std::string reason;     ///< of the crash
  double overlapMedian = 0, overlapQuartile = 0, overlapMax = 0;  ///< over the frames [m³, planar m²]
  double depthMax = 0;                                            ///< m
  long unsolved = 0;        ///< problems of the method's own form without an answer, before any retry
  double trapShare = 0;     ///< of the frames, those with standard-model traps
  double solves = 0;        ///< problems per frame
  long bisected = 0;        ///< frames with a bisected step
  double milliseconds = 0;  ///< median step time, not reproducible
};

/// @param goesOn  asked after each frame; false gives the run up
/// @return null if it was given up
std::optional<StudyRun> runOne(const Study& study, std::shared_ptr<const Scene> scene, const StudyPane& pane,
                               double dt, int seed, const std::function<bool()>& goesOn = nullptr);

/// A line of runs.csv, and its header.
std::string csvHeaderOfRuns();
std::string csvLine(const StudyRun& run);

/// A table in Markdown per quantity: a row per pane, a column per time step, over the seeds that have run.
std::string tablesOf(const Study& study, const std::vector<StudyRun>& runs, bool planar);

}  // namespace touchstone
