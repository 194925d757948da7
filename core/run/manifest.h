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
  std::vector<PaneSettings> panes;
};

/// JSON text: scene and hashes, every parameter after defaults, program version and commit, compiler,
/// backend, threads, command.
std::string manifestText(const Comparison& comparison, double time, const std::string& command);

/// @throws SceneError naming file, field and remedy
Manifest readManifest(const std::string& path);

/// @throws SceneError if the scene or a mesh is not the one of the manifest
void checkHashes(const Manifest& manifest, const Scene& scene, const std::string& manifestPath);

}  // namespace touchstone
