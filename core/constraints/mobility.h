#pragma once

#include "core/world/world_view.h"

namespace touchstone {

/// Velocity that a body gets of an impulse and a moment at its centre of mass, with all that joints pass on:
///     v = linear p + coupling m,   ω = couplingᵀ p + angular m
struct Mobility {
  Mat3 linear = Mat3::Zero();    ///< 1/kg
  Mat3 coupling = Mat3::Zero();  ///< 1/(kg·m)
  Mat3 angular = Mat3::Zero();   ///< 1/(kg·m²)
  /// Velocity along a direction of a point that gets a unit impulse along it [1/kg].
  /// @param arm  from the centre of mass to the point [m]
  TS_HD double along(const Vec3& arm, const Vec3& direction) const {
    const Vec3 turn = arm.cross(direction);
    return direction.dot(linear * direction) + 2 * direction.dot(coupling * turn) + turn.dot(angular * turn);
  }
};

}  // namespace touchstone
