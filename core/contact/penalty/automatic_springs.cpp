#include "core/contact/penalty/automatic_springs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/contact/penalty/penalty_contact.h"

namespace touchstone {

static std::vector<double> massesOf(const Scene& scene) {
  std::vector<double> masses;
  for (const Body& body : scene.bodies)
    if (body.motion == Motion::Dynamic) masses.push_back(body.mass);
  std::sort(masses.begin(), masses.end());
  return masses;
}

AutomaticValue automaticStiffness(const Scene& scene, double step) {
  const std::vector<double> masses = massesOf(scene);
  const bool hasStatic = masses.size() < scene.bodies.size();
  const double perMass = kAutomaticStiffness / (step * step);
  const auto reduced = [](double a, double b) { return a * b / (a + b); };
  double least = 0, most = 0;
  if (!masses.empty()) {
    least = most = masses.back();
    if (masses.size() > 1) least = reduced(masses[0], masses[1]);
    if (masses.size() > 1 && !hasStatic) most = reduced(masses.back(), masses[masses.size() - 2]);
    if (masses.size() == 1) least = masses[0];
    if (hasStatic) least = std::min(least, masses[0]);
  }
  return {perMass * least, perMass * most,
          "at most m / (12 h²) of each pair, with the reduced mass m and the step h; less on many contacts"};
}

AutomaticValue automaticDamping(const Scene& scene, double step) {
  const bool rubs = std::any_of(scene.materials.begin(), scene.materials.end(),
                                [](const Material& each) { return each.staticFriction > 0; });
  if (!rubs) return {0, 0, "no friction: as published"};
  // 0.2 √(k m) with k = m / (12 h²) is 0.2 h √12 k.
  const AutomaticValue stiffness = automaticStiffness(scene, step);
  const double share = 0.2 * step / std::sqrt(kAutomaticStiffness);
  return {share * stiffness.least, share * stiffness.most,
          "at most 0.2 √(k m) of each pair with the automatic stiffness"};
}

/// [bodies] Mass that rests on a body: its own, or its share of what joints hold together if that is more.
/// Legs of grams carry a trunk of kilograms. What a joint holds to the world or to a static body rests on
/// nothing.
static std::vector<double> carriedMasses(const Scene& scene) {
  std::vector<int> group(scene.bodies.size());
  for (std::size_t body = 0; body < group.size(); ++body) group[body] = static_cast<int>(body);
  const auto rootOf = [&group](int body) {
    while (group[static_cast<std::size_t>(body)] != body) body = group[static_cast<std::size_t>(body)];
    return body;
  };
  const auto isHeld = [&scene](int body) {
    return body < 0 || scene.bodies[static_cast<std::size_t>(body)].motion == Motion::Static;
  };
  std::vector<unsigned char> held(scene.bodies.size(), 0);
  for (const Joint& joint : scene.joints) {
    if (!isHeld(joint.bodyA) && !isHeld(joint.bodyB))
      group[static_cast<std::size_t>(rootOf(joint.bodyA))] = rootOf(joint.bodyB);
    else if (!isHeld(joint.bodyA) || !isHeld(joint.bodyB))
      held[static_cast<std::size_t>(isHeld(joint.bodyA) ? joint.bodyB : joint.bodyA)] = 1;
  }
  std::vector<double> mass(scene.bodies.size(), 0);
  std::vector<int> count(scene.bodies.size(), 0);
  for (std::size_t body = 0; body < group.size(); ++body) {
    const auto root = static_cast<std::size_t>(rootOf(static_cast<int>(body)));
    mass[root] += scene.bodies[body].mass;
    ++count[root];
    if (held[body]) held[root] = 1;
  }
  std::vector<double> carried;
  for (std::size_t body = 0; body < group.size(); ++body) {
    const auto root = static_cast<std::size_t>(rootOf(static_cast<int>(body)));
    carried.push_back(held[root] ? scene.bodies[body].mass
                                 : std::max(scene.bodies[body].mass, mass[root] / count[root]));
  }
  return carried;
}

std::optional<RestDepth> restDepthOf(const Scene& scene, double stiffness, double step) {
  const double gravity = scene.gravity.norm();
  if (!(gravity > 0)) return std::nullopt;
  std::optional<RestDepth> worst;
  const std::vector<double> carried = carriedMasses(scene);
  for (std::size_t index = 0; index < scene.bodies.size(); ++index) {
    const Body& body = scene.bodies[index];
    const double load = carried[index] * gravity;
    if (body.motion != Motion::Dynamic || !(body.shape->radius > 0)) continue;
    const double own = stiffness > 0 ? stiffness : kAutomaticStiffness * body.mass / (step * step);
    RestDepth rest;
    rest.body = body.name;
    rest.depth = load / (4 * own);
    rest.size = 2 * body.shape->radius / std::sqrt(3.0);
    rest.stiffness = load / (0.04 * rest.size);
    rest.times = static_cast<int>(std::ceil(std::sqrt(rest.depth / (0.01 * rest.size))));
    if (!worst || rest.depth * worst->size > worst->depth * rest.size) worst = rest;
  }
  return worst;
}

}  // namespace touchstone
