#pragma once

#include "core/contact/manifold/constraint_sets.h"
#include "core/contact/manifold/model_contact.h"

namespace touchstone {

/// Contacts that a patch may lose where it has more than four, see ContactThinning: none, any, or those alone
/// in their sets, where a set with several members counts as one.
enum class Thinning { None, Contacts, Sets };

/// Rules that decide which gaps of a step become rows, and which rate a row requires.
struct RowRules {
  ConstraintSettings constraints;    ///< epsilon and reach are those of each pair
  double margin = 0;                 ///< part of ε [m]
  double baumgarte = 1;              ///< β: share of a negative gap that one step undoes
  double maxDepenetrationSpeed = 0;  ///< largest speed that undoes a negative gap [m/s]; 0: none
  Thinning thinning = Thinning::None;
  bool splitsPushOut = false;  ///< overlaps are undone apart from the rows: ψ⁺ = max(ψ, 0) in them
  double restitution = 0;      ///< Newton's e
  double gravity = 0;          ///< |g| [m/s²]
  double alike = 0;            ///< gaps of two branches of an exact step are equal if they differ by less [m]
  double exactDepth = 0;    ///< that counts as none in an exact step: some roundings of the coordinates [m]
  double velocityUnit = 1;  ///< velocityUnitOf() the scene [m/s]
  /// Rows of an exact step ask for a gap of this, so that what the solver leaves over does not reach
  /// exactDepth.
  TS_HD double exactSkin() const { return 100 * exactDepth; }
};

/// That of the replica to which a body belongs. @param rules  [replicaCount]
TS_HD inline const RowRules& ruleOf(const WorldView& world, const RowRules* rules, int body) {
  return rules[world.bodies[body].replica];
}

/// Velocities have converged where they change by less than this share of velocityUnitOf() + the largest.
inline constexpr double kVelocityConverged = 1e-11;

/// Largest approach of two bodies within the step: h (|v_rel| + |ω_A| R_A + |ω_B| R_B) + 2 g h² + margin.
TS_HD inline double reachOf(const WorldView& world, const RowRules& rule, int bodyA, int bodyB) {
  const double speed = (world.nextLinearVelocity[bodyA] - world.nextLinearVelocity[bodyB]).norm() +
                       world.nextAngularVelocity[bodyA].norm() * world.bodies[bodyA].radius +
                       world.nextAngularVelocity[bodyB].norm() * world.bodies[bodyB].radius;
  return world.dt * speed + 2 * rule.gravity * world.dt * world.dt + rule.margin;
}

/// ε: reachOf() (the paper only says that it is small), at most the radius of the smaller body: for one that
/// moves farther in a step every feature would be near every other. What comes from farther away is found by
/// continuous collision detection.
TS_HD inline double epsilonOf(const WorldView& world, const RowRules& rule, int bodyA, int bodyB) {
  const double radiusA = world.bodies[bodyA].radius, radiusB = world.bodies[bodyB].radius;
  double smaller = 1e300;
  if (isDynamic(world, bodyA) && radiusA < smaller) smaller = radiusA;
  if (isDynamic(world, bodyB) && radiusB < smaller) smaller = radiusB;
  const double epsilon = reachOf(world, rule, bodyA, bodyB);
  const double largest = rule.margin < smaller ? smaller : rule.margin;
  return epsilon < largest ? epsilon : largest;
}

/// A gap's second-order error of one linearisation,
///
///     h² (½ (|ω_A|² R_A + |ω_B|² R_B) + max(|ω_A|, |ω_B|) (|v_rel| + |ω_A| R_A + |ω_B| R_B))
///
/// from the turn of the arms and that of the normal [m].
TS_HD inline double bendOf(const WorldView& world, int bodyA, int bodyB) {
  const double angularA = world.nextAngularVelocity[bodyA].norm(),
               angularB = world.nextAngularVelocity[bodyB].norm(),
               radiusA = angularA > 0 ? world.bodies[bodyA].radius : 0,
               radiusB = angularB > 0 ? world.bodies[bodyB].radius : 0;
  const double speed = (world.nextLinearVelocity[bodyA] - world.nextLinearVelocity[bodyB]).norm();
  const double arms = 0.5 * (angularA * angularA * radiusA + angularB * angularB * radiusB),
               normals = std::fmax(angularA, angularB) * (speed + angularA * radiusA + angularB * radiusB);
  return world.dt * world.dt * (arms + normals);
}

/// Speed that the bending of a path may leave behind at a row that is linearised at the end of the step
/// [m/s]. A larger share lets impulses bring in energy; a smaller one halves steps that only roll.
/// @param world  with the velocities without contact
TS_HD inline double bendingSpeed(const WorldView& world, int bodyA, int bodyB) {
  constexpr double kShare = 0.1;
  return kShare * bendOf(world, bodyA, bodyB) / world.dt;
}

/// Largest gap at the end of the step between two pieces whose rows say that they touch [m]: bendOf() +
/// 2·10⁻⁶ ℓ, for the residual of the solver. @param length  ℓ, lengthOf() the scene [m]
TS_HD inline double touchTolerance(const WorldView& world, double length, int bodyA, int bodyB) {
  return bendOf(world, bodyA, bodyB) + 2e-6 * length;
}

/// ψ/h with a negative gap undone as far as the rule says [m/s].
TS_HD inline double rateOf(const RowRules& rule, double psi, double dt) {
  if (psi >= 0) return psi / dt;
  const double rate = rule.baumgarte * psi / dt;
  return rule.maxDepenetrationSpeed > 0 && rate < -rule.maxDepenetrationSpeed ? -rule.maxDepenetrationSpeed
                                                                              : rate;
}

/// ψ/h as rows ask for it: where the push-out is split, ψ⁺/h, but for overlaps of rounding, which rows undo
/// at 10⁻⁷ of velocityUnit at most, a tenth of the finest tolerance [m/s].
TS_HD inline double askedRate(const RowRules& rule, double psi, double dt) {
  constexpr double kOfRounding = 1e-7;
  const double rate = rateOf(rule, psi, dt), least = -kOfRounding * rule.velocityUnit;
  return rule.splitsPushOut && rate < least ? least : rate;
}
/// Speed at which an overlap is undone apart from the rows, besides what they undo [m/s].
TS_HD inline double pushOutSpeed(const RowRules& rule, double psi, double dt) {
  return rule.splitsPushOut && psi < 0 ? askedRate(rule, psi, dt) - rateOf(rule, psi, dt) : 0;
}

/// Gap with which rows may end that begin with ψ: 0, or the rest of an overlap that they undo no faster than
/// the rule says, however often they are linearised [m].
TS_HD inline double gapLeft(const RowRules& rule, double psi, double dt) {
  return psi < 0 ? psi - dt * askedRate(rule, psi, dt) : 0;
}

/// Rate required by a row that is linearised again at the velocity ν_k, with which its gap ends at ψ_k: (ψ_k
/// Rate required by a row that is linearised again at the velocity ν_k, with which its gap ends at ψ_k:
/// (ψ_k − gapLeft) / h − G_kᵀν_k [m/s].   @param contact  evaluated there   @param along  G_kᵀν_k
TS_HD inline double rateAgain(const ModelContact& contact, double along, double dt) {
  return (contact.geometry.psi - contact.gapLeft) / dt - along;
}

/// Rate required by the row of a contact at the start of the step [m/s]. With restitution a contact that
/// would close in this step requires Gᵀν⁺ ≥ −e Gᵀν instead of ψ/h + Gᵀν⁺ ≥ 0, with ν from before the step.
/// The speed that gravity alone causes in two steps is rest, not impact.
TS_HD inline double rateOf(const WorldView& world, const RowRules& rule, const ModelContact& contact) {
  const double rate = askedRate(rule, contact.geometry.psi, world.dt);
  if (rule.restitution == 0) return rate;
  const double approach = rateAlong(contact.jacobian, world.linearVelocity, world.angularVelocity);
  const double next = rateAlong(contact.jacobian, world.nextLinearVelocity, world.nextAngularVelocity);
  const bool closes = contact.geometry.psi + world.dt * next < 0;
  if (!closes || approach > -2 * world.dt * rule.gravity) return rate;
  const double wanted = rule.restitution * approach;
  return wanted < rate ? wanted : rate;
}

}  // namespace touchstone
