#pragma once

#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "core/run/pane_settings.h"
#include "core/study/parameter_map.h"

namespace touchstone::cli {

/// "cpu" or "cuda". @throws std::invalid_argument for other texts   @throws std::runtime_error if the backend
/// cannot be used
BackendKind backendOf(const std::string& key);
/// Applies `--set method.key=value` to every pane of that method; `substeps` is a key too.
/// @throws std::invalid_argument if it has another form, or if no pane runs the method
void applySet(const std::string& text, std::vector<PaneSettings>& panes);

/// Columns of a list that was split at its commas: `lcp:friction_facets=4,tolerance=1e-9,peg` has two, since
/// key=value without a colon goes on with the values of the column before it.
std::vector<std::string> columnWords(const std::vector<std::string>& parts);
/// The panes that a run is asked for, checked.   @throws std::invalid_argument, std::runtime_error
std::vector<PaneSettings> panesOf(const RunOptions& options, const Scene& scene);
/// The axes of a map from its --vary options.   @throws std::invalid_argument
std::vector<MapAxis> axesOf(const std::vector<std::string>& texts, const std::string& method);

}  // namespace touchstone::cli
