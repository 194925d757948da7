#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/run/comparison.h"

namespace touchstone {

/// What is needed to repeat a run.
struct Manifest {
  std::string scene;                          ///< path as it was given
  std::map<std::string, std::string> hashes;  ///< of scene and mesh files
  double dt = 0, time = 0;                    ///< s
  StartVariation variation;                   ///< of the start, where seed is not 0
  int seed = 0;
  std::vector<PaneSettings> panes;
};

/// How a run came about and how it ended.
constexpr char kUnfinished[] = "unfinished", kComplete[] = "complete";
struct RunNotes {
  std::string command;            ///< line
  double time = 0;                ///< that was asked for [s]
  std::string end = kUnfinished;  ///< kComplete, or why it did not go on: "interrupted by SIGTERM"
};

/// JSON text: scene and hashes, every parameter after defaults, program version and commit, compiler,
/// backend, threads, command, the time that was asked for and the one that was reached.
std::string manifestText(const Comparison& comparison, const RunNotes& notes);

/// @throws SceneError naming file, field and remedy
Manifest readManifest(const std::string& path);

/// @throws SceneError if the scene or a mesh is not the one of the manifest
void checkHashes(const Manifest& manifest, const Scene& scene, const std::string& manifestPath);

}  // namespace touchstone
