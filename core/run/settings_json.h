#pragma once

#include <nlohmann/json.hpp>

#include "core/run/pane_settings.h"

namespace touchstone {

/// Pane settings in manifests, recordings and sessions. Read functions throw nlohmann::json::exception.
nlohmann::ordered_json toJson(const ParameterValue& value);
ParameterValue valueOf(const nlohmann::ordered_json& json);
nlohmann::ordered_json toJson(const PaneSettings& settings);
PaneSettings paneOf(const nlohmann::ordered_json& json);

}  // namespace touchstone
