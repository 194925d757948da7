#pragma once

#include "core/math/vec.h"

namespace touchstone {

/// Unit quaternion that turns body-frame vectors into world-frame vectors: x_world = q * x_body.
using Quaternion = Eigen::Quaternion<double, Eigen::DontAlign>;

/// Rotation by b, then by a. Eigen's product sums in another order on hosts with vector instructions; this
/// one gives the same bits on every backend.
TS_HD inline Quaternion product(const Quaternion& a, const Quaternion& b) {
  return Quaternion(a.w() * b.w() - a.x() * b.x() - a.y() * b.y() - a.z() * b.z(),
                    a.w() * b.x() + a.x() * b.w() + a.y() * b.z() - a.z() * b.y(),
                    a.w() * b.y() + a.y() * b.w() + a.z() * b.x() - a.x() * b.z(),
                    a.w() * b.z() + a.z() * b.w() + a.x() * b.y() - a.y() * b.x());
}

/// The shortest rotation that takes e₁ = (1, 0, 0) to a unit vector `axis`. With c = e₁·axis = axis.x:
///
///     q = (1 + c, e₁ × axis) / ‖(1 + c, e₁ × axis)‖    (scalar part first)
///
/// Opposite to e₁ all half turns about axes across e₁ are equally short: where 1 + c < 1e-12, the result is
/// half a turn about e₃, which misses the axis by up to 1.4e-6 rad. A larger bound makes that error larger; a
/// smaller bound divides by a sum that is mostly rounding.
/// @param axis  unit vector   @return unit quaternion
inline Quaternion rotationFromXTo(const Vec3& axis) {
  if (axis.x() < -1 + 1e-12) return {0, 0, 0, 1};
  const Vec3 cross = Vec3(1, 0, 0).cross(axis);
  Quaternion rotation(1 + axis.x(), cross.x(), cross.y(), cross.z());
  rotation.normalize();
  return rotation;
}

}  // namespace touchstone
