#include "core/trajectory/needed_impulse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/math/count.h"
#include "core/referee/motion_measurement.h"
#include "core/trajectory/convex_area.h"
#include "core/world/material_friction.h"

namespace touchstone {

namespace {

/// Momentum of a group about its own centre of mass.
struct GroupMotion {
  double mass = 0;
  Vec3 centre = Vec3::Zero(), linear = Vec3::Zero(), angular = Vec3::Zero();
};

template <class StateOf>
GroupMotion motionOf(const Scene& scene, const std::vector<int>& bodies, const StateOf& stateOf) {
  Momenta sum;
  Vec3 moment = Vec3::Zero();
  for (const int body : bodies) {
    const Body& sceneBody = scene.bodies[body];
    const BodyState state = stateOf(body);
    sum += momentaOf(sceneBody.mass, sceneBody.inertia, scene.gravity, state.position, state.orientation,
                     state.linearVelocity, state.angularVelocity, 0);
    moment += sceneBody.mass * state.position;
  }
  const Vec3 centre = moment / sum.mass;
  return {sum.mass, centre, sum.linear, sum.angular - centre.cross(sum.linear)};
}

/// The plane that a group stands on, if all its pairs with static bodies have one normal; else without
/// points.
struct OnePlane {
  std::vector<Vec3> points;
  Vec3 normal = Vec3::Zero();  ///< out of the plane, into the group
  double friction = 0;
};

/// A pair of a group with a static body.
struct GroundPair {
  int root;
  const NearPair* pair;
};

OnePlane onePlaneOf(const World& world, const GroundPair* begin, const GroundPair* end) {
  constexpr double kSame = 1 - 1e-9;  // cosine; a smaller value takes a bent floor for a plane
  OnePlane plane;
  for (const GroundPair* ground = begin; ground != end; ++ground) {
    const NearPair* pair = ground->pair;
    const bool isStaticA = !isDynamic(world, pair->bodyA);
    const Vec3 normal = isStaticA ? pair->normal : Vec3(-pair->normal);
    if (plane.points.empty()) plane.normal = normal;
    if (!pair->isFlat || plane.normal.dot(normal) < kSame) return {};
    const std::vector<BodyConstants>& bodies = *world.constants;
    plane.friction =
        std::max(plane.friction, frictionOf(bodies[pair->bodyA], bodies[pair->bodyB]).staticFriction);
    plane.points.insert(plane.points.end(), pair->points.begin(), pair->points.end());
  }
  return plane;
}

/// Share of the largest impulse of the scene below which an impulse has no foot. A larger value hides where
/// light bodies stand; a smaller one divides by rounding.
constexpr double kVanishing = 1e-6;

/// @param least  an impulse along the normal that is not larger has no foot [N·s]
void judgePlane(const OnePlane& plane, const Vec3& centre, double least, NeededImpulse& needed) {
  const Vec3& n = plane.normal;
  const double normal = n.dot(needed.impulse);
  const Vec3 across = needed.impulse - normal * n;
  needed.outsideCone = std::max(0.0, across.norm() - plane.friction * std::max(0.0, normal));
  if (!(normal > least)) return;
  // r × J = K across n, with r = r_t − height n: r_t × n = (K_t + height n × J_t) / J_n.
  const double height = n.dot(centre - plane.points.front());
  const Vec3 tilting = needed.couple - n.dot(needed.couple) * n;
  const Vec3 foot = centre - height * n + n.cross((tilting + height * n.cross(across)) / normal);
  needed.outsideHull = distanceFromHull(foot, plane.points, n);
}

}  // namespace

std::vector<NeededImpulse> neededImpulses(const World& world, const std::vector<BodyState>& before,
                                          const std::vector<NearPair>& pairsBefore,
                                          const std::vector<NearPair>& pairs, double h) {
  const Scene& scene = *world.scene;
  std::vector<int> group(before.size());
  std::iota(group.begin(), group.end(), 0);
  const auto rootOf = [&group](int body) {
    while (group[body] != body) body = group[body];
    return body;
  };
  std::vector<const NearPair*> nearPairs;
  nearPairs.reserve(pairsBefore.size() + pairs.size());
  for (const std::vector<NearPair>* list : {&pairsBefore, &pairs})
    for (const NearPair& pair : *list) nearPairs.push_back(&pair);
  for (const NearPair* pair : nearPairs)
    if (isDynamic(world, pair->bodyA) && isDynamic(world, pair->bodyB)) {
      const int a = rootOf(pair->bodyA), b = rootOf(pair->bodyB);
      group[std::max(a, b)] = std::min(a, b);
    }
  // What a joint passes on is no contact: its bodies are one group, which the world holds if it holds one.
  std::vector<char> isHeld(before.size(), 0);
  const auto moves = [&](int body) { return body >= 0 && isDynamic(world, body); };
  for (const Joint& joint : scene.joints)
    if (moves(joint.bodyA) && moves(joint.bodyB)) {
      const int a = rootOf(joint.bodyA), b = rootOf(joint.bodyB);
      group[std::max(a, b)] = std::min(a, b);
    }
  for (const Joint& joint : scene.joints)
    if (moves(joint.bodyA) != moves(joint.bodyB))
      isHeld[rootOf(moves(joint.bodyA) ? joint.bodyA : joint.bodyB)] = 1;
  std::vector<GroundPair> ground;  // by group
  ground.reserve(nearPairs.size());
  for (const NearPair* pair : nearPairs) {
    const bool movesA = isDynamic(world, pair->bodyA), movesB = isDynamic(world, pair->bodyB);
    if (movesA != movesB) ground.push_back({rootOf(movesA ? pair->bodyA : pair->bodyB), pair});
  }
  std::stable_sort(ground.begin(), ground.end(),
                   [](const GroundPair& a, const GroundPair& b) { return a.root < b.root; });
  std::vector<NeededImpulse> groups;
  std::vector<int> place(before.size(), -1);  // of the group of a root
  for (int body = 0; body < world.bodyCount(); ++body) {
    if (!isDynamic(world, body)) continue;
    int& groupIndex = place[rootOf(body)];
    if (groupIndex < 0) {
      groupIndex = countOf(groups);
      groups.emplace_back();
    }
    groups[groupIndex].bodies.push_back(body);
  }
  // A body that enters within the interval brings what is not known.
  const auto isPart = [&](const NeededImpulse& needed) {
    return std::any_of(needed.bodies.begin(), needed.bodies.end(),
                       [&](int body) { return !before[body].active; });
  };
  groups.erase(std::remove_if(groups.begin(), groups.end(), isPart), groups.end());
  // The support of the whole scene's weight is part of the scale: at rest no impulse is larger.
  double largest = 0;
  for (NeededImpulse& needed : groups) {
    const GroupMotion start = motionOf(scene, needed.bodies, [&](std::size_t body) { return before[body]; });
    const GroupMotion end = motionOf(scene, needed.bodies, [&](std::size_t body) {
      return BodyState{world.position[body], world.orientation[body], world.linearVelocity[body],
                       world.angularVelocity[body], true};
    });
    needed.impulse = end.linear - start.linear - h * start.mass * scene.gravity;
    needed.couple = end.angular - start.angular;
    needed.centre = start.centre;
    largest = std::max({largest, needed.impulse.norm(), h * start.mass * scene.gravity.norm()});
  }
  const GroundPair *groundPair = ground.data(), *const last = groundPair + ground.size();
  for (NeededImpulse& needed : groups) {
    const int root = needed.bodies.front();  // the least of a group
    while (groundPair != last && groundPair->root < root) ++groundPair;
    const GroundPair* const begin = groundPair;
    for (; groundPair != last && groundPair->root == root; ++groundPair)
      needed.statics.push_back(isDynamic(world, groundPair->pair->bodyA) ? groundPair->pair->bodyB
                                                                         : groundPair->pair->bodyA);
    std::sort(needed.statics.begin(), needed.statics.end());
    needed.statics.erase(std::unique(needed.statics.begin(), needed.statics.end()), needed.statics.end());
    needed.isHeld = isHeld[root] != 0;
    needed.outsideCone = needed.outsideHull = NAN;
    const OnePlane plane = onePlaneOf(world, begin, groundPair);
    if (!plane.points.empty() && !needed.isHeld)
      judgePlane(plane, needed.centre, kVanishing * largest, needed);
  }
  return groups;
}

WorstNeeded worstOf(const std::vector<NeededImpulse>& groups) {
  WorstNeeded worst{NAN, NAN, NAN, NAN};
  const auto keep = [](double value, double& maximum) {
    if (!std::isnan(value) && !(maximum >= value)) maximum = value;
  };
  for (const NeededImpulse& group : groups) {
    if (group.statics.empty() && !group.isHeld) {
      keep(group.impulse.norm(), worst.free);
      keep(group.couple.norm(), worst.freeCouple);
    }
    keep(group.outsideCone, worst.outsideCone);
    keep(group.outsideHull, worst.outsideHull);
  }
  return worst;
}

}  // namespace touchstone
