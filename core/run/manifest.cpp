#include "core/run/manifest.h"

#include <fstream>

#include "core/run/provenance.h"
#include "core/run/settings_json.h"
#include "core/scene/scene_error.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

/// With every parameter in force, not only those that differ from the defaults.
Json paneJson(const Simulation& pane) {
  PaneSettings settings = pane.settings();
  settings.parameters = pane.parameters();
  return toJson(settings);
}

}  // namespace

std::string manifestText(const Comparison& comparison, double time, const std::string& command) {
  Json json;
  json["touchstone_manifest"] = 1;
  json.update(provenanceOfRun(comparison.scene(), comparison.dt(), time, command));
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
    const auto now = scene.sources.find(file);
    if (now == scene.sources.end() || now->second.hash != hash)
      throw SceneError(manifestPath, "hashes." + file, "the file has changed since the run",
                       "restore it, or run the scene anew without --from");
  }
}

}  // namespace touchstone
