#pragma once

#include "core/contact/manifold/constraint_sets.h"
#include "core/contact/manifold/model_contact.h"
#include "core/contact/manifold/row_rules.h"
#include "core/solver/rows/constraint_kind.h"
#include "core/solver/rows/friction_disk.h"
#include "core/world/world_view.h"

namespace touchstone {

/// Which contact of a set carries the force (Williams 2017): the published choice can push along the wrong
/// normal, the one with the largest gap cannot.
enum class PrimaryRule { Published, LargestGap };

/// The primaries that an island is solved with.
struct PrimaryChoice {
  PrimaryRule rule;
  int isRetry;      ///< its answer with the published ones was refused …
  int wasUnsolved;  ///< … or there was none
};

/// The input that decides which rows there are: one for each contact, or one for each constraint set.
struct RowSource {
  const ModelContact* contacts;
  const SetRange* sets;          ///< null: every contact is a row
  const int* members;            ///< of the sets, into `contacts`
  const PrimaryChoice* choices;  ///< [islandCount]
  bool keepsPoints;              ///< contacts that stuck have the slip of their points on their arcs
};

/// Scales of a scene.
struct RowUnits {
  double velocity;  ///< velocityUnitOf() [m/s]
  double length;    ///< lengthOf() [m]
};

namespace detail {

/// Places of the rows of contacts or sets in a table: unit u has one for its normal, one for each
/// tangent, and one for each other member.
struct ContactLayout {
  int perContact;        // 1, or with friction 2 in the plane and 3 in space
  const SetRange* sets;  // null: every contact is a unit
  TS_HD int firstRowOf(int unit) const { return perContact * unit + (sets ? sets[unit].first - unit : 0); }
  TS_HD int rowsOf(int unit) const { return perContact + (sets ? sets[unit].count - 1 : 0); }
  TS_HD int firstGroupOf(int unit) const { return sets ? sets[unit].first : unit; }
};

/// @param bound  μ of a Disk, of the others the speed of push-out
TS_HD inline Row contactRow(RowLaw law, short leader, double constant, double bound) {
  Row row{};
  row.constant = constant;
  row.bound = bound;
  row.length = 1;
  row.leader = leader;
  row.law = law;
  return row;
}

/// The rows of a contact: its normal, and with friction those of its tangents. The one assembly of them.
/// @param rate  constant of its ρ [m/s]   @param friction  μ   @param tangent, second  contactTangents()
/// @param count  of rows, 1 … 3
TS_HD inline void setContactRows(const WorldView& world, const ModelContact& model, double rate,
                                 double friction, const Vec3& tangent, const Vec3& second, int count,
                                 Row* rows) {
  const Vec3 held = heldSlip(world, model);
  rows[0] = contactRow(RowLaw::Unilateral, 0, rate + model.geometry.normal.dot(held), model.pushOut);
  if (count > 1) rows[1] = contactRow(RowLaw::Disk, 1, tangent.dot(held), friction);
  if (count > 2) rows[2] = contactRow(RowLaw::Disk, 2, second.dot(held), friction);
}
/// The point of a contact on one of its bodies: weights of A are −1, of B 1.
TS_HD inline PointTerm pointOn(const ModelContact& model, int body) {
  return body == model.bodyA ? PointTerm{-1, model.armA} : PointTerm{1, model.armB};
}

/// One block of contacts of a running island per index: its rows and their start.
struct WriteRows {
  /// (|β| / μ p)² below which a contact sticks; the solvers err by less.
  static constexpr double kSticking = 0.998;

  WorldView world;
  RowSource source;
  bool isWarm;  // the start is the last step's impulses, or nothing
  bool planar;
  int perContact;
  RowUnits units;
  RowWriting to;
  int* primaries;  // out, unless every contact is a row

  TS_HD void operator()(int index) const {
    const RowBlock& block = to.to.blocks[index];
    if (block.key.kind > kPlaneBlock) return;
    const bool isRunning = to.running[block.island] != 0;
    if (!isRunning && !to.ofAll) return;
    for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit) write(block, unit);
    if (isRunning) start(block, to.before[index]);
  }

 private:
  TS_HD void write(const RowBlock& block, int number) const {
    const RowUnit& unit = to.to.units[number];
    const int primary =
        source.sets ? primaryOf(source.sets[number], source.choices[block.island].rule) : number;
    const ModelContact& model = source.contacts[primary];
    const Vec3& normal = model.geometry.normal;
    const double friction =
        frictionInStep(world, model.bodyA, model.bodyB, normal, model.armA, model.armB, units.velocity);
    Vec3 tangent, second;
    contactTangents(normal, planar, tangent, second);
    Row* rows = to.to.rows + unit.firstRow;
    setContactRows(world, model, model.rate, friction, tangent, second, perContact, rows);
    writePoint(block, unit.firstGroup, model, tangent);
    to.keys[number] = rowKeyOf(model.geometry);
    if (source.sets) {
      const SetRange& set = source.sets[number];
      primaries[number] = primary;
      if (set.count > 1) {
        rows[0].law = RowLaw::Maximum;
        to.keys[number] = {0, 0, 0, addOthers(block, unit, set, primary)};
      }
    }
  }
  /// Point and frame of a group; only bodies that move are carriers.
  TS_HD void writePoint(const RowBlock& block, int group, const ModelContact& model,
                        const Vec3& tangent) const {
    Vec3* frame = to.to.frames + block.firstFrame + 2 * group;
    frame[0] = model.geometry.normal;
    frame[1] = tangent;
    PointTerm* points = to.to.points + block.firstTerm + group * block.carrierCount;
    const int* carriers = to.to.carriers + block.firstCarrier;
    for (int k = 0; k < block.carrierCount; ++k) points[k] = pointOn(model, carriers[k]);
  }
  TS_HD int primaryOf(const SetRange& set, PrimaryRule rule) const {
    const int* members = source.members + set.first;
    int best = members[0];
    for (int k = 1; rule == PrimaryRule::LargestGap && k < set.count; ++k)
      if (isBetterPrimary(source.contacts[members[k]], source.contacts[best])) best = members[k];
    return best;
  }
  /// @return RowKey::members, the same in whichever order they come and whichever is the primary
  TS_HD int addOthers(const RowBlock& block, const RowUnit& unit, const SetRange& set, int primary) const {
    unsigned number = static_cast<unsigned>(set.type);
    int row = unit.groupRows;
    for (int k = 0; k < set.count; ++k) {
      const int member = source.members[set.first + k];
      const ModelContact& model = source.contacts[member];
      const RowKey key = rowKeyOf(model.geometry);
      number += 4u * (1u + static_cast<unsigned>(key.kind) + 8u * static_cast<unsigned>(key.featureA) +
                      8009u * static_cast<unsigned>(key.featureB));
      if (member == primary) continue;
      to.to.rows[unit.firstRow + row] =
          contactRow(RowLaw::Member, static_cast<short>(row),
                     model.rate + model.geometry.normal.dot(heldSlip(world, model)), model.pushOut);
      writePoint(block, unit.firstGroup + 1 + row - unit.groupRows, model, Vec3(0, 0, 0));
      ++row;
    }
    return static_cast<int>(number & 0x7fffffffu);
  }
  TS_HD void start(const RowBlock& block, const UnitsBefore& before) const {
    const int end = block.firstUnit + block.unitCount;
    UnitMatch match(to.keysBefore + before.first, to.placesBefore + before.first, before.count, units.length);
    for (int number = block.firstUnit; number < end; ++number)
      setStart(block, number, before.first, match.withKey(to.keys[number]));
    for (int number = block.firstUnit; number < end && match.areLeft(); ++number)
      if (match.withKey(to.keys[number]) < 0)
        setStart(block, number, before.first, match.nearest(placeOf(block, to.to.units[number])));
  }
  TS_HD UnitPlace placeOf(const RowBlock& block, const RowUnit& unit) const {
    return {to.to.points[block.firstTerm + unit.firstGroup * block.carrierCount].arm,
            to.to.frames[block.firstFrame + 2 * unit.firstGroup]};
  }
  /// @param index  of the block's units of the last step, −1: there is none
  TS_HD void setStart(const RowBlock& block, int number, int first, int index) const {
    const RowUnit& unit = to.to.units[number];
    double* const z = to.z + unit.firstRow;
    for (int row = 0; row < unit.rowCount; ++row) z[row] = 0;
    if (index < 0) return;
    const Vec3& impulse = to.impulsesBefore[first + index];
    const Vec3* const frame = to.to.frames + block.firstFrame + 2 * unit.firstGroup;
    const double p = frame[0].dot(impulse);
    if (!(p > 0)) return;
    const double friction = perContact > 1 ? to.to.rows[unit.firstRow + 1].bound : 0;
    double x = 0, y = 0;
    if (friction > 0) {
      x = directionOf(frame, 1).dot(impulse);
      if (perContact > 2) y = directionOf(frame, 2).dot(impulse);
      if (source.keepsPoints && x * x + y * y < kSticking * friction * p * friction * p)
        keepPoints(number, frame);
      projectOnDisk(friction * p, x, y);
    }
    if (!isWarm) return;
    z[0] = p;
    if (perContact > 1) z[1] = x;
    if (perContact > 2) z[2] = y;
  }
  /// A contact that stuck in the last step has the slip of its points on their arcs. One that slides, or is
  /// new, has that of the velocities: rows without any solution are rare among those.
  TS_HD void keepPoints(int number, const Vec3* frame) const {
    const int contact = source.sets ? primaries[number] : number;
    const Vec3 slip = arcSlip(world, source.contacts[contact]);
    Row* const rows = to.to.rows + to.to.units[number].firstRow;
    rows[1].constant += directionOf(frame, 1).dot(slip);
    if (perContact > 2) rows[2].constant += directionOf(frame, 2).dot(slip);
  }
};

/// (p, β1, β2) of a unit of contacts. @param z  of its rows
TS_HD inline Vec3 impulsesOf(const double* z, int perContact) {
  return {z[0], perContact > 1 ? z[1] : 0, perContact > 2 ? z[2] : 0};
}

struct FindContactImpulses {  // one unit of contacts per block's index: which several sets may share
  RowsView table;
  const int* primaries;  // or null: every contact is a unit
  const double* z;
  double* out;  // [contacts] N·s
  TS_HD void operator()(int index) const {
    const RowBlock& block = table.blocks[index];
    if (block.key.kind > kPlaneBlock) return;
    for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit)
      out[primaries ? primaries[unit] : unit] += z[table.units[unit].firstRow];
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

}  // namespace detail

}  // namespace touchstone
