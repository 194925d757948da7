#pragma once

#include <cmath>

#include "core/math/host_device.h"
#include "core/world/world_view.h"

namespace touchstone {

/// Identity of a block of rows from step to step. Blocks are ordered by kind, then first, then second.
struct BlockKey {
  int kind, first, second;
  TS_HD bool operator<(const BlockKey& o) const {
    if (kind != o.kind) return kind < o.kind;
    return first != o.first ? first < o.first : second < o.second;
  }
};

/// Rows on the same two carriers that one key names; in the order of their keys.
struct RowBlock {
  BlockKey key;
  int bodyA, bodyB;  ///< ascending
  int first, count;  ///< rows
};

/// A RowBlock in the order of the sweeps: one index of a loop takes its rows one after the other.
struct RowPair {
  int bodyA, bodyB;         ///< ascending
  int first, count;         ///< rows
  int before, beforeCount;  ///< rows of the same block in the last step
  int island;
};

/// A row as loops over rows find it: those of an island lie together, pair by pair.
struct RowPlace {
  int row;
  int bodyA, bodyB;  ///< as in its RowPair
  int island;        ///< −1: past the last row
  /// @param flags  [islands], of those that are meant
  TS_HD bool isIn(const int* flags) const { return island >= 0 && flags[island]; }
};

/// Identity of a row from step to step, within its block.
struct RowKey {
  int kind;  ///< of the features, with the side of the vertex
  int featureA, featureB;
  int members;  ///< of a set of several, without those, a number that they and its type make; else 0
  TS_HD bool operator==(const RowKey& o) const {
    return kind == o.kind && featureA == o.featureA && featureB == o.featureB && members == o.members;
  }
};

/// Another member of a row that asks for the largest of several rates
/// (Williams 2017, eqs. 39 and 40, without their slacks):
///     0 ≤ p ⊥ max_s ρ_s ≥ 0,   p along the row's own normal
struct SetMember {
  Vec3 normal, armA, armB;
  double rate;   ///< constant of its ρ [m/s]
  double slope;  ///< G_sᵀ M⁻¹ G_1: of ρ_s over p [1/kg]
};

/// One row, a unilateral rate with its friction: ρ = rate + normal · slip. Impulses act on B, their opposites
/// on A.
struct ContactRow {
  Vec3 normal, tangent;            ///< the second tangent is normal × tangent
  Vec3 armA, armB;                 ///< from the centres of mass [m]
  double rate;                     ///< constant of ρ: what the velocity has to undo [m/s]
  double maxSeparationSpeed;       ///< speed of separation that the row may leave behind [m/s]
  double friction;                 ///< μ
  double normalSlope;              ///< A_nn [1/kg]
  double tangentSlope;             ///< r: diskScale() of the tangents' block of A [1/kg]
  double normalMass, tangentMass;  ///< 1 / normalSlope, 1 / tangentSlope [kg]: a device divides slowly
  int firstOther, otherCount;      ///< SetMembers
};

/// Largest values over rows; NaN is larger than any number.
struct RowExtremes {
  double scaled = 0, natural = 0;
  TS_HD static void keep(double value, double& largest) {
    if (!(value <= largest)) largest = value;
  }
  TS_HD void add(const RowExtremes& o) {
    keep(o.scaled, scaled);
    keep(o.natural, natural);
  }
};

/// Number of rows of an island.
struct IslandRows {
  int rows = 0, island = -1;
  TS_HD void add(const IslandRows& o) {
    rows += o.rows;
    island = o.island;
  }
};

/// Limits at which the solver of an island stops; as in SolverSettings.
struct SolverLimits {
  double tolerance = 0;
  int maxIterations = 0;
  double velocityUnit = 1;  ///< m/s
  bool operator==(const SolverLimits& o) const {
    return tolerance == o.tolerance && maxIterations == o.maxIterations && velocityUnit == o.velocityUnit;
  }
};

/// Convergence of one island.
struct IslandCurve {
  double denominator;   ///< as in scaledResidual()
  double largestScale;  ///< max s_i
  SolverLimits limits;
  RowExtremes best;
  int measured;  ///< iterates so far
  int isDone, isImproved;
  int hasNoSolution;  ///< its solver has found that there is none
  TS_HD bool isSolved() const { return best.scaled <= limits.tolerance; }
};

/// Input and output of a loop that writes the rows of blocks. Index: a place of the sweeps.
struct RowWriting {
  const RowPair* pairs;
  const int* running;  ///< [islandCount]
  const RowKey* keysBefore;
  const Vec3* before;  ///< impulses on B of the rows of the last step
  ContactRow* rows;
  SetMember* members;
  RowKey* keys;
  Vec3* z;                ///< (p, β1, β2) of the start
  RowExtremes* extremes;  ///< of each pair: max|b_i / s_i|, max s_i
};

namespace detail {

/// Velocities of two bodies.
struct PairVelocities {
  Vec3 linearA, angularA, linearB, angularB;

  /// @param bodies  RowPair or RowPlace
  template <class Bodies>
  TS_HD PairVelocities(const WorldView& world, const Bodies& bodies)
      : linearA(world.nextLinearVelocity[bodies.bodyA]),
        angularA(world.nextAngularVelocity[bodies.bodyA]),
        linearB(world.nextLinearVelocity[bodies.bodyB]),
        angularB(world.nextAngularVelocity[bodies.bodyB]) {}
  /// Velocity of B's point relative to A's.
  template <class Point>
  TS_HD Vec3 slip(const Point& contact) const {
    const Vec3 onA = linearA + angularA.cross(contact.armA), onB = linearB + angularB.cross(contact.armB);
    return onB - onA;
  }
  /// ρ = ψ/h + Gᵀν of a contact (Williams 2017, eqs. 6 and 7): its gap, linearised to the end of the step,
  /// over h [m/s].
  template <class Point>
  TS_HD double rateOf(const Point& contact) const {
    return contact.rate + contact.normal.dot(slip(contact));
  }
};

/// Change of the velocities of a pair's bodies per impulse.
struct PairInertia {
  double inverseMassA, inverseMassB;
  Mat3 inverseInertiaA, inverseInertiaB;

  TS_HD PairInertia(const WorldView& world, int bodyA, int bodyB)
      : inverseMassA(isDynamic(world, bodyA) ? world.inverseMass[bodyA] : 0),
        inverseMassB(isDynamic(world, bodyB) ? world.inverseMass[bodyB] : 0),
        inverseInertiaA(isDynamic(world, bodyA) ? world.inverseInertia[bodyA] : Mat3(Mat3::Zero())),
        inverseInertiaB(isDynamic(world, bodyB) ? world.inverseInertia[bodyB] : Mat3(Mat3::Zero())) {}
  /// Change of the slip at one contact by an impulse at another or the same.
  template <class Point>
  TS_HD Vec3 response(const Point& contact, const ContactRow& pushed, const Vec3& impulse) const {
    const Vec3 angularA = inverseInertiaA * Vec3(pushed.armA.cross(impulse));
    const Vec3 angularB = inverseInertiaB * Vec3(pushed.armB.cross(impulse));
    return (inverseMassA + inverseMassB) * impulse + angularA.cross(contact.armA) +
           angularB.cross(contact.armB);
  }
};

/// Velocities of a pair's bodies and how impulses change them.
struct MovingPair : PairVelocities, PairInertia {
  TS_HD MovingPair(const WorldView& world, const RowPair& pair)
      : PairVelocities(world, pair), PairInertia(world, pair.bodyA, pair.bodyB) {}
  /// Static bodies are in many pairs of a colour and are not written.
  TS_HD void store(const WorldView& world, const RowPair& pair) const {
    if (isDynamic(world, pair.bodyA)) {
      world.nextLinearVelocity[pair.bodyA] = linearA;
      world.nextAngularVelocity[pair.bodyA] = angularA;
    }
    if (isDynamic(world, pair.bodyB)) {
      world.nextLinearVelocity[pair.bodyB] = linearB;
      world.nextAngularVelocity[pair.bodyB] = angularB;
    }
  }
  TS_HD void push(const ContactRow& contact, const Vec3& impulse) {
    linearA -= inverseMassA * impulse;
    angularA -= inverseInertiaA * Vec3(contact.armA.cross(impulse));
    linearB += inverseMassB * impulse;
    angularB += inverseInertiaB * Vec3(contact.armB.cross(impulse));
  }
};

/// (p, β1, β2) as an impulse on B.
TS_HD inline Vec3 impulseOf(const ContactRow& contact, const Vec3& z) {
  return z[0] * contact.normal + z[1] * contact.tangent + z[2] * contact.normal.cross(contact.tangent);
}

/// The largest ρ of a row, with the velocities as they are.
TS_HD inline double largestRate(const ContactRow& contact, const SetMember* others,
                                const PairVelocities& moving) {
  double largest = moving.rateOf(contact);
  for (int k = contact.firstOther; k < contact.firstOther + contact.otherCount; ++k) {
    const double rate = moving.rateOf(others[k]);
    if (rate > largest) largest = rate;
  }
  return largest;
}

}  // namespace detail

}  // namespace touchstone
