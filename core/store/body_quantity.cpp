#include "core/store/body_quantity.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "core/files/json_view.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

using Kind = BodyQuantity::Kind;

struct KindInfo {
  Kind kind;
  const char *key, *unit;
};
constexpr KindInfo kKinds[] = {{Kind::Position, "body_position", "m"},
                               {Kind::Velocity, "body_velocity", "m_per_s"},
                               {Kind::Spin, "body_spin", "rad_per_s"},
                               {Kind::PairForce, "pair_force", "N"}};

const KindInfo& infoOf(Kind kind) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds),
                       [kind](const KindInfo& info) { return info.kind == kind; });
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

[[noreturn]] void failName(const std::string& text, const std::string& name, const Scene& scene) {
  std::vector<std::string> known;
  for (const Body& body : scene.bodies) known.push_back(body.name);
  const std::string nearest = nearestName(name, known);
  throw std::invalid_argument(
      text + ": '" + name + "' is no body of scene '" + scene.name + "'; " +
      (nearest.empty() ? "give the name that the scene file gives it" : "did you mean '" + nearest + "'?"));
}

std::vector<char> groupOf(const std::string& group, const std::string& text, const Scene& scene) {
  std::vector<char> members(scene.bodies.size(), 0);
  for (const std::string& name : split(group, '+')) {
    const bool begins = !name.empty() && name.back() == '*';
    const std::string start = name.substr(0, name.size() - begins);
    bool any = false;
    for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
      const std::string& known = scene.bodies[body].name;
      if (begins ? known.rfind(start, 0) != 0 : known != name) continue;
      members[body] = 1;
      any = true;
    }
    if (!any) failName(text, name, scene);
  }
  return members;
}

/// Σ J on B over the contacts between the groups [N·s].
Vec3 impulseOf(const BodyQuantity& pair, const std::vector<Contact>& contacts) {
  Vec3 sum = Vec3::Zero();
  for (const Contact& contact : contacts) {
    const Vec3 onB = contact.normalImpulse * contact.normal + contact.frictionImpulse;
    if (pair.first[contact.bodyA] && pair.second[contact.bodyB]) sum += onB;
    if (pair.first[contact.bodyB] && pair.second[contact.bodyA]) sum -= onB;
  }
  return sum;
}

}  // namespace

std::vector<int> bodiesNamed(const std::string& group, const std::string& text, const Scene& scene) {
  const std::vector<char> members = groupOf(group, text, scene);
  std::vector<int> bodies;
  for (std::size_t body = 0; body < members.size(); ++body)
    if (members[body]) bodies.push_back(static_cast<int>(body));
  return bodies;
}

BodyQuantity bodyQuantityOf(const std::string& text, const Scene& scene) {
  const std::size_t colon = text.find(':');
  const std::string key = text.substr(0, colon);
  const auto info = std::find_if(std::begin(kKinds), std::end(kKinds),
                                 [&](const KindInfo& kind) { return key == kind.key; });
  if (info == std::end(kKinds) || colon == std::string::npos)
    throw std::invalid_argument(text +
                                ": is no quantity of bodies; write body_position:NAME, body_velocity:NAME, "
                                "body_spin:NAME or pair_force:A:B");
  BodyQuantity quantity;
  quantity.kind = info->kind;
  quantity.arguments = text.substr(colon + 1);
  if (quantity.kind != Kind::PairForce) {
    for (std::size_t body = 0; body < scene.bodies.size(); ++body)
      if (scene.bodies[body].name == quantity.arguments) quantity.body = static_cast<int>(body);
    if (quantity.body < 0) failName(text, quantity.arguments, scene);
    return quantity;
  }
  const std::vector<std::string> groups = split(quantity.arguments, ':');
  if (groups.size() != 2)
    throw std::invalid_argument(text + ": a force is between two bodies or groups; write pair_force:A:B");
  quantity.first = groupOf(groups[0], text, scene);
  quantity.second = groupOf(groups[1], text, scene);
  for (std::size_t body = 0; body < scene.bodies.size(); ++body)
    if (quantity.first[body] && quantity.second[body])
      throw std::invalid_argument(text + ": '" + scene.bodies[body].name +
                                  "' is in both groups; name it in one");
  return quantity;
}

std::string unitOf(const BodyQuantity& quantity) {
  std::string unit = infoOf(quantity.kind).unit;
  const std::size_t per = unit.find("_per_");
  return per == std::string::npos ? unit : unit.replace(per, 5, "/");
}

std::string columnsOf(const BodyQuantity& quantity) {
  const KindInfo& info = infoOf(quantity.kind);
  std::string columns;
  for (const char* component : {"_x_", "_y_", "_z_"})
    columns += ',' + csvText(std::string(info.key) + component + info.unit + ":" + quantity.arguments);
  if (quantity.kind == Kind::PairForce)
    columns += ',' + csvText(std::string(info.key) + "_" + info.unit + ":" + quantity.arguments);
  return columns;
}

Vec3 valueOf(const BodyQuantity& quantity, const StepRecord& record) {
  if (quantity.kind == Kind::PairForce) {
    Vec3 impulse = impulseOf(quantity, record.contacts);
    for (const std::vector<Contact>& contacts : record.earlierContacts)
      impulse += impulseOf(quantity, contacts);
    return impulse / (record.dt * record.substeps);
  }
  const BodyState& body = record.bodies[quantity.body];
  if (!body.active) return Vec3::Constant(std::nan(""));
  return quantity.kind == Kind::Position   ? body.position
         : quantity.kind == Kind::Velocity ? body.linearVelocity
                                           : body.angularVelocity;
}

std::string cellsOf(const BodyQuantity& quantity, const StepRecord& record) {
  const Vec3 value = valueOf(quantity, record);
  if (quantity.kind == Kind::PairForce) return csvVector(value) + ',' + csvNumber(value.norm());
  return record.bodies[quantity.body].active ? csvVector(value) : ",,,";
}

}  // namespace touchstone
