#pragma once

#include <cmath>

#include "core/math/vec.h"

namespace touchstone {

/// A = W diag(values) Wᵀ of a symmetric matrix; column k of `vectors` belongs to values[k]. Not sorted: of a
/// matrix that is nearly diagonal each vector stays near its axis.
struct SymmetricEigen {
  Vec3 values;
  Mat3 vectors;  ///< orthonormal
};

/// Eigenvalues and vectors by cyclic Jacobi rotations. The error of each value is a few roundings of the
/// largest entry. @param A  symmetric; all entries are read
TS_HD inline SymmetricEigen symmetricEigen(Mat3 A) {
  // Each sweep squares the entries off the diagonal: 4 or 5 reach rounding. The limit stops what cannot
  // converge (NaN).
  constexpr int kSweeps = 12;
  // An entry this small beside the diagonal is rounding of the values. Smaller: sweeps without effect.
  constexpr double kNegligible = 1e-17;
  Mat3 W = Mat3::Identity();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool isDiagonal = true;
    for (int pair = 0; pair < 3; ++pair) {
      const int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2;
      const double off = A(p, q);
      if (std::abs(off) <= kNegligible * (std::abs(A(p, p)) + std::abs(A(q, q)))) continue;
      isDiagonal = false;
      // The smaller root of t² + 2 ζ t − 1 = 0: a turn by at most 45°.
      const double zeta = (A(q, q) - A(p, p)) / (2 * off);
      const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
      const double cosine = 1 / std::sqrt(1 + t * t), sine = t * cosine;
      for (int k = 0; k < 3; ++k) {
        const double a = A(k, p), b = A(k, q);
        A(k, p) = cosine * a - sine * b;
        A(k, q) = sine * a + cosine * b;
      }
      for (int k = 0; k < 3; ++k) {
        const double a = A(p, k), b = A(q, k);
        A(p, k) = cosine * a - sine * b;
        A(q, k) = sine * a + cosine * b;
      }
      for (int k = 0; k < 3; ++k) {
        const double a = W(k, p), b = W(k, q);
        W(k, p) = cosine * a - sine * b;
        W(k, q) = sine * a + cosine * b;
      }
    }
    if (isDiagonal) break;
  }
  return {Vec3(A(0, 0), A(1, 1), A(2, 2)), W};
}

}  // namespace touchstone
