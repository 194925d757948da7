#pragma once

#include <vector>

#include "core/solver/dense/problem.h"
#include "core/solver/product/dense_product.h"
#include "core/solver/rows/redundant_rows.h"
#include "core/solver/rows/row.h"

namespace touchstone {

/// Shape that bounds the friction of a contact: a pyramid, whose impulses along `facets` directions are at
/// least 0 and share one limit (Stewart and Trinkle 1996), or the disk itself (FrictionDisk).
enum class FrictionShape { Pyramid, Disk };

/// Rows up to which a problem may be solved with its dense matrix (0.8 GB); larger problems exhaust memory.
inline constexpr int kLargestProblem = 10000;

/// Settings with which rows become a dense problem.
struct ModelSettings {
  int facets = 4;       ///< edges of the friction pyramid, even; 2 in the plane
  bool planar = false;  ///< contacts of polygons: friction has one axis
  FrictionShape friction = FrictionShape::Disk;
  double velocityUnit = 1;               ///< velocityUnitOf() the scene [m/s]
  int largestProblem = kLargestProblem;  ///< rows of an island with a matrix
};

/// Impulse that a row has whatever its rate is.
struct HeldImpulse {
  int row;         ///< of the table
  double impulse;  ///< N·s, N·m·s
};

/// The dense problem of an island, with the rows that its unknowns stand for.
struct DenseProblem {
  ComplementarityProblem problem;
  std::vector<int> first;          ///< [contacts] index of p
  std::vector<RowSum> forces;      ///< [n] rows of F of each unknown; empty for slacks and σ
  std::vector<HeldImpulse> given;  ///< rows outside the problem: of law Fixed, and held ones
  std::vector<int> units;          ///< of the island
  FrictionShape friction = FrictionShape::Disk;
};

/// The reduced problem of an island of a table on the host (Williams 2017, eqs. 48 and 49, ν⁺ eliminated):
///
///     A = R H⁻¹ Fᵀ + C,   b = constants + R ν̃,   ν⁺ = ν̃ + H⁻¹ Fᵀ z
///
/// Unknowns, in this order:
///   1. rows of law Free, and Symmetric ones that are not held: w = 0
///   2. contacts, which are rows of law Unilateral or Maximum with their followers:
///      p     ρ_1 + Σ c_r ≥ 0 ⊥ p ≥ 0                      (E2)
///      c_s   ρ_1 − ρ_s + Σ_{r ≤ s} c_r ≥ 0 ⊥ c_s ≥ 0      (E1), one for each Member
///      β     with friction, one for each row of law Disk (FrictionDisk), or with FrictionShape::Pyramid
///            Dᵀν⁺ + e σ ≥ 0 ⊥ β ≥ 0 along cos φ t₁ + sin φ t₂ and their opposites
///      σ     of a pyramid: μ p − eᵀβ ≥ 0 ⊥ σ ≥ 0
///   3. Unilateral rows of joints, without followers
///
/// Rows of law Fixed, held rows and Symmetric ones with a bound of 0 leave the problem; their impulse is part
/// of b. Transient rows do so without an impulse. Free, Symmetric and Unilateral rows of joints get
/// kRedundantRows as softness. A is symmetric if no unit has slacks or facets and F = J.
/// @param free  ν̃: velocities without the impulses of the rows; not changed   @param units  of the island
/// @throws std::length_error beyond the largest problem, with alternatives
DenseProblem denseProblem(const RowsView& rows, const CarrierMetric& metric, const CarrierVelocities& free,
                          const std::vector<int>& units, const ModelSettings& settings,
                          const std::vector<HeldImpulse>& held = {});

/// Number of unknowns of a problem without held rows.
int unknownCount(const RowsView& rows, const std::vector<int>& units, const ModelSettings& settings);
/// Number of unknowns of a contact. @param members  besides its primary   @param friction  μ
int unknownsOfContact(int members, double friction, const ModelSettings& settings);
/// Number of unknowns β of a contact with friction.
int tangentCount(const ModelSettings& settings);

/// The unknowns that go with impulses of rows. Slacks are ρ_1 + Σ_{r ≤ s} c_r = max(ρ_1 … ρ_s). With a
/// pyramid every unknown is 0, since its solver starts from nothing.
/// @param impulses  [rows of the table] N·s, N·m·s
Eigen::VectorXd unknownsOf(const RowsView& rows, const DenseProblem& dense, const double* impulses);
/// Writes the impulses of the island's rows; of tangents Σ β along the facets of a pyramid.
/// @param z  [n] unknowns   @param impulses  [rows of the table] out, of the island's units
void writeImpulses(const RowsView& rows, const DenseProblem& dense, const Eigen::VectorXd& z,
                   double* impulses);
/// z as impulses that are applied: none pulls, friction stays within its disk (a solver's tolerance).
Eigen::VectorXd appliedImpulses(const ComplementarityProblem& problem, const Eigen::VectorXd& z);

/// An island as a problem with its start and its answer, for the inspector.
struct DenseAnswer {
  DenseProblem problem;
  Eigen::VectorXd start;  ///< [n]
  SolverResult result;
};

}  // namespace touchstone
