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
    const bool isScaled = system.isScaled(row);
    const double divisor = isScaled ? 1 : u.dv[row], share = isScaled ? u.dv[row] : 1;
    u.right[row] =
        coupled ? u.value[row] / divisor + u.rates[active] + system.compliance(place, row) * u.direction[row]
                : 0;
    const double diagonal = share * share * system.diagonalOf(place, row), ofImpulse = u.dy[row] / divisor;
    const double shift = system.isRewritten ? system.regularisation * (diagonal + ofImpulse) : newton::kShift;
    u.added[row] = coupled ? ofImpulse + shift : 0;
    u.inverse[row] = coupled ? 1 / (diagonal + u.added[row]) : 1;
    sums.values[0] += beginLinear(u, row);
  }
};
template <>
constexpr bool kReadsProduct<FormSystem> = true;
template <>
constexpr bool kIsOfCoupled<FormSystem> = false;

// λ_max(M S) by power iterations, for Jacobi's sweeps: undamped, these diverge on redundant contacts. The
// vector is p, its length KrylovState::next.

struct BeginPower {
  TS_HD void operator()(const NewtonRows& system, const RowPlace& place, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = system.u;
    u.z[row] = system.isCoupled(row) ? 1 + 0.1 * (row - place.unit.firstRow) : 0;  // any but an eigenvector
    sums.values[0] += u.z[row] * u.z[row];
  }
};

struct DividePower {
  TS_HD void operator()(const NewtonRows& system, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums&) const {
    system.u.p[row] = island.next > 0 ? system.u.z[row] / island.next : 0;
  }
};

struct TimesPower {  // after the product of A and p
  TS_HD void operator()(const NewtonRows& system, const RowPlace& place, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = system.u;
    u.z[row] = u.inverse[row] * system.systemTimes(place, row, u.p);
    sums.values[0] += u.z[row] * u.z[row];
  }
};
template <>
constexpr bool kReadsProduct<TimesPower> = true;

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
  int takesLast;           // as KrylovState
  bool isExact;            // a direct solver answers whatever is asked
  double linearTolerance;  // 0: as far as the step needs
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.size = std::sqrt(sums[0]);
    island.residual = island.size > 0 ? 1 : 0;
    island.iterations = island.isBetter = 0;
    island.takesLast = takesLast;
    island.tolerance = island.isSymmetrised ? newton::kSymmetrisedLinearTolerance : newton::kLinearTolerance;
    if (linearTolerance > 0) island.tolerance = linearTolerance;
    return isExact ? island.size > 0 : !island.isSolved();
  }
};

struct MeasurePower {
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.next = std::sqrt(sums[0]);
    island.damping = island.next > 0 ? 1 / island.next : 1;
    return true;
  }
};

}  // namespace detail

}  // namespace touchstone
