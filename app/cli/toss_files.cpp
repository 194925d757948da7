#include "app/cli/toss_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files/text_forms.h"

namespace touchstone::cli {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson listOf(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

void setStart(const ComparedToss::Part& part, const Body& body, OrderedJson& bodies) {
  const BodyState& start = part.flight.start;
  const Quaternion& q = start.orientation;
  for (OrderedJson& json : bodies) {
    if (json.at("name") != body.name) continue;
    json["position"] = listOf(start.position - q * body.centre);
    json["orientation"] = {q.w(), q.x(), q.y(), q.z()};
    json["velocity"] = listOf(start.linearVelocity);
    json["angular_velocity"] = listOf(start.angularVelocity);
    json.erase("release_time");
  }
}

}  // namespace

std::string sceneOfToss(const Scene& scene, const ComparedToss& toss, const std::string& motion) {
  const auto source = scene.sources.find(std::filesystem::path(scene.file).filename().string());
  const OrderedJson before = OrderedJson::parse(*source->second.bytes);
  // The note stands near the beginning, where it tells later runs that they may replace the file.
  OrderedJson json;
  json["touchstone"] = 1;
  json["notes"] =
      OrderedJson::array({"Starts as toss " + toss.name + " of " + motion + ", by the fit of its flight"});
  for (const auto& [key, value] : before.items())
    if (key != "touchstone" && key != "notes") json[key] = value;
  json["name"] = plainName(scene.name + "-toss-" + toss.name);
  json["duration"] = toss.end - toss.start;
  for (const ComparedToss::Part& part : toss.parts)
    setStart(part, scene.bodies[part.body], json.at("bodies"));
  return json.dump(2) + '\n';
}

std::string trajectoryOfToss(const Scene& scene, const ComparedToss& toss) {
  std::string text =
      "# touchstone_trajectory: 1\n# engine: recorded\n# length: m\n# up: y\n# frame: origin\n";
  text += "time,body,x,y,z,qw,qx,qy,qz\n";
  const std::vector<MotionSample>& times = toss.parts.front().track.samples;
  for (const MotionSample& first : times) {
    if (first.time < toss.start) continue;
    std::string rows;
    bool isWhole = true;
    for (const ComparedToss::Part& part : toss.parts) {
      const auto found = std::find_if(
          part.track.samples.begin(), part.track.samples.end(),
          [&](const MotionSample& sample) { return sample.time == first.time && !sample.isMissing; });
      isWhole = isWhole && found != part.track.samples.end();
      if (!isWhole) break;
      rows += csvNumber(found->time - toss.start) + ',' + csvText(scene.bodies[part.body].name) +
              csvVector(found->position) + ',' + csvNumber(found->orientation.w()) +
              csvVector(found->orientation.vec()) + '\n';
    }
    if (isWhole) text += rows;
  }
  return text;
}

}  // namespace touchstone::cli
