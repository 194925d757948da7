#pragma once

#include "core/contact/newton_loops.inl"

namespace touchstone {

namespace detail {

struct OpenRows {  // direction of the rows that are not coupled
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland&, int row, RowSums&) const {
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
struct FormSystem {
  TS_HD void operator()(const NewtonRows& all, const RowPair& pair, const NewtonIsland&, int row,
                        RowSums& sums) const {
    const NewtonVectors& u = all.u;
    const bool coupled = all.isCoupled(row);
    u.right[row] = coupled ? u.value[row] / u.dv[row] + all.times(pair, row, u.direction) : 0;
    u.added[row] = coupled ? u.dy[row] / u.dv[row] + newton::kShift : 0;
    u.inverse[row] = coupled ? 1 / (all.rows[row].diagonal + u.added[row]) : 1;
    sums.values[0] += beginLinear(u, row);
  }
};

/// A row of S x, after the product of A and x.
TS_HD inline double systemTimes(const NewtonRows& all, const RowPair& pair, int row, const double* x) {
  return all.isCoupled(row) ? all.times(pair, row, x) + all.u.added[row] * x[row] : 0;
}

struct SystemTimes {  // after the product of A and `in`
  const double* in;
  double* out;
  TS_HD void operator()(const NewtonRows& all, const RowPair& pair, const NewtonIsland&, int row,
                        RowSums&) const {
    out[row] = systemTimes(all, pair, row, in);
  }
};

/// Of a row: of z·Sz (pcr) or r·z (pcg), and of Sp·M Sp or p·Sp.
TS_HD inline double productOf(const NewtonVectors& u, int row, bool pcr) {
  return u.z[row] * (pcr ? u.Sz[row] : u.r[row]);
}
TS_HD inline double curvatureOf(const NewtonVectors& u, int row, bool pcr) {
  return u.Sp[row] * (pcr ? u.inverse[row] * u.Sp[row] : u.p[row]);
}

struct FirstSums {  // pcr: Sp = Sz
  bool pcr;
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland&, int row,
                        RowSums& sums) const {
    const NewtonVectors& u = all.u;
    if (pcr) u.Sp[row] = u.Sz[row];
    sums.values[0] += productOf(u, row, pcr);
    sums.values[1] += curvatureOf(u, row, pcr);
  }
};

struct AdvanceRows {  // x += α p, r −= α Sp, z = M r
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland& island, int row,
                        RowSums&) const {
    const NewtonVectors& u = all.u;
    const double step = island.product / island.curvature;
    u.x[row] += step * u.p[row];
    u.r[row] -= step * u.Sp[row];
    u.z[row] = u.inverse[row] * u.r[row];
  }
};

struct ResidualSums {  // |r|² and the product
  bool pcr;
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland&, int row,
                        RowSums& sums) const {
    const NewtonVectors& u = all.u;
    sums.values[0] += u.r[row] * u.r[row];
    sums.values[1] += productOf(u, row, pcr);
  }
};

struct TurnDirection {  // p = z + β p; pcr: Sp = Sz + β Sp
  bool pcr;
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland& island, int row,
                        RowSums&) const {
    const NewtonVectors& u = all.u;
    const double beta = island.next / island.product;
    u.p[row] = u.z[row] + beta * u.p[row];
    if (pcr) u.Sp[row] = u.Sz[row] + beta * u.Sp[row];
  }
};

struct CurvatureSums {
  bool pcr;
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland&, int row,
                        RowSums& sums) const {
    sums.values[0] += curvatureOf(all.u, row, pcr);
  }
};

struct KeepBetter {
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland& island, int row,
                        RowSums&) const {
    if (island.isBetter) all.u.best[row] = all.u.x[row];
  }
};

struct JacobiResidual {  // after the product of A and x: r = right − S x; |r|²
  TS_HD void operator()(const NewtonRows& all, const RowPair& pair, const NewtonIsland&, int row,
                        RowSums& sums) const {
    const NewtonVectors& u = all.u;
    u.r[row] = u.right[row] - systemTimes(all, pair, row, u.x);
    sums.values[0] += u.r[row] * u.r[row];
  }
};

struct RelaxRows {  // x += ω M r
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland& island, int row,
                        RowSums&) const {
    all.u.x[row] += island.damping * all.u.inverse[row] * all.u.r[row];
  }
};

/// One pair of a running island per index: Σ_j |S_ij| M_i of its rows, through each of its bodies; no less
/// than the row sums of |M S|.
struct BoundRows {
  NewtonRows all;
  WorldView world;
  SidesOfBodies sides;  // of places of pairs
  RowFigures* figures;
  TS_HD void operator()(int index) const {
    const RowPair& pair = all.pairs[index];
    if (!all.running[pair.island]) return;
    RowFigures largest;
    for (int index = all.firstRow(pair); index < all.endRow(pair); ++index) {
      if (!all.isCoupled(index)) continue;
      const NewtonRow& row = all.rows[index];
      const double sum = through(pair.bodyA, row.direction, row.turnA) +
                         through(pair.bodyB, row.direction, row.turnB) + all.u.added[index];
      largest.add({sum * all.u.inverse[index], 0});
    }
    figures[index] = largest;
  }

 private:
  TS_HD double through(int body, const Vec3& direction, const Vec3& turn) const {
    if (!isDynamic(world, body)) return 0;
    const Vec3 moved = world.inverseMass[body] * direction, turned = world.inverseInertia[body] * turn;
    double sum = 0;
    for (int k = sides.first[body]; k < sides.first[body + 1]; ++k) {
      const RowPair& pair = all.pairs[sides.pairAt(k)];
      for (int row = all.firstRow(pair); row < all.endRow(pair); ++row) {
        const NewtonRow& other = all.rows[row];
        if (all.isCoupled(row))
          sum += std::fabs(moved.dot(other.direction) +
                           turned.dot(sides.sideAt(k) % 2 == 1 ? other.turnB : other.turnA));
      }
    }
    return sum;
  }
};

struct TakeAnswer {  // Newton's: −x on the coupled rows, the others have theirs
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland&, int row, RowSums&) const {
    if (all.isCoupled(row)) all.u.direction[row] = -all.u.best[row];
  }
};

// What islands do with the sums over their rows.

struct BeginSystem {
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.size = std::sqrt(sums[0]);
    island.residual = island.size > 0 ? 1 : 0;
    island.iterations = 0;
    return island.size > 0;
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

struct FinishStep {  // Krylov's iteration
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.curvature = sums[0];
    island.product = island.next;
    ++island.iterations;
    compare(island);
    return true;
  }
  TS_HD static void compare(NewtonIsland& island) {
    const double relative = std::sqrt(island.square) / island.size;
    island.isBetter = relative < island.residual;
    if (island.isBetter) island.residual = relative;
  }
};

/// Whether the linear system is solved well enough.
TS_HD inline bool isSolved(const NewtonIsland& island) {
  return island.residual <=
         (island.isSymmetrised ? newton::kSymmetrisedLinearTolerance : newton::kLinearTolerance);
}

struct StopLinear {
  int most;
  TS_HD bool operator()(NewtonIsland& island, const double*) const {
    return !isSolved(island) && island.iterations < most && island.curvature > 0 && island.product > 0;
  }
};

struct CompareJacobi {
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.square = sums[0];
    FinishStep::compare(island);
    return true;
  }
};

struct StopJacobi {
  int most;
  TS_HD bool operator()(NewtonIsland& island, const double*) const {
    if (isSolved(island) || island.iterations >= most) return false;
    ++island.iterations;
    return true;
  }
};

struct TakeDamping {  // one island per index, if it is running
  const RowFigures* bounds;
  const int* running;
  NewtonIsland* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    const double norm = bounds[index].scaled;
    islands[index].damping = norm > 0 ? 1 / norm : 1;
  }
};

struct NoteLinear {  // what Newton's direction cost
  TS_HD bool operator()(NewtonIsland& island, const double*) const {
    island.linearIterations = island.iterations;
    island.linearResidual = island.residual;
    return true;
  }
};

}  // namespace detail

}  // namespace touchstone
