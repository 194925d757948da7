#pragma once

#include <cmath>

#include "core/elasticity/tetrahedron.h"
#include "core/elasticity/tetrahedron.inl"
#include "core/math/symmetric_eigen.h"

namespace touchstone {
namespace detail {

/// Least eigenvalue of ∂²U/∂s² as a share of the largest. In compression the Hessian is not positive, and
/// inverting it needs a bound; a larger one slows Newton's method, a smaller one makes rows of nearly no
/// stiffness that overshoot.
constexpr double kLeastStiffness = 1e-3;
/// Least f_k as a share of C₁, likewise.
constexpr double kLeastFlip = 1e-3;

/// Strains of sym(RᵀF) and their gradients, R held fixed, in the order of elementRows().
TS_HD inline void rotatedStrains(const TetrahedronRest& rest, const Mat3& R, const Mat3& F, double strain[6],
                                 Vec3 gradient[6][4]) {
  const Mat3 S = symmetricPart(R.transpose() * F);
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;  // the pair of the shear 3 + k
    strain[k] = S(k, k) - 1;
    strain[3 + k] = 2 * S(i, j);
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 g = shapeGradient(rest, corner);
      gradient[k][corner] = g[k] * R.col(k);
      gradient[3 + k][corner] = g[j] * R.col(i) + g[i] * R.col(j);
    }
  }
}

/// Row k becomes Σ_m Q_mk of the rows m.
TS_HD inline void turnIntoBasis(const Vec3 gradient[][4], ElementRows& rows) {
  for (int k = 0; k < rows.kept; ++k)
    for (int corner = 0; corner < 4; ++corner) {
      Vec3 sum(0, 0, 0);
      for (int m = 0; m < rows.kept; ++m) sum += rows.basis[m][k] * gradient[m][corner];
      rows.gradient[k][corner] = sum;
    }
}

TS_HD inline ElementRows corotationalRows(const ElasticMaterial& material, const TetrahedronRest& rest,
                                          const Mat3& F, const double* lambda) {
  constexpr double kBy2 = 0.70710678118654752, kBy3 = 0.57735026918962576, kBy6 = 0.40824829046386302;
  const double normal[3][3] = {{kBy3, kBy2, kBy6}, {kBy3, -kBy2, kBy6}, {kBy3, 0, -2 * kBy6}};
  const double nu = material.poisson, stiffness = rest.volume * material.young;
  ElementRows rows;
  rows.count = rows.kept = 6;
  for (int k = 0; k < 3; ++k) {
    for (int m = 0; m < 3; ++m) rows.basis[m][k] = normal[m][k];
    rows.basis[3 + k][3 + k] = 1;
    rows.compliance[k] = (k == 0 ? 1 - 2 * nu : 1 + nu) / stiffness;
    rows.compliance[3 + k] = 2 * (1 + nu) / stiffness;
  }
  double strain[6];
  Vec3 gradient[6][4];
  rotatedStrains(rest, signedStretches(F).rotation(), F, strain, gradient);
  turnIntoBasis(gradient, rows);
  for (int k = 0; k < 6; ++k)
    for (int m = 0; m < 6; ++m) {
      const double elastic = m < 3 ? strain[m] - material.eigenstrain : strain[m];
      rows.residual[k] += rows.basis[m][k] * (elastic + rows.compliance[k] * lambda[m]);
    }
  return rows;
}

/// ∂ψ/∂s and ∂²ψ/∂s² of the Neo-Hookean law [Pa], the first summed so that it is exactly 0 at rest.
TS_HD inline void stretchDerivatives(const NeoHookean& law, const Vec3& s, Vec3& gradient, Mat3& hessian) {
  const double J = s[0] * s[1] * s[2], stress = law.d1 * (J - 1) - law.c1;  // D₁ (J − α)
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const double area = s[i] * s[j];
    gradient[k] = 2 * law.c1 * (s[k] - area) + 2 * law.d1 * (J - 1) * area;
    hessian(k, k) = 2 * (law.d1 * area * area + law.c1);
    hessian(i, j) = hessian(j, i) = 2 * s[k] * (law.d1 * J + stress);
  }
}

/// The stretches of a Neo-Hookean tetrahedron, the derivatives of its energy by them, and their gradients.
struct PlacedStretches {
  NeoHookean law;
  SignedStretches stretches;
  double along[3][4];    ///< v_k · g_a [1/m]
  Vec3 gradient[3][4];   ///< ∂s_k/∂x_a [1/m]
  Vec3 force;            ///< ∂U/∂s [N·m]
  SymmetricEigen eigen;  ///< of ∂²ψ/∂s² [Pa]
  double compliance[3];  ///< E of its eigenvectors, bounded [1/(N·m)]

  TS_HD PlacedStretches(const ElasticMaterial& material, const TetrahedronRest& rest, const Mat3& F)
      : law(material), stretches(signedStretches(F)) {
    for (int k = 0; k < 3; ++k)
      for (int corner = 0; corner < 4; ++corner) {
        along[k][corner] = stretches.v.col(k).dot(shapeGradient(rest, corner));
        gradient[k][corner] = along[k][corner] * stretches.u.col(k);
      }
    Vec3 slope;
    Mat3 hessian;
    stretchDerivatives(law, stretches.s, slope, hessian);
    force = rest.volume * slope;
    eigen = symmetricEigen(hessian);
    const double largest = std::fmax(eigen.values[0], std::fmax(eigen.values[1], eigen.values[2]));
    for (int k = 0; k < 3; ++k)
      compliance[k] = 1 / (rest.volume * std::fmax(eigen.values[k], kLeastStiffness * largest));
  }

  /// The rows of the flips. @param flipGradient, flipCompliance  [3] out
  TS_HD void findFlips(double volume, Vec3 (*flipGradient)[4], double* flipCompliance) const {
    constexpr double kBy2 = 0.70710678118654752;
    const Vec3& s = stretches.s;
    const double stress = law.d1 * (s[0] * s[1] * s[2] - 1) - law.c1;  // D₁ (J − α)
    for (int k = 0; k < 3; ++k) {
      const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
      for (int corner = 0; corner < 4; ++corner)
        flipGradient[k][corner] =
            kBy2 * (along[j][corner] * stretches.u.col(i) + along[i][corner] * stretches.u.col(j));
      const double stiffness = 2 * law.c1 - 2 * stress * s[k];
      flipCompliance[k] = 1 / (volume * std::fmax(stiffness, kLeastFlip * law.c1));
    }
  }
};

TS_HD inline ElementRows neoHookeanRows(const ElasticMaterial& material, const TetrahedronRest& rest,
                                        ElasticRows form, const Mat3& F, const double* lambda) {
  const PlacedStretches placed(material, rest, F);
  ElementRows rows;
  rows.count = rows.kept = 3;
  for (int k = 0; k < 3; ++k) {
    rows.compliance[k] = placed.compliance[k];
    for (int m = 0; m < 3; ++m) {
      rows.basis[m][k] = placed.eigen.vectors(m, k);
      rows.residual[k] += rows.compliance[k] * rows.basis[m][k] * (placed.force[m] + lambda[m]);
    }
  }
  turnIntoBasis(placed.gradient, rows);
  if (form == ElasticRows::Six) {
    placed.findFlips(rest.volume, rows.gradient + 3, rows.compliance + 3);
    rows.count = 6;
  }
  return rows;
}

}  // namespace detail

TS_HD inline ElementRows elementRows(const ElasticMaterial& material, const TetrahedronRest& rest,
                                     ElasticRows form, const Vec3 x[4],
                                     const double lambda[ElementRows::kMost]) {
  const Mat3 F = deformationGradient(rest, x);
  return material.model == ElasticModel::NeoHookean ? detail::neoHookeanRows(material, rest, form, F, lambda)
                                                    : detail::corotationalRows(material, rest, F, lambda);
}

TS_HD inline StretchRows stretchRows(const ElasticMaterial& material, const TetrahedronRest& rest,
                                     const Vec3 x[4]) {
  const detail::PlacedStretches placed(material, rest, deformationGradient(rest, x));
  StretchRows rows;
  for (int k = 0; k < 3; ++k)
    for (int corner = 0; corner < 4; ++corner) rows.gradient[k][corner] = placed.gradient[k][corner];
  const Mat3& Q = placed.eigen.vectors;
  rows.compliance = Mat3::Zero();
  for (int k = 0; k < 3; ++k) rows.compliance += placed.compliance[k] * Q.col(k) * Q.col(k).transpose();
  rows.residual = rows.compliance * placed.force;
  placed.findFlips(rest.volume, rows.flipGradient, rows.flipCompliance);
  return rows;
}

}  // namespace touchstone
