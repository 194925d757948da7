#include "core/trajectory/contact_laws.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "core/trajectory/convex_area.h"
#include "core/trajectory/near_pairs.h"
#include "core/world/material_friction.h"

namespace touchstone {

double signoriniResidual(double gap, double h, double inverseMass, double impulse) {
  return std::abs(std::min(gap / h, inverseMass * impulse));
}

double coulombResidual(const Vec3& friction, const Vec3& slip, double normalImpulse, double mu,
                       double inverseMass) {
  const double radius = std::max(0.0, mu * normalImpulse);
  Vec3 tried = friction - slip / inverseMass;
  if (const double length = tried.norm(); length > radius) tried *= radius / length;
  return inverseMass * (friction - tried).norm();
}

double energyOfContact(const Vec3& impulse, const Vec3& before, const Vec3& after) {
  return 0.5 * impulse.dot(before + after);
}

namespace {

Vec3 spinOf(const Body& body, const Quaternion& orientation, const Vec3& angularVelocity) {
  return orientation * Vec3(body.inertia * Vec3(orientation.conjugate() * angularVelocity));
}

/// The inverse mass of the pair at a point between two directions: dₐ · W d_b [1/kg].
double between(const World& world, int body, const Vec3& point, const Vec3& a, const Vec3& b) {
  if (!isDynamic(world, body)) return 0;
  const std::size_t index = body;
  const Vec3 arm = point - world.position[index];
  const Quaternion& q = world.orientation[index];
  const Mat3& inverse = (*world.constants)[index].inverseInertia;
  const Vec3 turn = q * Vec3(inverse * Vec3(q.conjugate() * Vec3(arm.cross(b))));
  return world.inverseMass[index] * a.dot(b) + arm.cross(a).dot(turn);
}

Vec3 velocityOf(const BodyState& state, const Vec3& point) {
  return state.linearVelocity + state.angularVelocity.cross(point - state.position);
}

}  // namespace

EffectiveMass effectiveMass(const World& world, int bodyA, int bodyB, const Vec3& point, const Vec3& normal) {
  const auto both = [&](const Vec3& a, const Vec3& b) {
    return between(world, bodyA, point, a, b) + between(world, bodyB, point, a, b);
  };
  const Tangents axes = tangentsOf(normal);
  const double first = both(axes.first, axes.first), second = both(axes.second, axes.second),
               mixed = both(axes.first, axes.second);
  const double half = 0.5 * (first - second);
  return {both(normal, normal), 0.5 * (first + second) + std::sqrt(half * half + mixed * mixed)};
}

LawResiduals residualsOf(const World& world, const std::vector<BodyState>& before,
                         const std::vector<Contact>& contacts, double h) {
  LawResiduals worst;
  worst.energyMade = contacts.empty() ? 0 : -HUGE_VAL;
  std::vector<Vec3> linear(before.size(), Vec3::Zero()), angular = linear;
  for (const Contact& contact : contacts) {
    const Vec3 onB = contact.normalImpulse * contact.normal + contact.frictionImpulse;
    const std::size_t a = contact.bodyA, b = contact.bodyB;
    linear[a] -= onB;
    linear[b] += onB;
    // Points are those of the start of the step, at which impulses act.
    angular[a] -= (contact.pointA - before[a].position).cross(onB);
    angular[b] += (contact.pointB - before[b].position).cross(onB);
    const Vec3 middle = 0.5 * (contact.pointA + contact.pointB);
    const EffectiveMass mass = effectiveMass(world, contact.bodyA, contact.bodyB, middle, contact.normal);
    if (mass.normal <= 0) continue;  // neither body moves
    const Vec3 after = velocityAt(world, contact.bodyB, middle) - velocityAt(world, contact.bodyA, middle);
    const Vec3 slip = after - contact.normal.dot(after) * contact.normal;
    const std::vector<BodyConstants>& bodies = *world.constants;
    const double mu = frictionOf(bodies[a], bodies[b]).dynamicFriction;
    const double gap = gapBetween(world, contact.bodyA, contact.bodyB);
    if (std::isfinite(gap))
      worst.signorini =
          std::max(worst.signorini, signoriniResidual(gap, h, mass.normal, contact.normalImpulse));
    worst.coulomb = std::max(worst.coulomb, coulombResidual(contact.frictionImpulse, slip,
                                                            contact.normalImpulse, mu, mass.tangential));
    const Vec3 earlier = velocityOf(before[b], middle) - velocityOf(before[a], middle);
    worst.energyMade = std::max(worst.energyMade, energyOfContact(onB, earlier, after));
  }
  for (std::size_t body = 0; body < before.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body)) || !before[body].active) continue;
    const Body& sceneBody = world.scene->bodies[body];
    const Vec3 gained = sceneBody.mass * (world.linearVelocity[body] - before[body].linearVelocity);
    worst.newton =
        std::max(worst.newton, (gained - h * sceneBody.mass * world.scene->gravity - linear[body]).norm());
    const Vec3 spun = spinOf(sceneBody, world.orientation[body], world.angularVelocity[body]) -
                      spinOf(sceneBody, before[body].orientation, before[body].angularVelocity);
    worst.euler = std::max(worst.euler, (spun - angular[body]).norm());
  }
  return worst;
}

}  // namespace touchstone
