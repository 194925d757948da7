#pragma once

#include <cmath>

#include "core/math/host_device.h"

namespace touchstone {

/// Vectors of a symmetric system S x = right, one number a row each.
struct KrylovVectors {
  double *right = nullptr, *x = nullptr;
  double* best = nullptr;  ///< the answer so far: see KrylovState::takesLast
  double *r = nullptr, *z = nullptr, *p = nullptr, *Sz = nullptr, *Sp = nullptr;
  double* inverse = nullptr;  ///< the preconditioner M, the inverse diagonal of S
};

/// The state of the iteration on one system.
struct KrylovState {
  double size = 0;                    ///< |right|
  double tolerance = 0;               ///< on the residual …
  double smallest = 0;                ///< … or |r| of which no less is asked
  double product = 0, curvature = 0;  ///< z·Sz and Sp·M Sp (pcr), r·z and p·Sp (pcg)
  double next = 0, square = 0;        ///< product after the step, |r|²
  double damping = 0;                 ///< ω of jacobi
  double residual = 0;                ///< |r| / |right| of the answer so far
  int takesLast = 0;                  ///< the answer is the last iterate; 0: that with the smallest residual
  int iterations = 0, isBetter = 0;
  TS_HD bool isSolved() const { return residual <= tolerance || residual * size <= smallest; }
};

/// Two sums over the rows of a system.
struct KrylovSums {
  double values[2] = {};
  TS_HD void add(const KrylovSums& o) {
    for (int k = 0; k < 2; ++k) values[k] += o.values[k];
  }
  TS_HD KrylovSums& operator+=(const KrylovSums& o) {
    add(o);
    return *this;
  }
};

// Conjugate residuals (pcr) and conjugate gradients (pcg), preconditioned by the diagonal (Saad 2003,
// algorithms 6.20 and 9.1), and damped Jacobi sweeps, once for all kinds of systems: one dense matrix, or the
// islands of a step at once. A System has
//   - multiply(vector): the product of S and a vector of all rows, which Rows::times() then reads
//   - eachRow(body), sumRows(body): body(rows, at, state, row, sums) for the rows of the systems that run;
//     the second one keeps the sums
//   - conclude(act): act(state, sums) for each system that runs; it goes on if that is true
//   - goesOn(count), repeat(sequence): whether a system is running still; an iteration, the same each time
// and its rows have `u` (KrylovVectors) and systemTimes(at, row, x).

namespace detail {

/// x = 0: r = right, z = M r, p = z. @return |r|² of the row
TS_HD inline double beginLinear(const KrylovVectors& u, int row) {
  u.x[row] = u.best[row] = 0;
  u.r[row] = u.right[row];
  u.z[row] = u.p[row] = u.inverse[row] * u.right[row];
  return u.right[row] * u.right[row];
}

/// Term of a row in z·Sz (pcr) or r·z (pcg); curvatureOf(): in Sp·M Sp or p·Sp.
TS_HD inline double productOf(const KrylovVectors& u, int row, bool pcr) {
  return u.z[row] * (pcr ? u.Sz[row] : u.r[row]);
}
TS_HD inline double curvatureOf(const KrylovVectors& u, int row, bool pcr) {
  return u.Sp[row] * (pcr ? u.inverse[row] * u.Sp[row] : u.p[row]);
}

struct BeginDirection {  // after the product of S and p: Sp, of pcr Sz as well; product and curvature
  bool pcr;
  template <class Rows, class At>
  TS_HD void operator()(const Rows& rows, const At& place, const KrylovState&, int row,
                        KrylovSums& sums) const {
    const KrylovVectors& u = rows.u;
    u.Sp[row] = rows.systemTimes(place, row, u.p);
    if (pcr) u.Sz[row] = u.Sp[row];
    sums.values[0] += productOf(u, row, pcr);
    sums.values[1] += curvatureOf(u, row, pcr);
  }
};

/// The iterate before its next step, if it is the answer so far.
TS_HD inline void keepBetter(const KrylovVectors& u, const KrylovState& state, int row) {
  if (state.isBetter) u.best[row] = u.x[row];
}

TS_HD inline void addResidual(const KrylovVectors& u, int row, bool pcr, KrylovSums& sums) {
  sums.values[0] += u.r[row] * u.r[row];
  sums.values[1] += productOf(u, row, pcr);
}

// Which method it is, is part of the type of the next and of NextDirection: as a member it made a branch that
// the optimiser of CUDA 12.4 did not come back from, in the kernel that takes an island through all
// iterations.

template <bool kPcr>
struct AdvanceRows {  // x += α p, r −= α Sp, z = M r; of pcg |r|² and the product
  template <class Rows, class At>
  TS_HD void operator()(const Rows& rows, const At&, const KrylovState& state, int row,
                        KrylovSums& sums) const {
    const KrylovVectors& u = rows.u;
    const double step = state.product / state.curvature;
    keepBetter(u, state, row);
    u.x[row] += step * u.p[row];
    u.r[row] -= step * u.Sp[row];
    u.z[row] = u.inverse[row] * u.r[row];
    if constexpr (!kPcr) addResidual(u, row, false, sums);
  }
};

struct ResidualTimes {  // of pcr, after the product of S and z: Sz, |r|² and the product
  template <class Rows, class At>
  TS_HD void operator()(const Rows& rows, const At& place, const KrylovState&, int row,
                        KrylovSums& sums) const {
    rows.u.Sz[row] = rows.systemTimes(place, row, rows.u.z);
    addResidual(rows.u, row, true, sums);
  }
};

template <bool kPcr>
struct NextDirection {  // p = z + β p; of pcr Sp = Sz + β Sp and the curvature
  template <class Rows, class At>
  TS_HD void operator()(const Rows& rows, const At&, const KrylovState& state, int row,
                        KrylovSums& sums) const {
    const KrylovVectors& u = rows.u;
    const double beta = state.next / state.product;
    u.p[row] = u.z[row] + beta * u.p[row];
    if constexpr (kPcr) {
      u.Sp[row] = u.Sz[row] + beta * u.Sp[row];
      sums.values[0] += curvatureOf(u, row, true);
    }
  }
};

struct DirectionTimes {  // of pcg, after the product of S and p: Sp and the curvature
  template <class Rows, class At>
  TS_HD void operator()(const Rows& rows, const At& place, const KrylovState&, int row,
                        KrylovSums& sums) const {
    rows.u.Sp[row] = rows.systemTimes(place, row, rows.u.p);
    sums.values[0] += curvatureOf(rows.u, row, false);
  }
};

struct JacobiResidual {  // after the product of S and x: r = right − S x; |r|²
  template <class Rows, class At>
  TS_HD void operator()(const Rows& rows, const At& place, const KrylovState&, int row,
                        KrylovSums& sums) const {
    const KrylovVectors& u = rows.u;
    u.r[row] = u.right[row] - rows.systemTimes(place, row, u.x);
    sums.values[0] += u.r[row] * u.r[row];
  }
};

struct RelaxRows {  // x += ω M r
  template <class Rows, class At>
  TS_HD void operator()(const Rows& rows, const At&, const KrylovState& state, int row, KrylovSums&) const {
    keepBetter(rows.u, state, row);
    rows.u.x[row] += state.damping * rows.u.inverse[row] * rows.u.r[row];
  }
};

// What systems do with the sums over their rows.

struct BeginKrylov {  // without curvature the direction lies in the null space; without product the residual
  TS_HD bool operator()(KrylovState& state, const double* sums) const {
    state.product = sums[0];
    state.curvature = sums[1];
    return state.curvature > 0 && state.product > 0;
  }
};

struct TakeResidual {
  TS_HD bool operator()(KrylovState& state, const double* sums) const {
    state.square = sums[0];
    state.next = sums[1];
    return true;
  }
};

/// Decides if the last iterate of a linear system is its answer so far. An iterate that is no number is none.
TS_HD inline void compareResidual(KrylovState& state) {
  const double relative = std::sqrt(state.square) / state.size;
  state.isBetter = relative < (state.takesLast ? HUGE_VAL : state.residual);
  if (state.isBetter) state.residual = relative;
}

struct FinishStep {  // Krylov's iteration
  int maxIterations;
  TS_HD bool operator()(KrylovState& state, const double* sums) const {
    state.curvature = sums[0];
    state.product = state.next;
    ++state.iterations;
    compareResidual(state);
    return !state.isSolved() && state.iterations < maxIterations && state.curvature > 0 && state.product > 0;
  }
};

struct FinishJacobi {
  int maxIterations;
  TS_HD bool operator()(KrylovState& state, const double* sums) const {
    state.square = sums[0];
    compareResidual(state);
    if (state.isSolved() || state.iterations >= maxIterations) return false;
    ++state.iterations;
    return true;
  }
};

}  // namespace detail

namespace detail {

template <class System>
struct KrylovStep {  // one iteration, the same each time
  const System& system;
  const KrylovVectors& u;
  bool pcr;
  int maxIterations;
  TS_NO_SPACE_CHECK
  TS_HD void operator()() const {
    if (pcr) {
      system.eachRow(AdvanceRows<true>{});
      system.multiply(u.z);
      system.sumRows(ResidualTimes{});
      system.conclude(TakeResidual{});
      system.sumRows(NextDirection<true>{});
    } else {
      system.sumRows(AdvanceRows<false>{});
      system.conclude(TakeResidual{});
      system.eachRow(NextDirection<false>{});
      system.multiply(u.p);
      system.sumRows(DirectionTimes{});
    }
    system.conclude(FinishStep{maxIterations});
  }
};

}  // namespace detail

/// Begins conjugate residuals or gradients for the systems that run, after beginLinear() of their rows.
TS_NO_SPACE_CHECK
template <class System>
TS_HD void beginKrylov(const System& system, const KrylovVectors& u, bool pcr) {
  system.multiply(u.p);
  system.sumRows(detail::BeginDirection{pcr});
  system.conclude(detail::BeginKrylov{});
}

/// Their iterations, also where goesOn() has interrupted them; into `best`, but for a last iterate that is
/// the answer (KrylovState::isBetter). @return iterations, of the longest
TS_NO_SPACE_CHECK
template <class System>
TS_HD int continueKrylov(const System& system, const KrylovVectors& u, bool pcr, int maxIterations) {
  int count = 0;
  for (; system.goesOn(count); ++count)
    system.repeat(detail::KrylovStep<System>{system, u, pcr, maxIterations});
  return count;
}

/// Both.
TS_NO_SPACE_CHECK
template <class System>
TS_HD int iterateKrylov(const System& system, const KrylovVectors& u, bool pcr, int maxIterations) {
  beginKrylov(system, u, pcr);
  return continueKrylov(system, u, pcr, maxIterations);
}

/// Jacobi's sweeps likewise, damped by KrylovState::damping = 1 / a bound on the row sums of |M S|, so that
/// no error component grows.
TS_NO_SPACE_CHECK
template <class System>
TS_HD int iterateJacobi(const System& system, const KrylovVectors& u, int maxIterations) {
  int count = 0;
  for (; system.goesOn(count); ++count) {
    system.multiply(u.x);
    system.sumRows(detail::JacobiResidual{});
    system.conclude(detail::FinishJacobi{maxIterations});
    system.eachRow(detail::RelaxRows{});
  }
  return count;
}

}  // namespace touchstone
