#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run/pane_settings.h"

namespace touchstone {

/// Who decided a value: the user before the scene, the scene before the default.
enum class ValueSource {
  User,
  Scene,
  Paper,   ///< the default, which the paper of the method publishes
  Default  ///< the default, which is ours
};

/// A value in force of a pane.
struct ResolvedValue {
  std::string key, unit, help;
  ParameterValue value;
  ValueSource source = ValueSource::Default;
  std::string paper;  ///< of ValueSource::Paper
  bool mayBeAutomatic = false;
  /// Number that kAutomatic stands for, in force or not; none where each contact has a number of its own.
  std::optional<AutomaticValue> automatic;

  bool isAutomatic() const { return value == ParameterValue(std::string(kAutomatic)); }
};

/// The one table of the values in force of a pane, in the order of the method's parameters: step [s],
/// substeps, solver, parameters, and drives whose targets are given. Empty for an unknown method.
/// @param dt  frame length [s]   @throws std::invalid_argument for settings that the scene refuses
std::vector<ResolvedValue> resolvedValues(const Scene& scene, const PaneSettings& settings, double dt);

/// "user", "scene", the paper, or "our default"
std::string sourceText(const ResolvedValue& value);
/// A value with its unit; of an automatic one the number too: "automatic, 1.2e+04 N/m".
std::string valueText(const ResolvedValue& value);

}  // namespace touchstone
