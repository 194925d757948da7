#pragma once

#include "core/elasticity/elastic_material.h"

namespace touchstone {

/// A tetrahedron at rest: D_m = [X₁ − X₀, X₂ − X₀, X₃ − X₀], B = D_m⁻¹, V = det D_m / 6 > 0.
struct TetrahedronRest {
  Mat3 inverse = Mat3::Zero();  ///< B [1/m]
  double volume = 0;            ///< V [m³]
};
TS_HD TetrahedronRest restOf(const Vec3 corners[4]);

/// Gradient of the shape function of a corner [1/m]: the rows of B, and minus their sum for corner 0.
TS_HD Vec3 shapeGradient(const TetrahedronRest& rest, int corner);

/// F = Σ x_a g_aᵀ.
TS_HD Mat3 deformationGradient(const TetrahedronRest& rest, const Vec3 x[4]);

/// F = U diag(s) Vᵀ with det U = det V = 1 and s₁ ≥ s₂ ≥ |s₃|; s₃ < 0 where the tetrahedron is inverted.
struct SignedStretches {
  Mat3 u, v;
  Vec3 s;
  TS_HD Mat3 rotation() const { return u * v.transpose(); }
};
TS_HD SignedStretches signedStretches(const Mat3& F);

/// First Piola–Kirchhoff stress P of F [Pa].
TS_HD Mat3 firstPiola(const ElasticMaterial& material, const Mat3& F);
/// Elastic energy [J], 0 at rest.
TS_HD double elasticEnergy(const ElasticMaterial& material, const TetrahedronRest& rest, const Mat3& F);
/// Forces of elasticity, and of its damping where the velocities are given, on the corners [N]: −V P g_a.
/// @param velocity  [4] m/s, or null
TS_HD void elasticForces(const ElasticMaterial& material, const TetrahedronRest& rest, const Vec3 x[4],
                         const Vec3* velocity, Vec3 force[4]);

/// Largest ω² = λ_max(K_e) / (ρ V / 4) of an element with lumped mass, at rest [1/s²]: by Irons a bound for
/// any mesh of such elements. @param density  ρ [kg/m³]
double frequencyBound(const ElasticMaterial& material, const TetrahedronRest& rest, double density);

/// How the Newton matrix of the Neo-Hookean law is made. The three rows of stretches that are published have
/// no shear stiffness at rest; Six adds the three rows of the flips of stretch pairs, whose multipliers are 0
/// at the solution.
enum class ElasticRows : unsigned char { Three, Six };

/// The equations of an element in compliance form, in a basis in which the compliance is diagonal:
///
///     J_k Δu + (E_k / h²) h Δλ_k = −(r_k + …),   J_k = Σ_a gradient[k][a] · u_a
///
/// with the strains s − s* of the linear law, or with E (∂Ψ/∂s + λ) of the Neo-Hookean one (rows of Macklin
/// 2019, eqs. 75–82, corrected).
struct ElementRows {
  static constexpr int kMost = 6;
  int count = 0;
  Vec3 gradient[kMost][4];        ///< ∂s/∂x of each row [1/m]
  double compliance[kMost] = {};  ///< E_k [1/(N·m)]
  double residual[kMost] = {};    ///< E (c + λ) along the row; 0 of flips
  /// Rows whose multipliers are kept; the others (flips) start each iteration at 0.
  int kept = 0;
  /// [kept × kept] column k is the row k in the basis of the strains: λ of strains = Σ_k basis[·][k] λ_k.
  double basis[kMost][kMost] = {};
};
/// @param lambda  [kMost] multipliers of the strains (Corotational: six with engineering shear; NeoHookean:
/// the three stretches, largest first) [N·m]
TS_HD ElementRows elementRows(const ElasticMaterial& material, const TetrahedronRest& rest, ElasticRows form,
                              const Vec3 x[4], const double lambda[ElementRows::kMost]);

}  // namespace touchstone
