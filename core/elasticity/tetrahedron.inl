#pragma once

#include <cmath>

#include "core/elasticity/tetrahedron.h"

namespace touchstone {

TS_HD inline TetrahedronRest restOf(const Vec3 corners[4]) {
  const Vec3 a = corners[1] - corners[0], b = corners[2] - corners[0], c = corners[3] - corners[0];
  const Vec3 areas[3] = {b.cross(c), c.cross(a), a.cross(b)};
  const double determinant = a.dot(areas[0]);
  TetrahedronRest rest;
  for (int k = 0; k < 3; ++k) rest.inverse.row(k) = (areas[k] / determinant).transpose();
  rest.volume = determinant / 6;
  return rest;
}

TS_HD inline Vec3 shapeGradient(const TetrahedronRest& rest, int corner) {
  const Mat3& B = rest.inverse;
  if (corner > 0) return B.row(corner - 1).transpose();
  return -(B.row(0) + B.row(1) + B.row(2)).transpose();
}

TS_HD inline Mat3 deformationGradient(const TetrahedronRest& rest, const Vec3 x[4]) {
  Mat3 edges;
  for (int k = 0; k < 3; ++k) edges.col(k) = x[k + 1] - x[0];
  return edges * rest.inverse;
}

namespace detail {

/// A unit vector across a unit vector.
TS_HD inline Vec3 unitAcross(const Vec3& n) {
  Vec3 first, second;
  tangentBasis(n, first, second);
  return first;
}

/// Turns the columns p and q of A = F V, and those of V alike, until those of A are orthogonal.
/// @return false if they are already
TS_HD inline bool makeOrthogonal(Mat3& A, Mat3& V, int p, int q) {
  // Columns whose cosine is below count as orthogonal. Below 3e-16 some pairs never do, since the product is
  // rounded; a larger bound lets stretches err by its square.
  constexpr double kCosine = 4e-16;
  const double pp = A.col(p).squaredNorm(), qq = A.col(q).squaredNorm(), pq = A.col(p).dot(A.col(q));
  if (!(std::abs(pq) > kCosine * (std::sqrt(pp) * std::sqrt(qq)))) return false;
  const double zeta = (qq - pp) / (2 * pq);
  const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const double cosine = 1 / std::sqrt(1 + t * t), sine = t * cosine;
  for (int k = 0; k < 3; ++k) {
    const double a = A(k, p), b = A(k, q), v = V(k, p), w = V(k, q);
    A(k, p) = cosine * a - sine * b;
    A(k, q) = sine * a + cosine * b;
    V(k, p) = cosine * v - sine * w;
    V(k, q) = sine * v + cosine * w;
  }
  return true;
}

/// Puts the longer of the columns p < q of A first by a quarter turn, which keeps det V.
TS_HD inline void putLongerFirst(Mat3& A, Mat3& V, int p, int q) {
  if (!(A.col(p).squaredNorm() < A.col(q).squaredNorm())) return;
  const Vec3 a = A.col(p), v = V.col(p);
  A.col(p) = A.col(q);
  V.col(p) = V.col(q);
  A.col(q) = -a;
  V.col(q) = -v;
}

}  // namespace detail

TS_HD inline SignedStretches signedStretches(const Mat3& F) {
  // Each sweep squares the cosines of the columns: 4 or 5 reach rounding.
  constexpr int kSweeps = 20;
  Mat3 A = F, V = Mat3::Identity();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool first = detail::makeOrthogonal(A, V, 0, 1), second = detail::makeOrthogonal(A, V, 0, 2),
               third = detail::makeOrthogonal(A, V, 1, 2);
    if (!first && !second && !third) break;
  }
  detail::putLongerFirst(A, V, 0, 1);
  detail::putLongerFirst(A, V, 0, 2);
  detail::putLongerFirst(A, V, 1, 2);

  // A = U diag(s). The third column of U completes a right-handed triad, and s₃ takes its sign from it. Of
  // stretches that are 0 the columns of U are free.
  const double s1 = A.col(0).norm();
  const Vec3 u1 = s1 > 0 ? Vec3(A.col(0) / s1) : Vec3(1, 0, 0);
  Vec3 u2 = A.col(1) - u1.dot(A.col(1)) * u1;
  const double length = u2.norm();
  // Half the column along u₁ is no rounding: it did not converge, because it underflows.
  u2 = length > 0.5 * A.col(1).norm() ? Vec3(u2 / length) : detail::unitAcross(u1);
  const Vec3 u3 = u1.cross(u2);
  SignedStretches result;
  result.u << u1, u2, u3;
  result.v = V;
  result.s = Vec3(s1, u2.dot(A.col(1)), u3.dot(A.col(2)));
  return result;
}

namespace detail {

/// 2 μ ε + λ tr(ε) 1 [Pa].
TS_HD inline Mat3 linearStress(const ElasticMaterial& material, const Mat3& strain) {
  return 2 * material.mu() * strain + material.lambda() * strain.trace() * Mat3::Identity();
}

TS_HD inline Mat3 symmetricPart(const Mat3& A) { return 0.5 * (A + A.transpose()); }

/// S − 1 − ε* 1 in the rotated frame.
TS_HD inline Mat3 elasticStrain(const ElasticMaterial& material, const Mat3& R, const Mat3& F) {
  return symmetricPart(R.transpose() * F) - (1 + material.eigenstrain) * Mat3::Identity();
}

TS_HD inline Mat3 corotationalStress(const ElasticMaterial& material, const Mat3& R, const Mat3& F) {
  return R * linearStress(material, elasticStrain(material, R, F));
}

/// Derivative of det F by F.
TS_HD inline Mat3 cofactor(const Mat3& F) {
  const Vec3 a = F.col(0), b = F.col(1), c = F.col(2);
  Mat3 result;
  result << b.cross(c), c.cross(a), a.cross(b);
  return result;
}

/// Constants of the Neo-Hookean law [Pa]; α = 1 + C₁ / D₁, D₁ (J − α) = D₁ (J − 1) − C₁.
struct NeoHookean {
  double c1, d1;
  TS_HD explicit NeoHookean(const ElasticMaterial& material)
      : c1(0.5 * material.mu()), d1(0.5 * (material.lambda() + material.mu())) {}
};

/// 2 C₁ F + 2 D₁ (J − α) cof F, summed so that it is exactly 0 at rest.
TS_HD inline Mat3 neoHookeanStress(const ElasticMaterial& material, const Mat3& F) {
  const NeoHookean law(material);
  const Mat3 cof = cofactor(F);
  const double J = F.col(0).dot(cof.col(0));
  return 2 * law.c1 * (F - cof) + 2 * law.d1 * (J - 1) * cof;
}

/// C₁ (|F|² − 3) + D₁ (J − α)² − C₁² / D₁ [J/m³]. With G = F − 1 the terms of first order of |F|² − 3 = 2 tr
/// G + |G|² and J − 1 = tr G + II + det G cancel; left out, they leave no rounding:
///
///     C₁ (|G|² − 2 II − 2 det G) + D₁ (J − 1)²,   II: sum of the principal 2 × 2 minors of G
TS_HD inline double neoHookeanEnergy(const ElasticMaterial& material, const Mat3& F) {
  const NeoHookean law(material);
  const Mat3 G = F - Mat3::Identity();
  const Mat3 cof = cofactor(G);
  const double minors = cof.trace(), determinant = G.col(0).dot(cof.col(0));
  const double growth = G.trace() + minors + determinant;
  return law.c1 * (G.squaredNorm() - 2 * minors - 2 * determinant) + law.d1 * growth * growth;
}

}  // namespace detail

TS_HD inline Mat3 firstPiola(const ElasticMaterial& material, const Mat3& F) {
  if (material.model == ElasticModel::NeoHookean) return detail::neoHookeanStress(material, F);
  return detail::corotationalStress(material, signedStretches(F).rotation(), F);
}

TS_HD inline double elasticEnergy(const ElasticMaterial& material, const TetrahedronRest& rest,
                                  const Mat3& F) {
  if (material.model == ElasticModel::NeoHookean) return rest.volume * detail::neoHookeanEnergy(material, F);
  const Mat3 strain = detail::elasticStrain(material, signedStretches(F).rotation(), F);
  const double trace = strain.trace();
  return rest.volume * (material.mu() * strain.squaredNorm() + 0.5 * material.lambda() * trace * trace);
}

TS_HD inline void elasticForces(const ElasticMaterial& material, const TetrahedronRest& rest, const Vec3 x[4],
                                const Vec3* velocity, Vec3 force[4]) {
  const bool isLinear = material.model == ElasticModel::Corotational;
  const bool isDamped = velocity != nullptr && material.dampingTime > 0;
  const Mat3 F = deformationGradient(rest, x);
  Mat3 R;
  if (isLinear || isDamped) R = signedStretches(F).rotation();
  Mat3 P = isLinear ? detail::corotationalStress(material, R, F) : detail::neoHookeanStress(material, F);
  if (isDamped) {
    const Mat3 rate = detail::symmetricPart(R.transpose() * deformationGradient(rest, velocity));
    P += material.dampingTime * R * detail::linearStress(material, rate);
  }
  force[0] = Vec3(0, 0, 0);
  for (int corner = 1; corner < 4; ++corner) {
    force[corner] = -rest.volume * P * shapeGradient(rest, corner);
    force[0] -= force[corner];
  }
}

}  // namespace touchstone
