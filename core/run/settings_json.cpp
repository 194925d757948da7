#include "core/run/settings_json.h"

namespace touchstone {

using Json = nlohmann::ordered_json;

Json toJson(const ParameterValue& value) {
  if (const double* number = std::get_if<double>(&value)) return *number;
  return std::get<std::string>(value);
}

ParameterValue valueOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

Json toJson(const PaneSettings& settings) {
  Json json;
  json["method"] = settings.method;
  json["solver"] = settings.solver;
  json["substeps"] = settings.substeps;
  json["backend"] = keyOf(settings.backend);
  for (const auto& [key, value] : settings.parameters) json["parameters"][key] = toJson(value);
  return json;
}

PaneSettings paneOf(const Json& json) {
  PaneSettings settings;
  settings.method = json.at("method").get<std::string>();
  settings.solver = json.at("solver").get<std::string>();
  settings.substeps = json.at("substeps").get<int>();
  settings.backend = json.at("backend") == "cuda" ? BackendKind::Cuda : BackendKind::Cpu;
  if (json.contains("parameters"))
    for (const auto& [key, value] : json.at("parameters").items()) settings.parameters[key] = valueOf(value);
  return settings;
}

}  // namespace touchstone
