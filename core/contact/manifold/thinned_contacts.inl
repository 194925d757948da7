#pragma once

#include "core/contact/manifold/model_contact.h"
#include "core/contact/manifold/pair_scratch.inl"

namespace touchstone {

/// Gap to which the unconstrained motion leads a contact, ψ + h n · (v_B − v_A) at its points [m]: in an
/// impact it is another contact that goes deepest than the one that is nearest at the start of the step.
struct GapAhead {
  detail::PairVelocities velocities;  ///< without contact
  Vec3 centreA, centreB;              ///< [m]
  double dt;                          ///< s
  TS_HD GapAhead(const WorldView& world, int bodyA, int bodyB)
      : velocities(world, bodyA, bodyB),
        centreA(world.position[bodyA]),
        centreB(world.position[bodyB]),
        dt(world.dt) {}
  TS_HD double operator()(const PieceContact& contact) const {
    const Vec3 onA = velocities.linearA + velocities.angularA.cross(Vec3(contact.pointA - centreA)),
               onB = velocities.linearB + velocities.angularB.cross(Vec3(contact.pointB - centreB));
    return contact.psi + dt * contact.normal.dot(onB - onA);
  }
};

/// Keeps at most four contacts of a patch: of contacts of one pair whose normals and depths agree. These are
/// the one that goes deepest, the one farthest from it across the normal, and those that make the largest and
/// the smallest signed area with both.
///
/// Values that rounding could put in either order count as alike. The deeper of alike ones is taken, among
/// equally deep ones the one with the first features: bodies at rest keep the same contacts in every step.
/// Without these rules the choice would change from step to step, and with it the start of the solver.
class ContactThinning {
 public:
  /// @param touching  depths that differ by less agree [m]
  TS_HD ContactThinning(PairScratch& scratch, const GapAhead& ahead, double touching)
      : m_scratch(scratch), m_gapAhead(ahead), m_touching(touching) {}

  /// @param thinning  which contacts may go; not None. Uses the corners of the scratch memory.
  TS_HD void run(Thinning thinning) {
    const int count = m_scratch.contacts.count;
    if (count <= kMost || m_scratch.isFull()) return;
    for (int contact = 0; contact < count; ++contact) mark(contact) = kFree;
    if (thinning == Thinning::Sets) keepSharedContacts();
    for (int contact = 0; contact < count; ++contact)
      while (mark(contact) == kFree) thinPatchOf(contact);
    dropUnkept();
  }

 private:
  static constexpr int kMost = 4;
  static constexpr double kAgree = 0.995;  // cosine
  static constexpr double kAlike = 1e-3;   // of the largest value: distances and areas count as equal

  // Marks of a contact; a patch is marked while it is thinned.
  static constexpr int kFree = 0, kInPatch = 1, kKept = 2, kDropped = 3;

  TS_HD int& mark(int contact) { return m_scratch.corners.items[contact].first; }
  TS_HD int& placeAfter(int contact) { return m_scratch.corners.items[contact].second; }
  TS_HD const PieceContact& contact(int index) const { return m_scratch.contacts.items[index]; }

  /// Contacts of sets with several members, and of X sets, are alternatives of each other and stay.
  TS_HD void keepSharedContacts() {
    for (int k = 0; k < m_scratch.sets.count; ++k) {
      const SetRange& set = m_scratch.sets.items[k];
      for (int member = set.first; set.count > 1 && member < set.first + set.count; ++member)
        mark(m_scratch.members.items[member]) = kKept;
    }
    for (int k = 0; k < m_scratch.crossSets.count; ++k)
      for (int member : m_scratch.crossSets.items[k].contacts) mark(member) = kKept;
  }

  /// The deepest patch of those with the normal of a contact: a patch is flat. Of what is round or tilted the
  /// contacts farthest from each other are those that stay open.
  TS_HD void thinPatchOf(int first) {
    const Vec3& normal = contact(first).normal;
    const auto agrees = [&](int k) {
      return mark(k) == kFree && (k == first || contact(k).normal.dot(normal) > kAgree);
    };
    double least = HUGE_VAL;
    for (int k = first; k < m_scratch.contacts.count; ++k)
      if (agrees(k)) least = std::fmin(least, m_gapAhead(contact(k)));
    int count = 0;
    for (int k = first; k < m_scratch.contacts.count; ++k)
      if (agrees(k) && !(m_gapAhead(contact(k)) > least + m_touching)) {
        mark(k) = kInPatch;
        ++count;
      }
    if (count > kMost) keepFour(normal);
    for (int k = first; k < m_scratch.contacts.count; ++k)
      if (mark(k) == kInPatch) mark(k) = count > kMost ? kDropped : kKept;
  }

  TS_HD void keepFour(const Vec3& normal) {
    const auto none = [](int) { return 0.0; };
    const int deepest = take(none, 0);
    const Vec3 start = contact(deepest).pointA;
    const auto across = [&](int k) {
      const Vec3 step = contact(k).pointA - start;
      return Vec3(step - normal.dot(step) * normal);
    };
    double width = 0;
    for (int k = 0; k < m_scratch.contacts.count; ++k)
      if (mark(k) == kInPatch) width = std::fmax(width, across(k).norm());
    const int farthest = take([&](int k) { return across(k).norm(); }, kAlike * width);
    const Vec3 base = across(farthest);
    const auto area = [&](int k) { return normal.dot(base.cross(across(k))); };
    take(area, kAlike * width * width);
    take([&](int k) { return -area(k); }, kAlike * width * width);
  }

  /// Keeps, of the contacts of the patch whose value is the largest up to `alike`, the deepest one up to
  /// m_touching, of these the first. @return it
  template <class Value>
  TS_HD int take(const Value& value, double alike) {
    const int count = m_scratch.contacts.count;
    double largest = -HUGE_VAL, least = HUGE_VAL;
    for (int k = 0; k < count; ++k)
      if (mark(k) == kInPatch) largest = std::fmax(largest, value(k));
    const auto isAlike = [&](int k) { return mark(k) == kInPatch && !(value(k) < largest - alike); };
    for (int k = 0; k < count; ++k)
      if (isAlike(k)) least = std::fmin(least, m_gapAhead(contact(k)));
    int taken = -1;
    for (int k = 0; k < count; ++k)
      if (isAlike(k) && !(m_gapAhead(contact(k)) > least + m_touching) &&
          (taken < 0 || contact(k).isBefore(contact(taken))))
        taken = k;
    mark(taken) = kKept;
    return taken;
  }

  /// Removes the dropped contacts, and the sets and X sets that have one.
  TS_HD void dropUnkept() {
    int contacts = 0;
    for (int k = 0; k < m_scratch.contacts.count; ++k) {
      placeAfter(k) = contacts;
      if (mark(k) != kDropped) m_scratch.contacts.items[contacts++] = m_scratch.contacts.items[k];
    }
    if (contacts == m_scratch.contacts.count) return;
    m_scratch.contacts.count = contacts;
    const auto isWhole = [this](const int* members, int count) {
      for (int k = 0; k < count; ++k)
        if (mark(members[k]) == kDropped) return false;
      return true;
    };
    int sets = 0, members = 0, crossSets = 0;
    for (int k = 0; k < m_scratch.sets.count; ++k) {
      const SetRange set = m_scratch.sets.items[k];
      const int* old = m_scratch.members.items + set.first;
      if (!isWhole(old, set.count)) continue;
      m_scratch.sets.items[sets++] = {set.type, members, set.count};
      for (int member = 0; member < set.count; ++member)
        m_scratch.members.items[members++] = placeAfter(old[member]);
    }
    m_scratch.sets.count = sets;
    m_scratch.members.count = members;
    for (int k = 0; k < m_scratch.crossSets.count; ++k) {
      const CrossSet set = m_scratch.crossSets.items[k];
      if (isWhole(set.contacts, 2))
        m_scratch.crossSets.items[crossSets++] = {{placeAfter(set.contacts[0]), placeAfter(set.contacts[1])}};
    }
    m_scratch.crossSets.count = crossSets;
  }

  PairScratch& m_scratch;
  const GapAhead& m_gapAhead;
  double m_touching;
};

}  // namespace touchstone
