#pragma once

#include <cmath>

#include "core/record/contact.h"

namespace touchstone {

/// Reference points of the friction spring, fixed to both bodies (body frames) at the entry of the contact.
struct FrictionAnchor {
  Vec3 onA = Vec3(0, 0, 0), onB = Vec3(0, 0, 0);
};
template <class Visit>
void eachNumber(const Visit& visit, FrictionAnchor& anchor) {
  visit(anchor.onA);
  visit(anchor.onB);
}

/// Law of a contact that slips. ReturnMap: Coulomb's force along the spring, which gives way so far that it
/// holds just that force: it neither creeps below the limit nor forgets where it was. Paper: the force is
/// weighted with the speed of slip, and the spring restarts from zero (Yamane and Nakamura 2006).
enum class FrictionLaw { ReturnMap, Paper };

struct FrictionSettings {
  double springStiffness = -1;  ///< k_FP [N/m]; negative: the stiffness of the contact
  double springDamping = -1;    ///< k_FD [N·s/m]; negative: min(2 √(k m), m / (2 h)) of the contact
  double weighting = 1e3;       ///< k_ω [s/m], Paper
  FrictionLaw law = FrictionLaw::ReturnMap;
};

struct FrictionInput {
  Vec3 normal;             ///< unit, towards A
  double normalForce = 0;  ///< f_n [N]
  double staticFriction = 0, dynamicFriction = 0;
  Vec3 anchorOffset;       ///< q_anchor − p_anchor, world [m]
  Vec3 slipVelocity;       ///< v_p − v_q, world [m/s], not yet projected
  double inverseMass = 0;  ///< effective inverse mass at the contact point along the slip [1/kg]
  double stiffness = 0;    ///< of the contact [N/m]
  double dt = 0;           ///< s
};

struct FrictionResult {
  Vec3 impulse = Vec3(0, 0, 0);  ///< on A [N·s]
  ContactMode mode = ContactMode::Open;
  bool resetAnchors = false;          ///< anchors become the current contact points, moved by anchorOffset
  Vec3 anchorOffset = Vec3(0, 0, 0);  ///< what q_anchor − p_anchor becomes then [m]
};

/// Friction of one penalty contact: a spring and damper between reference points while it sticks,
///
///     f = k_FP e − k_FD v,   |f| ≤ μ_s f_n
///
/// and beyond that Coulomb's dynamic friction: μ_d f_n along f (ReturnMap), or against the slip with the
/// weighting ω(v) = 1 − exp(−k_ω v) (Yamane and Nakamura 2006).
TS_HD inline FrictionResult yamaneFriction(const FrictionInput& input, const FrictionSettings& settings) {
  FrictionResult result;
  if (!(input.normalForce > 0) || !(input.staticFriction > 0)) return result;
  const Vec3 e = input.anchorOffset - input.normal.dot(input.anchorOffset) * input.normal;
  const Vec3 slip = input.slipVelocity - input.normal.dot(input.slipVelocity) * input.normal;
  const double mass = input.inverseMass > 0 ? 1 / input.inverseMass : 0;
  const double spring = settings.springStiffness >= 0 ? settings.springStiffness : input.stiffness;
  const double damping = settings.springDamping >= 0
                             ? settings.springDamping
                             : std::fmin(2 * std::sqrt(spring * mass), mass / (2 * input.dt));
  const Vec3 trial = spring * e - damping * slip;
  const double size = trial.norm(), maximum = input.staticFriction * input.normalForce;
  if (size <= maximum) {
    result.impulse = input.dt * trial;
    result.mode = ContactMode::Sticking;
    return result;
  }
  result.mode = ContactMode::Sliding;
  const double speed = slip.norm();
  const double limit = input.dynamicFriction * input.normalForce;
  result.resetAnchors = true;
  if (settings.law == FrictionLaw::ReturnMap) {
    const Vec3 force = limit / size * trial;
    result.impulse = input.dt * force;
    if (spring > 0) result.anchorOffset = (force + damping * slip) / spring;
    const double longest = spring > 0 ? maximum / spring : 0, length = result.anchorOffset.norm();
    if (length > longest) result.anchorOffset *= longest / length;
    return result;
  }
  // ω(v) / v, with its limit k_ω where the quotient would lose its digits. Larger: it errs by half of this;
  // smaller down to any number above 0 is as good.
  constexpr double kLinear = 1e-8;
  const double x = settings.weighting * speed;
  const double weightOverSpeed = x < kLinear ? settings.weighting : -std::expm1(-x) / speed;
  Vec3 force = -limit * weightOverSpeed * slip;
  // A step of dynamic friction may stop the slip but not reverse it.
  const double cap = mass * speed / input.dt;
  if (force.norm() > cap) force *= cap / force.norm();
  result.impulse = input.dt * force;
  return result;
}

}  // namespace touchstone
