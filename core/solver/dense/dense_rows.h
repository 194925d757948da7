#pragma once

#include <vector>

#include "core/solver/dense/problem.h"
#include "core/solver/rows/pair_jacobian.h"
#include "core/solver/rows/row.h"
#include "core/world/world.h"

namespace touchstone {

/// What bounds the friction of a contact: a pyramid, whose impulses along `facets` directions are at least 0
/// and share one limit (Stewart and Trinkle 1996), or the disk itself (FrictionDisk).
enum class FrictionShape { Pyramid, Disk };

/// Rows up to which a problem may be solved with its dense matrix (0.8 GB); beyond, memory of the machine and
/// patience end.
inline constexpr int kLargestProblem = 10000;

/// How rows become a dense problem.
struct ModelSettings {
  int facets = 4;       ///< edges of the friction pyramid, even; 2 in the plane
  bool planar = false;  ///< contacts of polygons: friction has one axis
  FrictionShape friction = FrictionShape::Disk;
  double velocityUnit = 1;               ///< velocityUnitOf() the scene [m/s]
  int largestProblem = kLargestProblem;  ///< rows of an island with a matrix
};

/// Velocities (v, ω) of all bodies before contact.
using Velocities = std::vector<Vec6>;

/// A row on the host, with the bodies that it acts on and its members; their responses are not used.
struct DenseRow {
  int bodyA = -1, bodyB = -1;
  ContactRow row;
  std::vector<SetMember> members;
};

/// The dense problem of some rows with the place of the unknowns of each: p, then the slacks c of its
/// members, then β, then with a pyramid σ.
struct DenseProblem {
  ComplementarityProblem problem;
  std::vector<int> first;           ///< [rows] index of p
  std::vector<PairJacobian> force;  ///< [n] column of F of each unknown; empty bodies for slacks
};

/// The reduced problem of some rows (Williams 2017, eqs. 48 and 49, ν⁺ eliminated):
///
///     A = Rᵀ M⁻¹ F + E,   b = rates + Rᵀ ν̃,   ν⁺ = ν̃ + M⁻¹ F z
///
/// Per row: ρ_1 + Σ c_r ≥ 0 ⊥ p ≥ 0 (row E2), ρ_1 − ρ_s + Σ_{r ≤ s} c_r ≥ 0 ⊥ c_s ≥ 0 (rows E1); with
/// friction Dᵀν⁺ + e σ ≥ 0 ⊥ β ≥ 0 and μ p − eᵀβ ≥ 0 ⊥ σ ≥ 0 at the row's contact, or a FrictionDisk.
/// @param velocities  ν̃, [bodyCount]
/// @throws std::length_error beyond the largest problem, saying what to do instead
DenseProblem denseProblem(const World& world, const std::vector<DenseRow>& rows, const Velocities& velocities,
                          const ModelSettings& settings);

/// z as impulses that are applied: none pulls, friction stays within its disk (a solver's tolerance).
Eigen::VectorXd appliedImpulses(const ComplementarityProblem& problem, const Eigen::VectorXd& z);
/// ν̃ + M⁻¹ F z added to `velocities` for the bodies of the rows.
void addImpulses(const World& world, const DenseProblem& rows, const Eigen::VectorXd& z,
                 Velocities& velocities);

/// Number of frictionDirections().
int tangentCount(const ModelSettings& settings);
/// Directions of β at a normal: of the pyramid `facets` unit vectors in ± pairs, of the disk two that are
/// orthogonal (tangentBasis()), in the plane one.
std::vector<Vec3> frictionDirections(const Vec3& normal, const ModelSettings& settings);

}  // namespace touchstone
