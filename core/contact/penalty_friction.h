#pragma once

#include <cmath>

#include "core/contact/contact.h"

namespace touchstone {

/// Reference points of the friction spring, fixed to both bodies (body frames) at the entry of the contact.
struct FrictionAnchor {
  Vec3 onA = Vec3(0, 0, 0), onB = Vec3(0, 0, 0);
};

struct FrictionSettings {
  double springStiffness = 0;  ///< k_FP [N/m]
  double springDamping = -1;   ///< k_FD [N·s/m]; negative: min(2 √(k m), m / (2 h)) of the contact
  double weighting = 1e3;      ///< k_ω [s/m]
  bool returnMap =
      false;  ///< after a slip the spring keeps the force; false: it restarts from zero (as published)
};

struct FrictionInput {
  Vec3 normal;             ///< unit, towards A
  double normalForce = 0;  ///< f_n [N]
  double staticFriction = 0, dynamicFriction = 0;
  Vec3 anchorOffset;       ///< q_anchor − p_anchor, world [m]
  Vec3 slipVelocity;       ///< v_p − v_q, world [m/s], not yet projected
  double inverseMass = 0;  ///< effective inverse mass at the contact point along the slip [1/kg]
  double dt = 0;           ///< s
};

struct FrictionResult {
  Vec3 impulse = Vec3(0, 0, 0);  ///< on A [N·s]
  ContactMode mode = ContactMode::Open;
  bool resetAnchors = false;          ///< anchors become the current contact points, moved by anchorOffset
  Vec3 anchorOffset = Vec3(0, 0, 0);  ///< what q_anchor − p_anchor becomes then [m]
};

/// Friction of one penalty contact: a spring and damper between reference points while it sticks, Coulomb's
/// dynamic friction with the weighting ω(v) = 1 − exp(−k_ω v) when it slips (Yamane and Nakamura 2006).
TS_HD inline FrictionResult yamaneFriction(const FrictionInput& input, const FrictionSettings& settings) {
  FrictionResult result;
  if (!(input.normalForce > 0) || !(input.staticFriction > 0)) return result;
  const Vec3 e = input.anchorOffset - input.normal.dot(input.anchorOffset) * input.normal;
  const Vec3 slip = input.slipVelocity - input.normal.dot(input.slipVelocity) * input.normal;
  const double mass = input.inverseMass > 0 ? 1 / input.inverseMass : 0;
  const double damping =
      settings.springDamping >= 0
          ? settings.springDamping
          : std::fmin(2 * std::sqrt(settings.springStiffness * mass), mass / (2 * input.dt));
  const Vec3 trial = settings.springStiffness * e - damping * slip;
  if (trial.norm() <= input.staticFriction * input.normalForce) {
    result.impulse = input.dt * trial;
    result.mode = ContactMode::Sticking;
    return result;
  }
  result.mode = ContactMode::Sliding;
  const double speed = slip.norm();
  const double limit = input.dynamicFriction * input.normalForce;
  // ω(v) / v, with its limit k_ω where the quotient would lose its digits.
  const double x = settings.weighting * speed;
  const double weightOverSpeed = x < 1e-8 ? settings.weighting : -std::expm1(-x) / speed;
  Vec3 force = -limit * weightOverSpeed * slip;
  // A step of dynamic friction may stop the slip but not reverse it.
  const double cap = mass * speed / input.dt;
  if (force.norm() > cap) force *= cap / force.norm();
  result.impulse = input.dt * force;
  result.resetAnchors = true;
  if (settings.returnMap && settings.springStiffness > 0) {
    result.anchorOffset = (force + damping * slip) / settings.springStiffness;
    const double longest = input.staticFriction * input.normalForce / settings.springStiffness;
    if (result.anchorOffset.norm() > longest) result.anchorOffset *= longest / result.anchorOffset.norm();
  }
  return result;
}

}  // namespace touchstone
