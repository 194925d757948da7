#pragma once

#include <cmath>

#include "core/constraints/moving_carriers.h"
#include "core/solver/rows/row.h"

namespace touchstone {

/// Writes the gradients of the corners of an element to the terms of a row. @param gradient  [4]
inline void setCornerTerms(const int (&carriers)[4], const Vec3* gradient, const MovingCarriers& moving,
                           RowTerm* terms) {
  for (int corner = 0; corner < 4; ++corner) {
    const int place = moving.placeOf(carriers[corner]);
    if (place >= 0) terms[place].linear += gradient[corner];
  }
}

/// Largest |∂c/∂x| of the corners of an element: how far c reaches for each metre. @param gradient  [4]
inline double largestGradient(const Vec3* gradient) {
  double largest = 0;
  for (int corner = 0; corner < 4; ++corner) largest = std::fmax(largest, gradient[corner].norm());
  return largest;
}

}  // namespace touchstone
