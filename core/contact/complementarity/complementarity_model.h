#pragma once

#include <map>
#include <vector>

#include "core/contact/complementarity/constraint_sets.h"
#include "core/contact/complementarity/model_contact.h"
#include "core/contact/method.h"
#include "core/solver/dense/problem.h"

namespace touchstone {

/// Gradient of the difference of two gaps.
PairJacobian difference(const PairJacobian& first, const PairJacobian& second);  ///< of the same two bodies

/// A set with its friction, over indices into the step's ModelContacts.
struct ModelSet {
  ConstraintType type = ConstraintType::U;
  std::vector<int> contacts;  ///< primary first
  double friction = 0;        ///< μ of the pair
};

/// What bounds the friction of a contact: a pyramid, whose impulses along `facets` directions are at least 0
/// and share one limit (Stewart and Trinkle 1996), or the disk itself (FrictionDisk).
enum class FrictionShape { Pyramid, Disk };

/// Of a compromise, which answers where the rows of a problem contradict each other or its solver fails:
/// added to the diagonal as a share of each row's own response. Soft enough to stay finite, hard enough that
/// rows which can be met are met to 0.1 %.
constexpr double kSoftness = 1e-3;
/// An iterate that fails by no more, as scaledResidual(), is better than a compromise; a worse one can gain
/// more energy (`chain`, `rings`).
constexpr double kGoodEnough = 1e-5;

/// Rows up to which a problem may be solved with its dense matrix (0.8 GB); beyond, memory of the machine and
/// patience end.
inline constexpr int kLargestProblem = 10000;

struct ModelSettings {
  int facets = 4;       ///< edges of the friction pyramid, even; 2 in the plane
  bool planar = false;  ///< contacts of polygons: friction has one axis
  FrictionShape friction = FrictionShape::Disk;
  double velocityUnit = 1;               ///< velocityUnitOf() the scene [m/s]
  int largestProblem = kLargestProblem;  ///< rows of an island with a matrix
};

/// Assembled problem of one island with the place of each set's unknowns: p, then its slacks c, then β, then
/// with a pyramid σ.
struct IslandProblem {
  int replica = 0;  ///< of the scene, to which all its bodies belong
  ComplementarityProblem problem;
  std::vector<ModelSet> sets;
  std::vector<int> first;           ///< [sets] index of p of each set
  std::vector<PairJacobian> force;  ///< [n] column of F of each unknown; empty bodies for slacks
};

/// Velocities (v, ω) of all bodies before contact.
using Velocities = std::vector<Vec6>;

/// Sets of constraints connected through dynamic bodies, each list ascending; islands in order of their first
/// set.
std::vector<std::vector<int>> islandsOf(const World& world, const std::vector<ModelContact>& contacts,
                                        const std::vector<ModelSet>& sets);
/// Those of one island.
std::vector<ModelSet> setsOfIsland(const std::vector<ModelSet>& sets, const std::vector<int>& island);

/// The reduced problem of some sets (Williams 2017, eqs. 48 and 49, ν⁺ eliminated):
///
///     A = Rᵀ M⁻¹ F + E,   b = rates + Rᵀ ν̃,   ν⁺ = ν̃ + M⁻¹ F z
///
/// Per set: ρ_1 + Σ c_r ≥ 0 ⊥ p ≥ 0 (row E2), ρ_1 − ρ_s + Σ_{r ≤ s} c_r ≥ 0 ⊥ c_s ≥ 0 (rows E1); with
/// friction Dᵀν⁺ + e σ ≥ 0 ⊥ β ≥ 0 and μ p − eᵀβ ≥ 0 ⊥ σ ≥ 0 at the primary, or a FrictionDisk.
/// @throws std::length_error beyond the largest problem, saying what to do instead
IslandProblem assemble(const World& world, const std::vector<ModelContact>& contacts,
                       std::vector<ModelSet> sets, const Velocities& velocities,
                       const ModelSettings& settings);

/// z as impulses that are applied: none pulls, friction stays within its disk (a solver's tolerance).
Eigen::VectorXd appliedImpulses(const ComplementarityProblem& problem, const Eigen::VectorXd& z);
/// ν̃ + M⁻¹ F z added to `velocities` for the bodies of one island.
void addImpulses(const World& world, const IslandProblem& island, const Eigen::VectorXd& z,
                 Velocities& velocities);

/// True if two bodies of the world can rub against each other.
bool hasFriction(const World& world);
/// frictionInStep() of a contact. @param velocityUnit  velocityUnitOf() the scene [m/s]
double frictionOf(const World& world, const ModelContact& contact, double velocityUnit);

/// Number of rows of a set in the assembled problem.
int rowsOf(const ModelSet& set, const ModelSettings& settings);

/// Number of frictionDirections().
int tangentCount(const ModelSettings& settings);
/// Directions of β at a normal: of the pyramid `facets` unit vectors in ± pairs, of the disk two that are
/// orthogonal (tangentBasis()), in the plane one.
std::vector<Vec3> frictionDirections(const Vec3& normal, const ModelSettings& settings);

}  // namespace touchstone
