#pragma once

#include "core/world/world_view.h"

namespace touchstone {

/// True if the state of a body is not finite, or if its centre, or its farthest point relative to the centre,
/// is not slower than BodyConstants::speedLimit.
TS_HD inline bool hasDiverged(const WorldView& world, int body) {
  bool finite = true;
  for (int axis = 0; axis < 3; ++axis) {
    const double x = world.position[body][axis], omega = world.angularVelocity[body][axis];
    finite = finite && x - x == 0 && omega - omega == 0;
  }
  for (int axis = 0; axis < 4; ++axis) {
    const double q = world.orientation[body].coeffs()[axis];
    finite = finite && q - q == 0;
  }
  const BodyConstants& constants = world.bodies[body];
  return !finite || !(world.linearVelocity[body].norm() < constants.speedLimit) ||
         !(world.angularVelocity[body].norm() * constants.radius < constants.speedLimit);
}

}  // namespace touchstone
