#pragma once

#include <cmath>

#include "core/math/vec.h"

namespace touchstone {

/// An edge of cloth: c = |x_j − x_i| − L.
struct EdgeStretch {
  double c = 0;  ///< m; positive: stretched
  Vec3 row[2];   ///< ∂c/∂x: −n, n with n = (x_j − x_i) / |x_j − x_i|; 0 where the ends coincide
};
/// @param x  [2] ends i, j [m]   @param length  L at rest [m]
TS_HD inline EdgeStretch edgeStretch(const Vec3 x[2], double length) {
  const Vec3 d = x[1] - x[0];
  const double distance = d.norm();
  EdgeStretch stretch;
  stretch.c = distance - length;
  stretch.row[1] = distance > 0 ? Vec3(d / distance) : Vec3(0, 0, 0);
  stretch.row[0] = -stretch.row[1];
  return stretch;
}

/// A hinge (i, j, k, l): edge i → j, k in the triangle (i, j, k), l in (j, i, l). The angle between both is 0
/// where they are flat, and positive where k and l lie on the side away from the normals N₁, N₂:
///
///     e = x_j − x_i,   N₁ = e × (x_k − x_i),   N₂ = (x_l − x_i) × e
///     θ = atan2((N₁ × N₂) · e / |e|, N₁ · N₂)
struct HingeBend {
  double angle = 0;  ///< θ in [−π, π] [rad]
  Vec3 row[4];       ///< ∂θ/∂x [rad/m]; all 0 where a triangle has no area
};
/// The angle of a hinge and its gradient, with t₁ = (x_k − x_i) · e / |e|² and t₂ alike of l:
///
///     ∂_k = −|e| N₁ / |N₁|²,   ∂_l = −|e| N₂ / |N₂|²
///     ∂_i = −(1 − t₁) ∂_k − (1 − t₂) ∂_l,   ∂_j = −t₁ ∂_k − t₂ ∂_l
///
/// @param x  [4] i, j, k, l [m]
TS_HD inline HingeBend hingeBend(const Vec3 x[4]) {
  const Vec3 e = x[1] - x[0], toK = x[2] - x[0], toL = x[3] - x[0];
  const Vec3 first = e.cross(toK), second = toL.cross(e);  // N₁, N₂
  const double squaredEdge = e.squaredNorm(), edge = std::sqrt(squaredEdge);
  const double squaredFirst = first.squaredNorm(), squaredSecond = second.squaredNorm();
  HingeBend bend;
  if (!(squaredFirst > 0 && squaredSecond > 0)) {
    for (Vec3& row : bend.row) row = Vec3(0, 0, 0);
    return bend;
  }
  bend.angle = std::atan2(first.cross(second).dot(e) / edge, first.dot(second));
  bend.row[2] = -edge / squaredFirst * first;
  bend.row[3] = -edge / squaredSecond * second;
  const double t1 = toK.dot(e) / squaredEdge, t2 = toL.dot(e) / squaredEdge;
  bend.row[0] = -(1 - t1) * bend.row[2] - (1 - t2) * bend.row[3];
  bend.row[1] = -t1 * bend.row[2] - t2 * bend.row[3];
  return bend;
}

/// |e|² / (A₁ + A₂) at rest: times the plate stiffness D [N·m] it is the stiffness k_e of the hinge, whose
/// energy is ½ k_e (θ − θ₀)². On an equilateral net a cylinder of curvature κ then stores ½ D κ² per area. 0
/// where both triangles have no area. @param rest  [4] i, j, k, l [m]
TS_HD inline double hingeShape(const Vec3 rest[4]) {
  const Vec3 e = rest[1] - rest[0];
  const double areas = 0.5 * (e.cross(rest[2] - rest[0]).norm() + e.cross(rest[3] - rest[0]).norm());
  return areas > 0 ? e.squaredNorm() / areas : 0;
}

/// An angle, such as θ − θ₀, wrapped into (−π, π].
TS_HD inline double wrappedAngle(double angle) {
  constexpr double kHalfTurn = 3.14159265358979324;
  return angle - 2 * kHalfTurn * std::ceil((angle - kHalfTurn) / (2 * kHalfTurn));
}

}  // namespace touchstone
