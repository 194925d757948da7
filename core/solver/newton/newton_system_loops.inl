#pragma once

#include "core/solver/newton/newton_loops.inl"

namespace touchstone {

namespace detail {

struct OpenRows {  // direction of the rows that are not coupled
  TS_HD void operator()(const NewtonRows& system, const RowPlace&, const NewtonIsland&, int row,
                        SystemSums&) const {
    system.u.direction[row] = system.isCoupled(row) ? 0 : -system.u.value[row] / system.u.dy[row];
  }
};

/// (D_y + D_v (A + kShift)) Δ = −F on the coupled rows, divided by ∂φ/∂v: symmetric and positive definite.
/// The Newton step with the velocities eliminated (Macklin 2019, eqs. 53, 56, 59 and 60), rows divided.
struct FormSystem {
  TS_HD void operator()(const NewtonRows& system, const RowPlace& place, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = system.u;
    const bool coupled = system.isCoupled(row);
    u.right[row] = coupled ? u.value[row] / u.dv[row] + system.times(place, row, u.direction) : 0;
    u.added[row] = coupled ? u.dy[row] / u.dv[row] + newton::kShift : 0;
    u.inverse[row] = coupled ? 1 / (system.rows[row].diagonal + u.added[row]) : 1;
    sums.values[0] += beginLinear(u, row);
  }
};

/// One place of rows of a running island per index: Σ_j |S_ij| M_i of its rows, through each of its bodies;
/// no less than the row sums of |M S|.
struct BoundRows {
  NewtonRows system;
  WorldView world;
  const RowPair* pairs;
  CarrierIncidence sides;  // of places of pairs
  RowExtremes* extremes;
  TS_HD void operator()(int place) const {
    const RowPlace& rowPlace = system.places[place];
    if (!rowPlace.isIn(system.running)) return;
    RowExtremes largest;
    const int first = rowPlace.row * system.perContact;
    for (int index = first; index < first + system.perContact; ++index) {
      if (!system.isCoupled(index)) continue;
      const NewtonRow& row = system.rows[index];
      const double sum = through(rowPlace.bodyA, row.direction, row.angularA) +
                         through(rowPlace.bodyB, row.direction, row.angularB) + system.u.added[index];
      largest.add({sum * system.u.inverse[index], 0});
    }
    extremes[rowPlace.row] = largest;
  }

 private:
  TS_HD double through(int body, const Vec3& direction, const Vec3& turn) const {
    if (!isDynamic(world, body)) return 0;
    const Vec3 moved = world.inverseMass[body] * direction, turned = world.inverseInertia[body] * turn;
    double sum = 0;
    for (int k = sides.first[body]; k < sides.first[body + 1]; ++k) {
      const RowPair& pair = pairs[sides.pairAt(k)];
      const int end = (pair.first + pair.count) * system.perContact;
      for (int row = pair.first * system.perContact; row < end; ++row) {
        const NewtonRow& other = system.rows[row];
        if (system.isCoupled(row))
          sum += std::fabs(moved.dot(other.direction) +
                           turned.dot(sides.sideAt(k) % 2 == 1 ? other.angularB : other.angularA));
      }
    }
    return sum;
  }
};

struct TakeAnswer {  // Newton's: −x on the coupled rows, the others have theirs
  TS_HD void operator()(const NewtonRows& system, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums&) const {
    keepBetter(system.u, island, row);
    if (system.isCoupled(row)) system.u.direction[row] = -system.u.best[row];
  }
};

// What islands do with the sums over their rows.

struct BeginSystem {
  int takesLast;  // as KrylovState
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.size = std::sqrt(sums[0]);
    island.residual = island.size > 0 ? 1 : 0;
    island.iterations = island.isBetter = 0;
    island.takesLast = takesLast;
    island.tolerance = island.isSymmetrised ? newton::kSymmetrisedLinearTolerance : newton::kLinearTolerance;
    return !island.isSolved();
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
