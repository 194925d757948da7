#pragma once

#include <vector>

#include "core/math/quaternion.h"
#include "core/math/vec.h"

namespace touchstone {

/// Positions and orientations of all bodies.
struct Pose {
  std::vector<Vec3> position;           ///< [carrierCount] of bodies alone where nothing deforms [m]
  std::vector<Quaternion> orientation;  ///< [bodyCount]
};

}  // namespace touchstone
