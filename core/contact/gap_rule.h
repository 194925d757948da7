#pragma once

#include "core/contact/constraint_sets.h"
#include "core/contact/model_contact.h"

namespace touchstone {

/// What decides which gaps of a step become rows, and what a row asks for.
struct GapRule {
  ConstraintSettings constraints;  ///< epsilon and reach are those of each pair
  double margin = 0;               ///< part of ε [m]
  double stabilisation = 1;        ///< β: share of a negative gap that one step undoes
  double correctionCap = 0;        ///< largest speed that undoes a negative gap [m/s]; 0: none
  double restitution = 0;          ///< Newton's e
  double gravity = 0;              ///< |g| [m/s²]
};

/// That of the copy of the scene to which a body belongs. @param rules  [copyCount]
TS_HD inline const GapRule& ruleOf(const WorldView& world, const GapRule* rules, int body) {
  return rules[world.bodies[body].copy];
}

/// Velocities stand where they change by less than this share of 1 + the largest [m/s].
inline constexpr double kVelocityStands = 1e-11;

/// ε = h (|v_rel| + |ω_A| R_A + |ω_B| R_B) + 2 g h² + margin (the paper only says that it is small), at most
/// the radius of the smaller body: after a failed step a body may be so fast that every feature would be near
/// every other.
TS_HD inline double epsilonOf(const WorldView& world, const GapRule& rule, int bodyA, int bodyB) {
  const double radiusA = world.bodies[bodyA].radius, radiusB = world.bodies[bodyB].radius;
  const double speed = (world.nextLinearVelocity[bodyA] - world.nextLinearVelocity[bodyB]).norm() +
                       world.nextAngularVelocity[bodyA].norm() * radiusA +
                       world.nextAngularVelocity[bodyB].norm() * radiusB;
  double smaller = 1e300;
  if (isDynamic(world, bodyA) && radiusA < smaller) smaller = radiusA;
  if (isDynamic(world, bodyB) && radiusB < smaller) smaller = radiusB;
  const double epsilon = world.dt * speed + 2 * rule.gravity * world.dt * world.dt + rule.margin;
  const double most = rule.margin < smaller ? smaller : rule.margin;
  return epsilon < most ? epsilon : most;
}

/// ψ/h with a negative gap undone as far as the rule says [m/s].
TS_HD inline double rateOf(const GapRule& rule, double psi, double dt) {
  if (psi >= 0) return psi / dt;
  const double rate = rule.stabilisation * psi / dt;
  return rule.correctionCap > 0 && rate < -rule.correctionCap ? -rule.correctionCap : rate;
}

/// What the row of a contact asks for at the start of the step [m/s]. With restitution a contact that would
/// close in this step asks for Gᵀν⁺ ≥ −e Gᵀν instead of ψ/h + Gᵀν⁺ ≥ 0, with ν from before the step. What
/// gravity alone brings about in two steps is rest, not impact.
TS_HD inline double rateOf(const WorldView& world, const GapRule& rule, const ModelContact& contact) {
  const double rate = rateOf(rule, contact.geometry.psi, world.dt);
  if (rule.restitution == 0) return rate;
  const double approach = rateAlong(contact.jacobian, world.linearVelocity, world.angularVelocity);
  const double next = rateAlong(contact.jacobian, world.nextLinearVelocity, world.nextAngularVelocity);
  const bool closes = contact.geometry.psi + world.dt * next < 0;
  if (!closes || approach > -2 * world.dt * rule.gravity) return rate;
  const double wanted = rule.restitution * approach;
  return wanted < rate ? wanted : rate;
}

}  // namespace touchstone
