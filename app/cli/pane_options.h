#pragma once

#include <string>
#include <vector>

#include "core/run/pane_settings.h"

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

}  // namespace touchstone::cli
