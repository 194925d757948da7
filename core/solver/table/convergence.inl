#pragma once

#include "core/parallel/search.h"
#include "core/solver/product/row_product.inl"
#include "core/solver/rows/carrier_incidence.inl"
#include "core/solver/rows/island_reduction.inl"
#include "core/solver/table/convergence.h"
#include "core/world/world_view.h"

namespace touchstone {

/// A unit as loops over units find it: those of an island lie together, block by block.
struct RowPlace {
  RowUnit unit;
  int number;  ///< of the unit in its table
  int island;  ///< −1: past the last unit
  /// @param flags  [islands], of those that are meant
  TS_HD bool isIn(const int* flags) const { return island >= 0 && flags[island]; }
};

/// The carriers of the islands that are running, for loops over carriers.
struct RunningCarriers {
  const int* islandOf;  ///< [carriers] −1: no block moves it
  const int* running;   ///< [islands]
  TS_HD bool has(int carrier) const { return islandOf[carrier] >= 0 && running[islandOf[carrier]]; }
};

/// Impulses z, rates and scales of the rows of a table.
struct RowVectors {
  double* z;                ///< [rows] N·s, N·m·s
  double *scale, *inverse;  ///< [rows] r and 1/r, see setScales()
  double* rates;            ///< [rows] w = constant + J ν + C z
};

namespace detail {

struct MoreRows {
  TS_HD IslandRows operator()(const IslandRows& a, const IslandRows& b) const {
    if (a.rows != b.rows) return a.rows > b.rows ? a : b;
    return a.island < b.island ? a : b;
  }
};

/// The replica of a block's carriers.
TS_HD inline int replicaOf(const RowBlock& block, const int* carriers, const BodyConstants* bodies,
                           const int* carrierBody) {
  const int carrier = carriers[block.firstCarrier];
  return bodies[carrierBody ? carrierBody[carrier] : carrier].replica;
}

struct StartIsland {  // one island per index, if it is running
  const RowExtremes* largest;
  FirstPlaces firstPlaces;
  RowsView table;
  WorldView world;
  const SolverLimits* limits;  // [replicaCount]
  const int* running;
  IslandCurve* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    IslandCurve island{};
    island.limits = limits[replicaOf(table.blocks[firstPlaces.of(index)], table.carriers, world.bodies,
                                     world.carrierBody)];
    island.largestScale = largest[index].natural;
    island.denominator = island.limits.velocityUnit / island.largestScale + largest[index].scaled;
    islands[index] = island;
  }
};

/// One place of blocks of a running island per index, after its rows are written: their scales, and what
/// residuals are relative to. The rate of a Member counts by how much it is below its Maximum's.
struct ScaleRows {
  RowsView table;
  CarrierMetric metric;
  CarrierVelocities free;  // without the rows' impulses
  const int* running;
  RowVectors vectors;
  RowExtremes* extremes;  // of each block: max |b_i| / √r_i, max √r_i
  TS_HD void operator()(int index) const {
    const RowBlock& block = table.blocks[index];
    if (running[block.island]) extremes[index] = of(block);
  }
  /// Scales the rows of a block. @return max |b_i| / √r_i and max √r_i
  TS_HD RowExtremes of(const RowBlock& block) const {
    RowExtremes largest;
    for (int place = block.firstUnit; place < block.firstUnit + block.unitCount; ++place) {
      const RowUnit& unit = table.units[place];
      setScales(table, unit, metric, vectors.scale + unit.firstRow, vectors.inverse + unit.firstRow);
      const Row* rows = table.rows + unit.firstRow;
      double ofMaximum = 0;
      eachRate(table, unit, free, [&](int row, double rate) {
        const Row& ask = rows[row];
        if (ask.law == RowLaw::Fixed || (ask.flags & kTransient)) return;
        if (ask.law == RowLaw::Disk && !(ask.bound > 0)) return;
        double offset = ask.constant + rate;
        if (ask.law == RowLaw::Maximum) ofMaximum = offset;
        if (ask.law == RowLaw::Member) offset = ofMaximum - offset;
        const double scale = std::sqrt(vectors.scale[unit.firstRow + row]);
        RowExtremes::keep(std::fabs(offset / scale), largest.scaled);
        RowExtremes::keep(scale, largest.natural);
      });
    }
    return largest;
  }
};

/// One island per index: after the start and after each iteration. Keeps the best iterate, and stops.
struct JudgeIsland {
  const RowExtremes* largest;
  const IslandRows* reported;  // [1]
  IslandCurve* islands;
  int* running;
  RowExtremes* history;  // [maxIterations + 1] of the reported island
  TS_HD void operator()(int index) const {
    IslandCurve& island = islands[index];
    island.isImproved = 0;
    if (island.isDone) return;
    RowExtremes extremes = largest[index];
    extremes.scaled /= island.denominator;
    if (island.measured == 0 || extremes.scaled < island.best.scaled) {
      island.best = extremes;
      island.isImproved = 1;
    }
    if (index == reported->island) history[island.measured] = extremes;
    ++island.measured;
    if (!(island.best.scaled > island.limits.tolerance) || island.measured > island.limits.maxIterations)
      island.isDone = 1;
    running[index] = island.isDone ? 0 : 1;
  }
};

struct FindPoor {  // one island per index: it is not solved, and fails by more than the limit
  const IslandCurve* islands;
  double limit;
  int* poor;
  TS_HD void operator()(int index) const {
    poor[index] = !islands[index].isSolved() && !(islands[index].best.scaled <= limit) ? 1 : 0;
  }
};

struct TakeResiduals {  // one island per index, if it is running: of its answer, whichever it is
  const RowExtremes* largest;
  const int* running;
  IslandCurve* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    islands[index].best = {largest[index].scaled / islands[index].denominator, largest[index].natural};
  }
};

/// Calls use(failure in m/s, failure / √r) for each law of a unit: the one residual of every solver.
/// @param w  [rowCount] constant + J ν + C z
template <class Use>
TS_HD void eachResidual(const RowsView& table, const RowUnit& unit, const RowVectors& vectors,
                        const double* w, const Use& use) {
  const Row* rows = table.rows + unit.firstRow;
  const double* inverse = vectors.inverse + unit.firstRow;
  eachFailure(rows, unit.rowCount, vectors.z + unit.firstRow, w, vectors.scale + unit.firstRow, inverse,
              [&](int row, double failure) {
                use(failure * static_cast<double>(rows[row].length), failure * std::sqrt(inverse[row]));
              });
}

struct KeepImpulses {  // one place of units per index, where its island has improved
  const RowPlace* places;
  const IslandCurve* islands;
  const double* z;
  double* best;
  TS_HD void operator()(int index) const {
    const RowPlace& place = places[index];
    if (place.island < 0 || !islands[place.island].isImproved) return;
    for (int row = place.unit.firstRow; row < place.unit.firstRow + place.unit.rowCount; ++row)
      best[row] = z[row];
  }
};

struct KeepVelocities {  // one carrier per index, where its island has improved
  CarrierVelocities from;
  const int* islandOfCarrier;
  const IslandCurve* islands;
  CarrierVelocities best;
  TS_HD void operator()(int carrier) const {
    const int island = islandOfCarrier[carrier];
    if (island < 0 || !islands[island].isImproved) return;
    best.linear[carrier] = from.linear[carrier];
    best.angular[carrier] = from.angular[carrier];
  }
};

template <class Figures>
struct ReduceUnits {  // one block of a running island per index: the figures of its units
  const RowBlock* blocks;
  const int* running;
  const Figures* units;
  Figures* out;
  TS_HD void operator()(int index) const {
    const RowBlock& block = blocks[index];
    if (!running[block.island]) return;
    Figures figures;
    for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit)
      figures.add(units[unit]);
    out[index] = figures;
  }
};

struct FreezeIsland {  // one island per index: unless it is running it counts as solved, and keeps what it
                       // has
  const int* running;
  IslandCurve* islands;
  TS_HD void operator()(int index) const {
    if (running[index]) return;
    islands[index] = IslandCurve{};
    islands[index].isDone = 1;
  }
};

struct UseVelocities {  // one carrier per index: those that were kept, in the islands that are running
  CarrierVelocities to;
  RunningCarriers carriers;
  const Vec3 *linear, *angular;
  TS_HD void operator()(int carrier) const {
    if (!carriers.has(carrier)) return;
    to.linear[carrier] = linear[carrier];
    to.angular[carrier] = angular[carrier];
  }
};

struct FindChange {  // one block per index: of the velocities (v, ω) of its carriers since they were kept
  RowsView table;
  CarrierVelocities now;
  const Vec3 *linear, *angular;  // [carrierCount] kept
  RowExtremes* figures;          // out: largest change, largest velocity
  TS_HD void operator()(int index) const {
    const RowBlock& block = table.blocks[index];
    RowExtremes largest;
    for (int k = 0; k < block.carrierCount; ++k) {
      const int carrier = table.carriersOf(block)[k];
      const Vec3 v = now.linear[carrier], w = now.angular[carrier];
      const Vec3 dv = v - linear[carrier], dw = w - angular[carrier];
      largest.add(
          {std::sqrt(dv.squaredNorm() + dw.squaredNorm()), std::sqrt(v.squaredNorm() + w.squaredNorm())});
    }
    figures[index] = largest;
  }
};

struct FindMoving {  // one island per index: its velocities have changed by more than a share of the largest
  const RowExtremes* largest;
  double velocityUnit;  // m/s
  double share;
  int* running;
  TS_HD void operator()(int index) const {
    const double converged = share * (velocityUnit + largest[index].natural);
    running[index] = largest[index].scaled < converged ? 0 : 1;
  }
};

}  // namespace detail

}  // namespace touchstone
