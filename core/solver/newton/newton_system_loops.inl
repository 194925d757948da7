#pragma once

#include "core/solver/newton/newton_loops.inl"

namespace touchstone {

namespace detail {

/// One place of units of a running island per index: direction of the rows that are not coupled, in turned
/// rows.
/// @param hasLimits  the limit of a disk that slips follows its normal, Δ_along = −F_along + μ Δ_n, where Δ_n
/// is known
struct OpenUnits {
  NewtonRows system;
  bool hasLimits;
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    const Row* rows = system.table.rows + unit.firstRow;
    const NewtonVectors& u = system.u;
    for (int k = 0; k < unit.rowCount; ++k) {
      const int row = unit.firstRow + k;
      if (rows[k].law == RowLaw::Member) {
        u.dy[row] = 1;
        u.dv[row] = u.value[row] = 0;
      }
      u.direction[row] = system.isCoupled(row) ? 0 : -u.value[row] / u.dy[row];
    }
    for (int k = 0; hasLimits && k < unit.rowCount; ++k) {
      const int row = unit.firstRow + k, normal = row - rows[k].leader;
      if (system.followsLimit(unit, row) && !system.isCoupled(normal))
        u.direction[row] += system.slopeOfLimit(row, normal) * u.direction[normal];
    }
  }
};

/// (D_y + D_v (A + kShift)) Δ = −F on the coupled rows, divided by ∂φ/∂v: symmetric and positive definite.
/// The Newton step with the velocities eliminated (Macklin 2019, eqs. 53, 56, 59 and 60), rows divided.
struct FormSystem {
  bool isExact;  // a Maximum has the derivative of the largest of its rates
  TS_HD void operator()(const NewtonRows& system, const RowPlace& place, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = system.u;
    const bool coupled = system.isCoupled(row);
    const int active = isExact ? system.activeOf(place.unit, row) : row;
    u.right[row] = coupled ? u.value[row] / u.dv[row] + u.rates[active] +
                                 system.compliance(place, row) * u.direction[row]
                           : 0;
    u.added[row] = coupled ? u.dy[row] / u.dv[row] + newton::kShift : 0;
    u.inverse[row] = coupled ? 1 / (system.diagonalOf(place, row) + u.added[row]) : 1;
    sums.values[0] += beginLinear(u, row);
  }
};
template <>
constexpr bool kReadsProduct<FormSystem> = true;

/// One place of units of a running island per index: Σ_j |S_ij| M_i of its rows, through each of its
/// carriers; no less than the row sums of |M S|.
struct BoundUnits {
  NewtonRows system;
  CarrierIncidence sides;
  RowExtremes* extremes;
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    const RowBlock& block = system.table.blocks[unit.block];
    RowExtremes largest;
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row) {
      if (!system.isCoupled(row)) continue;
      double sum = system.u.added[row] + system.compliance(place, row);
      for (int k = 0; k < block.carrierCount; ++k)
        sum += through(system.table.carriersOf(block)[k], system.turnedTerm(unit, row, k));
      largest.add({sum * system.u.inverse[row], 0});
    }
    extremes[place.number] = largest;
  }

 private:
  TS_HD double through(int carrier, const RowTerm& term) const {
    const Vec3 moved = system.metric.inverseMass[carrier].cwiseProduct(term.linear),
               turned = system.metric.inverseInertia[carrier] * term.angular;
    double sum = 0;
    for (int side = sides.first[carrier]; side < sides.first[carrier + 1]; ++side) {
      const RowBlock& block = system.table.blocks[sides.blockAt(side)];
      const int k = sides.sideAt(side) - block.firstCarrier;
      for (int other = block.firstUnit; other < block.firstUnit + block.unitCount; ++other) {
        const RowUnit& unit = system.table.units[other];
        for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row) {
          if (!system.isCoupled(row)) continue;
          const RowTerm rate = system.turnedTerm(unit, row, k);
          sum += std::fabs(moved.dot(rate.linear) + turned.dot(rate.angular));
        }
      }
    }
    return sum;
  }
};

/// One place of units of a running island per index: Newton's direction, −x on the coupled rows, the others
/// have theirs; no longer in turned rows.
struct TakeAnswer {
  NewtonRows system;
  bool hasLimits;  // as OpenUnits
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    const Row* rows = system.table.rows + unit.firstRow;
    const NewtonVectors& u = system.u;
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row) {
      keepBetter(u, system.islands[place.island], row);
      if (system.isCoupled(row)) u.direction[row] = -u.best[row];
    }
    for (int k = 0; hasLimits && k < unit.rowCount; ++k) {
      const int row = unit.firstRow + k, normal = row - rows[k].leader;
      if (system.followsLimit(unit, row) && system.isCoupled(normal))
        u.direction[row] += system.slopeOfLimit(row, normal) * u.direction[normal];
    }
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row)
      u.x[row] = system.turnedBack(unit, row, u.direction);
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row) u.direction[row] = u.x[row];
  }
};

// What islands do with the sums over their rows.

struct BeginSystem {
  int takesLast;  // as KrylovState
  bool isExact;   // a direct solver answers whatever is asked
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.size = std::sqrt(sums[0]);
    island.residual = island.size > 0 ? 1 : 0;
    island.iterations = island.isBetter = 0;
    island.takesLast = takesLast;
    island.tolerance = island.isSymmetrised ? newton::kSymmetrisedLinearTolerance : newton::kLinearTolerance;
    return isExact ? island.size > 0 : !island.isSolved();
  }
};

struct TakeDamping {  // one island per index, if it is running
  const RowExtremes* bounds;
  const int* running;
  NewtonIsland* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    const double norm = bounds[index].scaled;
    islands[index].damping = norm > 0 ? 1 / norm : 1;
  }
};

}  // namespace detail

}  // namespace touchstone
