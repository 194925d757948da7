#include "core/contact/penalty/automatic_springs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/contact/penalty/jointed_bodies.inl"

namespace touchstone {

static std::vector<double> massesOf(const Scene& scene) {
  std::vector<double> masses;
  for (const Body& body : scene.bodies)
    if (body.motion == Motion::Dynamic) masses.push_back(body.mass);
  std::sort(masses.begin(), masses.end());
  return masses;
}

/// True for the world's own frame, and bodies that do not move.
static bool isHeld(const Scene& scene, int body) {
  return body < 0 || scene.bodies[body].motion == Motion::Static;
}

/// [bodies] One body of those that joints hold together, the same for all of them.
static std::vector<int> jointGroups(const Scene& scene) {
  std::vector<int> group(scene.bodies.size());
  for (std::size_t body = 0; body < group.size(); ++body) group[body] = static_cast<int>(body);
  const auto rootOf = [&group](int body) {
    while (group[body] != body) body = group[body];
    return body;
  };
  for (const Joint& joint : scene.joints)
    if (!isHeld(scene, joint.bodyA) && !isHeld(scene, joint.bodyB))
      group[rootOf(joint.bodyA)] = rootOf(joint.bodyB);
  for (int& root : group) root = rootOf(root);
  return group;
}

/// Mass of the heaviest set of bodies that joints hold together, or 0 [kg].
static double heaviestGroupOf(const Scene& scene) {
  if (scene.joints.empty()) return 0;
  const std::vector<int> group = jointGroups(scene);
  std::vector<double> mass(group.size(), 0);
  std::vector<int> count(group.size(), 0);
  for (std::size_t body = 0; body < group.size(); ++body) {
    mass[group[body]] += scene.bodies[body].mass;
    ++count[group[body]];
  }
  double maximum = 0;
  for (std::size_t root = 0; root < group.size(); ++root)
    if (count[root] > 1) maximum = std::max(maximum, mass[root]);
  return maximum;
}

AutomaticValue automaticStiffness(const Scene& scene, double step) {
  const std::vector<double> masses = massesOf(scene);
  const bool hasStatic = masses.size() < scene.bodies.size();
  const double perMass = kAutomaticStiffness / (step * step);
  const auto reduced = [](double a, double b) { return a * b / (a + b); };
  double minimum = 0, maximum = 0;
  if (!masses.empty()) {
    minimum = maximum = masses.back();
    if (masses.size() > 1) minimum = reduced(masses[0], masses[1]);
    if (masses.size() > 1 && !hasStatic) maximum = reduced(masses.back(), masses[masses.size() - 2]);
    if (masses.size() == 1) minimum = masses[0];
    if (hasStatic) minimum = std::min(minimum, masses[0]);
  }
  return {perMass * minimum, perMass * std::max(maximum, heaviestGroupOf(scene)),
          "at most m / (12 h²) of each pair, with the reduced mass m, of joints with what they hold, and the "
          "step h; less on many contacts"};
}

AutomaticValue automaticDamping(const Scene& scene, double step) {
  const bool rubs = std::any_of(scene.materials.begin(), scene.materials.end(),
                                [](const Material& material) { return material.staticFriction > 0; });
  if (!rubs) return {0, 0, "no friction: as published"};
  // 0.2 √(k m) with k = m / (12 h²) is 0.2 h √12 k.
  const AutomaticValue stiffness = automaticStiffness(scene, step);
  const double share = 0.2 * step / std::sqrt(kAutomaticStiffness);
  return {share * stiffness.least, share * stiffness.most,
          "at most 0.2 √(k m) of each pair with the automatic stiffness"};
}

/// Half of the least width of the convex pieces of a shape across their faces [m]; infinite without pieces.
static double halfWidthOf(const Shape& shape) {
  double least = HUGE_VAL;
  for (const Polytope& piece : shape.pieces)
    for (const Polytope::Face& face : piece.faces) {
      double lowest = face.offset;
      for (const Vec3& vertex : piece.vertices) lowest = std::min(lowest, face.normal.dot(vertex));
      least = std::min(least, 0.5 * (face.offset - lowest));
    }
  return least;
}

/// Extent of a body along a direction [m].
static std::array<double, 2> extentAlong(const Body& body, const Vec3& direction) {
  const Vec3 local = body.orientation.conjugate() * direction;
  const double centre = direction.dot(body.position);
  std::array<double, 2> extent{HUGE_VAL, -HUGE_VAL};
  for (const Polytope& piece : body.shape->pieces)
    for (const Vec3& vertex : piece.vertices) {
      const double place = centre + local.dot(vertex);
      extent = {std::min(extent[0], place), std::max(extent[1], place)};
    }
  return extent;
}

/// Speed at which the gap between two bodies closes along the face that separates them best [m/s]; 0 where
/// they do not meet: their bounding spheres pass each other.
/// @param velocity  of A against B
static double closingSpeed(const Body& a, const Body& b, const Vec3& velocity) {
  const Vec3 offset = b.position - a.position;
  if (b.shape->kind == Shape::Kind::Plane)
    return std::max(0.0, -velocity.dot(b.orientation * b.shape->planeNormal));
  const double ahead = offset.dot(velocity), reach = a.shape->radius + b.shape->radius;
  const double aside = (offset - ahead / velocity.squaredNorm() * velocity).norm();
  if (offset.norm() > reach && (ahead <= 0 || aside > reach)) return 0;
  double widest = 0, speed = 0;  // of a gap
  for (const Body* body : {&a, &b})
    for (const Polytope& piece : body->shape->pieces)
      for (const Polytope::Face& face : piece.faces) {
        const Vec3 outward = body->orientation * face.normal, normal = body == &a ? outward : Vec3(-outward);
        const double gap = extentAlong(b, normal)[0] - extentAlong(a, normal)[1];
        if (gap <= widest) continue;
        widest = gap;
        speed = std::max(0.0, velocity.dot(normal));
      }
  return speed;
}

int closingSubsteps(const Scene& scene, double frame) {
  const std::vector<Body>& bodies = scene.bodies;
  const bool isAnyFast = std::any_of(bodies.begin(), bodies.end(), [](const Body& body) {
    return body.motion == Motion::Dynamic && body.linearVelocity != Vec3::Zero();
  });
  if (!isAnyFast) return 1;
  std::map<const Shape*, double> widthOfShape;
  std::vector<double> width;
  for (const Body& body : bodies) {
    const auto [place, isNew] = widthOfShape.try_emplace(body.shape.get(), 0.0);
    if (isNew) place->second = halfWidthOf(*body.shape);
    width.push_back(place->second);
  }
  std::set<std::array<int, 2>> apart;
  const auto keepApart = [&apart](int a, int b) { apart.insert({std::min(a, b), std::max(a, b)}); };
  for (const auto& [a, b] : scene.noContact) keepApart(a, b);
  for (const Joint& joint : scene.joints) keepApart(joint.bodyA, joint.bodyB);

  const auto mayMeet = [](const Body& a, const Body& b) {
    const bool areRigid = !a.deformable && !b.deformable;
    const bool meetAsPlaced = b.motion == Motion::Static || a.releaseTime == b.releaseTime;
    return areRigid && a.replica == b.replica && meetAsPlaced;
  };
  double maximum = 1;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& a = bodies[i];
    if (a.motion == Motion::Static || a.shape->pieces.empty()) continue;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      const Body& b = bodies[j];
      if (i == j || (b.motion == Motion::Dynamic && j < i) || !mayMeet(a, b)) continue;
      const Vec3 velocity = a.linearVelocity - b.linearVelocity;
      const double perSpeed = std::sqrt(1 / kAutomaticStiffness) * frame / std::min(width[i], width[j]);
      if (!(perSpeed * velocity.norm() > maximum)) continue;
      if (apart.count({static_cast<int>(std::min(i, j)), static_cast<int>(std::max(i, j))}) > 0) continue;
      maximum = std::max(maximum, perSpeed * closingSpeed(a, b, velocity));
    }
  }
  return static_cast<int>(std::min(std::ceil(maximum), static_cast<double>(kMostClosingSubsteps)));
}

/// [bodies] Mass that rests on a body: its own, or its share of what joints hold together if that is more.
/// Legs of grams carry a trunk of kilograms. What a joint holds to the world or to a static body rests on
/// nothing.
static std::vector<double> carriedMasses(const Scene& scene) {
  const std::vector<int> group = jointGroups(scene);
  std::vector<unsigned char> held(scene.bodies.size(), 0);
  for (const Joint& joint : scene.joints)
    if (isHeld(scene, joint.bodyA) != isHeld(scene, joint.bodyB))
      held[isHeld(scene, joint.bodyA) ? joint.bodyB : joint.bodyA] = 1;
  std::vector<double> mass(scene.bodies.size(), 0);
  std::vector<int> count(scene.bodies.size(), 0);
  for (std::size_t body = 0; body < group.size(); ++body) {
    const std::size_t root = group[body];
    mass[root] += scene.bodies[body].mass;
    ++count[root];
    if (held[body]) held[root] = 1;
  }
  std::vector<double> carried;
  for (std::size_t body = 0; body < group.size(); ++body) {
    const std::size_t root = group[body];
    carried.push_back(held[root] ? scene.bodies[body].mass
                                 : std::max(scene.bodies[body].mass, mass[root] / count[root]));
  }
  return carried;
}

std::vector<double> standingMasses(const World& world, const JointMobilities& mobilities) {
  constexpr double kFoot = 1e-3;  // of a radius. Larger: corners that are not on the ground count too
  const Scene& scene = *world.scene;
  std::vector<double> masses;
  const double gravity = scene.gravity.norm();
  for (std::size_t index = 0; index < scene.bodies.size(); ++index) {
    const Body& body = scene.bodies[index];
    masses.push_back(body.mass);
    if (!(gravity > 0) || mobilities.islandOf[index] < 0 || !(body.mass > 0)) continue;
    const Vec3 down = scene.gravity / gravity;
    std::vector<Vec3> arms;
    double lowest = -HUGE_VAL, inverse = 0;
    for (const Polytope& piece : body.shape->pieces)
      for (const Vec3& vertex : piece.vertices) {
        arms.push_back(world.orientation[index] * vertex);
        lowest = std::max(lowest, arms.back().dot(down));
      }
    if (arms.empty()) arms.push_back(body.shape->radius * down);
    for (const Vec3& arm : arms)
      if (arm.dot(down) >= lowest - kFoot * body.shape->radius)
        inverse = std::max(inverse, mobilities.ofBody[index].along(arm, down));
    if (inverse * body.mass > detail::JointedBodies::kHeld) masses.back() = std::max(body.mass, 1 / inverse);
  }
  return masses;
}

std::optional<RestDepth> restDepthOf(const Scene& scene, double stiffness, double step,
                                     const std::vector<double>& standing) {
  const double gravity = scene.gravity.norm();
  if (!(gravity > 0)) return std::nullopt;
  std::optional<RestDepth> worst;
  const std::vector<double> carried = carriedMasses(scene);
  for (std::size_t index = 0; index < scene.bodies.size(); ++index) {
    const Body& body = scene.bodies[index];
    const double load = carried[index] * gravity;
    if (body.motion != Motion::Dynamic || !(body.shape->radius > 0)) continue;
    const double mass = standing.empty() ? body.mass : standing[index];
    const double bodyStiffness = stiffness > 0 ? stiffness : kAutomaticStiffness * mass / (step * step);
    RestDepth rest;
    rest.body = body.name;
    rest.depth = load / (4 * bodyStiffness);
    rest.size = 2 * body.shape->radius / std::sqrt(3.0);
    rest.stiffness = load / (0.04 * rest.size);
    rest.times = static_cast<int>(std::ceil(std::sqrt(rest.depth / (0.01 * rest.size))));
    if (!worst || rest.depth * worst->size > worst->depth * rest.size) worst = rest;
  }
  return worst;
}

}  // namespace touchstone
