#pragma once

#include "core/solver/linear/krylov.inl"
#include "core/solver/rows/carrier_incidence.inl"
#include "core/solver/rows/ncp_function.h"
#include "core/solver/rows/row_loops.inl"

namespace touchstone {

/// A row of a contact along a direction d, divided by s: of a rate, and of the impulse of y = s p. Its normal
/// with s = √A_nn or, where there is friction, one of its tangents with s = √r (EquilibratedProblem). These
/// units precondition φ by r = A_nn (Macklin 2019, eq. 66).
struct NewtonRow {
  Vec3 direction;           ///< d / s
  Vec3 angularA, angularB;  ///< r × d / s
  double offset;            ///< b / s [√(m/s · N s)]: the rate without impulses
  double scale;             ///< s [1/√kg]
  double diagonal;          ///< of A with rows divided by s: 1 for normals
};

/// Coulomb's disk of a contact in these units. Its rows are turned with the slip, as DiskRows ask.
struct NewtonDisk {
  double friction;    ///< μ of |y_t| ≤ μ y_n; 0: without
  double xx, xy, yy;  ///< the block of A of its rows as they are
  TS_HD double limit(double normal) const { return normal > 0 ? friction * normal : 0; }
};

/// One number per row each, as in core/solver/dense/newton.cpp.
struct NewtonVectors : KrylovVectors {
  double *y, *v;            ///< iterate and A y + b
  double *value, *dy, *dv;  ///< φ and its derivatives there
  double* direction;
  double* added;  ///< the linear system is (A + added) x = right
};
constexpr std::size_t kNewtonVectors = sizeof(NewtonVectors) / sizeof(double*);

/// Sums over the rows of a contact, a pair or an island.
template <int count>
struct RowSums {
  double values[count] = {};
  TS_HD void add(const RowSums& o) {
    for (int k = 0; k < count; ++k) values[k] += o.values[k];
  }
};
using MeritSums = RowSums<newton::kTriedSteps>;
using SystemSums = KrylovSums;

/// Impulses of the rows of a pair of bodies on them.
struct PairPush {
  Vec3 force, angularA, angularB;  ///< on B; its opposite on A
};

/// The state of an island, with that of its linear system.
struct NewtonIsland : KrylovState {
  double merit;               ///< ½|F|²
  newton::Progress progress;  ///< of the merit
  double softness;            ///< added to the diagonal of A
  int isSymmetrised;          ///< derivatives are left out of its linear system: friction, or sets
  int isStuck;                ///< without a direction
  double step;                ///< along it
  int linearIterations;       ///< of Newton's direction
  double linearResidual;
};

/// For the record.
struct NewtonIterate {
  double merit, linearResidual;
  int linearIterations;
};

namespace detail {

TS_HD inline bool isFinite(double number) { return number - number == 0; }

/// Arrays that the loops over rows share. An impulse y of a row moves its bodies; `linear` and `angular` are
/// the velocities that the last product gave them.
struct NewtonRows {
  const RowPlace* places;
  int* running;
  NewtonRow* rows;
  Vec3 *linear, *angular;
  NewtonVectors u;
  NewtonIsland* islands;
  int perContact;     // 1, or with tangents 2 in the plane and 3 in space
  NewtonDisk* disks;  // [contacts] unless that is 1
  const ContactRow* contacts;
  const NewtonRow* others;  // [members of the sets] SetMember in the units of its contact's normal
  double* otherRates;       // [members of the sets] A y + b

  TS_HD double softness(const RowPlace& place) const { return islands[place.island].softness; }
  /// A row of (A + softness) x, after the product of A and x.
  TS_HD double times(const RowPlace& place, int row, const double* x) const {
    return rateOf(place, rows[row]) + softness(place) * x[row];
  }
  TS_HD double rateOf(const RowPlace& place, const NewtonRow& newtonRow) const {
    return newtonRow.direction.dot(linear[place.bodyB] - linear[place.bodyA]) +
           newtonRow.angularB.dot(angular[place.bodyB]) - newtonRow.angularA.dot(angular[place.bodyA]);
  }
  /// A row of S x, after the product of A and x.
  TS_HD double systemTimes(const RowPlace& place, int row, const double* x) const {
    return isCoupled(row) ? times(place, row, x) + u.added[row] * x[row] : 0;
  }
  /// Rows without ∂φ/∂v (open contacts) give their unknown at once and are no rows of the linear system.
  TS_HD bool isCoupled(int row) const { return !(u.dv[row] <= newton::kDecoupled * u.dy[row]); }
};

// Loops over rows take one contact per index, as far as its island is running: a device has more threads than
// there are pairs.

template <class Row>
struct EachRow {  // one place of rows per index
  NewtonRows system;
  Row row;
  SystemSums* sums;  // [contacts], or null: not wanted
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    SystemSums rowSums;
    const int first = place.row * system.perContact;
    for (int number = first; number < first + system.perContact; ++number)
      row(system, place, system.islands[place.island], number, rowSums);
    if (sums) sums[place.row] = rowSums;
  }
};

struct StartRows {  // one pair of a running island per index
  WorldView world;
  const RowPair* pairs;
  const int* running;
  const ContactRow* contacts;
  const SetMember* gaps;
  const Vec3* z;
  int perContact;  // as in NewtonRows
  NewtonRow* rows;
  NewtonRow* others;
  NewtonDisk* disks;
  double* y;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island]) return;
    const MovingPair moving(world, pair);
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const ContactRow& contact = contacts[place];
      const int row = place * perContact;
      const double scale = std::sqrt(contact.normalSlope);
      rows[row] = rowAlong(contact, contact.normal, scale, moving.rateOf(contact));
      for (int k = contact.firstOther; k < contact.firstOther + contact.otherCount; ++k)
        others[k] = rowAlong(gaps[k], gaps[k].normal, scale, moving.rateOf(gaps[k]));
      y[row] = scale * z[place][0];
      if (perContact > 1) startTangents(contact, moving, place, scale);
    }
  }

 private:
  template <class Point>
  TS_HD static NewtonRow rowAlong(const Point& point, const Vec3& along, double scale, double rate) {
    return {along / scale,
            point.armA.cross(along) / scale,
            point.armB.cross(along) / scale,
            rate / scale,
            scale,
            1};
  }
  /// Rows of zeros where there is no friction.
  TS_HD void startTangents(const ContactRow& contact, const MovingPair& moving, int place,
                           double normalScale) const {
    const int row = place * perContact + 1;
    const bool rubs = contact.friction > 0;
    const double r = contact.tangentSlope, scale = std::sqrt(r);
    const Vec3 none(0, 0, 0), slip = moving.slip(contact);
    const Vec3 first = rubs ? contact.tangent : none,
               second = rubs && perContact == 3 ? Vec3(contact.normal.cross(contact.tangent)) : none;
    const Vec3 byFirst = moving.response(contact, contact, first),
               bySecond = moving.response(contact, contact, second);
    disks[place] = {contact.friction * scale / normalScale, first.dot(byFirst) / r, first.dot(bySecond) / r,
                    second.dot(bySecond) / r};
    rows[row] = rowAlong(contact, first, scale, first.dot(slip));
    rows[row].diagonal = disks[place].xx;
    y[row] = rubs ? scale * z[place][1] : 0;
    if (perContact < 3) return;
    rows[row + 1] = rowAlong(contact, second, scale, second.dot(slip));
    rows[row + 1].diagonal = disks[place].yy;
    y[row + 1] = rubs ? scale * z[place][2] : 0;
  }
};

// The product A x: impulses x of rows push pairs, pairs push bodies, and the bodies' velocities are what
// NewtonRows::rateOf() reads.

struct PushPair {  // one pair of a running island per index
  const RowPair* pairs;
  const int* running;
  const NewtonRow* rows;
  int perContact;
  const double* x;
  PairPush* pushes;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island]) return;
    PairPush push{Vec3(0, 0, 0), Vec3(0, 0, 0), Vec3(0, 0, 0)};
    for (int row = pair.first * perContact; row < (pair.first + pair.count) * perContact; ++row) {
      push.force += x[row] * rows[row].direction;
      push.angularA += x[row] * rows[row].angularA;
      push.angularB += x[row] * rows[row].angularB;
    }
    pushes[index] = push;
  }
  /// One number of its push.
  static constexpr int kParts = 9;
  TS_HD void part(int index, int part) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island]) return;
    double sum = 0;
    for (int row = pair.first * perContact; row < (pair.first + pair.count) * perContact; ++row)
      sum += x[row] * vectorOf(part, rows[row].direction, rows[row].angularA, rows[row].angularB)[part % 3];
    vectorOf(part, pushes[index].force, pushes[index].angularA, pushes[index].angularB)[part % 3] = sum;
  }

 private:
  /// The vector that has the part.
  template <class Vector>
  TS_HD static Vector& vectorOf(int part, Vector& force, Vector& angularA, Vector& angularB) {
    return part < 3 ? force : part < 6 ? angularA : angularB;
  }
};

struct MoveBody {  // one body of a running island per index
  WorldView world;
  const int* islandOfBody;
  const int* running;
  CarrierIncidence sides;  // of places of pairs
  const PairPush* pushes;
  Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    if (islandOfBody[body] < 0 || !running[islandOfBody[body]]) return;
    Vec3 force(0, 0, 0), torque(0, 0, 0);
    for (int k = sides.first[body]; k < sides.first[body + 1]; ++k) {
      const PairPush& push = pushes[sides.pairAt(k)];
      if (sides.sideAt(k) % 2 == 1) {
        force += push.force;
        torque += push.angularB;
      } else {
        force -= push.force;
        torque -= push.angularA;
      }
    }
    linear[body] = world.inverseMass[body] * force;
    angular[body] = world.inverseInertia[body] * torque;
  }
};

}  // namespace detail

}  // namespace touchstone
