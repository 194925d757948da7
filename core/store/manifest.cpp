#include "core/store/manifest.h"

#include "core/files/json_file.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/scene/frame_count.h"
#include "core/store/provenance.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

/// A larger value lets a damaged file use more memory and time; a smaller one refuses valid runs.
constexpr std::size_t kMostPanes = 100;

}  // namespace

std::string manifestText(const Comparison& comparison, const RunNotes& notes) {
  Json json;
  json["touchstone_manifest"] = 1;
  json.update(provenanceOfRun(comparison.scene(), comparison.dt(), notes.time, notes.command));
  json["reached_s"] = comparison.time();
  json["end"] = notes.end;
  const Scene& scene = comparison.scene();
  if (scene.seed != 0) json["start"] = toJson(scene.variation, scene.seed);
  for (int pane = 0; pane < comparison.paneCount(); ++pane) {
    const PaneSettings& settings = comparison.pane(pane).settings();
    json["panes"].push_back(toJson(inForce(scene, settings)));
    Json inDetail{{"pane", paneName(settings)},
                  {"values", toJson(resolvedValues(scene, settings, comparison.dt()))}};
    if (pane < countOf(notes.delivered))
      for (const auto& [solver, frames] : notes.delivered[pane])
        inDetail["delivered_by"].push_back({{"solver", solver}, {"frames", frames}});
    json["in_force"].push_back(inDetail);
  }
  json["conventions"] =
      "SI units; contact normals point from body A into body B (ids ascending); impulses act on body B";
  return json.dump(2);
}

Manifest readManifest(const std::string& path) {
  // A larger value lets a damaged file use more memory and time; a smaller one refuses scenes with many
  // meshes.
  constexpr std::size_t kMostFiles = 10'000;
  const char* const remedy = "give the manifest.json that `touchstone-cli run --out` wrote";
  const nlohmann::json json = readJson(path, remedy);
  const JsonView root(json, path, remedy);
  root.allowOnly({"touchstone_manifest",
                  "version",
                  "commit",
                  "compiler",
                  "build_type",
                  "threads",
                  "backends",
                  "command",
                  "scene",
                  "hashes",
                  "dt_s",
                  "time_s",
                  "reached_s",
                  "end",
                  "start",
                  "panes",
                  "conventions",
                  "files",
                  "in_force",
                  "writing"});
  root.at("touchstone_manifest").integer(1, 1);
  // Where the run comes from: it is read by people.
  for (const char* field : {"version", "commit", "compiler", "build_type", "command", "end", "conventions"})
    if (root.has(field)) root.at(field).text();
  Manifest manifest;
  manifest.scene = root.at("scene").text();
  for (const auto& [file, hash] : root.at("hashes").members(kMostFiles)) manifest.hashes[file] = hash.text();
  manifest.dt = root.at("dt_s").positive();
  manifest.time = root.at("time_s").positive();
  const std::string problem = frameCountProblem(manifest.time, manifest.dt);
  if (!problem.empty()) root.at("time_s").fail(problem, kFrameCountRemedy);
  if (root.has("start")) {
    const SeededStart start = startOf(root.at("start"));
    manifest.variation = start.variation;
    manifest.seed = start.seed;
  }
  for (const JsonView& pane : root.at("panes").items(kMostPanes)) manifest.panes.push_back(paneOf(pane));
  if (manifest.panes.empty()) root.at("panes").fail("is empty", remedy);
  return manifest;
}

void checkHashes(const Manifest& manifest, const Scene& scene, const std::string& manifestPath) {
  for (const auto& [file, hash] : manifest.hashes) {
    const auto now = scene.sources.find(file);
    if (now == scene.sources.end() || now->second.hash != hash)
      throw SceneError(manifestPath, "hashes." + file, "the file has changed since the run",
                       "restore it, or run the scene without --from");
  }
}

}  // namespace touchstone
