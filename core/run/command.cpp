#include "core/run/command.h"

#include <stdexcept>

#include "core/run/settings_json.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 vectorOf(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

Json toJson(const Spring& spring) {
  return {{"body", spring.body},
          {"local_m", toJson(spring.local)},
          {"target_m", toJson(spring.target)},
          {"stiffness_N_per_m", spring.stiffness},
          {"damping_Ns_per_m", spring.damping}};
}

Spring springOf(const Json& json) {
  return {json.at("body").get<int>(), vectorOf(json.at("local_m")), vectorOf(json.at("target_m")),
          json.at("stiffness_N_per_m").get<double>(), json.at("damping_Ns_per_m").get<double>()};
}

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
    return {{"do", "duplicate"}, {"pane", c.pane}, {"id", c.id}};
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

Command read(const Json& json) {
  const std::string verb = json.at("do").get<std::string>();
  const auto pane = [&json] { return json.at("pane").get<int>(); };
  if (verb == "dt") return command::SetDt{json.at("dt_s").get<double>()};
  if (verb == "parameter")
    return command::SetParameter{pane(), json.at("key").get<std::string>(), valueOf(json.at("value"))};
  if (verb == "substeps") return command::SetSubsteps{pane(), json.at("value").get<int>()};
  if (verb == "pane") return command::SetPane{pane(), paneOf(json.at("settings"))};
  if (verb == "add")
    return command::AddPane{paneOf(json.at("settings")), json.at("id").get<int>(), json.value("source", -1)};
  if (verb == "duplicate") return command::DuplicatePane{pane(), json.at("id").get<int>()};
  if (verb == "restore") return command::RestorePane{json.at("id").get<int>(), json.at("to").get<int>()};
  if (verb == "remove") return command::RemovePane{pane()};
  if (verb == "move") return command::MovePane{pane(), json.at("to").get<int>()};
  if (verb == "fork")
    return command::Fork{pane(), json.at("frame").get<long>(), json.value("id", -1),
                         json.value("counted", false)};
  if (verb == "pull") return command::Pull{springOf(json.at("spring"))};
  if (verb != "all") throw std::invalid_argument("'" + verb + "' is no command");
  command::SetAll all{
      json.at("dt_s").get<double>(), {}, json.at("ids").get<std::vector<int>>(), json.value("counts", false)};
  for (const Json& each : json.at("panes")) all.panes.push_back(paneOf(each));
  if (all.ids.size() != all.panes.size())
    throw std::invalid_argument("not a command: ids and panes differ in number");
  return all;
}

}  // namespace

std::string toText(const Command& command) { return std::visit(Writer(), command).dump(); }

Command commandOf(const std::string& text) {
  try {
    return read(Json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(std::string("not a command: ") + error.what());
  }
}

}  // namespace touchstone
