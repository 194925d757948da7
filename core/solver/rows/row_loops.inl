#pragma once

#include "core/parallel/search.h"
#include "core/solver/rows/island_reduction.inl"
#include "core/solver/rows/row.h"

namespace touchstone {

namespace detail {

/// The rows of blocks, in the order of their keys.
struct RowsOfBlocks {
  const RowBlock* blocks;
  int count;
  /// @return null: the block is not among them
  TS_HD const RowBlock* find(const BlockKey& key) const {
    const int index = firstNotBefore(count, [&](int entry) { return blocks[entry].key < key; });
    return index < count && !(key < blocks[index].key) ? blocks + index : nullptr;
  }
};

struct WriteRowPair {  // one place of the sweeps per index
  const RowBlock* blocks;
  RowsOfBlocks before;
  const GroupedItem* order;
  const int* island;
  RowPair* out;
  IslandRows* rows;
  TS_HD void operator()(int place) const {
    const RowBlock& block = blocks[order[place].item];
    const RowBlock* last = before.find(block.key);
    out[place] = {
        block.bodyA,  block.bodyB, block.first, block.count, last ? last->first : 0, last ? last->count : 0,
        island[place]};
    rows[place] = {block.count, island[place]};
  }
};

struct MoreRows {
  TS_HD IslandRows operator()(const IslandRows& a, const IslandRows& b) const {
    if (a.rows != b.rows) return a.rows > b.rows ? a : b;
    return a.island < b.island ? a : b;
  }
};

struct StartIsland {  // one island per index, if it is running
  const RowExtremes* largest;
  FirstPlaces firstPlaces;
  const RowPair* pairs;
  const BodyConstants* bodies;
  const SolverLimits* limits;  // [replicaCount]
  const int* running;
  IslandCurve* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    IslandCurve island{};
    island.limits = limits[bodies[pairs[firstPlaces.of(index)].bodyA].replica];
    island.largestScale = largest[index].natural;
    island.denominator = island.limits.velocityUnit / island.largestScale + largest[index].scaled;
    islands[index] = island;
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

struct KeepImpulses {  // one place of rows per index, where its island has improved
  const RowPlace* places;
  const IslandCurve* islands;
  const Vec3* z;
  Vec3* best;
  TS_HD void operator()(int index) const {
    const RowPlace& rowPlace = places[index];
    if (rowPlace.island >= 0 && islands[rowPlace.island].isImproved) best[rowPlace.row] = z[rowPlace.row];
  }
};

template <class Figures>
struct ReduceRows {  // one pair of a running island per index: the figures of its rows
  const RowPair* pairs;
  const int* running;
  const Figures* rows;
  Figures* out;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island]) return;
    Figures figures;
    for (int row = pair.first; row < pair.first + pair.count; ++row) figures.add(rows[row]);
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

struct UseVelocities {  // one body per index: those that were kept, in the islands that are running
  WorldView world;
  const int* islandOfBody;
  const int* running;  // [islandCount], or null: in all
  const Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    const int island = islandOfBody[body];
    if (island < 0 || (running && !running[island])) return;
    world.nextLinearVelocity[body] = linear[body];
    world.nextAngularVelocity[body] = angular[body];
  }
};

struct FindChange {  // one pair per index: of the velocities (v, ω) of its bodies since they were kept
  WorldView world;
  const RowPair* pairs;
  const Vec3 *linear, *angular;  // [bodyCount] kept
  RowExtremes* figures;          // out: largest change, largest velocity
  TS_HD void operator()(int index) const {
    RowExtremes largest;
    addBody(pairs[index].bodyA, largest);
    addBody(pairs[index].bodyB, largest);
    figures[index] = largest;
  }
  TS_HD void addBody(int body, RowExtremes& largest) const {
    const Vec3 v = world.nextLinearVelocity[body], w = world.nextAngularVelocity[body];
    const Vec3 dv = v - linear[body], dw = w - angular[body];
    largest.add(
        {std::sqrt(dv.squaredNorm() + dw.squaredNorm()), std::sqrt(v.squaredNorm() + w.squaredNorm())});
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
