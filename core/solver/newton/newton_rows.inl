#pragma once

#include "core/solver/linear/krylov.inl"
#include "core/solver/newton/newton_forms.h"
#include "core/solver/table/convergence.inl"

namespace touchstone {

/// One number per row each. Impulses and rates are y = √r z and v = w / √r: these units precondition φ by r
/// (Macklin 2019, eq. 66).
struct NewtonVectors : KrylovVectors {
  double *y, *v;            ///< iterate, and its rate
  double *value, *dy, *dv;  ///< φ and its derivatives there, of disks in the turned rows
  double* direction;
  double* added;               ///< the linear system is (A + added) x = right
  double* rates;               ///< of the last product, in turned rows
  double *root, *inverseRoot;  ///< √r, 1/√r
  double *diagonal, *across;   ///< of A in these units; coupling of the two rows of a disk, at its first
  double *turnX, *turnY;       ///< see NewtonRows::turned()
  /// share/√r of the gradients of the linear system; share is ∂φ/∂v in NormalForm::Published, else 1 and this
  /// is inverseRoot
  double* unit;
};

/// Sums over the rows of a unit, a block or an island.
template <int count>
struct RowSums {
  double values[count] = {};
  TS_HD void add(const RowSums& o) {
    for (int k = 0; k < count; ++k) values[k] += o.values[k];
  }
};
using MeritSums = RowSums<newton::kTriedSteps>;
using SystemSums = KrylovSums;

/// Push of the rows of a block on a carrier.
struct CarrierPush {
  Vec3 force, moment;
};

/// The state of an island, with that of its linear system.
struct NewtonIsland : KrylovState {
  double merit;               ///< ½|F|²
  newton::Progress progress;  ///< of the merit
  double softness;            ///< added to the diagonal of A of contacts
  int isSymmetrised;          ///< derivatives are left out of its linear system: friction, or sets
  int isStuck;                ///< without a direction
  double step;                ///< along it
  int linearIterations;       ///< of Newton's direction
  double linearResidual;
};

/// For the record.
struct NewtonIterate {
  double merit, linearResidual;
  int linearIterations;
};

namespace detail {

TS_HD inline bool isFinite(double number) { return number - number == 0; }

/// Arrays that the loops over rows share.
struct NewtonRows {
  RowsView table;
  CarrierMetric metric;
  CarrierVelocities velocities;  // of the last product
  RowVectors vectors;
  const RowPlace* places;
  int* running;
  NewtonVectors u;
  NewtonIsland* islands;
  bool isRewritten = false;   // rows are others at each iterate, with the geometric stiffness in `metric`
  bool isPublished = false;   // NormalForm
  double regularisation = 0;  // ε of rewritten rows: share of A_ii that is added to it

  /// Added to the rates of contacts for each unit of impulse.
  TS_HD double softness(const RowPlace& place) const {
    return table.blocks[place.unit.block].key.kind < kJointBlock ? islands[place.island].softness : 0;
  }
  /// C and softness in these units, of the diagonal.
  TS_HD double compliance(const RowPlace& place, int row) const {
    const double inverse = isRewritten ? u.inverseRoot[row] * u.inverseRoot[row] : vectors.inverse[row];
    return softness(place) + table.rows[row].compliance * inverse;
  }
  /// A row of C x in these units, of rows whose C is packed.
  TS_HD double packedTimes(const RowUnit& unit, int row, const double* x) const {
    const RowBlock& block = table.blocks[unit.block];
    double sum = 0;
    table.eachPacked(block, row - block.firstRow, [&](int other, double compliance) {
      sum += compliance * u.inverseRoot[block.firstRow + other] * x[block.firstRow + other];
    });
    return u.inverseRoot[row] * sum;
  }
  /// Largest |y| of a disk in these units. @param row, normal  its first and its leader   @param y  of that
  TS_HD double limitAt(int row, int normal, double y) const {
    return u.root[row] * diskLimit(table.rows[row], u.inverseRoot[normal] * y);
  }
  TS_HD double limitOf(int row, int normal) const { return limitAt(row, normal, u.y[normal]); }
  /// The other row of a disk of two.
  TS_HD int partnerOf(const RowUnit& unit, int row) const {
    const Row* rows = table.rows + unit.firstRow;
    return isDiskOfTwo(rows, row - unit.firstRow, unit.rowCount) ? row + 1 : row - 1;
  }
  /// Rows of a disk that slips are turned about its normal: of the two first = x · first + y · second and
  /// second = x · second − y · first. No gradient changes, vectors do.
  /// @param row  of the table   @return of a vector in turned rows, its entry in those of the table
  TS_HD double turnedBack(const RowUnit& unit, int row, const double* vector) const {
    const double along = u.turnX[row] * vector[row];
    return u.turnY[row] == 0 ? along : along + u.turnY[row] * vector[partnerOf(unit, row)];
  }
  TS_HD bool hasCoupled(const RowUnit& unit) const {
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row)
      if (isCoupled(row)) return true;
    return false;
  }
  /// J ν of the last product in turned rows, into u.rates; not of units without a row of the linear system.
  TS_HD void setProduct(const RowUnit& unit) const {
    if (!hasCoupled(unit)) return;
    constexpr int kNear = 16;  // rows whose rates stay in registers, or nearly so
    double here[kNear];
    double* const rates = unit.rowCount <= kNear ? here : vectors.rates + unit.firstRow;
    const RowBlock& block = table.blocks[unit.block];
    if (block.form == RowForm::General) {
      const VelocitiesOfBlock moving{velocities, table.carriersOf(block)};
      for (int k = 0; k < unit.rowCount; ++k) {
        const int row = unit.firstRow + k;
        const bool isNeeded = isCoupled(row) || table.rows[row].law >= RowLaw::Disk;
        const RowTerm* const terms = table.termsOf(block, row - block.firstRow);
        rates[k] = isNeeded ? u.unit[row] * rateAlong(terms, block.carrierCount, moving, block.isLinear) : 0;
      }
    } else {
      eachRate(table, unit, velocities,
               [&](int row, double rate) { rates[row] = u.unit[unit.firstRow + row] * rate; });
    }
    for (int k = 0; k < unit.rowCount; ++k) {
      const int row = unit.firstRow + k;
      const double along = u.turnX[row] * rates[k];
      u.rates[row] =
          u.turnY[row] == 0 ? along : along - u.turnY[row] * rates[partnerOf(unit, row) - unit.firstRow];
    }
  }
  /// A row of (A + softness) x, after setProduct().
  TS_HD double times(const RowPlace& place, int row, const double* x) const {
    return u.rates[row] + compliance(place, row) * x[row] + packedTimes(place.unit, row, x);
  }
  /// A row of S x.
  TS_HD double systemTimes(const RowPlace& place, int row, const double* x) const {
    return isCoupled(row) ? times(place, row, x) + u.added[row] * x[row] : 0;
  }
  /// True for the rows whose gradients have a share.
  TS_HD bool isScaled(int row) const { return isPublished && table.rows[row].law == RowLaw::Unilateral; }
  /// Rows without ∂φ/∂v (open contacts) give their unknown at once and are no rows of the linear system.
  TS_HD bool isCoupled(int row) const {
    return !(u.dv[row] <= (isRewritten ? newton::kOpen : newton::kDecoupled) * u.dy[row]) || isScaled(row);
  }
  /// The first row of a disk that slips, whose unknown is its limit.
  TS_HD bool followsLimit(const RowUnit& unit, int row) const {
    const Row& ask = table.rows[row];
    return ask.law == RowLaw::Disk && ask.bound > 0 && u.dv[row] == 0 &&
           (row == unit.firstRow || table.rows[row - 1].leader + 1 != ask.leader ||
            table.rows[row - 1].law != RowLaw::Disk) &&
           u.y[row - ask.leader] > 0;
  }
  /// Derivative of the limit by the normal's unknown.
  TS_HD double slopeOfLimit(int row, int normal) const {
    return u.root[row] * table.rows[row].bound * u.inverseRoot[normal];
  }
  /// The entries of a carrier in a turned row, in these units. @param k  of the block's carriers
  TS_HD RowTerm turnedTerm(const RowUnit& unit, int row, int k) const {
    return turnedOf(unit, row, [&](int index) { return termOf(table, unit, index - unit.firstRow, k); });
  }
  /// The same of the gradient along which its impulse acts.
  TS_HD RowTerm turnedForceTerm(const RowUnit& unit, int row, int k) const {
    return turnedOf(unit, row, [&](int index) { return forceTermOf(table, unit, index - unit.firstRow, k); });
  }
  template <class TermOf>
  TS_HD RowTerm turnedOf(const RowUnit& unit, int row, const TermOf& entries) const {
    RowTerm term = entries(row);
    double share = u.unit[row] * u.turnX[row], ofPartner = 0;
    RowTerm partner = term;
    if (u.turnY[row] != 0) {
      const int index = partnerOf(unit, row);
      partner = entries(index);
      ofPartner = -u.turnY[row] * u.unit[index];
    }
    return {share * term.linear + ofPartner * partner.linear,
            share * term.angular + ofPartner * partner.angular};
  }
  /// The row of a Maximum with the largest rate, its own or a Member's; any other row itself.
  TS_HD int activeOf(const RowUnit& unit, int row) const {
    int active = row;
    for (int member = row + 1;
         table.rows[row].law == RowLaw::Maximum && member < unit.firstRow + unit.rowCount; ++member)
      if (table.rows[member].law == RowLaw::Member && u.v[member] > u.v[active]) active = member;
    return active;
  }
  /// Diagonal of A in turned rows.
  TS_HD double diagonalOf(const RowPlace& place, int row) const {
    const double x = u.turnX[row], y = u.turnY[row];
    if (y == 0) return u.diagonal[row] + softness(place);
    const int partner = partnerOf(place.unit, row);
    const double across = partner > row ? u.across[row] : u.across[partner];
    return x * x * u.diagonal[row] - 2 * x * y * across + y * y * u.diagonal[partner] + softness(place);
  }
};

/// Loops over rows that read the last product.
template <class Act>
constexpr bool kReadsProduct = false;
template <>
constexpr bool kReadsProduct<BeginDirection> = true;
template <>
constexpr bool kReadsProduct<ResidualTimes> = true;
template <>
constexpr bool kReadsProduct<DirectionTimes> = true;
template <>
constexpr bool kReadsProduct<JacobiResidual> = true;

/// Loops that concern the rows of the linear system alone: those of the others stay 0.
template <class Act>
constexpr bool kIsOfCoupled = kReadsProduct<Act>;
template <bool kPcr>
constexpr bool kIsOfCoupled<AdvanceRows<kPcr>> = true;
template <bool kPcr>
constexpr bool kIsOfCoupled<NextDirection<kPcr>> = true;
template <>
constexpr bool kIsOfCoupled<RelaxRows> = true;

// Loops over rows take one unit per index, as far as its island is running: a device has more threads than
// there are blocks.

template <class Act>
struct EachRow {  // one place of units per index
  NewtonRows system;
  Act act;
  SystemSums* sums;  // [units], or null: not wanted
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    if constexpr (kReadsProduct<Act>) system.setProduct(place.unit);
    SystemSums unitSums;
    const RowUnit& unit = place.unit;
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row) {
      if constexpr (kIsOfCoupled<Act>)
        if (!system.isCoupled(row)) continue;
      act(system, place, system.islands[place.island], row, unitSums);
    }
    if (sums) sums[place.number] = unitSums;
  }
};

struct StartUnits {  // one place of units of a running island per index
  NewtonRows system;
  const RowPlace* places;
  TS_HD void operator()(int index) const {
    const RowPlace& place = places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    const Row* rows = system.table.rows + unit.firstRow;
    const NewtonVectors& u = system.u;
    for (int k = 0; k < unit.rowCount; ++k) {
      const int row = unit.firstRow + k;
      const double r = system.vectors.scale[row], inverse = system.vectors.inverse[row];
      u.root[row] = std::sqrt(r);
      u.inverseRoot[row] = 1 / u.root[row];
      u.y[row] = u.root[row] * system.vectors.z[row];
      u.turnX[row] = 1;
      u.turnY[row] = 0;
      u.across[row] = 0;
      u.diagonal[row] = 1;
      if (rows[k].law != RowLaw::Disk) continue;
      u.diagonal[row] = coupling(system.table, unit, system.metric, k, k) * inverse;
      if (isDiskOfTwo(rows, k, unit.rowCount))
        u.across[row] = coupling(system.table, unit, system.metric, k, k + 1) * inverse;
    }
  }
};

// The product A x: impulses of rows push the carriers of their block, and the velocities that these get are
// what NewtonRows::setProduct() reads.

struct PushBlock {  // one block of a running island per index
  NewtonRows system;
  const double* x;
  bool isTurned;        // x is of turned rows
  CarrierPush* pushes;  // [sides]
  const double* share;  // [rows] NewtonVectors::unit, with which x are impulses; null: they are
  TS_HD void operator()(int index) const { push(index, 0, 1); }
  /// Some carriers of its block.
  static constexpr int kParts = 2;
  static constexpr int kMostRows = 16;  ///< of a block whose impulses fit into registers or nearly so
  TS_HD void part(int index, int part) const { push(index, part, kParts); }

 private:
  TS_HD double impulseOf(const RowUnit& unit, int row) const {
    const double entry = isTurned ? system.turnedBack(unit, row, x) : x[row];
    return share ? share[row] * entry : entry;
  }
  TS_HD void push(int index, int first, int every) const {
    const RowBlock& block = system.table.blocks[index];
    if (!system.running[block.island]) return;
    if (block.form == RowForm::General && block.rowCount <= kMostRows) {
      double z[kMostRows];
      for (int place = block.firstUnit; place < block.firstUnit + block.unitCount; ++place) {
        const RowUnit& unit = system.table.units[place];
        for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row)
          z[row - block.firstRow] = impulseOf(unit, row);
      }
      for (int k = first; k < block.carrierCount; k += every) {
        CarrierPush& push = pushes[block.firstCarrier + k];
        pushOfBlock(system.table, block, k, z, push.force, push.moment);
      }
      return;
    }
    for (int k = first; k < block.carrierCount; k += every)
      pushes[block.firstCarrier + k] = {Vec3(0, 0, 0), Vec3(0, 0, 0)};
    for (int place = block.firstUnit; place < block.firstUnit + block.unitCount; ++place) {
      const RowUnit& unit = system.table.units[place];
      const auto impulse = [&](int k) { return impulseOf(unit, unit.firstRow + k); };
      eachPush(system.table, unit, impulse, [&](int k, const Vec3& force, const Vec3& moment) {
        if (k % every != first) return;
        pushes[block.firstCarrier + k].force += force;
        pushes[block.firstCarrier + k].moment += moment;
      });
    }
  }
};

struct MoveCarrier {  // one carrier of a running island per index
  CarrierMetric metric;
  RunningCarriers carriers;
  CarrierIncidence sides;
  const CarrierPush* pushes;
  const Vec3 *startLinear, *startAngular;  // null: the change alone
  CarrierVelocities velocities;
  TS_HD void operator()(int carrier) const {
    if (!carriers.has(carrier)) return;
    Vec3 force(0, 0, 0), moment(0, 0, 0);
    for (int place = sides.first[carrier]; place < sides.first[carrier + 1]; ++place) {
      const CarrierPush& push = pushes[sides.sideAt(place)];
      force += push.force;
      moment += push.moment;
    }
    Vec3 linear = metric.inverseMass[carrier].cwiseProduct(force);
    Vec3 angular = metric.inverseInertia[carrier] * moment;
    if (startLinear) {
      linear += startLinear[carrier];
      angular += startAngular[carrier];
    }
    velocities.linear[carrier] = linear;
    velocities.angular[carrier] = angular;
  }
};

}  // namespace detail

}  // namespace touchstone
