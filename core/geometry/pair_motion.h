#pragma once

#include <cmath>

#include "core/geometry/feature_pair.h"
#include "core/math/polynomial.h"
#include "core/math/vec.h"

namespace touchstone {

/// Two features whose vertices move on straight lines during the step, t in [0, 1]. Vertex–face: rows p, a,
/// b, c with m = (b−a)×(c−a), r = p − a. Edge–edge: rows a, b, c, d with m = (b−a)×(d−c), r = a − c.
/// Vertex–plane: row p.
struct PairMotion {
  FeaturePairKind kind;
  Vec3 u0, u1, w0, w1;  ///< the two edge vectors of m: u(t) = u0 + t u1, w(t) = w0 + t w1 [m]
  Vec3 r0, r1;          ///< r(t) = r0 + t r1 [m]
  Vec3 m0, m1, m2;      ///< m(t) = m0 + t m1 + t² m2 [m²]; the unit normal for a plane
  Cubic gap;            ///< gap numerator G(t) = m(t) · r(t) [m³]; the gap itself [m] for a plane
  /// G(1), computed from the end positions by the formula that gives G(0) from the start positions. It is
  /// bit-equal to G(0) of the next step; the sum of the coefficients is not. A pair that is kept at the end
  /// of one step therefore penetrates at the start of the next, and no sign change is lost between two steps.
  double gapEnd;
  double meanSquare;  ///< L_k² = ∫₀¹ |m|² dt [m⁴] (Tang 2012, supplement); 1 for a plane

  TS_HD Vec3 m(double t) const { return m0 + t * (m1 + t * m2); }
  TS_HD Vec3 u(double t) const { return u0 + t * u1; }
  TS_HD Vec3 w(double t) const { return w0 + t * w1; }
  TS_HD Vec3 r(double t) const { return r0 + t * r1; }
};

/// Completes m, G and L_k² from u, w and r. Differences are formed before products, never products of
/// absolute coordinates. m is the unscaled normal of a face (Tang 2012, eq. 14) or of two edges (Tang 2012,
/// eq. 18), quadratic in t.
TS_HD inline void completeMotion(PairMotion& motion) {
  motion.m0 = motion.u0.cross(motion.w0);
  motion.m1 = motion.u0.cross(motion.w1) + motion.u1.cross(motion.w0);
  motion.m2 = motion.u1.cross(motion.w1);
  motion.gap.c[0] = motion.m0.dot(motion.r0);
  motion.gap.c[1] = motion.m0.dot(motion.r1) + motion.m1.dot(motion.r0);
  motion.gap.c[2] = motion.m1.dot(motion.r1) + motion.m2.dot(motion.r0);
  motion.gap.c[3] = motion.m2.dot(motion.r1);
  // Bernstein coefficients of m, as printed, and of |m|² (supplement); the mean of the latter is L_k².
  const Vec3 n0 = motion.m0, n1 = motion.m0 + 0.5 * motion.m1, n2 = motion.m0 + motion.m1 + motion.m2;
  motion.meanSquare =
      (n0.dot(n0) + n0.dot(n1) + (2 * n1.dot(n1) + n0.dot(n2)) / 3 + n1.dot(n2) + n2.dot(n2)) / 5;
}

/// @param x0, x1  [4] rows at t = 0 and at t = 1
TS_HD inline PairMotion motionOf(FeaturePairKind kind, const Vec3* x0, const Vec3* x1) {
  PairMotion motion;
  motion.kind = kind;
  Vec3 end[3];
  if (kind == FeaturePairKind::VertexFace) {
    motion.u0 = x0[2] - x0[1], end[0] = x1[2] - x1[1];
    motion.w0 = x0[3] - x0[1], end[1] = x1[3] - x1[1];
    motion.r0 = x0[0] - x0[1], end[2] = x1[0] - x1[1];
  } else {
    motion.u0 = x0[1] - x0[0], end[0] = x1[1] - x1[0];
    motion.w0 = x0[3] - x0[2], end[1] = x1[3] - x1[2];
    motion.r0 = x0[0] - x0[2], end[2] = x1[0] - x1[2];
  }
  motion.u1 = end[0] - motion.u0;
  motion.w1 = end[1] - motion.w0;
  motion.r1 = end[2] - motion.r0;
  completeMotion(motion);
  motion.gapEnd = end[0].cross(end[1]).dot(end[2]);
  return motion;
}

/// Motion of a vertex against the plane normal · x = offset.
TS_HD inline PairMotion planeMotion(const Vec3& x0, const Vec3& x1, const Vec3& normal, double offset) {
  PairMotion motion;
  motion.kind = FeaturePairKind::VertexPlane;
  motion.u0 = motion.u1 = motion.w0 = motion.w1 = motion.r0 = motion.r1 = Vec3(0, 0, 0);
  motion.m0 = normal;
  motion.m1 = motion.m2 = Vec3(0, 0, 0);
  const double start = normal.dot(x0) - offset;
  motion.gap.c[0] = start;
  motion.gapEnd = normal.dot(x1) - offset;
  motion.gap.c[1] = motion.gapEnd - start;
  motion.meanSquare = 1;
  return motion;
}

/// Weights of the contact points at time t. Vertex–face: w_a, w_b, w_c of the projection of p on the
/// triangle's plane ([3] is unused). Edge–edge: w_a, w_b, w_c, w_d of the closest points of the two lines.
/// The weights are not clamped.
/// @return false if they do not exist (no area, parallel edges: sin² ≤ 1e-8)
TS_HD inline bool weightsAt(const PairMotion& motion, double t, double weights[4]) {
  weights[0] = 1;
  weights[1] = weights[2] = weights[3] = 0;
  if (motion.kind == FeaturePairKind::VertexPlane) return true;
  const Vec3 m = motion.m(t), u = motion.u(t), w = motion.w(t), r = motion.r(t);
  const double square = m.squaredNorm();
  if (!(square > 0)) return false;
  if (motion.kind == FeaturePairKind::VertexFace) {
    weights[1] = r.cross(w).dot(m) / square;
    weights[2] = u.cross(r).dot(m) / square;
    weights[0] = 1 - weights[1] - weights[2];
    return true;
  }
  // sin² of the angle between the edges. If it is smaller, the closest points may be noise; if it is larger,
  // contacts of nearly parallel edges are lost.
  constexpr double kParallel = 1e-8;
  if (square <= kParallel * u.squaredNorm() * w.squaredNorm()) return false;
  const Vec3 rho = -r;  // c − a
  weights[1] = rho.cross(w).dot(m) / square;
  weights[0] = 1 - weights[1];
  weights[3] = rho.cross(u).dot(m) / square;
  weights[2] = 1 - weights[3];
  return true;
}

/// True if all weights that belong to the kind are at least −tolerance.
TS_HD inline bool areInside(FeaturePairKind kind, const double weights[4], double tolerance) {
  const int count = kind == FeaturePairKind::VertexFace ? 3 : kind == FeaturePairKind::EdgeEdge ? 4 : 0;
  for (int k = 0; k < count; ++k)
    if (!(weights[k] >= -tolerance)) return false;
  return true;
}

}  // namespace touchstone
