#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/scene/scene.h"

namespace touchstone {

/// Data to trace a result, after backends are registered: version, commit, compiler and build type of this
/// program, its number of threads, and its backends with their devices. Part of manifests, benchmarks and
/// checks.
nlohmann::ordered_json provenance();
/// Data of a run in its manifest, without the panes. @param dt  frame length [s]   @param time  simulated
/// time [s]
nlohmann::ordered_json provenanceOfRun(const Scene& scene, double dt, double time,
                                       const std::string& command);
/// This program's version and commit, "1.2.0 (0123abc)".
std::string programVersion();
/// provenance() for people to read, one line for the program and one for each backend.
std::string provenanceText();

}  // namespace touchstone
