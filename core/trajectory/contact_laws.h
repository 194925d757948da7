#pragma once

#include "core/record/contact.h"
#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

// How well impulses keep the laws of rigid contact. Penalty and soft methods, which let bodies overlap by
// design, score their compliance here.

/// |min(g⁺/h, w_n j_n)| [m/s]: 0 if there is a gap without impulse, or an impulse without gap.
/// @param gap  g⁺ [m] at the end of the step h [s]   @param inverseMass  w_n [1/kg]   @param impulse  j_n
/// [N·s]
double signoriniResidual(double gap, double h, double inverseMass, double impulse);

/// w_t |j_t − proj(j_t − v_t/w_t)| [m/s] with the projection on the disk |·| ≤ μ j_n: 0 if the point sticks
/// within the cone, or slides with an impulse on the cone against the motion.
/// @param friction  j_t on B [N·s]   @param slip  v_t⁺ of B relative to A, along the tangents [m/s]
double coulombResidual(const Vec3& friction, const Vec3& slip, double normalImpulse, double mu,
                       double inverseMass);

/// J·(v⁺ + v⁻)/2 [J]: what an impulse on B adds to the energy of both bodies. @param before, after  of B
/// relative to A [m/s]
double energyOfContact(const Vec3& impulse, const Vec3& before, const Vec3& after);

/// Inverse effective masses of a pair at a point [1/kg]: along the normal, and the larger one across it.
struct EffectiveMass {
  double normal = 0, tangential = 0;
};
EffectiveMass effectiveMass(const World& world, int bodyA, int bodyB, const Vec3& point, const Vec3& normal);

/// The largest residuals over the bodies and contacts of an interval.
struct LawResiduals {
  double newton = 0;  ///< |m (v⁺ − v⁻) − h m g − ΣJ| [N·s]
  double euler = 0;  ///< |L⁺ − L⁻ − Σ (p − x) × J| with L = R I Rᵀ ω about the centre of mass [N·m·s]
  double signorini = 0;   ///< m/s
  double coulomb = 0;     ///< m/s
  double energyMade = 0;  ///< largest energyOfContact() [J]; negative: every contact took some
};
/// @param before  the states of the bodies at the start   @param world  at the end of the interval h [s]
/// @param contacts  all that acted; impulses on B [N·s]
LawResiduals residualsOf(const World& world, const std::vector<BodyState>& before,
                         const std::vector<Contact>& contacts, double h);

}  // namespace touchstone
