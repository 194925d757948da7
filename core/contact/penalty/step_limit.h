#pragma once

#include <cmath>

#include "core/contact/method.h"

namespace touchstone {

/// Largest stability number σ = h² k / m for which an undamped spring k on a mass m is stable, whose force
/// has the depth at the instant θ of the predicted path:
///
///     v⁺ = v − h k / m (x + θ h v),   x⁺ = x + h v⁺   is stable up to   σ = 4 / (1 + 2 θ)
///
/// 4 at the start of the step, 2 in its middle and on average over it, 4/3 at its end.
/// @param instant  θ, 0 … 1; see PenaltyTraits
constexpr double stabilityLimitAt(double instant) { return 4 / (1 + 2 * instant); }

/// θ of a penalty method with these values: that which its parameter `evaluate` names, else its own.
inline double instantOf(const MethodInfo& method, const ParameterValues& values) {
  const auto found = values.find("evaluate");
  if (found == values.end()) return method.penalty->instant;
  if (found->second == ParameterValue("start")) return 0;
  return found->second == ParameterValue("end") ? 1 : method.penalty->instant;
}

/// Longest step of that spring, h = √(σ m / k) with the largest σ [s].
/// @param stiffness  k [N/m], > 0   @param mass  m [kg], > 0
inline double undampedStepLimit(double instant, double stiffness, double mass) {
  return std::sqrt(stabilityLimitAt(instant) * mass / stiffness);
}

/// Its largest stiffness at a step, k = σ m / h² [N/m].   @param step  h [s], > 0
inline double undampedStiffnessLimit(double instant, double step, double mass) {
  return stabilityLimitAt(instant) * mass / (step * step);
}

}  // namespace touchstone
