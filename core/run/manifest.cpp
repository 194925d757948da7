#include "core/run/manifest.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/parallel/parallel_for.h"
#include "core/run/backend_table.h"
#include "core/scene/scene_error.h"
#include "touchstone_version.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const ParameterValue& value) {
  if (const double* number = std::get_if<double>(&value)) return *number;
  return std::get<std::string>(value);
}

Json paneJson(const Simulation& pane) {
  Json json;
  json["method"] = pane.settings().method;
  json["solver"] = pane.settings().solver;
  json["substeps"] = pane.settings().substeps;
  json["backend"] = pane.settings().backend == BackendKind::Cuda ? "cuda" : "cpu";
  for (const auto& [key, value] : pane.parameters()) json["parameters"][key] = toJson(value);
  return json;
}

PaneSettings paneOf(const Json& json) {
  PaneSettings settings;
  settings.method = json.at("method").get<std::string>();
  settings.solver = json.at("solver").get<std::string>();
  settings.substeps = json.at("substeps").get<int>();
  settings.backend = json.at("backend") == "cuda" ? BackendKind::Cuda : BackendKind::Cpu;
  if (json.contains("parameters"))
    for (const auto& [key, value] : json.at("parameters").items()) {
      if (value.is_number()) {
        settings.parameters[key] = value.get<double>();
      } else {
        settings.parameters[key] = value.get<std::string>();
      }
    }
  return settings;
}

}  // namespace

std::string manifestText(const Comparison& comparison, double time, const std::string& command) {
  Json json;
  json["touchstone_manifest"] = 1;
  json["version"] = TS_VERSION;
  json["commit"] = TS_COMMIT;
  json["compiler"] = TS_COMPILER;
  json["build_type"] = TS_BUILD_TYPE;
  json["command"] = command;
  json["threads"] = threadCount();
  for (const BackendInfo& backend : backendTable()) json["backends"][backend.key] = backend.state;
  json["scene"] = comparison.scene().file;
  json["hashes"] = comparison.scene().hashes;
  json["dt_s"] = comparison.dt();
  json["time_s"] = time;
  for (int pane = 0; pane < comparison.paneCount(); ++pane)
    json["panes"].push_back(paneJson(comparison.pane(pane)));
  json["conventions"] =
      "SI units; contact normals point from body A into body B (ids ascending); impulses act on body B";
  return json.dump(2);
}

Manifest readManifest(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw SceneError(path, "", "cannot be opened", "give the manifest.json of an earlier run");
  Manifest manifest;
  try {
    const Json json = Json::parse(in);
    manifest.scene = json.at("scene").get<std::string>();
    manifest.hashes = json.at("hashes").get<std::map<std::string, std::string>>();
    manifest.dt = json.at("dt_s").get<double>();
    manifest.time = json.at("time_s").get<double>();
    for (const Json& pane : json.at("panes")) manifest.panes.push_back(paneOf(pane));
  } catch (const nlohmann::json::exception& error) {
    throw SceneError(path, "", std::string("is no Touchstone manifest (") + error.what() + ")",
                     "give the manifest.json that `touchstone-cli run --out` wrote");
  }
  return manifest;
}

void checkHashes(const Manifest& manifest, const Scene& scene, const std::string& manifestPath) {
  for (const auto& [file, hash] : manifest.hashes) {
    const auto now = scene.hashes.find(file);
    if (now == scene.hashes.end() || now->second != hash)
      throw SceneError(manifestPath, "hashes." + file, "the file has changed since the run",
                       "restore it, or run the scene anew without --from");
  }
}

}  // namespace touchstone
