#pragma once

#include "core/solver/newton/newton_loops.inl"

namespace touchstone {

namespace detail {

struct OpenRows {  // direction of the rows that are not coupled
  TS_HD void operator()(const NewtonRows& all, const RowPlace&, const NewtonIsland&, int row,
                        SystemSums&) const {
    all.u.direction[row] = all.isCoupled(row) ? 0 : -all.u.value[row] / all.u.dy[row];
  }
};

/// x = 0: r = right, z = M r, p = z. @return |r|² of the row
TS_HD inline double beginLinear(const NewtonVectors& u, int row) {
  u.x[row] = u.best[row] = 0;
  u.r[row] = u.right[row];
  u.z[row] = u.p[row] = u.inverse[row] * u.right[row];
  return u.right[row] * u.right[row];
}

/// (D_y + D_v (A + kShift)) Δ = −F on the coupled rows, divided by ∂φ/∂v: symmetric and positive definite.
/// The Newton step with the velocities eliminated (Macklin 2019, eqs. 53, 56, 59 and 60), rows divided.
struct FormSystem {
  TS_HD void operator()(const NewtonRows& all, const RowPlace& at, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = all.u;
    const bool coupled = all.isCoupled(row);
    u.right[row] = coupled ? u.value[row] / u.dv[row] + all.times(at, row, u.direction) : 0;
    u.added[row] = coupled ? u.dy[row] / u.dv[row] + newton::kShift : 0;
    u.inverse[row] = coupled ? 1 / (all.rows[row].diagonal + u.added[row]) : 1;
    sums.values[0] += beginLinear(u, row);
  }
};

/// A row of S x, after the product of A and x.
TS_HD inline double systemTimes(const NewtonRows& all, const RowPlace& at, int row, const double* x) {
  return all.isCoupled(row) ? all.times(at, row, x) + all.u.added[row] * x[row] : 0;
}

/// Of a row: of z·Sz (pcr) or r·z (pcg), and of Sp·M Sp or p·Sp.
TS_HD inline double productOf(const NewtonVectors& u, int row, bool pcr) {
  return u.z[row] * (pcr ? u.Sz[row] : u.r[row]);
}
TS_HD inline double curvatureOf(const NewtonVectors& u, int row, bool pcr) {
  return u.Sp[row] * (pcr ? u.inverse[row] * u.Sp[row] : u.p[row]);
}

struct BeginDirection {  // after the product of A and p: Sp, of pcr Sz as well; product and curvature
  bool pcr;
  TS_HD void operator()(const NewtonRows& all, const RowPlace& at, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = all.u;
    u.Sp[row] = systemTimes(all, at, row, u.p);
    if (pcr) u.Sz[row] = u.Sp[row];
    sums.values[0] += productOf(u, row, pcr);
    sums.values[1] += curvatureOf(u, row, pcr);
  }
};

/// The iterate before its next step, if it is the best so far.
TS_HD inline void keepBetter(const NewtonVectors& u, const NewtonIsland& island, int row) {
  if (island.isBetter) u.best[row] = u.x[row];
}

TS_HD inline void addResidual(const NewtonVectors& u, int row, bool pcr, SystemSums& sums) {
  sums.values[0] += u.r[row] * u.r[row];
  sums.values[1] += productOf(u, row, pcr);
}

// Which method it is, is part of the type of the next and of TurnDirection: as a member it made a branch that
// the optimiser of CUDA 12.4 did not come back from, in the kernel that takes an island through all
// iterations.

template <bool kPcr>
struct AdvanceRows {  // x += α p, r −= α Sp, z = M r; of pcg |r|² and the product
  TS_HD void operator()(const NewtonRows& all, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = all.u;
    const double step = island.product / island.curvature;
    keepBetter(u, island, row);
    u.x[row] += step * u.p[row];
    u.r[row] -= step * u.Sp[row];
    u.z[row] = u.inverse[row] * u.r[row];
    if constexpr (!kPcr) addResidual(u, row, false, sums);
  }
};

struct ResidualTimes {  // of pcr, after the product of A and z: Sz, |r|² and the product
  TS_HD void operator()(const NewtonRows& all, const RowPlace& at, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    all.u.Sz[row] = systemTimes(all, at, row, all.u.z);
    addResidual(all.u, row, true, sums);
  }
};

template <bool kPcr>
struct TurnDirection {  // p = z + β p; of pcr Sp = Sz + β Sp and the curvature
  TS_HD void operator()(const NewtonRows& all, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = all.u;
    const double beta = island.next / island.product;
    u.p[row] = u.z[row] + beta * u.p[row];
    if constexpr (kPcr) {
      u.Sp[row] = u.Sz[row] + beta * u.Sp[row];
      sums.values[0] += curvatureOf(u, row, true);
    }
  }
};

struct DirectionTimes {  // of pcg, after the product of A and p: Sp and the curvature
  TS_HD void operator()(const NewtonRows& all, const RowPlace& at, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    all.u.Sp[row] = systemTimes(all, at, row, all.u.p);
    sums.values[0] += curvatureOf(all.u, row, false);
  }
};

struct JacobiResidual {  // after the product of A and x: r = right − S x; |r|²
  TS_HD void operator()(const NewtonRows& all, const RowPlace& at, const NewtonIsland&, int row,
                        SystemSums& sums) const {
    const NewtonVectors& u = all.u;
    u.r[row] = u.right[row] - systemTimes(all, at, row, u.x);
    sums.values[0] += u.r[row] * u.r[row];
  }
};

struct RelaxRows {  // x += ω M r
  TS_HD void operator()(const NewtonRows& all, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums&) const {
    keepBetter(all.u, island, row);
    all.u.x[row] += island.damping * all.u.inverse[row] * all.u.r[row];
  }
};

/// One place of rows of a running island per index: Σ_j |S_ij| M_i of its rows, through each of its bodies;
/// no less than the row sums of |M S|.
struct BoundRows {
  NewtonRows all;
  WorldView world;
  const RowPair* pairs;
  CarrierIncidence sides;  // of places of pairs
  RowExtremes* extremes;
  TS_HD void operator()(int place) const {
    const RowPlace& at = all.places[place];
    if (!at.isIn(all.running)) return;
    RowExtremes largest;
    const int first = at.row * all.perContact;
    for (int index = first; index < first + all.perContact; ++index) {
      if (!all.isCoupled(index)) continue;
      const NewtonRow& row = all.rows[index];
      const double sum = through(at.bodyA, row.direction, row.angularA) +
                         through(at.bodyB, row.direction, row.angularB) + all.u.added[index];
      largest.add({sum * all.u.inverse[index], 0});
    }
    extremes[at.row] = largest;
  }

 private:
  TS_HD double through(int body, const Vec3& direction, const Vec3& turn) const {
    if (!isDynamic(world, body)) return 0;
    const Vec3 moved = world.inverseMass[body] * direction, turned = world.inverseInertia[body] * turn;
    double sum = 0;
    for (int k = sides.first[body]; k < sides.first[body + 1]; ++k) {
      const RowPair& pair = pairs[sides.pairAt(k)];
      const int end = (pair.first + pair.count) * all.perContact;
      for (int row = pair.first * all.perContact; row < end; ++row) {
        const NewtonRow& other = all.rows[row];
        if (all.isCoupled(row))
          sum += std::fabs(moved.dot(other.direction) +
                           turned.dot(sides.sideAt(k) % 2 == 1 ? other.angularB : other.angularA));
      }
    }
    return sum;
  }
};

struct TakeAnswer {  // Newton's: −x on the coupled rows, the others have theirs
  TS_HD void operator()(const NewtonRows& all, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums&) const {
    keepBetter(all.u, island, row);
    if (all.isCoupled(row)) all.u.direction[row] = -all.u.best[row];
  }
};

// What islands do with the sums over their rows.

/// Whether the linear system is solved well enough.
TS_HD inline bool isSolved(const NewtonIsland& island) {
  const double tolerance =
      island.isSymmetrised ? newton::kSymmetrisedLinearTolerance : newton::kLinearTolerance;
  return island.residual <= tolerance || island.residual * island.size <= island.smallest;
}

struct BeginSystem {
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.size = std::sqrt(sums[0]);
    island.residual = island.size > 0 ? 1 : 0;
    island.iterations = island.isBetter = 0;
    return !isSolved(island);
  }
};

struct BeginKrylov {  // without curvature the direction lies in the null space; without product the residual
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.product = sums[0];
    island.curvature = sums[1];
    return island.curvature > 0 && island.product > 0;
  }
};

struct TakeResidual {
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.square = sums[0];
    island.next = sums[1];
    return true;
  }
};

/// Whether the last iterate of a linear system is its best.
TS_HD inline void compareResidual(NewtonIsland& island) {
  const double relative = std::sqrt(island.square) / island.size;
  island.isBetter = relative < island.residual;
  if (island.isBetter) island.residual = relative;
}

struct FinishStep {  // Krylov's iteration
  int most;
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.curvature = sums[0];
    island.product = island.next;
    ++island.iterations;
    compareResidual(island);
    return !isSolved(island) && island.iterations < most && island.curvature > 0 && island.product > 0;
  }
};

struct FinishJacobi {
  int most;
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.square = sums[0];
    compareResidual(island);
    if (isSolved(island) || island.iterations >= most) return false;
    ++island.iterations;
    return true;
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
