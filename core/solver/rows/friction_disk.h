#pragma once

#include <cmath>

#include "core/math/host_device.h"

namespace touchstone {

/// Smooth Coulomb friction of one contact: rows `first` … `first + count − 1` are its tangents with impulses
/// β and slip velocities w. With r of diskScale() for their block of A,
///
///     β = proj(β − w/r) onto |β| ≤ μ max(0, p)
///
/// which is no slip inside the cone, and slip against β on it (Macklin 2019, eqs. 13 and 16).
struct FrictionDisk {
  int normal = 0;            ///< row of p
  int first = 0, count = 2;  ///< rows of β; one in the plane
  double friction = 0;       ///< μ
};

/// Largest eigenvalue of the symmetric block [a b; b d] of two tangents: with it a projected step along their
/// slip never overshoots. 1 for a block of zeros.
TS_HD inline double diskScale(double a, double b, double d) {
  const double half = 0.5 * (a - d), largest = 0.5 * (a + d) + std::sqrt(half * half + b * b);
  return largest > 0 ? largest : 1;
}

/// Length of (x, y). A root rounds alike on every backend, which hypot() does not, and costs a tenth;
/// impulses are far from where squares underflow.
TS_HD inline double lengthOf(double x, double y) { return std::sqrt(x * x + y * y); }

/// The point of the disk about 0 with radius `limit` (0 if negative) that is nearest to (x, y).
TS_HD inline void projectOnDisk(double limit, double& x, double& y) {
  const double length = lengthOf(x, y);
  if (length <= limit) return;
  const double share = limit > 0 ? limit / length : 0;
  x *= share;
  y *= share;
}

}  // namespace touchstone
