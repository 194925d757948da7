#pragma once

#include <string>
#include <vector>

#include "core/contact/contact_memory.inl"
#include "core/contact/penalty/face_manifold.inl"
#include "core/contact/penalty/pair_action.h"
#include "core/contact/penalty/pair_energy.inl"
#include "core/contact/penalty/penalty_detail.h"
#include "core/contact/penalty/penalty_parameters.h"
#include "core/detect/candidates.h"
#include "core/detect/joined_pairs.inl"
#include "core/detect/piece_broad_phase.inl"

namespace touchstone {

namespace detail {

/// Memory of pairs of pieces.
struct FaceMemory {
  SortedEntries<PairState> states;
  const CornerMemory* corners = nullptr;
};

/// Input of the search over the pairs of pieces of a step.
struct FaceSearch {
  PieceMotion motion;
  FaceMemory memory;
  PairPose taken = PairPose::Entry;

  TS_HD PairPlan planOf(const PiecePair& pair, const PairSpace& space) const {
    if (pair.planeBody >= 0) return PairPlan();
    const PairState* tracked = memory.states.find(pair);
    return taken == PairPose::Entry ? trackedPlan(motion, pair, tracked, space)
                                    : depthPlan(motion, pair, tracked, taken, space);
  }
  template <class Keep>
  TS_HD void eachCorner(const PiecePair& pair, const PairPlan& plan, const PairSpace& space,
                        const Keep& keep) const {
    if (plan.start == 0) {
      detail::eachCorner(motion, motion.start[pair.pieceA], motion.start[pair.pieceB], pair, plan.feature,
                         plan.patchCount, space, keep);
      return;
    }
    const PolytopeView a = motion.moving(pair.pieceA, space, false).at(plan.start),
                       b = motion.moving(pair.pieceB, space, true).at(plan.start);
    detail::eachCorner(motion, a, b, pair, plan.feature, -1, space, keep);
  }
};

struct PlanPair {  // one pair per index
  FaceSearch search;
  const PiecePair* pairs;
  Extent extent;
  PairPlan* plans;
  int* cornerCounts;  // or null
  TS_HD void operator()(int index, const PairSpace& space) const {
    PairPlan plan;
    if (index < extent.size()) plan = search.planOf(pairs[index], space);
    plans[index] = plan;
    plans[index].patchCount = -1;  // the scratch memory is another pair's next
    if (!cornerCounts) return;
    int count = 0;
    if (plan.acts) search.eachCorner(pairs[index], plan, space, [&count](const ManifoldPoint&) { ++count; });
    cornerCounts[index] = count;
  }
};

struct WriteCorners {  // one pair per index
  FaceSearch search;
  const PiecePair* pairs;
  const PairPlan* plans;
  const int* first;  // [pairs + 1]
  Extent list;
  ManifoldPoint* corners;
  TS_HD void operator()(int index, const PairSpace& space) const {
    int cornerIndex = first[index];
    if (first[index + 1] == cornerIndex || !fits(list, first[index + 1])) return;
    search.eachCorner(pairs[index], plans[index], space, [&](ManifoldPoint& corner) {
      corner.pair = index;
      corners[cornerIndex++] = corner;
    });
  }
};

/// The corners of a step as contacts. Law tells what one does:
///     bool operator()(const PairPath&, double from, PairImpulse&, PairAction&) const
template <class Law>
struct CornerContacts {
  PieceMotion motion;
  FaceMemory memory;
  Law law;
  const ManifoldPoint* corners;
  const PairPlan* plans;
  const PiecePair* pairs;
  bool ownPoints, quadrature;

  TS_HD PairPath inputOf(const ManifoldPoint& corner) const {
    const WorldView& world = motion.world;
    PairPath input;
    const bool isPair = corner.isPair;
    input.kind = isPair ? FeaturePairKind::EdgeEdge : FeaturePairKind::VertexFace;
    const PiecesView &start = motion.start, &end = motion.end;
    const auto row = [&](int k, int piece) {
      input.x0[k] = start.vertices[start.firstVertex[piece] + corner.vertices[k]];
      input.x1[k] = end.vertices[end.firstVertex[piece] + corner.vertices[k]];
    };
    const int face = corner.facePiece(), body = start.body[corner.pointPiece()];
    if (isPair) {
      row(0, corner.pieceA);
      row(1, corner.pieceA);
    } else {
      input.x0[0] = toWorld(world, body, corner.point);
      input.x1[0] = worldPoint(motion.endPosition[body], motion.endOrientation[body], corner.point);
      row(1, face);
    }
    row(2, face);
    row(3, face);
    input.side = corner.side;
    input.tracked = plans[corner.pair].start == 0;
    const PenaltyNumbers& numbers = motion.numbersOf(pairs[corner.pair]);
    const SpringPair springs = springPair(world, body, start.body[face]);
    const double stiffness = stiffnessOf(world, numbers, springs);
    input.stiffness = corner.weight * stiffness;
    input.damping = corner.weight * dampingOf(world, numbers, springs, stiffness);
    input.dt = world.dt;
    input.quadrature = quadrature;
    return input;
  }
  TS_HD bool actionOf(const ManifoldPoint& corner, const PairPath& input, PairImpulse& result,
                      PairAction& action) const {
    return law(input, plans[corner.pair].start, result, action);
  }
};

template <class Law>
struct WriteCornerContact {  // one corner per index, behind the contacts of features
  CornerContacts<Law> step;
  Extent before;
  PenaltyContact* out;

  TS_HD void operator()(int index) const {
    const ManifoldPoint& corner = step.corners[index];
    const PairPlan& plan = step.plans[corner.pair];
    const WorldView& world = step.motion.world;
    const int* body = step.motion.start.body;
    const PairPath input = step.inputOf(corner);
    PairImpulse result;
    PairAction action;
    const bool acts = step.actionOf(corner, input, result, action);
    PenaltyContact contact;
    contact.pair = corner.features;
    contact.pieceA = corner.pieceA;
    contact.pieceB = corner.pieceB;
    contact.bodyA = body[corner.pieceA];
    contact.bodyB = body[corner.pieceB];
    contact.stiffness = input.stiffness;
    contact.damping = input.damping;
    contact.allowance = plan.allowance;
    contact.ownPoints = step.ownPoints;
    contact.pointA = toWorld(world, contact.bodyA, corner.isReversed ? corner.foot : corner.point);
    contact.pointB = toWorld(world, contact.bodyB, corner.isReversed ? corner.point : corner.foot);
    const PairMotion motion = motionOf(input);
    const double length = motion.m(1).norm();
    if (length > 0) contact.predictedGap = corner.side * motion.gapEnd / length + plan.allowance;
    if (acts) {
      const Vec3 impulse =
          afterAllowance(action.impulse, input.stiffness, world.dt, plan.allowance, action.share);
      contact.impulse = corner.isReversed ? Vec3(-impulse) : impulse;
      const Vec3 spring =
          afterAllowance(action.spring, input.stiffness, world.dt, plan.allowance, action.share);
      contact.spring = corner.isReversed ? Vec3(-spring) : spring;
      contact.damper = action.damper;
      contact.gap = -action.depth;
      contact.turning = result.turning;
      contact.fellBack = step.quadrature && result.fellBack;
      if (result.intervalCount > 0) {
        contact.intervalStart = result.intervals[0].start;
        contact.intervalEnd = result.intervals[result.intervalCount - 1].end;
      }
    }
    const bool isKept = plan.wasTracked && anchorOf(corner, contact, contact.anchor);
    contact.fresh = !isKept;
    if (!isKept) contact.anchor = anchorAt(world, contact);
    out[before.size() + index] = contact;
  }

  /// That of the remembered corner which is the same; of another outline of the same faces one with the slip
  /// of all, weighted by the inverse squares of their distances: a corner that splits passes on its slip, and
  /// no tie between two is broken by rounding. @return false if there is none
  TS_HD bool anchorOf(const ManifoldPoint& corner, const PenaltyContact& contact,
                      FrictionAnchor& anchor) const {
    const WorldView& world = step.motion.world;
    const PairState* state = step.memory.states.find(step.pairs[corner.pair]);
    if (!state || state->count == 0) return false;
    double weights = 0;
    Vec3 slip(0, 0, 0);
    for (int k = state->first; k < state->first + state->count; ++k) {
      const CornerMemory& kept = step.memory.corners[k];
      const bool isSameA = kept.pieceA == corner.pieceA;
      if (isSameA && kept.features == corner.features) {
        anchor = kept.anchor;
        return true;
      }
      const Vec3 onA = toWorld(world, contact.bodyA, isSameA ? kept.anchor.onA : kept.anchor.onB),
                 onB = toWorld(world, contact.bodyB, isSameA ? kept.anchor.onB : kept.anchor.onA);
      const Vec3 away = onA - contact.pointA;
      const double square = away.x() * away.x() + away.y() * away.y() + away.z() * away.z(),
                   weight =
                       1 / (square + kNear * kNear * step.motion.start.length * step.motion.start.length);
      slip += weight * (onB - onA);
      weights += weight;
    }
    anchor.onA = toLocal(world, contact.bodyA, contact.pointA);
    anchor.onB = toLocal(world, contact.bodyB, contact.pointA + slip / weights);
    return true;
  }

  static constexpr double kNear = 1e-9;  // of the scene: nearer corners are one
};

struct KeepCorner {  // one corner per index
  const PenaltyContact* contacts;
  Extent before;
  CornerMemory* out;
  TS_HD void operator()(int index) const {
    const PenaltyContact& contact = contacts[before.size() + index];
    out[index].pieceA = contact.pieceA;
    out[index].features = contact.pair;
    out[index].anchor = contact.anchor;
  }
};

struct PairActs {
  const PairPlan* plans;
  TS_HD bool operator()(int pair) const { return plans[pair].acts != 0; }
};

struct KeepState {  // one pair that acts per index
  const int* acting;
  const PiecePair* pairs;
  const PairPlan* plans;
  const int* first;      // [pairs + 1] corner of each
  const double* stores;  // or null
  PairState* out;
  TS_HD void operator()(int index) const {
    const int pair = acting[index];
    const PairPlan& plan = plans[pair];
    out[index] = {pairs[pair],    plan.feature,
                  plan.allowance, stores ? stores[pair] : 0,
                  first[pair],    first[pair + 1] - first[pair]};
  }
};

template <class Law>
struct MakeCornerInput {  // one corner per index
  CornerContacts<Law> step;
  PairPath* inputs;
  PairImpulse* results;
  TS_HD void operator()(int index) const {
    const ManifoldPoint& corner = step.corners[index];
    inputs[index] = step.inputOf(corner);
    PairAction action;
    step.actionOf(corner, inputs[index], results[index], action);
  }
};

}  // namespace detail

/// The contacts of convex pieces after face_law.h, for a penalty method on a backend, and the memory of them.
/// Keeps its arrays between steps.
template <class Backend>
class FacePairs {
 public:
  FacePairs(const Backend& backend, const World& world)
      : m_start(backend, world),
        m_end(backend, world),
        m_spaces(m_start.largest(), m_start.largestLoop(),
                 std::max(1, separationScratch(m_start.largest(), m_start.largest()))) {
    int bodies = 0;
    bool anyMoves = false;
    for (const Body& body : world.scene->bodies) {
      if (body.shape->pieces.empty()) continue;
      ++bodies;
      anyMoves = anyMoves || body.motion == Motion::Dynamic;
    }
    m_canAct = bodies > 1 && anyMoves;
    // What the corrected path adds to the predicted one, see TrackedPenalty.
    const double growth = 1e-3 * world.scene->size;
    backend.upload(&growth, 1, m_growth);
    std::vector<unsigned char> isJointed(world.scene->bodies.size(), 0);
    for (const Joint& joint : world.scene->joints)
      for (const int body : {joint.bodyA, joint.bodyB})
        if (body >= 0) isJointed[body] = 1;
    backend.upload(isJointed.data(), isJointed.size(), m_isJointed);
  }

  /// @param isBounded  a pair gives back no more energy than it has taken
  void use(bool on, bool isBounded) {
    m_isUsed = on;
    m_isBounded = isBounded;
  }
  bool isUsed() const { return m_isUsed && m_canAct; }
  bool boundsEnergy() const { return isUsed() && m_isBounded; }

  /// The pairs of a step and their corners, see corners(). @param taken  where overlaps are taken
  void find(const Backend& backend, const WorldView& world, const PenaltyNumbers* numbers,
            detail::PairPose taken, bool adopts) {
    if (!isUsed()) return;
    m_start.place(backend, world.position, world.orientation);
    m_end.place(backend, world.predictedPosition, world.predictedOrientation);
    const List<Backend, PiecePair>& found =
        m_broadPhase.find(backend, world, m_start.view(),
                          SweptPieceBox{world, m_start.view(), m_growth.data()}, m_growth.data());
    m_pairs.join(backend, SortedPairs<PiecePair>{found.data(), found.extent()}, memory().states);
    m_search = {{world, m_start.view(), m_end.view(), world.predictedPosition, world.predictedOrientation,
                 numbers, adopts},
                memory(),
                taken};
    const Extent& pairs = m_pairs.all().extent();
    m_plans.resize(pairs.capacity);
    m_first.resize(pairs.capacity + 1);
    forEachWithSpace(backend, pairs.capacity, m_spaces,
                     detail::PlanPair{m_search, m_pairs.all().data(), pairs, m_plans.data(), m_first.data()});
    m_corners.layOut(backend, pairs.capacity, m_first.data());
    forEachWithSpace(backend, pairs.capacity, m_spaces,
                     detail::WriteCorners{m_search, m_pairs.all().data(), m_plans.data(), m_first.data(),
                                          m_corners.extent(), m_corners.data()});
  }
  /// Corners of the last find(); none where this is not used.
  Extent corners() const { return isUsed() ? m_corners.extent() : Extent(); }

  /// The body of a loop over corners() that writes their contacts behind others.
  template <class Law>
  detail::WriteCornerContact<Law> writeContacts(const Law& law, bool ownPoints, bool quadrature,
                                                const Extent& before, PenaltyContact* out) const {
    return {contactsOf(law, ownPoints, quadrature), before, out};
  }

  /// Lessens the impulses of pairs that would give back more energy than they have. Each pass looks at all
  /// pairs under the impulses of the last one, and only lessens; what the last pass leaves is a debt.
  /// @param apply  adds the impulses of all contacts to the step's velocities, which are as before in the end
  template <class Apply>
  void boundEnergy(const Backend& backend, const WorldView& world, PenaltyContact* contacts,
                   const Extent& before, const Apply& apply) {
    if (!boundsEnergy()) return;
    m_linear.resize(world.carrierCount);
    m_angular.resize(world.bodyCount);
    const Vec3 *linear = m_linear.data(), *angular = m_angular.data();
    copyWithin(backend, static_cast<const Vec3*>(world.nextLinearVelocity), world.carrierCount,
               m_linear.data());
    copyWithin(backend, static_cast<const Vec3*>(world.nextAngularVelocity), world.bodyCount,
               m_angular.data());
    for (int pass = 0; pass < kPasses; ++pass) {
      apply();
      forEach(backend, m_pairs.all().extent(),
              detail::BoundPair{{world, linear, angular, m_isJointed.data()},
                                m_plans.data(),
                                m_first.data(),
                                before,
                                contacts});
      copyWithin(backend, linear, world.carrierCount, world.nextLinearVelocity);
      copyWithin(backend, angular, world.bodyCount, world.nextAngularVelocity);
    }
  }
  /// Finds what pairs hold, after the impulses are applied.
  void keepEnergy(const Backend& backend, const WorldView& world, PenaltyContact* contacts,
                  const Extent& before) {
    if (!boundsEnergy()) return;
    const Extent& pairs = m_pairs.all().extent();
    m_stores.resize(pairs.capacity);
    forEach(backend, pairs,
            detail::StorePair{{world, m_linear.data(), m_angular.data(), m_isJointed.data()},
                              m_plans.data(),
                              m_first.data(),
                              before,
                              contacts,
                              m_stores.data()});
  }

  /// Remembers the pairs as find() left them, after the impulses are applied. @param contacts  of the step,
  /// after friction
  void keep(const Backend& backend, const PenaltyContact* contacts, const Extent& before) {
    if (!isUsed()) return;
    keepCorners(backend, contacts, before);
    keepStates(backend);
  }
  /// And on the corrected path, which memory then belongs to.
  void settle(const Backend& backend, const WorldView& world, const PenaltyContact* contacts,
              const Extent& before) {
    if (!isUsed()) return;
    keepCorners(backend, contacts, before);
    // The start of the step is over in the arrays of the world: only the poses of the corrected end are read
    // here.
    m_end.place(backend, world.position, world.orientation);
    m_search.motion.endPosition = world.position;
    m_search.motion.endOrientation = world.orientation;
    const Extent& pairs = m_pairs.all().extent();
    forEachWithSpace(backend, pairs.capacity, m_spaces,
                     detail::PlanPair{m_search, m_pairs.all().data(), pairs, m_plans.data(), nullptr});
    keepStates(backend);
  }

  /// Adds the pairs and the corners of the step to what is shown of its inside. Before keep().
  template <class Law>
  void explain(const Backend& backend, const Law& law, bool quadrature, StepDetail& detail) const {
    if (!isUsed()) return;
    detail.pieces = m_pairs.all().download(backend);
    const std::size_t count = lengthOf(backend, m_corners.extent());
    Array<PairPath> inputs;
    Array<PairImpulse> results;
    inputs.resize(count);
    results.resize(count);
    forEach(backend, static_cast<int>(count),
            detail::MakeCornerInput<Law>{contactsOf(law, false, quadrature), inputs.data(), results.data()});
    const std::vector<ManifoldPoint> corners = m_corners.download(backend);
    const std::vector<PairPath> inputsHere =
        fetched(backend, static_cast<const PairPath*>(inputs.data()), count);
    const std::vector<PairImpulse> resultsHere =
        fetched(backend, static_cast<const PairImpulse*>(results.data()), count);
    for (std::size_t k = 0; k < count; ++k) {
      PairDetail pair{corners[k].features, inputsHere[k], resultsHere[k]};
      pair.pieceA = corners[k].pieceA;
      pair.pieceB = corners[k].pieceB;
      pair.isReversed = corners[k].isReversed;
      penaltyDetail(detail).pairs.push_back(pair);
    }
  }

  template <class Visit>
  void eachMemoryArray(const Visit& visit) {
    visit(m_states);
    visit(m_kept);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using PairState = detail::PairState;
  using CornerMemory = detail::CornerMemory;
  using ManifoldPoint = detail::ManifoldPoint;

  detail::FaceMemory memory() const {
    return {{m_states.list().data(), m_states.list().extent()}, m_kept.list().data()};
  }
  template <class Law>
  detail::CornerContacts<Law> contactsOf(const Law& law, bool ownPoints, bool quadrature) const {
    return {m_search.motion,      memory(),  law,       m_corners.data(), m_plans.data(),
            m_pairs.all().data(), ownPoints, quadrature};
  }
  void keepCorners(const Backend& backend, const PenaltyContact* contacts, const Extent& before) {
    m_kept.list().make(backend, m_corners.extent(), [&](CornerMemory* to) {
      return detail::KeepCorner{contacts, before, to};
    });
  }
  /// After all that reads the states of before.
  void keepStates(const Backend& backend) {
    const List<Backend, int>& acting =
        m_acting.select(backend, m_pairs.all().extent(), detail::PairActs{m_plans.data()});
    m_states.list().make(backend, acting.extent(), [&](PairState* to) {
      return detail::KeepState{acting.data(),
                               m_pairs.all().data(),
                               m_plans.data(),
                               m_first.data(),
                               m_isBounded ? m_stores.data() : nullptr,
                               to};
    });
  }

  PlacedPieces<Backend> m_start, m_end;
  PairSpaces<Backend> m_spaces;
  PieceBroadPhase<Backend> m_broadPhase;
  JoinedPairs<Backend, PiecePair> m_pairs;
  detail::FaceSearch m_search;
  Array<double> m_growth;  ///< [1] of boxes [m]
  Array<detail::PairPlan> m_plans;
  Array<int> m_first;  ///< [pairs + 1] corner of each
  List<Backend, ManifoldPoint> m_corners;
  Selection<Backend> m_acting;
  MemoryList<Backend, PairState> m_states;
  MemoryList<Backend, CornerMemory> m_kept;
  // More: bodies between many pairs part with less debt; fewer: faster steps.
  static constexpr int kPasses = 3;
  Array<Vec3> m_linear, m_angular;  ///< of the step, without contact
  Array<double> m_stores;           ///< of the pairs of the step [J]
  Array<unsigned char> m_isJointed;
  bool m_isUsed = true, m_canAct = false, m_isBounded = true;
};

}  // namespace touchstone
