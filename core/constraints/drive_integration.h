#pragma once

namespace touchstone {

/// When the spring of a joint's drive acts, θ its coordinate from where it rests, θ⁺ = θ + h θ̇⁺:
///
///     Implicit      p = −h (k θ⁺ + d (θ̇⁺ − θ̇*)), at the end of the step: stable for any k, and it damps
///     Trapezoidal   p = −h (k (θ + h (θ̇⁺ − θ̇) / 4) + d (θ̇⁺ − θ̇*))
///
/// The second is (θ⁻ + 2 θ + θ⁺)/4 of three instants, the mean acceleration of Newmark 1959 (β = 1/4, γ =
/// 1/2) with the velocities half a step apart: without a damper it keeps the energy of a spring for any h. A
/// spring of which a step does not resolve the motion, k h² J M⁻¹ Jᵀ > 1, stays implicit: it would ring from
/// step to step.
enum class DriveIntegration { Implicit, Trapezoidal };

/// Parameter of every method, and its values.
inline constexpr const char* kDriveIntegration = "drive_integration";
inline constexpr const char *kImplicitDrives = "implicit", *kTrapezoidalDrives = "trapezoidal";

}  // namespace touchstone
