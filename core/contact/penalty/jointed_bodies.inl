#pragma once

#include "core/constraints/mobility.h"
#include "core/contact/penalty/penalty_contact.h"

namespace touchstone::detail {

/// Bodies that joints hold, as automatic springs see them: a leg moves with the trunk that it carries. The
/// force of a contact acts on all bodies of its island within the step, see holdJoints().
struct JointedBodies {
  // Shares of a body's own mobility. Smaller: what the world holds gets springs without bound; larger: the
  // lightest legs sink.
  static constexpr double kHeld = 1e-7;

  const int* islandOf = nullptr;  // [bodyCount] of JointMobilities; null: no joints
  const int* first = nullptr;     // [bodyCount + 1]
  const int* bodies = nullptr;
  const Mobility* mobility = nullptr;  // [bodyCount]
  const PenaltyNumbers* numbers = nullptr;

  /// The mobility that counts for springs of the body; null: its own mass.
  TS_HD const Mobility* of(const WorldView& world, int body) const {
    const bool isJointed = islandOf && islandOf[body] >= 0 && isDynamic(world, body);
    return isJointed && !(numbers[world.bodies[body].replica].stiffness > 0) ? &mobility[body] : nullptr;
  }
  TS_HD const Mobility* of(const WorldView& world, const PenaltyContact& contact, bool isA) const {
    return of(world, isA ? contact.bodyA : contact.bodyB);
  }
  /// Inverse mass of one side of a contact along a direction [1/kg]. A body that joints hold still counts by
  /// its own mass.
  TS_HD double inverseMassAt(const WorldView& world, const PenaltyContact& contact, bool isA,
                             const Vec3& point, const Vec3& direction) const {
    const double alone = touchstone::inverseMassAt(world, contact, isA, point, direction);
    const Mobility* joined = of(world, contact, isA);
    if (!joined) return alone;
    const Vec3 arm = point - world.position[isA ? contact.bodyA : contact.bodyB];
    const double inverse = joined->along(arm, direction);
    return inverse > kHeld * alone && inverse < alone ? inverse : alone;
  }
};

/// Factors by which springs change.
struct Fit {
  double spring = 1, damper = 1;  ///< factors of k and c
};

TS_HD inline void changeSpring(const Fit& fit, PenaltyContact& contact) {
  if (fit.spring == 1 && fit.damper == 1) return;
  contact.stiffness *= fit.spring;
  contact.damping *= fit.damper;
  if (fit.spring == fit.damper) {
    contact.impulse *= fit.spring;
  } else {
    const double magnitude = contact.spring.norm();
    const double both = fit.spring * magnitude + fit.damper * contact.damper;
    contact.impulse = both > 0 && magnitude > 0 ? Vec3(both / magnitude * contact.spring) : Vec3(0, 0, 0);
  }
  contact.friction *= fit.spring;
  contact.spring *= fit.spring;
  contact.damper *= fit.damper;
}

/// Gives automatic springs at jointed bodies the effective mass with joints: k (m_A⁻¹ + m_B⁻¹) / w with
/// w = n·W n of both sides. Along the surface a leg on a hinge is as light as before: there the spring of
/// friction is k w / w_t, three times that at most, see kShareOfFriction.
struct StiffenJointed {  // one contact per index
  WorldView world;
  JointedBodies joints;
  PenaltyContact* contacts;
  TS_HD void operator()(int index) const {
    PenaltyContact& contact = contacts[index];
    const double magnitude = contact.spring.norm();
    if (!(magnitude > 0) || !(joints.of(world, contact, true) || joints.of(world, contact, false))) return;
    const Vec3 normal = contact.spring / magnitude, point = commonPoint(world, contact);
    Vec3 tangents[2];
    tangentBasis(normal, tangents[0], tangents[1]);
    double across = 0, along = 0;
    for (const bool isA : {true, false}) {
      for (const Vec3& tangent : tangents) along += joints.inverseMassAt(world, contact, isA, point, tangent);
      across += joints.of(world, contact, isA)
                    ? joints.inverseMassAt(world, contact, isA, point, normal)
                    : featureInverseMass(world, contact.pair, isA, isA ? contact.bodyA : contact.bodyB);
    }
    const double alone = springPair(world, contact).inverseMass;
    if (!(across > 0)) return;
    Fit fit;
    fit.spring = std::fmax(1.0, alone / across);
    const PenaltyNumbers& penaltyNumbers = joints.numbers[world.bodies[contact.bodyA].replica];
    if (penaltyNumbers.damping < 0) fit.damper = fit.spring;
    changeSpring(fit, contact);
    contact.hold = std::fmin(1.0, 3 * std::fmin(alone, across) / along);
    contact.friction *= contact.hold;
  }
};

}  // namespace touchstone::detail
