#pragma once

#include "core/contact/complementarity/contact_record.h"
#include "core/contact/complementarity/contact_rows.inl"
#include "core/contact/contact_sums.h"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"

namespace touchstone {

/// Sums over the rows of a step, for its record.
struct RowTotals {
  ContactSums impulses;
  int traps = 0;
  SetCounts sets;
  TS_HD RowTotals& operator+=(const RowTotals& o) {
    impulses.add(o.impulses);
    traps += o.traps;
    sets.add(o.sets);
    return *this;
  }
};

/// The answer of a step on a backend, with its velocities as those of the world, before integration.
struct RowAnswer {
  WorldView world;
  bool planar;
  const ModelContact* found;   ///< by narrow phase
  const ModelContact* acting;  ///< as the last linearisation has them
  int foundCount;
  const SetRange* sets;  ///< null: every contact is a row
  const int *members, *primaries;
  const CrossSet* crossSets;  ///< X sets that are no rows
  int crossSetCount, memberCount, rowCount;
  const double* ends;  ///< [foundCount] gaps at the end [m], if there are sets
  RowsView table;
  int blockCount, perContact;
  const double* z;              ///< of rows
  const int* replicas;          ///< [replicaCount] 0: left out; null: none is
  double length, velocityUnit;  ///< lengthOf() and velocityUnitOf() the scene
  bool hasPyramid;              ///< friction is not bounded by the disk
  TS_HD bool counts(int body) const { return !replicas || replicas[world.bodies[body].replica]; }
  /// (p, β1, β2) and μ of a unit of contacts.
  TS_HD Vec3 impulses(int unit) const {
    return detail::impulsesOf(z + table.units[unit].firstRow, perContact);
  }
  TS_HD double friction(int unit) const {
    return perContact > 1 ? table.rows[table.units[unit].firstRow + 1].bound : 0;
  }
};

namespace detail {

/// The primary of a row with its impulse.
TS_HD inline Contact primaryOf(const RowAnswer& answer, int row) {
  const int primary = answer.sets ? answer.primaries[row] : row;
  Contact contact = recordOf(answer.world, answer.acting[primary]);
  contact.gap = answer.found[primary].geometry.psi;
  const Vec3 z = answer.impulses(row);
  contact.normalImpulse = z[0];
  if (!(answer.friction(row) > 0)) return contact;
  Vec3 first, second;
  contactTangents(contact.normal, answer.planar, first, second);
  contact.frictionImpulse = z[1] * first + z[2] * second;
  return contact;
}

TS_HD inline SetRange setOf(const RowAnswer& answer, int row) {
  return answer.sets ? answer.sets[row] : SetRange{ConstraintType::U, row, 1};
}
TS_HD inline bool endsInTrap(const RowAnswer& answer, const SetRange& set) {
  return answer.sets && isTrap(answer.members + set.first, set.count, answer.ends, answer.length);
}

/// True for blocks of contacts.
TS_HD inline bool hasContacts(const RowBlock& block) { return block.key.kind <= kPlaneBlock; }

struct SumRows {  // one block per index
  RowAnswer answer;
  RowTotals* totals;
  TS_HD void operator()(int index) const {
    const RowBlock& block = answer.table.blocks[index];
    RowTotals sum;
    const bool counts = hasContacts(block) && answer.counts(answer.table.carriersOf(block)[0]);
    for (int row = block.firstUnit; counts && row < block.firstUnit + block.unitCount; ++row) {
      const SetRange set = setOf(answer, row);
      sum.impulses.add(answer.world, primaryOf(answer, row));
      sum.traps += endsInTrap(answer, set) ? 1 : 0;
      sum.sets.add(set.type);
    }
    totals[index] = sum;
  }
};

struct WriteContacts {  // one block per index
  RowAnswer answer;
  Contact* out;  // as they lie in the sets, but the primary first
  TS_HD void operator()(int index) const {
    const RowBlock& block = answer.table.blocks[index];
    for (int row = block.firstUnit; hasContacts(block) && row < block.firstUnit + block.unitCount; ++row) {
      const SetRange set = setOf(answer, row);
      Contact primary = primaryOf(answer, row);
      primary.mode = modeOf(row);
      primary.set = row;
      primary.primary = true;
      primary.type = set.type;
      primary.trap = endsInTrap(answer, set);
      out[set.first] = primary;
      writeOthers(set, primary);
    }
  }

 private:
  TS_HD ContactMode modeOf(int row) const {
    const ModelContact& contact = answer.acting[answer.sets ? answer.primaries[row] : row];
    const Vec3 &normal = contact.geometry.normal, z = answer.impulses(row);
    const Vec3 slip = PairVelocities(answer.world, contact.bodyA, contact.bodyB).slip(contact);
    const double speed = (slip - normal.dot(slip) * normal).norm() / answer.velocityUnit,
                 limit = answer.friction(row) * z[0];
    if (answer.hasPyramid) return modeBySpeed(z[0], limit, speed);
    return modeWithinCone(z[0], limit, lengthOf(z[1], z[2]), speed);
  }
  TS_HD void writeOthers(const SetRange& set, const Contact& primary) const {
    for (int k = 1; k < set.count; ++k) {
      const int* members = answer.members + set.first;
      Contact other = recordOf(
          answer.world, answer.found[members[k] == answer.primaries[primary.set] ? members[0] : members[k]]);
      other.set = primary.set;
      other.type = primary.type;
      other.trap = primary.trap;
      out[set.first + k] = other;
    }
  }
};

struct TrapOfCrossSet {  // one X set per index that is no row
  RowAnswer answer;
  int* out;
  TS_HD void operator()(int index) const {
    const CrossSet& set = answer.crossSets[index];
    out[index] = answer.counts(answer.found[set.contacts[0]].bodyA) &&
                         isTrap(set.contacts, 2, answer.ends, answer.length)
                     ? 1
                     : 0;
  }
};

struct WriteCrossContacts {  // one X set per index that is no row, behind the members of those that are
  RowAnswer answer;
  Contact* out;
  TS_HD void operator()(int index) const {
    const CrossSet& set = answer.crossSets[index];
    const bool trap = isTrap(set.contacts, 2, answer.ends, answer.length);
    for (int k = 0; k < 2; ++k) {
      Contact contact = recordOf(answer.world, answer.found[set.contacts[k]]);
      contact.type = ConstraintType::X;
      contact.set = answer.rowCount + index;
      contact.primary = k == 0;
      contact.trap = trap;
      out[answer.memberCount + 2 * index + k] = contact;
    }
  }
};

struct DepthOfContact {  // one contact per index
  RowAnswer answer;
  double* out;  // m
  TS_HD void operator()(int contact) const {
    const ModelContact& found = answer.found[contact];
    const double depth = -found.geometry.psi;
    out[contact] = depth > 0 && answer.counts(found.bodyA) ? depth : 0;
  }
};

}  // namespace detail

/// The rows' part of the record of a step, made on a backend. Keeps its arrays.
template <class Backend>
class RowRecord {
 public:
  /// Sums of the impulses, the method's depth, traps and counts of sets. Waits for them.
  void addQuantities(const Backend& backend, const RowAnswer& answer, StepRecord& record) {
    m_totals.resize(scratchForSum(answer.blockCount));
    m_total.resize(1);
    forEach(backend, answer.blockCount, detail::SumRows{answer, m_totals.data()}, Work::Heavy);
    sumOnDevice(backend, m_totals.data(), 1, answer.blockCount, m_total.data());
    RowTotals totals;
    if (answer.blockCount > 0) backend.download(m_total.data(), 1, &totals);
    addTo(record, totals.impulses);
    totals.sets.cross += answer.crossSetCount;
    record.quantities[Quantity::Traps] = totals.traps + crossTraps(backend, answer);
    record.quantities[Quantity::UnilateralSets] = totals.sets.unilateral;
    record.quantities[Quantity::InequalitySets] = totals.sets.inequality;
    record.quantities[Quantity::CrossSets] = totals.sets.cross;
    record.quantities[Quantity::MethodDepth] = depthOf(backend, answer);
  }
  /// Makes the contacts and starts their way to the host.
  /// @param contactCount  members of all sets, or contacts
  void sendContacts(const Backend& backend, const RowAnswer& answer, int contactCount) {
    m_contacts.resize(contactCount);
    forEach(backend, answer.blockCount, detail::WriteContacts{answer, m_contacts.data()}, Work::Heavy);
    forEach(backend, answer.crossSetCount, detail::WriteCrossContacts{answer, m_contacts.data()});
    m_contactsHere.start(backend, static_cast<const Contact*>(m_contacts.data()), m_contacts.size());
  }
  /// Waits for them.
  void addContacts(StepRecord& record) {
    const Contact* contacts = m_contactsHere.wait();
    record.contacts.assign(contacts, contacts + m_contacts.size());
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  int crossTraps(const Backend& backend, const RowAnswer& answer) {
    if (answer.crossSetCount == 0) return 0;
    m_traps.resize(answer.crossSetCount);
    forEach(backend, answer.crossSetCount, detail::TrapOfCrossSet{answer, m_traps.data()});
    return reduced(backend, static_cast<const int*>(m_traps.data()), answer.crossSetCount, 0, Together{},
                   m_trapPartials);
  }
  double depthOf(const Backend& backend, const RowAnswer& answer) {
    m_depths.resize(answer.foundCount);
    forEach(backend, answer.foundCount, detail::DepthOfContact{answer, m_depths.data()});
    return reduced(backend, static_cast<const double*>(m_depths.data()), answer.foundCount, 0.0, Larger{},
                   m_partials);
  }

  Array<Contact> m_contacts;
  Array<RowTotals> m_totals, m_total;
  Array<double> m_depths, m_partials;
  Array<int> m_traps, m_trapPartials;
  typename Backend::template Download<Contact> m_contactsHere;
};

}  // namespace touchstone
