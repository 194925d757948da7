#pragma once

#include <cmath>

#include "core/world/world_view.h"

namespace touchstone {

/// Geometric means of the friction coefficients of two materials.
struct FrictionPair {
  double staticFriction, dynamicFriction;
};
TS_HD inline FrictionPair frictionOf(const BodyConstants& a, const BodyConstants& b) {
  return {std::sqrt(a.staticFriction * b.staticFriction), std::sqrt(a.dynamicFriction * b.dynamicFriction)};
}

}  // namespace touchstone
