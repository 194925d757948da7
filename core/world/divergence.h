#pragma once

#include "core/world/world_view.h"

namespace touchstone {

/// Far above anything the shipped scenes reach honestly (a 40 m/s impact may rebound at hundreds of m/s when
/// penalty stiffness is too high, and that is a result worth seeing); beyond it only a diverging run goes.
constexpr double kDivergedSpeed = 1e4;  // m/s

/// True if the state of a body is not finite, or it is not slower than kDivergedSpeed.
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
  return !finite || !(world.linearVelocity[body].norm() < kDivergedSpeed);
}

}  // namespace touchstone
