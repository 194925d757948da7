#pragma once

#include "core/trajectory/trajectory.h"

namespace touchstone {

/// Rotation vector of the shorter turn from one orientation to another, world frame: log(b a⁻¹) [rad].
Vec3 rotationBetween(const Quaternion& a, const Quaternion& b);

/// State between two samples, at time0 ≤ time ≤ time1. With s = (t − t₀)/h, h = t₁ − t₀:
///
///     x(s) = (2s³ − 3s² + 1) x₀ + (s³ − 2s² + s) h v₀ + (3s² − 2s³) x₁ + (s³ − s²) h v₁    cubic Hermite
///     q(s) = slerp of the shorter arc,    v, ω linear
///
/// @param isGiven  velocities come with the poses; derived ones give x(s) = (1 − s) x₀ + s x₁ instead
/// @return at a sample that sample; not active between samples of which one does not have the body
BodyState stateBetween(double time0, const BodyState& state0, double time1, const BodyState& state1,
                       double time, bool isGiven);

/// States [bodies] of a trajectory at a time [s]; before its first sample and after its last that sample: it
/// is not extended.
std::vector<BodyState> stateAt(const Trajectory& trajectory, double time);

}  // namespace touchstone
