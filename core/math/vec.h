#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "core/math/host_device.h"

namespace touchstone {

// Unaligned on purpose: these live in plain structs and raw arrays that are copied to a device byte by byte.
using Vec3 = Eigen::Matrix<double, 3, 1, Eigen::DontAlign>;
using Mat3 = Eigen::Matrix<double, 3, 3, Eigen::DontAlign>;

/// Two unit vectors that complete the unit vector `normal` to a right-handed orthonormal triad (t1, t2,
/// normal). Deterministic, continuous except on the great circle where the smallest component changes.
TS_HD inline void tangentBasis(const Vec3& normal, Vec3& t1, Vec3& t2) {
  const double ax = normal.x() < 0 ? -normal.x() : normal.x();
  const double ay = normal.y() < 0 ? -normal.y() : normal.y();
  const double az = normal.z() < 0 ? -normal.z() : normal.z();
  const Vec3 axis = ax <= ay && ax <= az ? Vec3(1, 0, 0) : (ay <= az ? Vec3(0, 1, 0) : Vec3(0, 0, 1));
  t1 = axis.cross(normal);
  t1 /= t1.norm();
  t2 = normal.cross(t1);
}

}  // namespace touchstone
