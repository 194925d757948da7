#include "core/trajectory/needed_impulse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/referee/motion_engine.h"
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
    const Body& own = scene.bodies[static_cast<std::size_t>(body)];
    const BodyState state = stateOf(static_cast<std::size_t>(body));
    sum += momentaOf(own.mass, own.inertia, scene.gravity, state.position, state.orientation,
                     state.linearVelocity, state.angularVelocity, 0);
    moment += own.mass * state.position;
  }
  const Vec3 centre = moment / sum.mass;
  return {sum.mass, centre, sum.linear, sum.angular - centre.cross(sum.linear)};
}

/// The pairs of a group with static bodies that all have one normal; empty if they do not.
struct OnePlane {
  std::vector<Vec3> points;
  Vec3 normal = Vec3::Zero();  ///< out of the plane, into the group
  double friction = 0;
};

OnePlane onePlaneOf(const World& world, const std::vector<const NearPair*>& pairs) {
  constexpr double kSame = 1 - 1e-9;  // cosine; a smaller value takes a bent floor for a plane
  OnePlane plane;
  for (const NearPair* pair : pairs) {
    const bool isStaticA = !isDynamic(world, pair->bodyA);
    const Vec3 normal = isStaticA ? pair->normal : Vec3(-pair->normal);
    if (plane.points.empty()) plane.normal = normal;
    if (plane.normal.dot(normal) < kSame) return {};
    const std::vector<BodyConstants>& bodies = *world.constants;
    plane.friction = std::max(plane.friction, frictionOf(bodies[static_cast<std::size_t>(pair->bodyA)],
                                                         bodies[static_cast<std::size_t>(pair->bodyB)])
                                                  .staticFriction);
    plane.points.insert(plane.points.end(), pair->points.begin(), pair->points.end());
  }
  return plane;
}

void judgePlane(const OnePlane& plane, const Vec3& centre, NeededImpulse& needed) {
  const Vec3& n = plane.normal;
  const double normal = n.dot(needed.impulse);
  const Vec3 across = needed.impulse - normal * n;
  needed.outsideCone = std::max(0.0, across.norm() - plane.friction * std::max(0.0, normal));
  if (!(normal > 0)) return;
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
    while (group[static_cast<std::size_t>(body)] != body) body = group[static_cast<std::size_t>(body)];
    return body;
  };
  std::vector<const NearPair*> all;
  for (const std::vector<NearPair>* list : {&pairsBefore, &pairs})
    for (const NearPair& pair : *list) all.push_back(&pair);
  for (const NearPair* pair : all)
    if (isDynamic(world, pair->bodyA) && isDynamic(world, pair->bodyB)) {
      const int a = rootOf(pair->bodyA), b = rootOf(pair->bodyB);
      group[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  std::map<int, NeededImpulse> groups;
  std::map<int, bool> isWhole;  // a body that enters within the interval brings what is not known
  for (int body = 0; body < world.bodyCount(); ++body) {
    if (!isDynamic(world, body)) continue;
    const int root = rootOf(body);
    groups[root].bodies.push_back(body);
    isWhole.emplace(root, true);
    if (!before[static_cast<std::size_t>(body)].active) isWhole[root] = false;
  }
  std::map<int, std::vector<const NearPair*>> ground;
  for (const NearPair* pair : all) {
    const bool movesA = isDynamic(world, pair->bodyA), movesB = isDynamic(world, pair->bodyB);
    if (movesA == movesB) continue;
    const int root = rootOf(movesA ? pair->bodyA : pair->bodyB);
    ground[root].push_back(pair);
    groups[root].statics.push_back(movesA ? pair->bodyB : pair->bodyA);
  }
  std::vector<NeededImpulse> result;
  for (auto& [root, needed] : groups) {
    if (!isWhole[root]) continue;
    std::sort(needed.statics.begin(), needed.statics.end());
    needed.statics.erase(std::unique(needed.statics.begin(), needed.statics.end()), needed.statics.end());
    const GroupMotion start = motionOf(scene, needed.bodies, [&](std::size_t body) { return before[body]; });
    const GroupMotion end = motionOf(scene, needed.bodies, [&](std::size_t body) {
      return BodyState{world.position[body], world.orientation[body], world.linearVelocity[body],
                       world.angularVelocity[body], true};
    });
    needed.impulse = end.linear - start.linear - h * start.mass * scene.gravity;
    needed.couple = end.angular - start.angular;
    needed.outsideCone = needed.outsideHull = NAN;
    const OnePlane plane = onePlaneOf(world, ground[root]);
    if (!plane.points.empty()) judgePlane(plane, start.centre, needed);
    result.push_back(std::move(needed));
  }
  return result;
}

WorstNeeded worstOf(const std::vector<NeededImpulse>& groups) {
  WorstNeeded worst{NAN, NAN, NAN, NAN};
  const auto keep = [](double value, double& most) {
    if (!std::isnan(value) && !(most >= value)) most = value;
  };
  for (const NeededImpulse& group : groups) {
    if (group.statics.empty()) {
      keep(group.impulse.norm(), worst.free);
      keep(group.couple.norm(), worst.freeCouple);
    }
    keep(group.outsideCone, worst.outsideCone);
    keep(group.outsideHull, worst.outsideHull);
  }
  return worst;
}

}  // namespace touchstone
