#pragma once

#include "core/contact/model_contact.h"
#include "core/contact/penalty_contact.h"
#include "core/solver/friction_disk.h"
#include "core/world/world_view.h"

namespace touchstone {

/// Contacts of two pieces, or of a piece and a plane, as sweeps take them: one after the other.
struct SweepPair {
  int bodyA, bodyB;         ///< ascending
  int first, count;         ///< contacts
  int before, beforeCount;  ///< contacts of the same pair in the last step
  int island;
};

/// What a contact is known by from step to step, within its pair.
struct SweepKey {
  int kind;  ///< of the features, with the side of the vertex
  int featureA, featureB;
  TS_HD bool operator==(const SweepKey& o) const {
    return kind == o.kind && featureA == o.featureA && featureB == o.featureB;
  }
};

TS_HD inline SweepKey sweepKeyOf(const PieceContact& contact) {
  return {2 * static_cast<int>(contact.kind) + (contact.vertexOnA ? 1 : 0), contact.featureA,
          contact.featureB};
}

/// The rows of one contact. Impulses act on B, their opposites on A.
struct SweepContact {
  Vec3 normal, tangent;  ///< the second tangent is normal × tangent
  Vec3 armA, armB;       ///< from the centres of mass [m]
  double rate;           ///< ModelContact::rate [m/s]
  double friction;       ///< μ
  double normalSlope;    ///< A_nn [1/kg]
  double tangentSlope;   ///< r: diskScale() of the tangents' block of A [1/kg]
};

/// Largest values over rows; NaN is larger than any number.
struct SweepFigures {
  double scaled = 0, natural = 0;
  TS_HD static void keep(double value, double& largest) {
    if (!(value <= largest)) largest = value;
  }
  TS_HD void add(const SweepFigures& o) {
    keep(o.scaled, scaled);
    keep(o.natural, natural);
  }
};

struct SweepIsland {
  double denominator;   ///< 1 + max|b_i / s_i|
  double largestScale;  ///< max s_i
  SweepFigures best;
  int measured;  ///< iterates so far
  int isDone, isImproved;
};

namespace detail {

/// Velocities of a pair's bodies and how impulses change them.
struct MovingPair {
  Vec3 linearA, angularA, linearB, angularB;
  double inverseMassA, inverseMassB;
  Mat3 inverseInertiaA, inverseInertiaB;

  TS_HD MovingPair(const WorldView& world, const SweepPair& pair)
      : linearA(world.nextLinearVelocity[pair.bodyA]),
        angularA(world.nextAngularVelocity[pair.bodyA]),
        linearB(world.nextLinearVelocity[pair.bodyB]),
        angularB(world.nextAngularVelocity[pair.bodyB]),
        inverseMassA(isDynamic(world, pair.bodyA) ? world.inverseMass[pair.bodyA] : 0),
        inverseMassB(isDynamic(world, pair.bodyB) ? world.inverseMass[pair.bodyB] : 0),
        inverseInertiaA(isDynamic(world, pair.bodyA) ? world.inverseInertia[pair.bodyA] : Mat3(Mat3::Zero())),
        inverseInertiaB(isDynamic(world, pair.bodyB) ? world.inverseInertia[pair.bodyB]
                                                     : Mat3(Mat3::Zero())) {}
  /// Static bodies are in many pairs of a colour and are not written.
  TS_HD void store(const WorldView& world, const SweepPair& pair) const {
    if (isDynamic(world, pair.bodyA)) {
      world.nextLinearVelocity[pair.bodyA] = linearA;
      world.nextAngularVelocity[pair.bodyA] = angularA;
    }
    if (isDynamic(world, pair.bodyB)) {
      world.nextLinearVelocity[pair.bodyB] = linearB;
      world.nextAngularVelocity[pair.bodyB] = angularB;
    }
  }
  /// Velocity of B's point relative to A's.
  TS_HD Vec3 slip(const SweepContact& contact) const {
    const Vec3 onA = linearA + angularA.cross(contact.armA), onB = linearB + angularB.cross(contact.armB);
    return onB - onA;
  }
  TS_HD void push(const SweepContact& contact, const Vec3& impulse) {
    linearA -= inverseMassA * impulse;
    angularA -= inverseInertiaA * Vec3(contact.armA.cross(impulse));
    linearB += inverseMassB * impulse;
    angularB += inverseInertiaB * Vec3(contact.armB.cross(impulse));
  }
  /// Change of the slip by a unit impulse.
  TS_HD Vec3 response(const SweepContact& contact, const Vec3& impulse) const {
    const Vec3 turnA = inverseInertiaA * Vec3(contact.armA.cross(impulse));
    const Vec3 turnB = inverseInertiaB * Vec3(contact.armB.cross(impulse));
    return (inverseMassA + inverseMassB) * impulse + turnA.cross(contact.armA) + turnB.cross(contact.armB);
  }
};

/// (p, β1, β2) as an impulse on B.
TS_HD inline Vec3 impulseOf(const SweepContact& contact, const Vec3& z) {
  return z[0] * contact.normal + z[1] * contact.tangent + z[2] * contact.normal.cross(contact.tangent);
}

/// β for a slip: proj(β − w/r) onto |β| ≤ μ p.
TS_HD inline void slideWithin(const SweepContact& contact, bool planar, const Vec3& slip, Vec3& z) {
  z[1] -= contact.tangent.dot(slip) / contact.tangentSlope;
  z[2] = planar ? 0 : z[2] - contact.normal.cross(contact.tangent).dot(slip) / contact.tangentSlope;
  projectOnDisk(contact.friction * z[0], z[1], z[2]);
}

struct StartPair {  // one pair per index: rows and warm start of its contacts
  WorldView world;
  const ModelContact* found;
  const SweepPair* pairs;
  bool planar;
  const SweepKey* keysBefore;
  const Vec3* before;
  SweepContact* contacts;
  SweepKey* keys;
  Vec3* z;
  SweepFigures* figures;  // out: max|b_i / s_i|, max s_i

  TS_HD void operator()(int index) const {
    const SweepPair& pair = pairs[index];
    const MovingPair moving(world, pair);
    const double friction = frictionOf(world.bodies[pair.bodyA], world.bodies[pair.bodyB]).dynamicFriction;
    SweepFigures largest;
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const ModelContact& model = found[place];
      SweepContact contact;
      contact.normal = model.geometry.normal;
      contact.armA = model.armA;
      contact.armB = model.armB;
      contact.rate = model.rate;
      contact.friction = friction;
      Vec3 second(0, 0, 0);
      if (planar) {
        contact.tangent = Vec3(-contact.normal.y(), contact.normal.x(), 0);
      } else {
        tangentBasis(contact.normal, contact.tangent, second);
      }
      contact.normalSlope = contact.normal.dot(moving.response(contact, contact.normal));
      const Vec3 along = moving.response(contact, contact.tangent), across = moving.response(contact, second);
      contact.tangentSlope =
          diskScale(contact.tangent.dot(along), contact.tangent.dot(across), second.dot(across));
      contacts[place] = contact;
      keys[place] = sweepKeyOf(model.geometry);
      z[place] = startOf(pair, keys[place], friction);
      const Vec3 slip = moving.slip(contact);
      addOffset(contact.rate + contact.normal.dot(slip), contact.normalSlope, largest);
      if (!(friction > 0)) continue;
      addOffset(contact.tangent.dot(slip), contact.tangentSlope, largest);
      addOffset(second.dot(slip), contact.tangentSlope, largest);
    }
    figures[index] = largest;
  }

 private:
  TS_HD Vec3 startOf(const SweepPair& pair, const SweepKey& key, double friction) const {
    for (int place = pair.before; place < pair.before + pair.beforeCount; ++place)
      if (keysBefore[place] == key) return friction > 0 ? before[place] : Vec3(before[place][0], 0, 0);
    return Vec3(0, 0, 0);
  }
  TS_HD static void addOffset(double offset, double slope, SweepFigures& largest) {
    const double scale = std::sqrt(slope);
    SweepFigures::keep(std::fabs(offset / scale), largest.scaled);
    SweepFigures::keep(scale, largest.natural);
  }
};

struct PushStart {  // one pair of a colour per index: the warm start's impulses
  WorldView world;
  const SweepPair* pairs;
  const SweepContact* contacts;
  const Vec3* z;
  TS_HD void operator()(int index) const {
    const SweepPair& pair = pairs[index];
    MovingPair moving(world, pair);
    for (int place = pair.first; place < pair.first + pair.count; ++place)
      moving.push(contacts[place], impulseOf(contacts[place], z[place]));
    moving.store(world, pair);
  }
};

struct SweepContacts {  // one pair of a colour per index
  WorldView world;
  const SweepPair* pairs;
  const SweepContact* contacts;
  const SweepIsland* islands;
  bool planar;
  Vec3* z;
  TS_HD void operator()(int index) const {
    const SweepPair& pair = pairs[index];
    if (islands[pair.island].isDone) return;
    MovingPair moving(world, pair);
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const SweepContact& contact = contacts[place];
      const Vec3 old = z[place];
      Vec3 own = old;
      const double p =
          own[0] - (contact.rate + contact.normal.dot(moving.slip(contact))) / contact.normalSlope;
      own[0] = p > 0 ? p : 0;
      if (own[0] != old[0]) moving.push(contact, (own[0] - old[0]) * contact.normal);
      if (contact.friction > 0) {
        slideWithin(contact, planar, moving.slip(contact), own);
        const Vec3 change(0, own[1] - old[1], own[2] - old[2]);
        if (change[1] != 0 || change[2] != 0) moving.push(contact, impulseOf(contact, change));
      }
      z[place] = own;
    }
    moving.store(world, pair);
  }
};

struct MeasurePair {  // one pair per index: by how much its rows fail
  WorldView world;
  const SweepPair* pairs;
  const SweepContact* contacts;
  const SweepIsland* islands;
  bool planar;
  const Vec3* z;
  SweepFigures* figures;
  TS_HD void operator()(int index) const {
    const SweepPair& pair = pairs[index];
    if (islands[pair.island].isDone) return;
    const MovingPair moving(world, pair);
    SweepFigures largest;
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const SweepContact& contact = contacts[place];
      const Vec3 slip = moving.slip(contact), own = z[place];
      const double w = contact.rate + contact.normal.dot(slip), held = contact.normalSlope * own[0];
      add(std::fabs(w < held ? w : held), contact.normalSlope, largest);
      if (!(contact.friction > 0)) continue;
      Vec3 nearest = own;
      slideWithin(contact, planar, slip, nearest);
      const double miss = lengthOf(own[1] - nearest[1], own[2] - nearest[2]);
      add(contact.tangentSlope * miss, contact.tangentSlope, largest);
    }
    figures[index] = largest;
  }

 private:
  TS_HD static void add(double value, double slope, SweepFigures& largest) {
    largest.add({value / std::sqrt(slope), value});
  }
};

struct JoinChunk {  // one chunk of pairs per index
  const int *places, *first;
  const SweepFigures* figures;
  SweepFigures* out;
  TS_HD void operator()(int chunk) const {
    SweepFigures largest;
    for (int k = first[chunk]; k < first[chunk + 1]; ++k) largest.add(figures[places[k]]);
    out[chunk] = largest;
  }
};

/// Of all chunks of an island.
TS_HD inline SweepFigures joinedFigures(const int* firstChunk, const SweepFigures* chunks, int island) {
  SweepFigures largest;
  for (int chunk = firstChunk[island]; chunk < firstChunk[island + 1]; ++chunk) largest.add(chunks[chunk]);
  return largest;
}

struct StartIsland {  // one island per index
  const int* firstChunk;
  const SweepFigures* chunks;
  SweepIsland* islands;
  int* running;
  TS_HD void operator()(int index) const {
    const SweepFigures largest = joinedFigures(firstChunk, chunks, index);
    SweepIsland island{};
    island.denominator = 1 + largest.scaled;
    island.largestScale = largest.natural;
    islands[index] = island;
    running[index] = 1;
  }
};

/// One island per index: after the start and after each sweep. Keeps the best iterate, and stops.
struct JudgeIsland {
  const int* firstChunk;
  const SweepFigures* chunks;
  double tolerance;
  int maxSweeps, reported;
  SweepIsland* islands;
  int* running;
  SweepFigures* history;  // [maxSweeps + 1] of the island `reported`
  TS_HD void operator()(int index) const {
    SweepIsland& island = islands[index];
    island.isImproved = 0;
    if (island.isDone) return;
    SweepFigures own = joinedFigures(firstChunk, chunks, index);
    own.scaled /= island.denominator;
    if (island.measured == 0 || own.scaled < island.best.scaled) {
      island.best = own;
      island.isImproved = 1;
    }
    if (index == reported) history[island.measured] = own;
    ++island.measured;
    if (!(island.best.scaled > tolerance) || island.measured > maxSweeps) island.isDone = 1;
    running[index] = island.isDone ? 0 : 1;
  }
};

struct KeepImpulses {  // one pair per index, where its island has improved
  const SweepPair* pairs;
  const SweepIsland* islands;
  const Vec3* z;
  Vec3* best;
  TS_HD void operator()(int index) const {
    const SweepPair& pair = pairs[index];
    if (!islands[pair.island].isImproved) return;
    for (int place = pair.first; place < pair.first + pair.count; ++place) best[place] = z[place];
  }
};

struct KeepVelocities {  // one body per index, where its island has improved
  WorldView world;
  const int* islandOfBody;
  const SweepIsland* islands;
  Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    const int island = islandOfBody[body];
    if (island < 0 || !islands[island].isImproved) return;
    linear[body] = world.nextLinearVelocity[body];
    angular[body] = world.nextAngularVelocity[body];
  }
};

struct FindSlip {  // one pair per index: speed along the tangents
  WorldView world;
  const SweepPair* pairs;
  const SweepContact* contacts;
  double* slips;
  TS_HD void operator()(int index) const {
    const SweepPair& pair = pairs[index];
    const MovingPair moving(world, pair);
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const Vec3 slip = moving.slip(contacts[place]);
      slips[place] = (slip - contacts[place].normal.dot(slip) * contacts[place].normal).norm();
    }
  }
};

struct UseVelocities {  // one body per index
  WorldView world;
  const int* islandOfBody;
  const Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    if (islandOfBody[body] < 0) return;
    world.nextLinearVelocity[body] = linear[body];
    world.nextAngularVelocity[body] = angular[body];
  }
};

}  // namespace detail

}  // namespace touchstone
