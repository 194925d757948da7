#include "core/contact/cpf/tracked_penalty.h"

#include <algorithm>
#include <cmath>

#include "core/contact/penalty/penalty_parameters.h"

namespace touchstone {

std::vector<double> ownShells(const World& world) {
  constexpr double kOfHeight = 0.15;  // of the lowest triangle: neighbours at rest are farther apart
  std::vector<double> shells;
  for (std::size_t body = 0; body < world.scene->bodies.size(); ++body) {
    double& shell = shells.emplace_back(0.0);
    const BodyConstants& constants = (*world.constants)[body];
    if (!constants.touchesItself) continue;
    double lowest = HUGE_VAL;
    for (const TriangleMesh& mesh : world.scene->bodies[body].shape->surfaces)
      for (const auto& corners : mesh.triangles) {
        const auto corner = [&](std::size_t k) { return mesh.vertices[corners[k]]; };
        const Vec3 a = corner(1) - corner(0), b = corner(2) - corner(0), c = corner(2) - corner(1);
        lowest = std::min(lowest, a.cross(b).norm() / std::max({a.norm(), b.norm(), c.norm()}));
      }
    if (lowest < HUGE_VAL) shell = std::max(kOfHeight * lowest, 2 * constants.thickness);
  }
  return shells;
}

std::vector<ParameterSpec> trackedPenaltyParameters() {
  std::vector<ParameterSpec> specs = sharedPenaltyParameters();
  specs.push_back(
      choiceSpec("adopt", "Adopt untracked penetration",
                 "always: vertices found inside a body without a tracked pair get one, each step; load: "
                 "only at the start.",
                 {"always", "load"}));
  specs.push_back(
      choiceSpec("sliding", "Sliding off a triangle",
                 "reseat: the pair moves on to the neighbouring triangle or is dropped; sticky: it is kept "
                 "until its depth is "
                 "zero, as published, and can act as a ghost wall. Of contacts by features.",
                 {"reseat", "sticky"}));
  specs.push_back(choiceSpec(
      "sides", "Sides of closed meshes",
      "auto: contacts with a closed mesh begin only from outside; two: from both sides, as published. Of "
      "contacts by features.",
      {"auto", "two"}));
  specs.push_back(choiceSpec(
      "point", "Where the impulse acts",
      "current: one common point of both bodies at the mean time of the contact, which keeps the angular "
      "momentum "
      "to rounding; entry: at the weights of the entry, on each body its own (Tang 2012, eqs. 13 and 17), "
      "which leaves a couple (p − q) × I while the pair slides. Of contacts by features: faces find their "
      "corners in each step.",
      {"current", "entry"}));
  return specs;
}

}  // namespace touchstone
