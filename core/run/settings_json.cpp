#include "core/run/settings_json.h"

#include "core/scene/variation.h"

namespace touchstone {

using Json = nlohmann::ordered_json;

Json toJson(const ParameterValue& value) {
  if (const double* number = std::get_if<double>(&value)) return *number;
  return std::get<std::string>(value);
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

Json toJson(const std::vector<ResolvedValue>& values) {
  Json table = Json::array();
  for (const ResolvedValue& value : values) {
    table.push_back({{"key", value.key}, {"value", toJson(value.value)}});
    Json& row = table.back();
    if (!value.unit.empty()) row["unit"] = value.unit;
    row["source"] = sourceText(value);
    if ((value.isAutomatic() || !value.mayBeAutomatic) && value.automatic)
      row["automatic"] = {{"least", value.automatic->least},
                          {"most", value.automatic->most},
                          {"reason", value.automatic->reason}};
  }
  return table;
}

PaneSettings paneOf(const JsonView& json) {
  json.allowOnly({"method", "solver", "substeps", "backend", "parameters"});
  PaneSettings settings;
  settings.method = json.at("method").text();
  if (!findMethod(settings.method))
    json.at("method").fail("'" + settings.method + "' is no method", "correct it");
  settings.solver = json.at("solver").text();
  settings.substeps = json.at("substeps").integer(1, kMostSubsteps);
  const std::string cpu = keyOf(BackendKind::Cpu), cuda = keyOf(BackendKind::Cuda);
  settings.backend = json.at("backend").oneOf({cpu, cuda}) == cuda ? BackendKind::Cuda : BackendKind::Cpu;
  if (json.has("parameters")) settings.parameters = parametersOf(json.at("parameters"));
  return settings;
}

Json toJson(const StartVariation& variation, int seed) {
  return {{"seed", seed},
          {"position_m", variation.position},
          {"angle_rad", variation.angle},
          {"spin_rad_per_s", variation.spin}};
}

SeededStart startOf(const JsonView& json) {
  json.allowOnly({"seed", "position_m", "angle_rad", "spin_rad_per_s"});
  return {{json.at("position_m").nonNegative(), json.at("angle_rad").nonNegative(),
           json.at("spin_rad_per_s").nonNegative()},
          json.at("seed").integer(1, kMostSeed)};
}

}  // namespace touchstone
