#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace touchstone {

/// What a number is traced by, when backends are registered: version, commit, compiler and build type of this
/// program, the threads it uses and its backends with their devices. Part of manifests, benchmarks and
/// checks.
nlohmann::ordered_json provenance();
/// The same for people to read, one line for the program and one for each backend.
std::string provenanceText();

}  // namespace touchstone
