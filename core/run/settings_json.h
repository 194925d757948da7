#pragma once

#include <nlohmann/json.hpp>

#include "core/files/json_view.h"
#include "core/run/resolved_values.h"

namespace touchstone {

/// Pane settings in manifests, recordings and sessions.
nlohmann::ordered_json toJson(const ParameterValue& value);
nlohmann::ordered_json toJson(const PaneSettings& settings);
/// Method, solver, substeps, backend and parameters, each of its kind and in its range; whether they go with
/// a scene refusal() says.   @throws SceneError
PaneSettings paneOf(const JsonView& json);

/// The table of values in force, for manifests: key, value, unit, source, and the number of an automatic one.
nlohmann::ordered_json toJson(const std::vector<ResolvedValue>& values);

/// A start that varied() moved, with its seed.
nlohmann::ordered_json toJson(const StartVariation& variation, int seed);
struct SeededStart {
  StartVariation variation;
  int seed = 0;
};
SeededStart startOf(const JsonView& json);

}  // namespace touchstone
