#pragma once

#include <cmath>

#include "core/solver/rows/row.h"

namespace touchstone {

/// Adds |M⁻¹ Fᵀ z| of each row of a unit to its carriers: what their velocities are rounded sums of, largest
/// component [m/s, rad/s].
/// @param z  [rowCount] of the unit   @param sums  [carrierCount of the table]
inline void addResponses(const RowsView& rows, const RowUnit& unit, const double* inverseMass,
                         const Mat3* inverseInertia, const double* z, double* sums) {
  const RowBlock& block = rows.blocks[unit.block];
  for (int row = 0; row < unit.rowCount; ++row)
    for (int k = 0; k < block.carrierCount; ++k) {
      const int carrier = rows.carriersOf(block)[k];
      const RowTerm term = forceTermOf(rows, unit, row, k);
      const double linear = inverseMass[carrier] * term.linear.cwiseAbs().maxCoeff(),
                   angular = Vec3(inverseInertia[carrier] * term.angular).cwiseAbs().maxCoeff();
      sums[carrier] += std::fabs(z[row]) * std::fmax(linear, angular);
    }
}

}  // namespace touchstone
