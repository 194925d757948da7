#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/solver/rows/row.h"

namespace touchstone {

/// Weighted sum of one or two rows of a unit, as one row of J or F. A facet of a friction pyramid is a sum of
/// both tangents; the slack of a set's member is the difference of two rates.
struct RowSum {
  int unit = -1;                   ///< −1: an empty sum, with the value 0
  int rows[2] = {0, 0};            ///< of the unit
  double weights[2] = {1.0, 0.0};  ///< 1; 0 in the place of a second row that does not exist
};

/// J H⁻¹ Fᵀ of sums of rows. Columns are computed in parallel; each pairs the carriers that two blocks share.
/// @param rates  [rows of the result] sums of rows of J   @param forces  [columns] sums of rows of F
Eigen::MatrixXd denseProduct(const RowsView& rows, const CarrierMetric& metric,
                             const std::vector<RowSum>& rates, const std::vector<RowSum>& forces);

/// J ν of sums of rows [m/s, rad/s]. @param velocities  ν
Eigen::VectorXd denseRates(const RowsView& rows, const std::vector<RowSum>& rates,
                           const CarrierVelocities& velocities);

/// Adds H⁻¹ Fᵀ z of some units to the velocities of their carriers.
/// @param z  [rows of the table] impulses [N·s, N·m·s]
void addImpulses(const RowsView& rows, const CarrierMetric& metric, const std::vector<int>& units,
                 const double* z, const CarrierVelocities& velocities);

}  // namespace touchstone
