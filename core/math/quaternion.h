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

}  // namespace touchstone
