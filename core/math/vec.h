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
/// normal). Continuous but where a component passes ±0.55, which the normals of bodies that stand along the
/// axes or on a slope are far from: their tangents stay as they are from step to step.
TS_HD inline void tangentBasis(const Vec3& normal, Vec3& t1, Vec3& t2) {
  constexpr double kAlong = 0.55;
  const auto isFarFrom = [](double component) { return component < kAlong && component > -kAlong; };
  const Vec3 axis = isFarFrom(normal.x())   ? Vec3(1, 0, 0)
                    : isFarFrom(normal.y()) ? Vec3(0, 1, 0)
                                            : Vec3(0, 0, 1);
  t1 = axis.cross(normal);
  t1 /= t1.norm();
  t2 = normal.cross(t1);
}

}  // namespace touchstone
