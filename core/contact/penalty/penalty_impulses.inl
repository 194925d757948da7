#pragma once

#include <algorithm>
#include <vector>

#include "core/contact/contact_sums.h"
#include "core/contact/penalty/contact_sides.inl"
#include "core/contact/penalty/penalty_contact.h"
#include "core/contact/penalty/spring_fit.inl"
#include "core/contact/record.inl"
#include "core/parallel/for_each.h"
#include "core/parallel/group_sums.h"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"
#include "core/record/step_record.h"

namespace touchstone {

namespace detail {

/// A vertex takes J and the vertices of its face −w_a J, −w_b J, −w_c J (Tang 2012, eq. 13), two edges w_a J,
/// w_b J and −w_c J, −w_d J (Tang 2012, eq. 17); of a vertex that follows particles each takes its weight.
struct ImpulseOfSide : ParticleTerm {
  using Sum = Vec3Sum;
  TS_HD Vec3Sum operator()(int, int place) const {
    const ParticleSide& side = sides[items[place].item];
    const PenaltyContact& contact = contacts[side.contact];
    return {side.weight * (contact.impulse + contact.friction)};
  }
};

struct ApplyToParticle {
  WorldView world;
  TS_HD void operator()(int particle, const Vec3Sum& sum) const {
    const int carrier = world.bodyCount + particle;
    if (isDynamic(world, carrier))
      world.nextLinearVelocity[carrier] += world.inverseMass[carrier] * sum.value;
  }
};

/// 1 for contacts with friction.
struct HasFriction : SideTerm {
  using Sum = int;
  TS_HD int operator()(int, int place) const {
    const PenaltyContact& contact = sides[place];
    return frictionOf(world.bodies[contact.bodyA], world.bodies[contact.bodyB]).staticFriction > 0;
  }
};

/// Σ J and Σ (point − x) × J of the impulses on a body.
struct Wrench {
  Vec3 impulse = Vec3(0, 0, 0), moment = Vec3(0, 0, 0);  // N·s, N·m·s
  TS_HD Wrench& operator+=(const Wrench& o) {
    impulse += o.impulse;
    moment += o.moment;
    return *this;
  }
};

/// The point at which the impulses of a contact act on one of its rigid bodies [m].
TS_HD inline Vec3 pointOfSide(const WorldView& world, const PenaltyContact& contact, bool isA) {
  if (!contact.ownPoints) return commonPoint(world, contact);
  return isA ? contact.pointA : contact.pointB;
}

/// Impulse and moment of a contact on one of its bodies: at the common point of both, or at the contact's own
/// points with the weights of the entry. A vertex takes J and the vertices of its face −w_a J, −w_b J, −w_c J
/// (Tang 2012, eq. 13), two edges w_a J, w_b J and −w_c J, −w_d J (Tang 2012, eq. 17): on a rigid body their
/// sum acts at the weighted point.
struct WrenchOf : SideTerm {
  using Sum = Wrench;
  TS_HD Wrench operator()(int body, int place) const {
    const PenaltyContact& contact = sides[place];
    const bool isA = sides.isA(place);
    Vec3 total = contact.impulse + contact.friction;
    if (!isA) total = -total;
    return {total, (pointOfSide(world, contact, isA) - world.position[body]).cross(total)};
  }
};

/// The largest.
struct Depth {
  double depth = 0;  // m
  TS_HD Depth& operator+=(const Depth& o) {
    if (o.depth > depth) depth = o.depth;
    return *this;
  }
};

struct DepthOfEdges : SideTerm {
  using Sum = Depth;
  TS_HD Depth operator()(int, int place) const {
    const PenaltyContact& contact = sides[place];
    return {contact.pair.kind == FeaturePairKind::EdgeEdge ? -contact.gap : 0};
  }
};

// And what becomes of the sum of a body.

struct WriteCount {
  int* out;
  TS_HD void operator()(int body, int count) const { out[body] = count; }
};

/// v⁺ = v* + M⁻¹ Σ J with J in N·s, in real time as in Tang 2012, eqs. 6, 7 and 11. The paper adds J to v(t),
/// which loses what other forces have added to v*.
struct ApplyWrench {
  WorldView world;
  TS_HD void operator()(int body, const Wrench& sum) const {
    if (!isDynamic(world, body)) return;
    world.nextLinearVelocity[body] += world.inverseMass[body] * sum.impulse;
    world.nextAngularVelocity[body] += world.inverseInertia[body] * sum.moment;
  }
};

struct WriteDepth {
  double* out;  // m
  TS_HD void operator()(int body, const Depth& deepest) const { out[body] = deepest.depth; }
};

struct AddFriction {  // one contact per index
  WorldView world;
  const PenaltyNumbers* numbers;
  JointedBodies joints;
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
    const bool deforms = isOfDeformable(world, contact);
    if (!contact.fresh)
      input.anchorOffset = deforms ? Vec3(contact.anchor.onB + slipOfLastStep(contact))
                                   : Vec3(toWorld(world, contact.bodyB, contact.anchor.onB) -
                                          toWorld(world, contact.bodyA, contact.anchor.onA));
    const Vec3 point = commonPoint(world, contact);
    input.slipVelocity = relativeVelocity(world, contact, point);
    Vec3 direction = input.slipVelocity - input.normal.dot(input.slipVelocity) * input.normal;
    Vec3 other;
    if (direction.norm() > 0) {
      direction /= direction.norm();
    } else {
      tangentBasis(input.normal, direction, other);
    }
    input.inverseMass =
        sharesOf(contact.bodyA) * joints.inverseMassAt(world, contact, true, point, direction) +
        sharesOf(contact.bodyB) * joints.inverseMassAt(world, contact, false, point, direction);
    input.stiffness = contact.hold * contact.stiffness;
    const FrictionResult result =
        yamaneFriction(input, numbers[world.bodies[contact.bodyA].replica].friction);
    contact.friction = result.impulse;
    contact.mode = result.mode;
    if (deforms) contact.anchor.onB = result.resetAnchors ? result.anchorOffset : input.anchorOffset;
    if (deforms || !result.resetAnchors) return;
    contact.anchor.onA = toLocal(world, contact.bodyA, contact.pointA);
    contact.anchor.onB = toLocal(world, contact.bodyB, contact.pointA + result.anchorOffset);
  }

  /// Motion of the material point on B against that on A since the last step, whose velocities the bodies
  /// still have [m].
  TS_HD Vec3 slipOfLastStep(const PenaltyContact& contact) const {
    Vec3 velocity[2];
    for (const bool isA : {true, false}) {
      const int body = isA ? contact.bodyA : contact.bodyB;
      velocity[isA] = world.isDeformable(body)
                          ? particlesOf(world, contact.pair, isA, contact.weights).of(world.linearVelocity)
                          : Vec3(world.linearVelocity[body] +
                                 world.angularVelocity[body].cross((isA ? contact.pointA : contact.pointB) -
                                                                   world.position[body]));
    }
    return world.dt * (velocity[0] - velocity[1]);
  }

  /// Contacts that share a body. A particle has few: that of its own vertex, and those of the faces around.
  TS_HD int sharesOf(int body) const {
    constexpr int kOfParticle = 4;
    return world.isDeformable(body) ? kOfParticle : shares[body];
  }
};

/// The bodies of a contact.
struct ContactBodies {
  int low, high;
  TS_HD bool operator<(const ContactBodies& o) const { return low != o.low ? low < o.low : high < o.high; }
};
struct BodiesLess {
  TS_HD bool operator()(const ContactBodies& a, const ContactBodies& b) const { return a < b; }
  TS_HD static ContactBodies last() { return {2147483647, 0}; }
};
TS_HD inline ContactBodies bodiesOf(const PenaltyContact& contact) {
  const int a = contact.bodyA, b = contact.bodyB;
  return a < b ? ContactBodies{a, b} : ContactBodies{b, a};
}

struct ListBodies {  // one contact per index
  const PenaltyContact* contacts;
  ContactBodies* out;
  TS_HD void operator()(int index) const { out[index] = bodiesOf(contacts[index]); }
};

struct DividePair {  // one contact per index
  const ContactBodies* sorted;
  Extent extent;
  PenaltyContact* contacts;
  TS_HD void operator()(int index) const {
    PenaltyContact& contact = contacts[index];
    const ContactBodies bodies = bodiesOf(contact);
    const int count = extent.size();
    const int first = firstNotBefore(count, [&](int entry) { return sorted[entry] < bodies; });
    const int last = firstNotBefore(count, [&](int entry) { return !(bodies < sorted[entry]); });
    const double share = 1.0 / (last - first);
    contact.stiffness *= share;
    contact.impulse *= share;
    contact.friction *= share;
  }
};

/// Rate of the gap by the step's velocities before contact, to be completed by their change.
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

/// Terms of a contact in the sums of its step, without its impulses.
struct PenaltyTerms {
  double depth = 0;    ///< of the method [m]
  double elastic = 0;  ///< ½ k δ², or what a pair of pieces holds [J]
  int turned = 0, fellBack = 0;
};

struct RecordContact {  // one contact per index
  WorldView world;
  const PenaltyContact* contacts;
  const double* gaps;
  Contact* out;         // without normal impulse where damping has taken all of it
  PenaltyTerms* terms;  // out
  TS_HD void operator()(int index) const {
    const PenaltyContact& contact = contacts[index];
    Contact& to = out[index];
    to = Contact();
    terms[index] = {-contact.gap, std::fmax(0.0, contact.held), contact.turning > 2 ? 1 : 0,
                    contact.fellBack ? 1 : 0};
    if (!(contact.impulse.norm() > 0)) return;
    const Vec3 point = commonPoint(world, contact);
    const double gap =
        gaps[index] + world.dt * contact.impulse.normalized().dot(relativeVelocity(world, contact, point));
    if (gap < 0 && contact.held < 0) terms[index].elastic = 0.5 * contact.stiffness * gap * gap;

    // The first body has the impulse.
    const RecordedSide first{contact.bodyA, contact.pieceA, point},
        second{contact.bodyB, contact.pieceB, point};
    const double normalImpulse = contact.impulse.norm();
    to = contactOf(contact.pair, first, second, Vec3(-contact.impulse / normalImpulse), contact.gap);
    setImpulses(first, second, normalImpulse, Vec3(-contact.friction), to);
    to.mode = contact.mode;
    to.intervalStart = contact.intervalStart;
    to.intervalEnd = contact.intervalEnd;
    to.stiffness = contact.stiffness;
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

/// Sums over one step, for its record.
struct PenaltyReport {
  int contacts;      ///< that respond() has made
  double stability;  ///< σ̂
  PenaltySums sums;
};

struct WriteSums {
  Extent contacts;
  const double* stability;
  const PenaltySums* sums;  // [1]
  PenaltyReport* out;
  TS_HD void operator()(int) const { *out = {contacts.size(), *stability, *sums}; }
};

}  // namespace detail

/// Friction, application and recording of the contacts of one step, shared by all penalty methods. Keeps its
/// arrays between steps.
template <class Backend>
class PenaltyImpulses {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// Lists the contacts by their bodies. Before all else.
  void list(const Backend& backend, const WorldView& world, const PenaltyContact* contacts,
            const Extent& extent) {
    m_sides.make(backend, 2 * extent.capacity, world.bodyCount, detail::BodyOfContactSide{contacts, extent});
    m_bySide.make(backend, m_sides, 2 * extent.capacity, world.bodyCount);
    m_incidence = {m_sides.items(), contacts};
    if (world.particleCount() > 0) listParticles(backend, world, contacts, extent);
  }

  /// Fits the springs to the contacts that a body really has: σ = h² λ_max(M⁻¹K) of each body stays below
  /// what is safe for the method, whatever their number, their arms and the masses. Automatic stiffness and
  /// damping are lessened by one factor in all contacts of a body, the smaller of both bodies' factors; given
  /// ones stay as they are. Finds the stability numbers of the record.
  /// Bodies that joints hold are fitted together, with the effective masses that joints give their contacts.
  /// @param limit  of σ, for the method
  void fit(const Backend& backend, const WorldView& world, const PenaltyNumbers* numbers,
           const detail::JointedBodies& joints, double limit, PenaltyContact* contacts,
           const Extent& extent) {
    // Half of the limit leaves room for damping. Larger than 1: bodies hop on forces of the start of a step.
    const double limitForSprings = std::fmin(1.0, 0.5 * limit);
    m_fits.resize(world.carrierCount);
    m_stability.resize(world.carrierCount);
    const detail::WriteFit write{world, numbers, limitForSprings, m_fits.data(), m_stability.data()};
    if (joints.islandOf) {
      m_jointed.resize(world.bodyCount);
      forEach(backend, extent, detail::StiffenJointed{world, joints, contacts});
    }
    m_bySide.forEachSum(backend, detail::SpringsOfBody{{world, m_incidence}, joints}, m_springs,
                        detail::WriteFitOfBody{write, joints, m_jointed.data()});
    if (joints.islandOf)
      forEach(backend, world.bodyCount, detail::FitIsland{write, joints, m_jointed.data()});
    if (world.particleCount() > 0)
      m_byParticle.forEachSum(backend, detail::SpringsOfParticle{particleTerm(world)}, m_particleSprings,
                              detail::WriteFitOfParticle{write});
    forEach(backend, extent, detail::FitContact{world, numbers, m_fits.data(), contacts});
  }

  /// Computes friction of all contacts from v* and updates their anchors. All see the same velocities, so n
  /// contacts that each could stop a body would together throw it back: in the effective mass of a contact
  /// each body counts with one n-th of its mass (mass splitting, Tonge et al. 2012). After list().
  void addFriction(const Backend& backend, const WorldView& world, const PenaltyNumbers* numbers,
                   const detail::JointedBodies& joints, PenaltyContact* contacts, const Extent& extent) {
    m_shares.resize(world.bodyCount);
    m_bySide.forEachSum(backend, detail::HasFriction{{world, m_incidence}}, m_counts,
                        detail::WriteCount{m_shares.data()});
    if (joints.islandOf)
      forEach(backend, world.bodyCount, detail::ShareIsland{world, joints, m_shares.data()});
    forEach(backend, extent, detail::AddFriction{world, numbers, joints, m_shares.data(), contacts});
  }

  /// normalise = pairs: divides the stiffness of each contact by the number of contacts between its two
  /// bodies, so that a finer mesh is not a stiffer one. After addFriction().
  void normalisePairs(const Backend& backend, PenaltyContact* contacts, const Extent& extent) {
    m_bodies.resize(extent.capacity);
    forEach(backend, extent, detail::ListBodies{contacts, m_bodies.data()});
    stableSort(backend, m_bodies.data(), extent, detail::BodiesLess{});
    forEach(backend, extent, detail::DividePair{m_bodies.data(), extent, contacts});
  }

  /// Applies the impulses of all contacts. After addFriction().
  void apply(const Backend& backend, const WorldView& world) {
    m_bySide.forEachSum(backend, detail::WrenchOf{{world, m_incidence}}, m_wrenches,
                        detail::ApplyWrench{world});
    if (world.particleCount() > 0)
      m_byParticle.forEachSum(backend, detail::ImpulseOfSide{particleTerm(world)}, m_particleSums,
                              detail::ApplyToParticle{world});
  }

  /// Before apply(), see record().
  void beginRecord(const Backend& backend, const WorldView& world, const PenaltyContact* contacts,
                   const Extent& extent) {
    m_values.resize(extent.capacity);
    forEach(backend, extent, detail::BeginGap{world, contacts, m_values.data()});
  }
  /// Makes what the record takes, see addQuantities() and addContacts(). After apply().
  void record(const Backend& backend, const WorldView& world, const PenaltyContact* contacts,
              const Extent& extent) {
    m_recorded.resize(extent.capacity);
    m_terms.resize(extent.capacity);
    forEach(backend, extent,
            detail::RecordContact{world, contacts, m_values.data(), m_recorded.data(), m_terms.data()});
    const int parts = std::max(1, sumsOf(extent.capacity));  // one that is 0 without contacts
    m_sums.resize(scratchForSum(parts));
    m_total.resize(1);
    forEach(backend, parts,
            detail::SumContacts{world, m_recorded.data(), m_terms.data(), extent, m_sums.data()},
            Work::Heavy);
    sumOnDevice(backend, m_sums.data(), 1, parts, m_total.data());
    const double* stability = reducedOnDevice(backend, m_stability.data(), world.carrierCount, Larger{});
    m_report.resize(1);
    forEach(backend, 1, detail::WriteSums{extent, stability, m_total.data(), m_report.data()});
  }

  // After record(); what is launched between sending and adding runs while the copies are made.
  /// Starts the way of the figures to the host.
  void sendSums(const Backend& backend) {
    m_reportOnHost.start(backend, static_cast<const detail::PenaltyReport*>(m_report.data()), 1);
  }
  /// Waits for the figures and starts the way of the contacts.
  void sendContacts(const Backend& backend) {
    m_contactsSent = m_reportOnHost.wait()->contacts;
    m_contactsHere.startBehindLast(backend, static_cast<const Contact*>(m_recorded.data()), m_contactsSent);
  }

  /// Values of the step for its record, without contacts.
  struct Summary {
    bool turned = false, fellBack = false;  ///< normals
    /// The largest σ = h² λ_max(M⁻¹K) of a body (Tang 2012, supplement C), an upper bound: see fit().
    double stability = 0;
  };
  /// Waits for the figures and adds the sums of impulses, the largest depth, and the elastic energy. That is
  /// Σ ½ k δ² with δ at the end of the step, to first order: predicted gap plus dt times the change of the
  /// normal velocity by all contacts. Of pairs of pieces that give back no more than they take it is what
  /// they hold.
  Summary addQuantities(StepRecord& record) {
    const detail::PenaltyReport& report = *m_reportOnHost.wait();
    addTo(record, report.sums.impulses);
    const detail::PenaltyTerms& terms = report.sums.terms;
    record.quantities[Quantity::MethodDepth] = terms.depth;
    record.quantities[Quantity::EnergyElastic] = terms.elastic;
    return {terms.turned > 0, terms.fellBack > 0, report.stability};
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
  void findDeepestEdges(const Backend& backend, const WorldView& world, double* out) {
    m_bySide.forEachSum(backend, detail::DepthOfEdges{{world, m_incidence}}, m_edgeDepths,
                        detail::WriteDepth{out});
  }

 private:
  /// Lists the particles of deformable bodies in each contact, by particle.
  void listParticles(const Backend& backend, const WorldView& world, const PenaltyContact* contacts,
                     const Extent& extent) {
    m_particleOffsets.resize(extent.capacity + 1);
    int* offsets = m_particleOffsets.data();
    forEach(backend, extent.capacity, detail::CountParticleSides{world, contacts, extent, offsets});
    m_particleSides.layOut(backend, extent.capacity, offsets,
                           [&](const Extent& list, detail::ParticleSide* out) {
                             return detail::ListParticleSides{world, contacts, extent, offsets, list, out};
                           });
    const Extent& list = m_particleSides.extent();
    m_particles.make(backend, list.capacity, world.particleCount(),
                     detail::ParticleOfSide{m_particleSides.data(), list, world.bodyCount});
    m_byParticle.make(backend, m_particles, list.capacity, world.particleCount());
    m_contacts = contacts;
  }
  detail::ParticleTerm particleTerm(const WorldView& world) const {
    return {world, m_particles.items(), m_particleSides.data(), m_contacts};
  }

  Array<int> m_particleOffsets;
  List<Backend, detail::ParticleSide> m_particleSides;
  Grouping<Backend> m_particles;  ///< their sides, by particle
  GroupSums<Backend> m_byParticle;
  Array<detail::Vec3Sum> m_particleSums;
  const PenaltyContact* m_contacts = nullptr;
  Grouping<Backend> m_sides;  ///< of contacts, by body
  GroupSums<Backend> m_bySide;
  Array<int> m_shares, m_counts;
  Array<detail::ContactBodies> m_bodies;
  Array<detail::Wrench> m_wrenches;
  Array<detail::Springs<detail::Symmetric6>> m_springs;
  Array<detail::Springs<double>> m_particleSprings;
  Array<detail::Fit> m_fits;
  Array<detail::JointedRates> m_jointed;
  Array<double> m_stability;
  Array<detail::Depth> m_edgeDepths;
  Array<double> m_values;
  Array<Contact> m_recorded;
  Array<detail::PenaltyTerms> m_terms;
  Array<detail::PenaltySums> m_sums, m_total;
  Array<detail::PenaltyReport> m_report;
  typename Backend::template Download<detail::PenaltyReport> m_reportOnHost;
  typename Backend::template Download<Contact> m_contactsHere;
  std::size_t m_contactsSent = 0;
  detail::Incidence m_incidence;
};

}  // namespace touchstone
