#pragma once

#include <algorithm>
#include <vector>

#include "core/contact/contact_sums.h"
#include "core/contact/penalty_contact.h"
#include "core/parallel/for_each.h"
#include "core/parallel/grouping.h"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"
#include "core/record/step_record.h"

namespace touchstone {

namespace detail {

/// A side of a contact is 2 · contact, + 1 for its second body.
struct BodyOfContactSide {
  const PenaltyContact* contacts;
  Extent extent;
  TS_HD int operator()(int side) const {
    if (side / 2 >= extent.size()) return -1;
    const PenaltyContact& contact = contacts[side / 2];
    return side % 2 == 0 ? contact.bodyA : contact.bodyB;
  }
};

/// Contacts of each body, in the order of the contacts.
struct Incidence {
  const GroupedItem* sides = nullptr;
  const int* first = nullptr;
  TS_HD int contactAt(int place) const { return sides[place].item / 2; }
  TS_HD bool isA(int place) const { return sides[place].item % 2 == 0; }
};

struct CountFriction {  // one body per index
  WorldView world;
  const PenaltyContact* contacts;
  Incidence incidence;
  int* shares;  // [bodyCount] out: contacts with friction, of dynamic bodies
  TS_HD void operator()(int body) const {
    int count = 0;
    if (isDynamic(world, body))
      for (int k = incidence.first[body]; k < incidence.first[body + 1]; ++k) {
        const PenaltyContact& contact = contacts[incidence.contactAt(k)];
        count += frictionOf(world.bodies[contact.bodyA], world.bodies[contact.bodyB]).staticFriction > 0;
      }
    shares[body] = count;
  }
};

struct AddFriction {  // one contact per index
  WorldView world;
  const PenaltyNumbers* numbers;
  const int* shares;
  PenaltyContact* contacts;
  TS_HD void operator()(int index) const {
    PenaltyContact& contact = contacts[index];
    const FrictionPair friction = frictionOf(world.bodies[contact.bodyA], world.bodies[contact.bodyB]);
    const double magnitude = contact.impulse.norm();
    contact.mode = magnitude > 0 ? ContactMode::Sliding : ContactMode::Open;
    if (!(friction.staticFriction > 0) || !(magnitude > 0)) return;
    FrictionInput input;
    input.normal = contact.impulse / magnitude;
    input.normalForce = magnitude / world.dt;
    input.staticFriction = friction.staticFriction;
    input.dynamicFriction = friction.dynamicFriction;
    input.dt = world.dt;
    // Anchors of a contact that begins within the step meet then, not yet at the start of the step.
    input.anchorOffset = Vec3(0, 0, 0);
    if (!contact.fresh)
      input.anchorOffset = toWorld(world, contact.bodyB, contact.anchor.onB) -
                           toWorld(world, contact.bodyA, contact.anchor.onA);
    const Vec3 point = commonPoint(world, contact);
    input.slipVelocity = relativeVelocity(world, contact, point);
    Vec3 direction = input.slipVelocity - input.normal.dot(input.slipVelocity) * input.normal;
    Vec3 other;
    if (direction.norm() > 0) {
      direction /= direction.norm();
    } else {
      tangentBasis(input.normal, direction, other);
    }
    input.inverseMass = shares[contact.bodyA] * inverseMassAt(world, contact.bodyA, point, direction) +
                        shares[contact.bodyB] * inverseMassAt(world, contact.bodyB, point, direction);
    const FrictionResult result = yamaneFriction(input, numbers[world.bodies[contact.bodyA].copy].friction);
    contact.friction = result.impulse;
    contact.mode = result.mode;
    if (!result.resetAnchors) return;
    contact.anchor.onA = toLocal(world, contact.bodyA, contact.pointA);
    contact.anchor.onB = toLocal(world, contact.bodyB, contact.pointA + result.anchorOffset);
  }
};

struct ShareOfPair {  // one contact per index
  WorldView world;
  const PenaltyContact* contacts;
  Incidence incidence;
  double* shares;  // [contactCount] out
  TS_HD void operator()(int index) const {
    const PenaltyContact& contact = contacts[index];
    const bool byA = isDynamic(world, contact.bodyA);
    const int body = byA ? contact.bodyA : contact.bodyB, other = byA ? contact.bodyB : contact.bodyA;
    int count = 0;
    for (int k = incidence.first[body]; k < incidence.first[body + 1]; ++k) {
      const PenaltyContact& each = contacts[incidence.contactAt(k)];
      count += each.bodyA == other || each.bodyB == other;
    }
    shares[index] = 1.0 / count;
  }
};

struct ApplyShare {
  const double* shares;
  PenaltyContact* contacts;
  TS_HD void operator()(int index) const {
    contacts[index].share = shares[index];
    contacts[index].impulse *= shares[index];
    contacts[index].friction *= shares[index];
  }
};

/// What the step's velocities, before contact, make of the gap, to be completed by their change.
struct BeginGap {  // one contact per index
  WorldView world;
  const PenaltyContact* contacts;
  double* gaps;  // out
  TS_HD void operator()(int index) const {
    const PenaltyContact& contact = contacts[index];
    const Vec3 normal = contact.impulse.normalized(), point = commonPoint(world, contact);
    gaps[index] = contact.predictedGap - world.dt * normal.dot(relativeVelocity(world, contact, point));
  }
};

struct ApplyImpulses {  // one body per index: its contacts in their order
  WorldView world;
  const PenaltyContact* contacts;
  Incidence incidence;
  TS_HD void operator()(int body) const {
    if (!isDynamic(world, body)) return;
    for (int k = incidence.first[body]; k < incidence.first[body + 1]; ++k) {
      const PenaltyContact& contact = contacts[incidence.contactAt(k)];
      const bool isA = incidence.isA(k);
      Vec3 total = contact.impulse + contact.friction;
      if (!isA) total = -total;
      applyImpulse(world, body,
                   !contact.ownPoints ? commonPoint(world, contact)
                   : isA              ? contact.pointA
                                      : contact.pointB,
                   total);
    }
  }
};

/// What a contact adds to the figures of its step, beside its impulses.
struct PenaltyTerms {
  double depth = 0;    ///< of the method [m]
  double elastic = 0;  ///< ½ k δ² [J]
  int turned = 0, fellBack = 0;
};

struct RecordContact {  // one contact per index
  WorldView world;
  const PenaltyNumbers* numbers;
  const PenaltyContact* contacts;
  const double* gaps;
  Contact* out;         // without normal impulse where damping has taken all of it
  PenaltyTerms* terms;  // out
  TS_HD void operator()(int index) const {
    const PenaltyContact& contact = contacts[index];
    Contact& to = out[index];
    to = Contact();
    terms[index] = {-contact.gap, 0, contact.turning > 2 ? 1 : 0, contact.fellBack ? 1 : 0};
    if (!(contact.impulse.norm() > 0)) return;
    const Vec3 point = commonPoint(world, contact);
    const double gap =
        gaps[index] + world.dt * contact.impulse.normalized().dot(relativeVelocity(world, contact, point));
    const double stiffness = numbers[world.bodies[contact.bodyA].copy].stiffness;
    if (gap < 0) terms[index].elastic = 0.5 * contact.share * stiffness * gap * gap;

    const bool ascending = contact.bodyA < contact.bodyB;
    const double sign = ascending ? -1 : 1;  // recorded: on the body with the higher id
    to.kind = contact.pair.kind;
    to.bodyA = ascending ? contact.bodyA : contact.bodyB;
    to.bodyB = ascending ? contact.bodyB : contact.bodyA;
    to.featureA = ascending ? contact.pair.a : contact.pair.b;
    to.featureB = ascending ? contact.pair.b : contact.pair.a;
    to.vertexOnA = ascending;
    to.normalImpulse = contact.impulse.norm();
    to.normal = sign * contact.impulse / to.normalImpulse;
    to.frictionImpulse = sign * contact.friction;
    to.pointA = to.pointB = point;
    to.gap = contact.gap;
    to.mode = contact.mode;
    to.intervalStart = contact.intervalStart;
    to.intervalEnd = contact.intervalEnd;
  }
};

/// Sums over the contacts of a step; the largest depth.
struct PenaltySums {
  ContactSums impulses;
  PenaltyTerms terms;
  TS_HD void add(const PenaltyTerms& o) {
    if (o.depth > terms.depth) terms.depth = o.depth;
    terms.elastic += o.elastic;
    terms.turned += o.turned;
    terms.fellBack += o.fellBack;
  }
  TS_HD PenaltySums& operator+=(const PenaltySums& o) {
    impulses.add(o.impulses);
    add(o.terms);
    return *this;
  }
};

struct SumContacts {  // kTermsPerSum contacts per index
  WorldView world;
  const Contact* contacts;
  const PenaltyTerms* terms;
  Extent extent;
  PenaltySums* out;
  TS_HD void operator()(int part) const {
    PenaltySums sums;
    const int count = extent.size();
    for (int index = kTermsPerSum * part; index < kTermsPerSum * (part + 1) && index < count; ++index) {
      sums.add(terms[index]);
      if (contacts[index].normalImpulse > 0) sums.impulses.add(world, contacts[index]);
    }
    out[part] = sums;
  }
};

/// What a step comes to, for its record.
struct PenaltyFigures {
  int contacts;      ///< that respond() has made
  double stability;  ///< σ̂
  PenaltySums sums;
};

struct WriteFigures {
  Extent contacts;
  const double* stability;
  const PenaltySums* sums;  // [1]
  PenaltyFigures* out;
  TS_HD void operator()(int) const { *out = {contacts.size(), *stability, *sums}; }
};

struct StabilityOfBody {  // one body per index
  WorldView world;
  const PenaltyNumbers* numbers;
  const PenaltyContact* contacts;
  Incidence incidence;
  double* out;
  TS_HD void operator()(int body) const {
    double sum = 0;
    if (isDynamic(world, body))
      for (int k = incidence.first[body]; k < incidence.first[body + 1]; ++k) {
        const PenaltyContact& contact = contacts[incidence.contactAt(k)];
        const double magnitude = contact.impulse.norm();
        if (!(magnitude > 0)) continue;
        const Vec3 direction = contact.impulse / magnitude, point = commonPoint(world, contact);
        sum += contact.share * (inverseMassAt(world, contact.bodyA, point, direction) +
                                inverseMassAt(world, contact.bodyB, point, direction));
      }
    out[body] = world.dt * world.dt * numbers[world.bodies[body].copy].stiffness * sum;
  }
};

/// Deepest overlap of edges of each body [m].
struct DeepestEdges {  // one body per index
  WorldView world;
  const PenaltyContact* contacts;
  Incidence incidence;
  double* out;
  TS_HD void operator()(int body) const {
    double deepest = 0;
    if (isDynamic(world, body))
      for (int k = incidence.first[body]; k < incidence.first[body + 1]; ++k) {
        const PenaltyContact& contact = contacts[incidence.contactAt(k)];
        if (contact.pair.kind == FeaturePairKind::EdgeEdge) deepest = std::fmax(deepest, -contact.gap);
      }
    out[body] = deepest;
  }
};

}  // namespace detail

/// Friction, application and recording of the contacts of one step, shared by all penalty methods. Keeps its
/// arrays between steps.
template <class Backend>
class PenaltyImpulses {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// Computes friction of all contacts from v* and updates their anchors. All see the same velocities, so n
  /// contacts that each could stop a body would together throw it back: in the effective mass of a contact
  /// each body counts with one n-th of its mass (mass splitting, Tonge et al. 2012).
  void addFriction(const Backend& backend, const WorldView& world, const PenaltyNumbers* numbers,
                   PenaltyContact* contacts, const Extent& extent) {
    listContacts(backend, world, contacts, extent);
    m_shares.resize(static_cast<std::size_t>(world.bodyCount));
    forEach(backend, world.bodyCount, detail::CountFriction{world, contacts, m_incidence, m_shares.data()});
    forEach(backend, extent, detail::AddFriction{world, numbers, m_shares.data(), contacts});
  }

  /// normalise = pairs: divides the stiffness of each contact by the number of contacts between its two
  /// bodies, so that a finer mesh is not a stiffer one. After addFriction().
  void normalisePairs(const Backend& backend, const WorldView& world, PenaltyContact* contacts,
                      const Extent& extent) {
    m_values.resize(static_cast<std::size_t>(extent.room));
    forEach(backend, extent, detail::ShareOfPair{world, contacts, m_incidence, m_values.data()});
    forEach(backend, extent, detail::ApplyShare{m_values.data(), contacts});
  }

  /// Applies all impulses, those of a body in the order of the contacts. After addFriction().
  void apply(const Backend& backend, const WorldView& world, const PenaltyContact* contacts) {
    forEach(backend, world.bodyCount, detail::ApplyImpulses{world, contacts, m_incidence});
  }

  /// apply(), and makes what the record takes, see addFigures() and addContacts(). After addFriction().
  void applyAndRecord(const Backend& backend, const WorldView& world, const PenaltyNumbers* numbers,
                      const PenaltyContact* contacts, const Extent& extent) {
    m_values.resize(static_cast<std::size_t>(extent.room));
    forEach(backend, extent, detail::BeginGap{world, contacts, m_values.data()});
    apply(backend, world, contacts);
    m_recorded.resize(static_cast<std::size_t>(extent.room));
    m_terms.resize(static_cast<std::size_t>(extent.room));
    forEach(
        backend, extent,
        detail::RecordContact{world, numbers, contacts, m_values.data(), m_recorded.data(), m_terms.data()});
    const int parts = std::max(1, sumsOf(extent.room));  // one that is 0 without contacts
    m_sums.resize(roomForSum(parts));
    m_total.resize(1);
    forEach(backend, parts,
            detail::SumContacts{world, m_recorded.data(), m_terms.data(), extent, m_sums.data()},
            Work::Heavy);
    sumThere(backend, m_sums.data(), 1, parts, m_total.data());
    m_values.resize(static_cast<std::size_t>(world.bodyCount));
    forEach(backend, world.bodyCount,
            detail::StabilityOfBody{world, numbers, contacts, m_incidence, m_values.data()});
    const double* stability = joinedThere(backend, m_values.data(), world.bodyCount, Larger{});
    m_figures.resize(1);
    forEach(backend, 1, detail::WriteFigures{extent, stability, m_total.data(), m_figures.data()});
  }

  // After applyAndRecord(); what is launched between sending and adding runs beside the copies.
  /// Starts the way of the figures to the host.
  void sendFigures(const Backend& backend) {
    m_figuresHere.start(backend, static_cast<const detail::PenaltyFigures*>(m_figures.data()), 1);
  }
  /// Waits for the figures and starts the way of the contacts.
  void sendContacts(const Backend& backend) {
    m_contactsSent = static_cast<std::size_t>(m_figuresHere.wait()->contacts);
    m_contactsHere.startBehindLast(backend, static_cast<const Contact*>(m_recorded.data()), m_contactsSent);
  }

  /// What a record says of the step beside its contacts.
  struct Summary {
    bool turned = false, fellBack = false;  ///< normals
    /// σ̂ = h² k Σ over the pairs of a body of the effective inverse mass, the largest over bodies: an upper
    /// bound of the stability number (Tang 2012, supplement C; with several pairs σ = h² λ_max(M⁻¹K)).
    double stability = 0;
  };
  /// Waits for the figures and adds the sums of impulses, the largest depth, and the elastic energy Σ ½ k δ²
  /// with δ at the end of the step, to first order: predicted gap plus dt times the change of the normal
  /// velocity by all contacts.
  Summary addFigures(StepRecord& record) {
    const detail::PenaltyFigures& figures = *m_figuresHere.wait();
    addTo(record, figures.sums.impulses);
    const detail::PenaltyTerms& terms = figures.sums.terms;
    record.quantities[Quantity::MethodDepth] = terms.depth;
    record.quantities[Quantity::EnergyElastic] = terms.elastic;
    return {terms.turned > 0, terms.fellBack > 0, figures.stability};
  }
  void awaitContacts() { m_contactsHere.wait(); }
  /// Waits for the contacts and adds those that push.
  void addContacts(StepRecord& record) {
    const Contact* contacts = m_contactsHere.wait();
    record.contacts.reserve(m_contactsSent);
    for (std::size_t index = 0; index < m_contactsSent; ++index)
      if (contacts[index].normalImpulse > 0) record.contacts.push_back(contacts[index]);
  }

  /// Deepest overlap of edges of each dynamic body. After addFriction().
  /// @param out  [bodyCount] on the backend [m]
  void findDeepestEdges(const Backend& backend, const WorldView& world, const PenaltyContact* contacts,
                        double* out) {
    forEach(backend, world.bodyCount, detail::DeepestEdges{world, contacts, m_incidence, out});
  }

 private:
  void listContacts(const Backend& backend, const WorldView& world, const PenaltyContact* contacts,
                    const Extent& extent) {
    m_sides.make(backend, 2 * extent.room, world.bodyCount, detail::BodyOfContactSide{contacts, extent});
    m_incidence = {m_sides.items(), m_sides.first()};
  }

  Grouping<Backend> m_sides;  ///< of contacts, by body
  Array<int> m_shares;
  Array<double> m_values;
  Array<Contact> m_recorded;
  Array<detail::PenaltyTerms> m_terms;
  Array<detail::PenaltySums> m_sums, m_total;
  Array<detail::PenaltyFigures> m_figures;
  typename Backend::template Download<detail::PenaltyFigures> m_figuresHere;
  typename Backend::template Download<Contact> m_contactsHere;
  std::size_t m_contactsSent = 0;
  detail::Incidence m_incidence;
};

}  // namespace touchstone
