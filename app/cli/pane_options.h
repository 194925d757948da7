#pragma once

#include <string>
#include <vector>

#include "core/run/pane_settings.h"
#include "core/statistics/parameter_map.h"

namespace touchstone::cli {

/// "cpu" or "cuda". @throws std::invalid_argument for other texts   @throws std::runtime_error if the backend
/// cannot be used
BackendKind backendOf(const std::string& key);
/// Applies `--set method.key=value` to every pane of that method; `substeps` is a key too.
/// @throws std::invalid_argument if it has another form, or if no pane runs the method
void applySet(const std::string& text, std::vector<PaneSettings>& panes);

/// The options of a command that say what its panes are.
struct PaneOptions {
  std::vector<std::string> methods = {};  ///< as panesFor() takes them; empty: those of the scene
  std::vector<std::string> sets = {};     ///< method.key=value
  std::string backend = "cpu";
  int substeps = 0;  ///< of all panes; 0: as suggested
};
/// The panes that a command is asked for, checked.   @throws std::invalid_argument, std::runtime_error
std::vector<PaneSettings> panesOf(const PaneOptions& options, const Scene& scene);
/// The axes of a map from its --vary options.   @throws std::invalid_argument
std::vector<MapAxis> axesOf(const std::vector<std::string>& texts, const std::string& method);

}  // namespace touchstone::cli
