#pragma once

#include <vector>

#include "core/math/count.h"
#include "core/solver/dense/constraint_row.h"
#include "core/solver/dense/problem.h"
#include "core/solver/rows/pair_jacobian.h"
#include "core/solver/rows/row.h"
#include "core/world/world_view.h"

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
  bool hasJoints = false;                ///< the scene has some, whose rows are solved with a matrix only
};

/// A row on the host, with the bodies that it acts on and its members; their responses are not used.
struct DenseRow {
  int bodyA = -1, bodyB = -1;
  ContactRow row;
  std::vector<SetMember> members;
};

/// Masses and velocities of all bodies on the host: what dense problems read of a world.
struct HostBodies {
  std::vector<double> inverseMass;    ///< [bodyCount] 1/kg
  std::vector<Mat3> inverseInertia;   ///< [bodyCount] world frame
  std::vector<Vec3> linear, angular;  ///< [bodyCount] of the running step
  WorldView view() {
    WorldView world;
    world.bodyCount = countOf(inverseMass);
    world.inverseMass = inverseMass.data();
    world.inverseInertia = inverseInertia.data();
    world.nextLinearVelocity = linear.data();
    world.nextAngularVelocity = angular.data();
    return world;
  }
};

/// The dense problem of some rows with the place of the unknowns of each: p, then the slacks c of its
/// members, then β, then with a pyramid σ. Before them come the constraints that are free, after them those
/// that are unilateral.
struct DenseProblem {
  ComplementarityProblem problem;
  std::vector<int> first;           ///< [rows] index of p
  std::vector<PairJacobian> rate;   ///< [n] row of R of each unknown; empty bodies where there is none
  std::vector<PairJacobian> force;  ///< [n] column of F of each unknown; empty bodies for slacks
  std::vector<PairJacobian> led;    ///< [n] or empty: what constraints add to both, for two more bodies
};

/// The reduced problem of some rows (Williams 2017, eqs. 48 and 49, ν⁺ eliminated):
///
///     A = Rᵀ M⁻¹ F + E,   b = rates + Rᵀ ν̃,   ν⁺ = ν̃ + M⁻¹ F z
///
/// Per row: ρ_1 + Σ c_r ≥ 0 ⊥ p ≥ 0 (row E2), ρ_1 − ρ_s + Σ_{r ≤ s} c_r ≥ 0 ⊥ c_s ≥ 0 (rows E1); with
/// friction Dᵀν⁺ + e σ ≥ 0 ⊥ β ≥ 0 and μ p − eᵀβ ≥ 0 ⊥ σ ≥ 0 at the row's contact, or a FrictionDisk.
/// @param world  on the host; the velocities of the running step are ν̃
/// @throws std::length_error beyond the largest problem, saying what to do instead
DenseProblem denseProblem(const WorldView& world, const std::vector<DenseRow>& rows,
                          const ModelSettings& settings);

/// A problem of contacts bordered by rows of constraints (joints): the free ones first, then what the problem
/// has, then the unilateral ones. Constraints get kRedundantRows as softness.
/// @param contacts  of the same bodies
DenseProblem withConstraints(const WorldView& world, DenseProblem contacts,
                             const std::vector<ConstraintRow>& free,
                             const std::vector<ConstraintRow>& unilateral);

/// z as impulses that are applied: none pulls, friction stays within its disk (a solver's tolerance).
Eigen::VectorXd appliedImpulses(const ComplementarityProblem& problem, const Eigen::VectorXd& z);
/// ν̃ + M⁻¹ F z: added to the velocities of the running step of the rows' bodies.
void addImpulses(const WorldView& world, const DenseProblem& rows, const Eigen::VectorXd& z);
/// The same for one constraint.
void addImpulse(const WorldView& world, const ConstraintRow& row, double impulse);
/// constant + J ν with the velocities of the running step.
double rateOf(const WorldView& world, const ConstraintRow& row);

/// Number of frictionDirections().
int tangentCount(const ModelSettings& settings);
/// Directions of β at a normal: of the pyramid `facets` unit vectors in ± pairs, of the disk two that are
/// orthogonal (tangentBasis()), in the plane one.
std::vector<Vec3> frictionDirections(const Vec3& normal, const ModelSettings& settings);
/// Number of unknowns of a row. @param members  besides its own contact
int unknownsOfRow(const ContactRow& row, int members, const ModelSettings& settings);

/// The rows of a step on the host.
struct HostRows {
  std::vector<RowPair> pairs;  ///< in the order of the sweeps
  std::vector<ContactRow> rows;
  std::vector<SetMember> members;
};

/// Which of them make up an island.
struct IslandOfRows {
  std::vector<int> pairs, rows;  ///< places in HostRows: each row, with its pair
};
/// The islands of all rows. Their rows are ascending, or in the order of the sweeps.
std::vector<IslandOfRows> islandsOf(const HostRows& hostRows, int islandCount, bool inSweepOrder);
/// Number of unknowns of an island's problem.
int unknownsOf(const HostRows& hostRows, const IslandOfRows& island, const ModelSettings& settings);
/// denseProblem() of one island.
DenseProblem denseProblem(const WorldView& world, const HostRows& hostRows, const IslandOfRows& island,
                          const ModelSettings& settings);
/// The unknowns z of an island that go with impulses: slacks are ρ_1 + Σ_{r ≤ s} c_r = max(ρ_1 … ρ_s). With a
/// pyramid all are 0, since its solver starts from nothing.
/// @param impulses  (p, β1, β2) of each row of the step
Eigen::VectorXd unknownsOf(const HostRows& hostRows, const IslandOfRows& island, const DenseProblem& problem,
                           const std::vector<Vec3>& impulses, const ModelSettings& settings);
/// The other way: (p, β1, β2) of the island's rows. @param z  applied
void writeImpulses(const HostRows& hostRows, const IslandOfRows& island, const DenseProblem& problem,
                   const Eigen::VectorXd& z, const ModelSettings& settings, std::vector<Vec3>& impulses);

/// An island as a problem with its start and its answer, for the inspector.
struct DenseAnswer {
  IslandOfRows island;
  DenseProblem problem;
  Eigen::VectorXd start;
  SolverResult result;
};

}  // namespace touchstone
