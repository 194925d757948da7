#pragma once

#include "core/contact/complementarity/constraint_sets.h"
#include "core/contact/complementarity/model_contact.h"
#include "core/contact/complementarity/row_rules.h"
#include "core/solver/rows/friction_disk.h"
#include "core/solver/rows/row_loops.inl"
#include "core/world/world_view.h"

namespace touchstone {

TS_HD inline RowKey rowKeyOf(const PieceContact& contact) {
  return {2 * static_cast<int>(contact.kind) + (contact.vertexOnA ? 1 : 0), contact.featureA,
          contact.featureB, 0};
}

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
};

namespace detail {

/// The row of a contact, without its response: the one place where a contact of narrow phase becomes a row.
/// @param friction  μ
TS_HD inline ContactRow contactRow(const ModelContact& model, double friction) {
  ContactRow row{};
  row.normal = model.geometry.normal;
  row.armA = model.armA;
  row.armB = model.armB;
  row.rate = model.rate;
  row.maxSeparationSpeed = model.maxSeparationSpeed;
  row.friction = friction;
  return row;
}

/// Sets the tangent of a row and how it responds to its own impulses.
/// @param inertia  of its bodies   @param planar  friction has one axis
/// @return the second tangent, normal × tangent; 0 in the plane
TS_HD inline Vec3 setResponse(const PairInertia& inertia, bool planar, ContactRow& row) {
  Vec3 second;
  contactTangents(row.normal, planar, row.tangent, second);
  row.normalSlope = row.normal.dot(inertia.response(row, row, row.normal));
  const Vec3 along = inertia.response(row, row, row.tangent), across = inertia.response(row, row, second);
  row.tangentSlope = diskScale(row.tangent.dot(along), row.tangent.dot(across), second.dot(across));
  row.normalMass = 1 / row.normalSlope;
  row.tangentMass = 1 / row.tangentSlope;
  return second;
}

/// A contact as a member of another one's row, without its slope.
TS_HD inline SetMember setMember(const ModelContact& model) {
  SetMember member{};
  member.normal = model.geometry.normal;
  member.armA = model.armA;
  member.armB = model.armB;
  member.rate = model.rate;
  return member;
}

/// One pair of a running island per index: its rows and their start. This is the one assembly of contact
/// rows.
struct WriteRows {
  WorldView world;
  RowSource source;
  bool isWarm;   // the start is the last step's impulses, or nothing
  bool isOfAll;  // islands that are frozen get rows as well
  bool planar;
  double velocityUnit;  // velocityUnitOf() the scene [m/s]
  RowWriting to;
  int* primaries;  // out, unless every contact is a row

  TS_HD void operator()(int index) const {
    const RowPair& pair = to.pairs[index];
    if (!to.running[pair.island] && !isOfAll) return;
    const MovingPair moving(world, pair);
    RowExtremes largest;
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const int primary =
          source.sets ? primaryOf(source.sets[place], source.choices[pair.island].rule) : place;
      const ModelContact& model = source.contacts[primary];
      ContactRow contact =
          contactRow(model, frictionInStep(world, pair.bodyA, pair.bodyB, model.geometry.normal, model.armA,
                                           model.armB, velocityUnit));
      const Vec3 second = setResponse(moving, planar, contact);
      to.keys[place] = rowKeyOf(model.geometry);
      if (source.sets) {
        const SetRange& set = source.sets[place];
        primaries[place] = primary;
        contact.firstOther = set.first + 1;
        contact.otherCount = set.count - 1;
        if (set.count > 1) to.keys[place] = {0, 0, 0, addOthers(set, primary, moving, contact, largest)};
      }
      to.rows[place] = contact;
      if (!to.running[pair.island]) continue;
      to.z[place] = startOf(pair, to.keys[place], contact, second);
      const Vec3 slip = moving.slip(contact);
      addOffset(contact.rate + contact.normal.dot(slip), contact.normalSlope, largest);
      if (!(contact.friction > 0)) continue;
      addOffset(contact.tangent.dot(slip), contact.tangentSlope, largest);
      addOffset(second.dot(slip), contact.tangentSlope, largest);
    }
    to.extremes[index] = largest;
  }

 private:
  TS_HD int primaryOf(const SetRange& set, PrimaryRule rule) const {
    const int* members = source.members + set.first;
    int best = members[0];
    for (int k = 1; rule == PrimaryRule::LargestGap && k < set.count; ++k)
      if (isBetterPrimary(source.contacts[members[k]], source.contacts[best])) best = members[k];
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
      SetMember other = setMember(model);
      other.slope = other.normal.dot(moving.response(other, contact, contact.normal));
      to.members[next++] = other;
      // The slack's row, which has the scale of its contact.
      addOffset(moving.rateOf(contact) - moving.rateOf(other), contact.normalSlope, largest);
    }
    return static_cast<int>(number & 0x7fffffffu);
  }
  TS_HD Vec3 startOf(const RowPair& pair, const RowKey& key, const ContactRow& contact,
                     const Vec3& second) const {
    Vec3 force(0, 0, 0);
    for (int place = pair.before; isWarm && place < pair.before + pair.beforeCount; ++place)
      if (to.keysBefore[place] == key) {
        force = to.before[place];
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

}  // namespace detail

}  // namespace touchstone
