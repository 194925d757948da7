#pragma once

#include "core/elasticity/elastic_material.h"

// Functions without a body here are defined in tetrahedron.inl and element_rows.inl, which a caller includes:
// most files that read this header only need its types.

namespace touchstone {

/// A tetrahedron at rest: D_m = [X₁ − X₀, X₂ − X₀, X₃ − X₀], B = D_m⁻¹, V = det D_m / 6 > 0.
struct TetrahedronRest {
  Mat3 inverse = Mat3::Zero();  ///< B [1/m]
  double volume = 0;            ///< V [m³]
};
/// @param corners  [4] m; positively oriented: the volume of others is negative, and flat ones have no B
/// (entries that are not finite)
TS_HD inline TetrahedronRest restOf(const Vec3 corners[4]);

/// Gradient g_a of the shape function of a corner [1/m]: the rows of B, and minus their sum for corner 0.
TS_HD inline Vec3 shapeGradient(const TetrahedronRest& rest, int corner);

/// F = Σ x_a g_aᵀ; also Ḟ [1/s] of velocities [m/s] in the place of x. Summed as [x₁ − x₀, x₂ − x₀, x₃ − x₀]
/// B, so that a shift of all corners costs no digits. @param x  [4] m
TS_HD inline Mat3 deformationGradient(const TetrahedronRest& rest, const Vec3 x[4]);

/// F = U diag(s) Vᵀ with det U = det V = 1 and s₁ ≥ s₂ ≥ |s₃|; s₃ < 0 where the tetrahedron is inverted. U
/// and V are unique up to the sign of two columns of both at a time, where the s differ.
struct SignedStretches {
  Mat3 u, v;
  Vec3 s;
  TS_HD Mat3 rotation() const { return u * v.transpose(); }
};
/// Uses one-sided Jacobi rotations (Hestenes), which find small stretches beside large ones to rounding of
/// their own. F may be 0 or of any rank; U and V are rotations even where entries beyond 1e±150 overflow or
/// underflow in squares, but s is then not meaningful.
TS_HD inline SignedStretches signedStretches(const Mat3& F);

/// max |s − 1| over the three stretches of F, without cancellation where it is small: the eigenvalues e of
/// FᵀF − 1 give |s| − 1 = e / (1 + √(1 + e)), and the smallest s is negative where det F is.
double largestStrain(const Mat3& F);

/// First Piola–Kirchhoff stress P = ∂ψ/∂F [Pa], with S = sym(RᵀF), R = U Vᵀ:
///
///     Corotational:  P = R (2 μ ε + λ tr(ε) 1),  ε = S − 1 − ε* 1
///     NeoHookean:    P = 2 C₁ F + 2 D₁ (J − α) cof F,  ψ = C₁ (|F|² − 3) + D₁ (J − α)²
///
/// (Macklin 2019, eq. 107, whose gradient is printed with J − 1 for J − α) with the constants that make the
/// small-strain law that of Y and ν: C₁ = μ / 2, D₁ = (λ + μ) / 2, α = 1 + C₁ / D₁.
TS_HD inline Mat3 firstPiola(const ElasticMaterial& material, const Mat3& F);

/// Elastic energy [J], with the symbols of firstPiola():
///
///     Corotational:  V (μ |ε|² + ½ λ tr²(ε))
///     NeoHookean:    V (ψ − C₁² / D₁)
///
/// 0 at rest, where the linear law has no eigenstrain.
TS_HD inline double elasticEnergy(const ElasticMaterial& material, const TetrahedronRest& rest,
                                  const Mat3& F);

/// Forces of elasticity, and of its damping where the velocities are given, on the corners [N]:
///
///     f_a = −V (P + R (2 μ D + λ tr(D) 1) β) g_a,   D = sym(RᵀḞ)
///
/// The forces of elasticity have neither sum nor torque. Those of damping have no sum; their torque is 0 at
/// rest and of the order of the strain elsewhere, since the rotation is held fixed in D.
/// @param velocity  [4] m/s, or null   @param force  [4] N, out
TS_HD inline void elasticForces(const ElasticMaterial& material, const TetrahedronRest& rest, const Vec3 x[4],
                                const Vec3* velocity, Vec3 force[4]);

/// Largest ω² = λ_max(K_e) / (ρ V / 4) of an element with lumped mass, at rest [1/s²]: by Irons a bound for
/// any mesh of such elements. K_e = V Bᵀ C B of the small strains, the same for both laws.
/// @param density  ρ [kg/m³]
double frequencyBound(const ElasticMaterial& material, const TetrahedronRest& rest, double density);

/// Form of the Newton matrix of the Neo-Hookean law. The three rows of stretches that are published have
/// no shear stiffness at rest; Six adds the three rows of the flips of stretch pairs, whose multipliers are 0
/// at the solution.
enum class ElasticRows : unsigned char { Three, Six };

/// The equations of an element in compliance form, in a basis in which the compliance is diagonal:
///
///     J_k Δu + (E_k / h²) h Δλ_k = −r_k / h,   J_k Δu = Σ_a gradient[k][a] · Δu_a
///
/// with J = ∂s/∂q, c = ∂U/∂s and E = (∂²U/∂s²)⁻¹ of the energy U(s) of the element (Macklin 2019, eqs. 75 and
/// 82, the latter printed with a transpose too many), all turned into the eigenbasis Q of E:
///
///     J_k = Σ_m Q_mk ∂s_m/∂q,   r_k = E_k Σ_m Q_mk (c_m + λ_m),   λ_m = Σ_k Q_mk λ_k
///
/// The forces of the multipliers are Σ_k λ_k J_kᵀ; at the solution λ = −c, and they are elasticForces().
struct ElementRows {
  static constexpr int kMost = 6;
  int count = 0;
  Vec3 gradient[kMost][4];        ///< J_k on each corner [1/m]
  double compliance[kMost] = {};  ///< E_k > 0 [1/(N·m)]
  double residual[kMost] = {};    ///< r_k, a strain; 0 of flips
  /// Rows whose multipliers are kept: 0 … kept − 1. Those of the others (flips) start each iteration at 0.
  int kept = 0;
  /// Q [strain][row], the first kept × kept entries; orthonormal.
  double basis[kMost][kMost] = {};
};

/// Rows of an element where it is.
///
/// Corotational: six strains of S = sym(RᵀF) with engineering shear, s = (S₁₁ − 1, S₂₂ − 1, S₃₃ − 1, 2 S₂₃,
/// 2 S₁₃, 2 S₁₂). R is held fixed in ∂s/∂x_a: R_k g_ak of a normal strain, R_i g_aj + R_j g_ai of a shear,
/// with the columns R_k of R; the force is exact all the same, the energy being isotropic. c = E⁻¹ (s − s*),
/// s* = (ε*, ε*, ε*, 0, 0, 0), so that r = Qᵀ (s − s* + E λ). The basis is constant:
///
///     row 0    (1, 1, 1) / √3                      E = (1 − 2ν) / (V Y)
///     rows 1–2 (1, −1, 0) / √2, (1, 1, −2) / √6    E = (1 + ν) / (V Y)
///     rows 3–5 2 S₂₃, 2 S₁₃, 2 S₁₂                 E = 2 (1 + ν) / (V Y)
///
/// NeoHookean: the three stretches s of signedStretches(), ∂s_i/∂x_a = u_i (v_i · g_a), with
///
///     c_i = V (2 C₁ s_i + 2 D₁ (J − α) s_j s_k)
///     ∂²U/∂s²: V 2 (D₁ s_j² s_k² + C₁) on the diagonal, V 2 D₁ s_k (2 J − α) off it (i, j)
///
/// whose eigenvalues are raised to at least kLeastStiffness of the largest. Six: three more rows of the pairs
/// (i, j) opposite to k, the flips j_f = (u_iᵀ δF v_j + u_jᵀ δF v_i) / √2, which the derivative of U has
/// beside JᵀNJ, with E = 1 / (V max(f_k, kLeastFlip C₁)), f_k = 2 C₁ − 2 D₁ (J − α) s_k; a stiffness for the
/// Newton matrix only, without stress.
/// @param form    of NeoHookean; Corotational always has its six
/// @param lambda  [kMost] multipliers of the strains, not of the rows (Corotational: six; NeoHookean: the
/// three stretches, largest first) [N·m]
TS_HD inline ElementRows elementRows(const ElasticMaterial& material, const TetrahedronRest& rest,
                                     ElasticRows form, const Vec3 x[4],
                                     const double lambda[ElementRows::kMost]);

/// The rows of a Neo-Hookean tetrahedron in the basis of its stretches, largest first, which is the same at
/// every iterate. Symbols and bounds are those of elementRows():
///
///     J = ∂s/∂q,   E = (∂²U/∂s²)⁻¹ with bounded eigenvalues,   r = E ∂U/∂s
struct StretchRows {
  Vec3 gradient[3][4];       ///< ∂s_k/∂x_a [1/m]
  Mat3 compliance;           ///< E, symmetric [1/(N·m)]
  Vec3 residual;             ///< r, a strain
  Vec3 flipGradient[3][4];   ///< j_f of the pairs opposite to k [1/m]
  double flipCompliance[3];  ///< 1 / (V max(f_k, kLeastFlip C₁)) [1/(N·m)]
};
TS_HD inline StretchRows stretchRows(const ElasticMaterial& material, const TetrahedronRest& rest,
                                     const Vec3 x[4]);

}  // namespace touchstone
