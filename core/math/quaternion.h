#pragma once

#include "core/math/vec.h"

namespace touchstone {

/// Unit quaternion that turns body-frame vectors into world-frame vectors: x_world = q * x_body.
using Quaternion = Eigen::Quaternion<double, Eigen::DontAlign>;

/// Orientation after one step with constant world-frame angular velocity (Williams 2017, eq. 10):
///
///     q⁺ = normalise( q + ½ dt (0, ω) ⊗ q )
///
/// Turns by 2 atan(dt |ω| / 2) instead of dt |ω|: second order in the angle, and never beyond half a turn.
/// Every method uses this one formula, so that a difference between methods is not one of rotation.
/// @param omega  [rad/s], world frame   @param dt  [s]
TS_HD inline Quaternion rotated(const Quaternion& q, const Vec3& omega, double dt) {
  const double x = 0.5 * dt * omega.x(), y = 0.5 * dt * omega.y(), z = 0.5 * dt * omega.z();
  Quaternion r(q.w() - x * q.x() - y * q.y() - z * q.z(), q.x() + x * q.w() + y * q.z() - z * q.y(),
               q.y() + y * q.w() + z * q.x() - x * q.z(), q.z() + z * q.w() + x * q.y() - y * q.x());
  r.normalize();
  return r;
}

}  // namespace touchstone
