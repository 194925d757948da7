#pragma once

#include "core/world/world_view.h"

namespace touchstone {

/// True if the state of a carrier is not finite, or if its centre, or its farthest point relative to the
/// centre, is not slower than BodyConstants::speedLimit.
TS_HD inline bool hasDiverged(const WorldView& world, int carrier) {
  bool finite = true;
  for (int axis = 0; axis < 3; ++axis) {
    const double x = world.position[carrier][axis], omega = world.angularVelocity[carrier][axis];
    finite = finite && x - x == 0 && omega - omega == 0;
  }
  const int body = world.carrierBody[carrier];
  const BodyConstants& constants = world.bodies[body];
  if (!finite || !(world.linearVelocity[carrier].norm() < constants.speedLimit)) return true;
  if (carrier != body) return false;
  for (int axis = 0; axis < 4; ++axis) {
    const double q = world.orientation[body].coeffs()[axis];
    finite = finite && q - q == 0;
  }
  return !finite || !(world.angularVelocity[body].norm() * constants.radius < constants.speedLimit);
}

}  // namespace touchstone
