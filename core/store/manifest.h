#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/run/comparison.h"

namespace touchstone {

/// The data that is needed to repeat a run.
struct Manifest {
  std::string scene;                          ///< path as given by the user
  std::map<std::string, std::string> hashes;  ///< of scene and mesh files
  double dt = 0, time = 0;                    ///< s
  StartVariation variation;                   ///< variation of the start, used if seed is not 0
  int seed = 0;
  std::vector<PaneSettings> panes;
};

/// Start and end of a run.
constexpr char kUnfinished[] = "unfinished", kComplete[] = "complete";
struct RunNotes {
  std::string command;            ///< command line
  double time = 0;                ///< requested time [s]
  std::string end = kUnfinished;  ///< kComplete, or why it ended early: "interrupted by SIGTERM"
  /// [paneCount] or empty: solvers whose answers were used, with their frames (PaneSummary::delivered).
  std::vector<std::vector<std::pair<std::string, long>>> delivered = {};
};

/// JSON text: scene and hashes, every parameter including defaults with its source, solvers that delivered,
/// program version and commit, compiler, backend, threads, command, requested and reached time.
std::string manifestText(const Comparison& comparison, const RunNotes& notes);

/// @throws SceneError with file, field and remedy
Manifest readManifest(const std::string& path);

/// @throws SceneError if the scene or a mesh differs from the manifest
void checkHashes(const Manifest& manifest, const Scene& scene, const std::string& manifestPath);

}  // namespace touchstone
