#include "core/run/command.h"

#include <algorithm>
#include <limits>

#include "core/files/json_file.h"
#include "core/run/settings_json.h"
#include "core/scene/frame_count.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json toJson(const Spring& spring) {
  Json json = {{"body", spring.body},
               {"local_m", toJson(spring.local)},
               {"target_m", toJson(spring.target)},
               {"stiffness_N_per_m", spring.stiffness},
               {"damping_Ns_per_m", spring.damping}};
  if (spring.surface.vertices != SurfacePoint().vertices) {
    json["vertices"] = spring.surface.vertices;
    json["weights"] = spring.surface.weights;
  }
  return json;
}

SurfacePoint surfacePointOf(const JsonView& json) {
  SurfacePoint point;
  const std::vector<JsonView> vertices = json.at("vertices").items(3), weights = json.at("weights").items(3);
  for (const auto& [key, parts] : {std::pair("vertices", &vertices), std::pair("weights", &weights)})
    if (parts->size() != 3) json.at(key).fail("must have three entries", "give a file that Touchstone wrote");
  for (std::size_t k = 0; k < 3; ++k) {
    point.vertices[k] = vertices[k].integer(-1, std::numeric_limits<int>::max());
    point.weights[k] = weights[k].nonNegative();
  }
  return point;
}

Spring springOf(const JsonView& json) {
  json.allowOnly(
      {"body", "local_m", "target_m", "stiffness_N_per_m", "damping_Ns_per_m", "vertices", "weights"});
  Spring spring{json.at("body").integer(-1, std::numeric_limits<int>::max()), json.at("local_m").vector(),
                json.at("target_m").vector(), json.at("stiffness_N_per_m").nonNegative(),
                json.at("damping_Ns_per_m").nonNegative()};
  if (json.has("vertices") || json.has("weights")) spring.surface = surfacePointOf(json);
  return spring;
}

ParameterValue valueOf(const JsonView& json) {
  if (json.json().is_string()) return json.text();
  return json.number();
}

double dtOf(const JsonView& json) {
  const double dt = json.positive();
  if (dt > kLongestStep) json.fail("is longer than 1 s", "give the length of a frame in seconds");
  return dt;
}

int idOf(const JsonView& json) { return json.integer(0, std::numeric_limits<int>::max()); }

int placeOf(const JsonView& json) { return json.integer(0, static_cast<int>(kMostRecordedPanes) - 1); }

struct Writer {
  Json operator()(const command::SetDt& c) const { return {{"do", "dt"}, {"dt_s", c.dt}}; }
  Json operator()(const command::SetParameter& c) const {
    return {{"do", "parameter"}, {"pane", c.pane}, {"key", c.key}, {"value", touchstone::toJson(c.value)}};
  }
  Json operator()(const command::SetSubsteps& c) const {
    return {{"do", "substeps"}, {"pane", c.pane}, {"value", c.substeps}};
  }
  Json operator()(const command::SetPane& c) const {
    return {{"do", "pane"}, {"pane", c.pane}, {"settings", touchstone::toJson(c.settings)}};
  }
  Json operator()(const command::AddPane& c) const {
    return {{"do", "add"}, {"settings", touchstone::toJson(c.settings)}, {"id", c.id}, {"source", c.source}};
  }
  Json operator()(const command::DuplicatePane& c) const {
    return {{"do", "duplicate"}, {"source", c.source}, {"id", c.id}};
  }
  Json operator()(const command::RemovePane& c) const { return {{"do", "remove"}, {"pane", c.pane}}; }
  Json operator()(const command::RestorePane& c) const {
    return {{"do", "restore"}, {"id", c.id}, {"to", c.to}};
  }
  Json operator()(const command::MovePane& c) const {
    return {{"do", "move"}, {"pane", c.pane}, {"to", c.to}};
  }
  Json operator()(const command::Fork& c) const {
    return {{"do", "fork"}, {"pane", c.pane}, {"frame", c.frame}, {"id", c.id}, {"counted", c.counted}};
  }
  Json operator()(const command::Pull& c) const { return {{"do", "pull"}, {"spring", toJson(c.spring)}}; }
  Json operator()(const command::SetAll& c) const {
    Json panes = Json::array();
    for (const PaneSettings& settings : c.panes) panes.push_back(touchstone::toJson(settings));
    return {{"do", "all"}, {"dt_s", c.dt}, {"panes", panes}, {"ids", c.ids}, {"counts", c.counts}};
  }
};

command::SetAll allOf(const JsonView& json) {
  json.allowOnly({"do", "dt_s", "panes", "ids", "counts"});
  command::SetAll configuration{
      dtOf(json.at("dt_s")), {}, {}, json.has("counts") && json.at("counts").boolean()};
  for (const JsonView& pane : json.at("panes").items(kMostRecordedPanes))
    configuration.panes.push_back(paneOf(pane));
  for (const JsonView& id : json.at("ids").items(kMostRecordedPanes)) {
    if (std::count(configuration.ids.begin(), configuration.ids.end(), idOf(id)))
      id.fail("names a pane a second time", "give each pane an id of its own");
    configuration.ids.push_back(idOf(id));
  }
  if (configuration.ids.size() != configuration.panes.size())
    json.at("ids").fail("has not one id for each pane", "correct it");
  return configuration;
}

Command read(const JsonView& json) {
  const std::string verb = json.at("do").text();
  const auto pane = [&json] { return placeOf(json.at("pane")); };
  const auto idOrNone = [&json](const char* key) {
    return json.has(key) ? json.at(key).integer(-1, std::numeric_limits<int>::max()) : -1;
  };
  if (verb == "dt") {
    json.allowOnly({"do", "dt_s"});
    return command::SetDt{dtOf(json.at("dt_s"))};
  }
  if (verb == "parameter") {
    json.allowOnly({"do", "pane", "key", "value"});
    return command::SetParameter{pane(), currentKey(json.at("key").text()), valueOf(json.at("value"))};
  }
  if (verb == "substeps") {
    json.allowOnly({"do", "pane", "value"});
    return command::SetSubsteps{pane(), json.at("value").integer(1, kMostSubsteps)};
  }
  if (verb == "pane") {
    json.allowOnly({"do", "pane", "settings"});
    return command::SetPane{pane(), paneOf(json.at("settings"))};
  }
  if (verb == "add") {
    json.allowOnly({"do", "settings", "id", "source"});
    return command::AddPane{paneOf(json.at("settings")), idOf(json.at("id")), idOrNone("source")};
  }
  if (verb == "duplicate") {
    json.allowOnly({"do", "source", "id"});
    return command::DuplicatePane{idOf(json.at("source")), idOf(json.at("id"))};
  }
  if (verb == "restore") {
    json.allowOnly({"do", "id", "to"});
    return command::RestorePane{idOf(json.at("id")), placeOf(json.at("to"))};
  }
  if (verb == "remove") {
    json.allowOnly({"do", "pane"});
    return command::RemovePane{pane()};
  }
  if (verb == "move") {
    json.allowOnly({"do", "pane", "to"});
    return command::MovePane{pane(), placeOf(json.at("to"))};
  }
  if (verb == "fork") {
    json.allowOnly({"do", "pane", "frame", "id", "counted"});
    return command::Fork{pane(), json.at("frame").count(0, kMostFrames), idOrNone("id"),
                         json.has("counted") && json.at("counted").boolean()};
  }
  if (verb == "pull") {
    json.allowOnly({"do", "spring"});
    return command::Pull{springOf(json.at("spring"))};
  }
  if (verb == "all") return allOf(json);
  json.at("do").fail("'" + verb + "' is no command", "give a file that Touchstone wrote");
}

}  // namespace

std::string toText(const Command& command) { return std::visit(Writer(), command).dump(); }

Command commandOf(const JsonView& json) { return read(json); }

Command commandOf(const std::string& text, const std::string& file) {
  const nlohmann::json json = parseJson(text, file);
  return read(JsonView(json, file, "give a file that Touchstone wrote"));
}

command::SetAll setAllOf(const JsonView& json) {
  if (json.at("do").text() != "all")
    json.at("do").fail("is another command", "give a file that Touchstone wrote");
  return allOf(json);
}

}  // namespace touchstone
