#pragma once

#include "core/math/vec.h"

namespace touchstone {

/// An edge of cloth: c = |x_j − x_i| − L.
struct EdgeStretch {
  double c = 0;  ///< m
  Vec3 row[2];   ///< ∂c/∂x: −n, n; 0 where the ends coincide
};
TS_HD EdgeStretch edgeStretch(const Vec3 x[2], double length);

/// A hinge (i, j, k, l): edge i → j, k in the triangle (i, j, k), l in (j, i, l). The angle between both is 0
/// where they are flat: θ = atan2((N₁ × N₂) · e / |e|, N₁ · N₂).
struct HingeBend {
  double angle = 0;  ///< θ in (−π, π] [rad]
  Vec3 row[4];       ///< ∂θ/∂x [rad/m]
};
TS_HD HingeBend hingeBend(const Vec3 x[4]);
/// |e|² / (A₁ + A₂) at rest: times the plate stiffness D [N·m] it is the stiffness of the hinge.
TS_HD double hingeShape(const Vec3 rest[4]);
/// θ − θ₀, wrapped into (−π, π].
TS_HD double wrappedAngle(double angle);

}  // namespace touchstone
