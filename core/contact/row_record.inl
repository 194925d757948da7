#pragma once

#include "core/contact/contact_rows.inl"
#include "core/contact/contact_sums.h"
#include "core/contact/gap_record.h"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"

namespace touchstone {

struct RowImpulses : ContactSums {
  TS_HD RowImpulses& operator+=(const RowImpulses& o) {
    add(o);
    return *this;
  }
};

struct RowCounts {
  int traps = 0;
  SetCounts sets;
  TS_HD RowCounts& operator+=(const RowCounts& o) {
    traps += o.traps;
    sets.add(o.sets);
    return *this;
  }
};

/// The answer of a step on a backend, with its velocities as those of the world, before integration.
struct RowAnswer {
  WorldView world;
  bool planar;
  const ModelContact* found;  ///< by narrow phase
  int foundCount;
  const SetRange* sets;  ///< null: every contact is a row
  const int *members, *primaries;
  const RowPair* pairs;
  int pairCount;
  const ContactRows* contacts;
  const Vec3* impulses;
};

namespace detail {

/// The primary of a row with its impulse.
TS_HD inline Contact primaryOf(const RowAnswer& answer, int row) {
  Contact contact = recordOf(answer.found[answer.sets ? answer.primaries[row] : row]);
  const Vec3& z = answer.impulses[row];
  contact.normalImpulse = z[0];
  if (!(answer.contacts[row].friction > 0)) return contact;
  const Vec3& n = contact.normal;
  Vec3 first(-n.y(), n.x(), 0), second(0, 0, 0);
  if (!answer.planar) tangentBasis(n, first, second);
  contact.frictionImpulse = z[1] * first + z[2] * second;
  return contact;
}

struct SumImpulses {  // one pair per index
  RowAnswer answer;
  RowImpulses* sums;
  TS_HD void operator()(int index) const {
    const RowPair& pair = answer.pairs[index];
    RowImpulses sum;
    for (int row = pair.first; row < pair.first + pair.count; ++row)
      sum.add(answer.world, primaryOf(answer, row));
    sums[index] = sum;
  }
};

struct WriteContacts {  // one pair per index
  RowAnswer answer;
  const double* ends;  // [contacts] gaps at the end [m], if there are sets
  Contact* out;        // as they lie in the sets, but the primary first
  RowCounts* counts;

  TS_HD void operator()(int index) const {
    const RowPair& pair = answer.pairs[index];
    const MovingPair moving(answer.world, pair);
    RowCounts sum;
    for (int row = pair.first; row < pair.first + pair.count; ++row) {
      Contact primary = primaryOf(answer, row);
      primary.mode = modeOf(answer.contacts[row], answer.impulses[row], moving);
      primary.set = row;
      primary.primary = true;
      primary.type = ConstraintType::U;
      int first = row;
      if (answer.sets) {
        const SetRange& set = answer.sets[row];
        first = set.first;
        primary.type = set.type;
        primary.trap = isTrap(answer.members + first, set.count, ends);
        writeOthers(set, primary);
      }
      out[first] = primary;
      sum.traps += primary.trap ? 1 : 0;
      sum.sets.add(primary.type);
    }
    counts[index] = sum;
  }

 private:
  TS_HD static ContactMode modeOf(const ContactRows& row, const Vec3& z, const MovingPair& moving) {
    if (!(z[0] > 0)) return ContactMode::Open;
    if (!(row.friction > 0)) return ContactMode::Sliding;
    // Inside its cone a contact sticks as far as the sweeps got; on it, it may stick too.
    const bool inside = lengthOf(z[1], z[2]) < (1 - 1e-9) * row.friction * z[0];
    const Vec3 slip = moving.slip(row);
    const double speed = (slip - row.normal.dot(slip) * row.normal).norm();
    return inside || speed <= kSticks ? ContactMode::Sticking : ContactMode::Sliding;
  }
  TS_HD void writeOthers(const SetRange& set, const Contact& primary) const {
    const int* own = answer.members + set.first;
    for (int k = 1; k < set.count; ++k) {
      Contact other = recordOf(answer.found[own[k] == answer.primaries[primary.set] ? own[0] : own[k]]);
      other.set = primary.set;
      other.type = primary.type;
      other.trap = primary.trap;
      out[set.first + k] = other;
    }
  }
};

struct DepthOfContact {  // one contact per index
  const ModelContact* contacts;
  double* out;  // m
  TS_HD void operator()(int contact) const {
    const double depth = -contacts[contact].geometry.psi;
    out[contact] = depth > 0 ? depth : 0;
  }
};

}  // namespace detail

/// What goes into the record of a step, made on a backend. Waits for it. Keeps its arrays.
template <class Backend>
class RowRecord {
 public:
  void addSums(const Backend& backend, const RowAnswer& answer, StepRecord& record) {
    m_impulses.resize(roomForSum(answer.pairCount));
    forEach(backend, answer.pairCount, detail::SumImpulses{answer, m_impulses.data()}, Work::Heavy);
    addTo(record, sumOf(backend, m_impulses, answer.pairCount, m_impulse));
  }
  /// Contacts, the method's depth, traps and counts of sets.
  /// @param contactCount  members of all sets, or contacts   @param ends  [foundCount] gaps at the end [m]
  void addContacts(const Backend& backend, const RowAnswer& answer, int contactCount, const double* ends,
                   StepRecord& record) {
    m_contacts.resize(static_cast<std::size_t>(contactCount));
    m_counts.resize(roomForSum(answer.pairCount));
    forEach(backend, answer.pairCount,
            detail::WriteContacts{answer, ends, m_contacts.data(), m_counts.data()}, Work::Heavy);
    m_contactsHere.start(backend, static_cast<const Contact*>(m_contacts.data()), m_contacts.size());
    const RowCounts counts = sumOf(backend, m_counts, answer.pairCount, m_count);
    record.quantities[Quantity::Traps] = counts.traps;
    writeSetCounts(counts.sets, record);
    record.quantities[Quantity::MethodDepth] = depthOf(backend, answer);
    const Contact* contacts = m_contactsHere.wait();
    record.contacts.assign(contacts, contacts + contactCount);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// @param sum  [1] room for it
  template <class T>
  static T sumOf(const Backend& backend, Array<T>& terms, int count, Array<T>& sum) {
    T here;
    sum.resize(1);
    sumThere(backend, terms.data(), 1, count, sum.data());
    if (count > 0) backend.download(sum.data(), 1, &here);
    return here;
  }

  double depthOf(const Backend& backend, const RowAnswer& answer) {
    m_depths.resize(static_cast<std::size_t>(answer.foundCount));
    forEach(backend, answer.foundCount, detail::DepthOfContact{answer.found, m_depths.data()});
    return joined(backend, static_cast<const double*>(m_depths.data()), answer.foundCount, 0.0, Larger{});
  }

  Array<Contact> m_contacts;
  Array<RowImpulses> m_impulses, m_impulse;
  Array<RowCounts> m_counts, m_count;
  Array<double> m_depths;
  typename Backend::template Download<Contact> m_contactsHere;
};

}  // namespace touchstone
