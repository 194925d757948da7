#pragma once

#include "core/contact/complementarity/row_rules.h"
#include "core/contact/penalty/penalty_contact.h"
#include "core/solver/newton/friction_disk.h"
#include "core/solver/rows/island_reduction.inl"
#include "core/world/world_view.h"

namespace touchstone {

/// Rows of two pieces, or of a piece and a plane: one index of a loop takes them one after the other.
struct RowPair {
  int bodyA, bodyB;         ///< ascending
  int first, count;         ///< rows
  int before, beforeCount;  ///< rows of the same pair in the last step
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

/// What a row is known by from step to step, within its pair.
struct RowKey {
  int kind;  ///< of the features, with the side of the vertex
  int featureA, featureB;
  int members;  ///< of a set of several, without those, a number that they and its type make; else 0
  TS_HD bool operator==(const RowKey& o) const {
    return kind == o.kind && featureA == o.featureA && featureB == o.featureB && members == o.members;
  }
};

TS_HD inline RowKey rowKeyOf(const PieceContact& contact) {
  return {2 * static_cast<int>(contact.kind) + (contact.vertexOnA ? 1 : 0), contact.featureA,
          contact.featureB, 0};
}

/// Which contact of a set carries the force (Williams 2017): the published choice can push along the wrong
/// normal, the one with the largest gap cannot.
enum class PrimaryRule { Published, LargestGap };

/// With which primaries an island is solved.
struct PrimaryChoice {
  PrimaryRule rule;
  int isRetry;      ///< its answer with the published ones was refused …
  int wasUnsolved;  ///< … or there was none
};

/// What decides which rows there are: one for each contact, or one for each constraint set.
struct RowSource {
  const ModelContact* contacts;
  const SetRange* sets;        ///< null: every contact is a row
  const int* members;          ///< of the sets, into `contacts`
  const PrimaryChoice* forms;  ///< [islandCount]
};

/// Another contact of a row's set. The row asks for the largest of all their rates (Williams 2017, eqs. 39
/// and 40, without their slacks):
///     0 ≤ p ⊥ max_s ρ_s ≥ 0,   p along the primary's normal
struct SetMember {
  Vec3 normal, armA, armB;
  double rate;   ///< ModelContact::rate [m/s]
  double slope;  ///< G_sᵀ M⁻¹ G_1: of ρ_s over p [1/kg]
};

/// One row, of the primary contact of its set, with its friction. Impulses act on B, their opposites on A.
struct ContactRow {
  Vec3 normal, tangent;            ///< the second tangent is normal × tangent
  Vec3 armA, armB;                 ///< from the centres of mass [m]
  double rate, mostLift;           ///< of ModelContact [m/s]
  double friction;                 ///< μ
  double normalSlope;              ///< A_nn [1/kg]
  double tangentSlope;             ///< r: diskScale() of the tangents' block of A [1/kg]
  double normalMass, tangentMass;  ///< 1 / normalSlope, 1 / tangentSlope [kg]: a device divides slowly
  int firstOther, otherCount;
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

/// How many rows an island has.
struct IslandRows {
  int rows = 0, island = -1;
  TS_HD void add(const IslandRows& o) {
    rows += o.rows;
    island = o.island;
  }
};

/// Where the solver of an island stops; as in SolverSettings.
struct SolverLimits {
  double tolerance = 0;
  int maxIterations = 0;
  double velocityUnit = 1;  ///< m/s
  bool operator==(const SolverLimits& o) const {
    return tolerance == o.tolerance && maxIterations == o.maxIterations && velocityUnit == o.velocityUnit;
  }
};

/// How the iterates of an island come along.
struct IslandCurve {
  double denominator;   ///< as in scaledResidual()
  double largestScale;  ///< max s_i
  SolverLimits limits;
  RowExtremes best;
  int measured;  ///< iterates so far
  int isDone, isImproved;
  TS_HD bool isSolved() const { return best.scaled <= limits.tolerance; }
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
  TS_HD Vec3 slip(const Point& at) const {
    const Vec3 onA = linearA + angularA.cross(at.armA), onB = linearB + angularB.cross(at.armB);
    return onB - onA;
  }
  /// ρ of a contact.
  template <class Point>
  TS_HD double rateOf(const Point& at) const {
    return at.rate + at.normal.dot(slip(at));
  }
};

/// Velocities of a pair's bodies and how impulses change them.
struct MovingPair : PairVelocities {
  double inverseMassA, inverseMassB;
  Mat3 inverseInertiaA, inverseInertiaB;

  TS_HD MovingPair(const WorldView& world, const RowPair& pair)
      : PairVelocities(world, pair),
        inverseMassA(isDynamic(world, pair.bodyA) ? world.inverseMass[pair.bodyA] : 0),
        inverseMassB(isDynamic(world, pair.bodyB) ? world.inverseMass[pair.bodyB] : 0),
        inverseInertiaA(isDynamic(world, pair.bodyA) ? world.inverseInertia[pair.bodyA] : Mat3(Mat3::Zero())),
        inverseInertiaB(isDynamic(world, pair.bodyB) ? world.inverseInertia[pair.bodyB]
                                                     : Mat3(Mat3::Zero())) {}
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
  /// Change of the slip at one contact by an impulse at another or the same.
  template <class Point>
  TS_HD Vec3 response(const Point& at, const ContactRow& pushed, const Vec3& impulse) const {
    const Vec3 angularA = inverseInertiaA * Vec3(pushed.armA.cross(impulse));
    const Vec3 angularB = inverseInertiaB * Vec3(pushed.armB.cross(impulse));
    return (inverseMassA + inverseMassB) * impulse + angularA.cross(at.armA) + angularB.cross(at.armB);
  }
};

/// (p, β1, β2) as an impulse on B.
TS_HD inline Vec3 impulseOf(const ContactRow& contact, const Vec3& z) {
  return z[0] * contact.normal + z[1] * contact.tangent + z[2] * contact.normal.cross(contact.tangent);
}

struct StartPair {  // one pair of a running island per index: its rows and their start
  WorldView world;
  RowSource source;
  bool isWarm;   // the start is the last step's impulses, or nothing
  bool isOfAll;  // islands that stand get rows as well
  const RowPair* pairs;
  const int* running;  // [islandCount]
  bool planar;
  double velocityUnit;  // velocityUnitOf() the scene [m/s]
  const RowKey* keysBefore;
  const Vec3* before;  // impulses on B
  ContactRow* contacts;
  SetMember* others;  // out, by member of the sets
  int* primaries;     // out, unless every contact is a row
  RowKey* keys;
  Vec3* z;
  RowExtremes* figures;  // out: max|b_i / s_i|, max s_i

  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island] && !isOfAll) return;
    const MovingPair moving(world, pair);
    RowExtremes largest;
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const int primary = source.sets ? primaryOf(source.sets[place], source.forms[pair.island].rule) : place;
      const ModelContact& model = source.contacts[primary];
      ContactRow contact;
      contact.normal = model.geometry.normal;
      contact.armA = model.armA;
      contact.armB = model.armB;
      contact.rate = model.rate;
      contact.mostLift = model.mostLift;
      contact.friction = frictionInStep(world, pair.bodyA, pair.bodyB, contact.normal, contact.armA,
                                        contact.armB, velocityUnit);
      Vec3 second(0, 0, 0);
      if (planar) {
        contact.tangent = Vec3(-contact.normal.y(), contact.normal.x(), 0);
      } else {
        tangentBasis(contact.normal, contact.tangent, second);
      }
      contact.normalSlope = contact.normal.dot(moving.response(contact, contact, contact.normal));
      const Vec3 along = moving.response(contact, contact, contact.tangent),
                 across = moving.response(contact, contact, second);
      contact.tangentSlope =
          diskScale(contact.tangent.dot(along), contact.tangent.dot(across), second.dot(across));
      contact.normalMass = 1 / contact.normalSlope;
      contact.tangentMass = 1 / contact.tangentSlope;
      contact.firstOther = contact.otherCount = 0;
      keys[place] = rowKeyOf(model.geometry);
      if (source.sets) {
        const SetRange& set = source.sets[place];
        primaries[place] = primary;
        contact.firstOther = set.first + 1;
        contact.otherCount = set.count - 1;
        if (set.count > 1) keys[place] = {0, 0, 0, addOthers(set, primary, moving, contact, largest)};
      }
      contacts[place] = contact;
      if (!running[pair.island]) continue;
      z[place] = startOf(pair, keys[place], contact, second);
      const Vec3 slip = moving.slip(contact);
      addOffset(contact.rate + contact.normal.dot(slip), contact.normalSlope, largest);
      if (!(contact.friction > 0)) continue;
      addOffset(contact.tangent.dot(slip), contact.tangentSlope, largest);
      addOffset(second.dot(slip), contact.tangentSlope, largest);
    }
    figures[index] = largest;
  }

 private:
  TS_HD int primaryOf(const SetRange& set, PrimaryRule rule) const {
    const int* own = source.members + set.first;
    int best = own[0];
    for (int k = 1; rule == PrimaryRule::LargestGap && k < set.count; ++k)
      if (isRatherPrimary(source.contacts[own[k]], source.contacts[best])) best = own[k];
    return best;
  }
  /// @return RowKey::members, the same in whichever order they come and whichever is the primary
  TS_HD int addOthers(const SetRange& set, int primary, const MovingPair& moving, const ContactRow& contact,
                      RowExtremes& largest) const {
    unsigned number = static_cast<unsigned>(set.type);
    int next = contact.firstOther;
    for (int k = 0; k < set.count; ++k) {
      const int member = source.members[set.first + k];
      const ModelContact& model = source.contacts[member];
      const RowKey key = rowKeyOf(model.geometry);
      number += 4u * (1u + static_cast<unsigned>(key.kind) + 8u * static_cast<unsigned>(key.featureA) +
                      8009u * static_cast<unsigned>(key.featureB));
      if (member == primary) continue;
      SetMember other;
      other.normal = model.geometry.normal;
      other.armA = model.armA;
      other.armB = model.armB;
      other.rate = model.rate;
      other.slope = other.normal.dot(moving.response(other, contact, contact.normal));
      others[next++] = other;
      // The slack's row, which has the scale of its contact.
      addOffset(moving.rateOf(contact) - moving.rateOf(other), contact.normalSlope, largest);
    }
    return static_cast<int>(number & 0x7fffffffu);
  }
  TS_HD Vec3 startOf(const RowPair& pair, const RowKey& key, const ContactRow& contact,
                     const Vec3& second) const {
    Vec3 force(0, 0, 0);
    for (int place = pair.before; isWarm && place < pair.before + pair.beforeCount; ++place)
      if (keysBefore[place] == key) {
        force = before[place];
        break;
      }
    Vec3 start(contact.normal.dot(force), 0, 0);
    if (!(start[0] > 0)) return Vec3(0, 0, 0);
    if (!(contact.friction > 0)) return start;
    start[1] = contact.tangent.dot(force);
    start[2] = second.dot(force);
    projectOnDisk(contact.friction * start[0], start[1], start[2]);
    return start;
  }
  TS_HD static void addOffset(double offset, double slope, RowExtremes& largest) {
    const double scale = std::sqrt(slope);
    RowExtremes::keep(std::fabs(offset / scale), largest.scaled);
    RowExtremes::keep(scale, largest.natural);
  }
};

struct StartIsland {  // one island per index, if it is running
  const RowExtremes* largest;
  FirstPlaces firstPlaces;
  const RowPair* pairs;
  const BodyConstants* bodies;
  const SolverLimits* limits;  // [replicaCount]
  const int* running;
  IslandCurve* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    IslandCurve island{};
    island.limits = limits[bodies[pairs[firstPlaces.of(index)].bodyA].replica];
    island.largestScale = largest[index].natural;
    island.denominator = island.limits.velocityUnit / island.largestScale + largest[index].scaled;
    islands[index] = island;
  }
};

/// One island per index: after the start and after each iteration. Keeps the best iterate, and stops.
struct JudgeIsland {
  const RowExtremes* largest;
  const IslandRows* reported;  // [1]
  IslandCurve* islands;
  int* running;
  RowExtremes* history;  // [maxIterations + 1] of the reported island
  TS_HD void operator()(int index) const {
    IslandCurve& island = islands[index];
    island.isImproved = 0;
    if (island.isDone) return;
    RowExtremes own = largest[index];
    own.scaled /= island.denominator;
    if (island.measured == 0 || own.scaled < island.best.scaled) {
      island.best = own;
      island.isImproved = 1;
    }
    if (index == reported->island) history[island.measured] = own;
    ++island.measured;
    if (!(island.best.scaled > island.limits.tolerance) || island.measured > island.limits.maxIterations)
      island.isDone = 1;
    running[index] = island.isDone ? 0 : 1;
  }
};

struct FindPoor {  // one island per index: it is not solved, and fails by more than the limit
  const IslandCurve* islands;
  double limit;
  int* poor;
  TS_HD void operator()(int index) const {
    poor[index] = !islands[index].isSolved() && !(islands[index].best.scaled <= limit) ? 1 : 0;
  }
};

struct TakeResiduals {  // one island per index, if it is running: of its answer, whichever it is
  const RowExtremes* largest;
  const int* running;
  IslandCurve* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    islands[index].best = {largest[index].scaled / islands[index].denominator, largest[index].natural};
  }
};

struct KeepImpulses {  // one place of rows per index, where its island has improved
  const RowPlace* places;
  const IslandCurve* islands;
  const Vec3* z;
  Vec3* best;
  TS_HD void operator()(int index) const {
    const RowPlace& at = places[index];
    if (at.island >= 0 && islands[at.island].isImproved) best[at.row] = z[at.row];
  }
};

template <class Figures>
struct ReduceRows {  // one pair of a running island per index: the figures of its rows
  const RowPair* pairs;
  const int* running;
  const Figures* rows;
  Figures* out;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island]) return;
    Figures all;
    for (int row = pair.first; row < pair.first + pair.count; ++row) all.add(rows[row]);
    out[index] = all;
  }
};

struct FreezeIsland {  // one island per index: unless it is running it counts as solved, and keeps what it
                       // has
  const int* running;
  IslandCurve* islands;
  TS_HD void operator()(int index) const {
    if (running[index]) return;
    islands[index] = IslandCurve{};
    islands[index].isDone = 1;
  }
};

struct UseVelocities {  // one body per index: those that were kept, in the islands that are running
  WorldView world;
  const int* islandOfBody;
  const int* running;  // [islandCount], or null: in all
  const Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    const int island = islandOfBody[body];
    if (island < 0 || (running && !running[island])) return;
    world.nextLinearVelocity[body] = linear[body];
    world.nextAngularVelocity[body] = angular[body];
  }
};

struct FindContactImpulses {  // one pair per index: of its rows' primaries, which several sets may share
  const RowPair* pairs;
  const int* primaries;  // or null: every contact is a row
  const Vec3* z;
  double* out;  // [contacts] N·s
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    for (int row = pair.first; row < pair.first + pair.count; ++row)
      out[primaries ? primaries[row] : row] += z[row][0];
  }
};

struct FreeRefused {  // one body per index
  WorldView world;
  const int* taken;  // [replicaCount]
  const Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    if (taken[world.bodies[body].replica] || !isDynamic(world, body)) return;
    world.nextLinearVelocity[body] = linear[body];
    world.nextAngularVelocity[body] = angular[body];
  }
};

struct FindChange {  // one pair per index: of the velocities (v, ω) of its bodies since they were kept
  WorldView world;
  const RowPair* pairs;
  const Vec3 *linear, *angular;  // [bodyCount] kept
  RowExtremes* figures;          // out: largest change, largest velocity
  TS_HD void operator()(int index) const {
    RowExtremes largest;
    addBody(pairs[index].bodyA, largest);
    addBody(pairs[index].bodyB, largest);
    figures[index] = largest;
  }
  TS_HD void addBody(int body, RowExtremes& largest) const {
    const Vec3 v = world.nextLinearVelocity[body], w = world.nextAngularVelocity[body];
    const Vec3 dv = v - linear[body], dw = w - angular[body];
    largest.add(
        {std::sqrt(dv.squaredNorm() + dw.squaredNorm()), std::sqrt(v.squaredNorm() + w.squaredNorm())});
  }
};

struct FindMoving {  // one island per index
  const RowExtremes* largest;
  double velocityUnit;  // m/s
  int* running;
  TS_HD void operator()(int index) const {
    const double converged = kVelocityConverged * (velocityUnit + largest[index].natural);
    running[index] = largest[index].scaled < converged ? 0 : 1;
  }
};

}  // namespace detail

}  // namespace touchstone
