#pragma once

#include <cmath>

#include "core/math/host_device.h"

namespace touchstone {

/// Functions φ(y, v) that are 0 where 0 ≤ y ⊥ v ≥ 0, and nowhere else.
enum class NcpFunction { FischerBurmeister, MinimumMap };

/// φ and its generalised derivatives ∂φ/∂y, ∂φ/∂v.
struct NcpValue {
  double value, dy, dv;
};

/// Fischer–Burmeister in the sign y + v − √(y² + v²), without cancellation (Macklin 2019, appendix A).
/// At (0, 0) both derivatives are 1 − 1/√2, the symmetric element of the generalised Jacobian.
TS_HD inline NcpValue fischerBurmeister(double y, double v) {
  constexpr double kAtZero = 0.29289321881345254;  // 1 − 1/√2
  // A root rounds alike on every backend, which hypot() does not; where squares underflow there is nothing to
  // gain.
  const double s = std::sqrt(y * y + v * v);
  if (s == 0) return {0, kAtZero, kAtZero};
  const double value = y + v > 0 ? 2 * y * v / (y + v + s) : y + v - s;
  const double dy = y > 0 ? v * v / (s * (s + y)) : 1 - y / s;
  const double dv = v > 0 ? y * y / (s * (s + v)) : 1 - v / s;
  return {value, dy, dv};
}

/// min(y, v). Ties belong to the active side (Macklin 2019, appendix A): touching bodies at rest stay in
/// contact.
TS_HD inline NcpValue minimumMap(double y, double v) {
  return v <= y ? NcpValue{v, 0, 1} : NcpValue{y, 1, 0};
}

TS_HD inline NcpValue ncpValue(NcpFunction function, double y, double v) {
  return function == NcpFunction::FischerBurmeister ? fischerBurmeister(y, v) : minimumMap(y, v);
}

/// How Newton's method searches along a direction, and when it gives up; on any backend.
namespace newton {

constexpr double kArmijo = 1e-4;         ///< sufficient decrease of ½|F|² per unit of predicted decrease
constexpr double kSmallestStep = 1e-10;  ///< below it a direction counts as none
/// A Newton direction that must be cut below this is that of a nearly singular Jacobian (redundant contacts);
/// regularised ones go farther.
constexpr double kUsefulStep = 1.0 / 64;
constexpr double kDecoupled = 1e-16;  ///< rows with ∂φ/∂v below this × ∂φ/∂y fix their own unknown
constexpr double kRegularisations[] = {1e-10, 1e-6, 1e-3};  ///< μ of JᵀJ + μ, in turn
constexpr int kPatience = 20;                               ///< iterations …
constexpr double kProgress = 0.9;  ///< … within which the merit must fall by this factor
/// Relative residual of iterative linear solvers: far below what the outer iteration has still to gain.
constexpr double kLinearTolerance = 1e-10;

}  // namespace newton

}  // namespace touchstone
