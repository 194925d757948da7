#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "core/math/host_device.h"

namespace touchstone {

// Not aligned, because these types are members of plain structs and raw arrays that are copied bytewise to a
// device.
using Vec3 = Eigen::Matrix<double, 3, 1, Eigen::DontAlign>;
using Mat3 = Eigen::Matrix<double, 3, 3, Eigen::DontAlign>;

/// True if no component is larger than `most` in size; false if one is not a number.
TS_HD inline bool isWithin(const Vec3& p, double most) {
  return p.x() >= -most && p.x() <= most && p.y() >= -most && p.y() <= most && p.z() >= -most &&
         p.z() <= most;
}

/// Two unit vectors that complete the unit vector `normal` to a right-handed orthonormal triad (t1, t2,
/// normal). The result is continuous except where a component passes ±0.55. Normals of bodies that are
/// aligned with the axes or lie on a slope are far from that: their tangents do not jump from step to step.
TS_HD inline void tangentBasis(const Vec3& normal, Vec3& t1, Vec3& t2) {
  // Largest component along the chosen axis. A larger value lets x or y come close to the normal, a smaller
  // one lets z: both lose digits of t1.
  constexpr double kAlong = 0.55;
  const auto isFarFrom = [](double component) { return component < kAlong && component > -kAlong; };
  const Vec3 axis = isFarFrom(normal.x())   ? Vec3(1, 0, 0)
                    : isFarFrom(normal.y()) ? Vec3(0, 1, 0)
                                            : Vec3(0, 0, 1);
  t1 = axis.cross(normal);
  t1 /= t1.norm();
  t2 = normal.cross(t1);
}

/// The tangents of a contact's friction: in the plane one, the normal turned by a quarter about z, and 0.
TS_HD inline void contactTangents(const Vec3& normal, bool planar, Vec3& t1, Vec3& t2) {
  if (planar) {
    t1 = Vec3(-normal.y(), normal.x(), 0);
    t2 = Vec3(0, 0, 0);
  } else {
    tangentBasis(normal, t1, t2);
  }
}

}  // namespace touchstone
