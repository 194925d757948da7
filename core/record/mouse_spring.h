#pragma once

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// The spring with which the mouse holds a body at a world point [m] of a frame, its target there:
///
///     k = m ω²,  c = 2 ζ m ω,   ω = 2π · 2 Hz,  ζ = 0.7,   m: mass of the body
///
/// It is strong enough to carry the body (which hangs g / ω² = 6 cm below the mouse), and soft enough for
/// every method at its usual step. A body that deforms is held at the point of its surface that is nearest.
/// There few particles take the force at the start of a step, with the mass m_p = 1 / Σ w² m⁻¹, so that
///
///     k ≤ m_p / h²,  c ≤ m_p / (2 h)
///
/// besides: an explicit step is stable for h² ω_e² + 2 h β ω_e² + h² k / m_p + 2 h c / m_p ≤ 4, of which
/// elasticity takes no more than half, see explicitStepLimit(). Where these bounds act, the body hangs lower
/// and swings longer. Held particles count in no m_p; k = c = 0 where all are held.
/// @param step  h, the longest of those that take the pull [s]
Spring mouseSpring(const Scene& scene, const StepRecord& record, int body, const Vec3& point, double step);

/// The point of the surface of a body that deforms that is nearest to a world point [m] in a frame.
SurfacePoint nearestOnSurface(const Scene& scene, const StepRecord& record, int body, const Vec3& point);

/// World position [m] of the point that a spring holds, in a frame.
Vec3 heldPoint(const Spring& spring, const Scene& scene, const StepRecord& record);

}  // namespace touchstone
