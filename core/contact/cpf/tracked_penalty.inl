#pragma once

#include "core/contact/cpf/pair_evaluation.inl"
#include "core/contact/cpf/pair_memory.inl"
#include "core/contact/cpf/repeated_entries.inl"
#include "core/contact/cpf/tracked_penalty.h"
#include "core/contact/penalty/penalty_detail.h"
#include "core/contact/penalty/penalty_method.inl"
#include "core/detect/surface_tables.h"
#include "core/world/motion.inl"

namespace touchstone {

namespace detail {

/// Settings with which the pairs of a step are evaluated.
struct PairSettings {
  WorldView world;
  PenaltyTables tables;
  const PenaltyNumbers* numbers = nullptr;
  MemoryView memory;
  const Vec3* ends = nullptr;                  ///< [vertexCount] at the end of the path [m]
  const Quaternion* endOrientation = nullptr;  ///< [bodyCount]
  bool twoSided = false, quadrature = false;
  const double* shells = nullptr;  ///< [bodyCount] about surfaces that touch themselves [m]

  TS_HD void fillRows(const FeaturePair& pair, PairPath& input) const {
    input.kind = pair.kind;
    rowsOf(world, pair, world.vertexStart, input.x0);
    rowsOf(world, pair, ends, input.x1);
    if (pair.kind != FeaturePairKind::VertexPlane) return;
    input.planeNormal = planeNormal(world, pair.b);
    input.planeOffset = input.planeNormal.dot(world.position[pair.b]);
  }

  /// In this step, of a pair that memory holds.
  TS_HD double allowanceOf(const PairEntry& entry) const {
    return allowedNext(numbers[world.bodies[firstBody(world, entry.pair)].replica], world.dt,
                       entry.allowance);
  }
  /// Allowance of a pair of one surface that memory does not hold: it may have approached from the side.
  /// Then it is in the shell at once.
  TS_HD double allowanceOfOwn(const FeaturePair& pair, const PairPath& input) const {
    if (!(input.shell > 0)) return 0;
    const PairMotion motion = motionOf(input);
    const double depth = shellContact(input, motion).start;
    return depth > 0 ? allowedAtFirst(world, numbers[world.bodies[firstBody(world, pair)].replica],
                                      springPair(world, pair), depth)
                     : 0;
  }

  TS_HD PairMotion motionAt(const FeaturePair& pair) const {
    PairPath input;
    fillRows(pair, input);
    return motionOf(input);
  }

  TS_HD PairPath inputOf(const FeaturePair& pair) const {
    PairPath input;
    fillRows(pair, input);
    const int first = firstBody(world, pair);
    const PenaltyNumbers& penaltyNumbers = numbers[world.bodies[first].replica];
    const SpringPair springs = springPair(world, pair);
    input.stiffness = stiffnessOf(world, penaltyNumbers, springs);
    input.damping = dampingOf(world, penaltyNumbers, springs, input.stiffness);
    input.dt = world.dt;
    input.quadrature = quadrature;
    if (isOwn(world, pair)) input.shell = shells[first];
    if (pair.kind == FeaturePairKind::VertexFace) {
      input.oneSided = !twoSided && world.surfaceClosed[world.triangleSurface[pair.b]];
    } else if (pair.kind == FeaturePairKind::EdgeEdge) {
      input.oneSided = false;
      input.testFaces = !twoSided && world.surfaceClosed[world.edgeSurface[pair.a]] &&
                        world.surfaceClosed[world.edgeSurface[pair.b]];
      // The normals at the root lie between those at both ends; their sum keeps the sign that the test asks
      // for.
      const int bodyA = world.edgeBody[pair.a], bodyB = world.edgeBody[pair.b];
      if (world.isDeformable(bodyA) || world.isDeformable(bodyB)) input.testFaces = false;
      const Vec3 &sumA = tables.edgeFaceSums[pair.a], &sumB = tables.edgeFaceSums[pair.b];
      input.faceSumA = world.orientation[bodyA] * sumA + endOrientation[bodyA] * sumA;
      input.faceSumB = world.orientation[bodyB] * sumB + endOrientation[bodyB] * sumB;
    }
    if (const PairEntry* entry = memory.find(pair)) {
      input.tracked = true;
      input.side = entry->side;
      for (int k = 0; k < 4; ++k) input.weights[k] = entry->weights[k];
    }
    return input;
  }
};

/// All pairs of a step, for PairEvaluation.
struct PairsOfStep {
  PairSettings settings;
  const FeaturePair* pairs;

  /// Tracked and penetrating at the start, or able to cross. Most candidates are neither, and cost nothing
  /// but their rows.
  TS_HD bool mayAct(int index) const {
    const FeaturePair& pair = pairs[index];
    // Memory may still hold bodies that no longer take part.
    if (!canCollide(settings.world, firstBody(settings.world, pair), secondBody(settings.world, pair)))
      return false;
    if (isOwn(settings.world, pair)) {
      const PairPath input = settings.inputOf(pair);
      const PairMotion motion = motionOf(input);
      return shellContact(input, motion).acts();
    }
    const PairMotion motion = settings.motionAt(pair);
    if (!cannotCross(motion)) return true;
    const PairEntry* entry = settings.memory.find(pair);
    return entry && isActiveAtStart(true, entry->side, motion);
  }
  TS_HD PairPath inputOf(int index) const { return settings.inputOf(pairs[index]); }
};

struct MakeInput {
  PairsOfStep source;
  const int* indices;
  PairPath* inputs;  // out
  TS_HD void operator()(int index) const { inputs[index] = source.inputOf(indices[index]); }
};

template <class Law>
struct Acts {
  PairSettings settings;
  BatchView batch;
  Law law;
  TS_HD bool operator()(int pair) const {
    PairAction action;
    return batch.results[pair].intervalCount > 0 &&
           actionOf(pair, settings.inputOf(batch.pairAt(pair)), action);
  }
  TS_HD bool actionOf(int pair, const PairPath& input, PairAction& action) const {
    return law(input, motionOf(input), batch.results[pair], action);
  }
};

template <class Law>
struct WriteContact {  // one acting pair per index
  Acts<Law> acts;
  const int* indices;
  bool entryPoint;
  PenaltyContact* out;
  TS_HD void operator()(int index) const {
    const WorldView& world = acts.settings.world;
    const int pairIndex = indices[index];
    const FeaturePair& pair = acts.batch.pairAt(pairIndex);
    const PairImpulse& result = acts.batch.results[pairIndex];
    const PairPath input = acts.settings.inputOf(pair);
    const PairMotion motion = motionOf(input);
    PairAction action;
    acts.actionOf(pairIndex, input, action);
    PenaltyContact contact;
    contact.pair = pair;
    contact.bodyA = firstBody(world, pair);
    contact.bodyB = secondBody(world, pair);
    contact.stiffness = input.stiffness;
    contact.damping = input.damping;
    contact.gap = -action.depth;
    const double length = motion.m(1).norm();
    if (length > 0) contact.predictedGap = result.intervals[0].side * motion.gapEnd / length - input.shell;
    contact.intervalStart = result.intervals[0].start;
    contact.intervalEnd = result.intervals[result.intervalCount - 1].end;
    contact.turning = result.turning;
    contact.fellBack = acts.settings.quadrature && result.fellBack;
    contact.fresh = result.intervals[0].entered;
    const PairEntry* entry = contact.fresh ? nullptr : acts.settings.memory.find(pair);
    contact.allowance = entry ? acts.settings.allowanceOf(*entry) : acts.settings.allowanceOfOwn(pair, input);
    contact.impulse =
        afterAllowance(action.impulse, input.stiffness, world.dt, contact.allowance, action.share);
    contact.spring =
        afterAllowance(action.spring, input.stiffness, world.dt, contact.allowance, action.share);
    contact.damper = action.damper;
    contact.predictedGap += contact.allowance;
    if (entry && entry->anchored) {
      contact.anchor = entry->anchor;
    } else {
      placePoints(world, pair, result.intervals[0].weights, contact);
      contact.anchor = anchorAt(world, contact);
    }
    // The published point is that of the entry, on either body its own: the pair then exerts a couple (p − q)
    // × I.
    contact.ownPoints = entryPoint;
    placePoints(world, pair, entryPoint ? result.intervals[0].weights : action.weights, contact);
    out[index] = contact;
  }
};

/// A corner of faces with the law of a tracked method.
template <class Law>
struct PointOverPath {
  Law law;
  TS_HD bool operator()(const PairPath& input, double start, PairImpulse& result, PairAction& action) const {
    evaluatePairFrom(input, start, result);
    return result.intervalCount > 0 && law(input, motionOf(input), result, action);
  }
};

struct IsActiveAtEnd {
  const PairImpulse* results;
  TS_HD bool operator()(int pair) const { return results[pair].activeAtEnd; }
};

struct WriteEntry {  // one active pair per index
  PairSettings settings;
  BatchView batch;
  const int* indices;
  MemoryView before;
  const PenaltyContact* contacts;  // of the step, sorted by pair
  Extent contactExtent;
  PairEntry* out;
  TS_HD void operator()(int index) const {
    const int pairIndex = indices[index];
    const PairImpulse& result = batch.results[pairIndex];
    PairEntry entry;
    if (const PairEntry* kept = before.find(batch.pairAt(pairIndex))) {
      entry = *kept;
      entry.allowance = settings.allowanceOf(entry);
    } else {
      entry.allowance =
          settings.allowanceOfOwn(batch.pairAt(pairIndex), settings.inputOf(batch.pairAt(pairIndex)));
    }
    entry.pair = batch.pairAt(pairIndex);
    entry.side = result.endSide;
    for (int k = 0; k < 4; ++k) entry.weights[k] = result.endWeights[k];
    const int contactCount = contactExtent.size();
    const int contactAt =
        firstNotBefore(contactCount, [&](int contact) { return contacts[contact].pair < entry.pair; });
    if (contactAt < contactCount && contacts[contactAt].pair == entry.pair) {
      entry.anchor = contacts[contactAt].anchor;
      entry.anchored = true;
    }
    out[index] = entry;
  }
};

}  // namespace detail

/// Penalty methods on feature pairs that continuous collision detection finds and memory tracks until their
/// depth returns to zero (Tang 2012, section 3.2): what `cpf` and `dpf-ccd` share. They differ in their Law
/// alone:
///     bool operator()(const PenaltyNumbers&, const PairPath&, const PairMotion&, const PairImpulse&,
///     PairAction&) const
/// the impulse of a pair over the predicted path; false: it does not act in this step.
/// Law::of(values) reads its choices; it knows specs(), stabilityLimit() and wantsQuadrature().
///
/// Two passes per step: impulses come from the predicted path, memory from the corrected one.
template <class Backend, class Law>
class TrackedPenalty : public PenaltyMethod<Backend> {
 public:
  TrackedPenalty(const Backend& backend, const MethodSetup& setup) : TrackedPenalty(backend, setup.world) {
    setParameters(setup.ofReplicas);
  }
  TrackedPenalty(const Backend& backend, const World& world)
      : PenaltyMethod<Backend>(backend, world),
        m_tables(backend, world),
        // The corrected path leaves the predicted one by what contact does in this step. Pairs that only it
        // meets are caught by adoption one step later; the margin catches most of them at once.
        m_margin(world.scene->replicas, 2e-3 * world.scene->size) {
    const std::vector<double> shells = ownShells(world);
    for (std::size_t body = 0; body < shells.size(); ++body) {
      double& margin = m_margin[world.scene->bodies[body].replica];
      margin = std::max(margin, shells[body]);
    }
    backend.upload(shells.data(), shells.size(), m_shells);
    backend.upload(m_margin.data(), m_margin.size(), m_margins);
  }

  void setParameters(const std::vector<ParameterValues>& values) override {
    const std::vector<ParameterSpec>& specs = Law::specs();
    this->setNumbers(specs, values);
    const ParameterValues& choices = values.front();
    m_law = Law::of(choices);
    this->m_stabilityLimit = m_law.stabilityLimit();
    m_adoptAlways = choiceOf(specs, choices, "adopt") == "always";
    m_reseat = choiceOf(specs, choices, "sliding") == "reseat";
    m_twoSided = choiceOf(specs, choices, "sides") == "two";
    m_entryPoint = choiceOf(specs, choices, "point") == "entry";
  }

  /// Pass 1: impulses from the predicted path. Its end state is discarded.
  ReplicaSet respond(const Backend& backend, const MethodStep& step) override {
    const WorldView& world = step.view;
    const CandidateView& candidates = step.candidates;
    if (m_reseat) m_memory.reseat(backend, world);
    const bool adopts = m_adoptAlways || m_isFirst.get();
    if (adopts) m_tables.refit(backend, world.vertexStart);
    if (adopts) m_memory.adopt(backend, world, m_tables.view(), this->numbers(), candidates);
    m_isFirst.set(false);
    const detail::PairSettings settings =
        settingsFor(world, world.vertexPredicted, world.predictedOrientation);
    const detail::BatchView batch = evaluate(backend, settings, candidates);
    FacePairs<Backend>& faces = this->m_faces;
    faces.find(backend, world, this->numbers(), detail::PairPose::Entry, adopts);
    const detail::PointOverPath<Law> cornerLaw{m_law};
    if (step.detail) {
      explain(backend, settings, batch, *step.detail);
      faces.explain(backend, cornerLaw, m_law.wantsQuadrature(), *step.detail);
    }
    step.clock.endOf(Phase::NarrowPhase);
    const detail::Acts<Law> acts{settings, batch, m_law};
    const List<Backend, int>& acting = m_acting.select(backend, batch.extent, acts);
    m_features = acting.extent();
    this->m_contacts.make(backend, m_features, faces.corners(), [&](PenaltyContact* to) {
      return std::make_pair(
          detail::WriteContact<Law>{acts, acting.data(), m_entryPoint, to},
          faces.writeContacts(cornerLaw, m_entryPoint, m_law.wantsQuadrature(), m_features, to));
    });
    PenaltyContact* contacts = this->m_contacts.data();
    const Extent& extent = this->m_contacts.extent();
    this->addFriction(backend, world, contacts, extent);
    step.clock.endOf(Phase::Assemble);
    this->normalise(backend, world, contacts, extent);
    this->applyContacts(backend, world, m_features);
    return {};
  }

  /// Pass 2: memory from the corrected path, so that it is a function of the true motion. A vertex can go
  /// through a face only there (struck by something else in this step); with memory of the predicted path it
  /// would never be found again.
  void settle(const Backend& backend, const WorldView& world, const CandidateView& candidates) override {
    m_corrected.resize(world.vertexCount);
    forEach(backend, world.vertexCount,
            PlaceVertices{world, world.position, world.orientation, m_corrected.data()});
    const detail::PairSettings settings = settingsFor(world, m_corrected.data(), world.orientation);
    const detail::BatchView batch = evaluate(backend, settings, candidates);
    const List<Backend, int>& active =
        m_active.select(backend, batch.extent, detail::IsActiveAtEnd{batch.results});
    m_memory.replace(backend, active.extent(), [&](PairEntry* to) {
      return detail::WriteEntry{settings,   batch, active.data(), m_memory.view(), this->m_contacts.data(),
                                m_features, to};
    });
    this->m_faces.settle(backend, world, this->m_contacts.data(), m_features);
  }

  void eachMemoryArray(const std::function<void(MemoryArray<Backend>&)>& visit) override {
    PenaltyMethod<Backend>::eachMemoryArray(visit);
    visit(m_isFirst);
    visit(m_memory.array());
  }

 protected:
  const double* marginsOf(const Backend&, const WorldView&) override { return m_margins.data(); }
  FeatureNeeds featureNeeds() const override {
    FeatureNeeds needs = PenaltyMethod<Backend>::featureNeeds();
    needs.self = true;
    return needs;
  }

  void warn(const typename PenaltyImpulses<Backend>::Summary& summary, StepRecord& record) const override {
    PenaltyMethod<Backend>::warn(summary, record);
    if (summary.turned && !m_law.wantsQuadrature())
      record.warnings.push_back(
          "the normals of some pairs change length more than twofold in the step: the closed form with "
          "constant L_k errs "
          "there; use a smaller step or normal = quadrature");
    if (summary.fellBack)
      record.warnings.push_back("some normals nearly vanish in the step: closed form used for them");
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  detail::PairSettings settingsFor(const WorldView& world, const Vec3* ends,
                                   const Quaternion* endOrientation) const {
    return {world,          m_tables.view(), this->numbers(),         m_memory.view(), ends,
            endOrientation, m_twoSided,      m_law.wantsQuadrature(), m_shells.data()};
  }

  /// Runs all pairs of broad phase and memory over the path; only those that can act are in the
  /// batch.
  detail::BatchView evaluate(const Backend& backend, const detail::PairSettings& settings,
                             const CandidateView& candidates) {
    const List<Backend, FeaturePair>& pairs =
        m_all.join(backend, SortedPairs<FeaturePair>{candidates.features, candidates.featureExtent},
                   SortedEntries<PairEntry>(settings.memory));
    m_evaluation.run(backend, pairs.extent(), detail::PairsOfStep{settings, pairs.data()});
    const auto touching = m_evaluation.touching();
    const detail::BatchView batch{touching.extent, pairs.data(), touching.pairs, m_evaluation.results()};
    m_repeated.drop(backend, settings.world, batch);
    return batch;
  }

  /// All pairs that could act, also those that did not. Their inputs are made again for the one step
  /// that is looked into, and not kept for those that are not.
  void explain(const Backend& backend, const detail::PairSettings& settings, const detail::BatchView& batch,
               StepDetail& detail) const {
    const auto mayAct = m_evaluation.mayAct();
    const std::size_t count = lengthOf(backend, mayAct.extent), touching = lengthOf(backend, batch.extent);
    Array<PairPath> remade;
    remade.resize(count);
    forEach(backend, mayAct.extent, detail::MakeInput{{settings, batch.pairs}, mayAct.pairs, remade.data()});
    const std::vector<FeaturePair> pairs = m_all.all().download(backend);
    const std::vector<PairPath> inputs = fetched(backend, static_cast<const PairPath*>(remade.data()), count);
    const std::vector<int> indices = fetched(backend, mayAct.pairs, count),
                           touchingIndices = fetched(backend, batch.touching, touching);
    const std::vector<PairImpulse> results =
        fetched(backend, static_cast<const PairImpulse*>(batch.results), touching);
    std::size_t next = 0;  // both lists ascend
    for (std::size_t pair = 0; pair < count; ++pair) {
      const bool came = next < touching && touchingIndices[next] == indices[pair];
      penaltyDetail(detail).pairs.push_back(
          {pairs[indices[pair]], inputs[pair], came ? results[next] : PairImpulse()});
      next += came;
    }
  }

  PenaltyTablesOn<Backend> m_tables;
  std::vector<double> m_margin;
  Array<double> m_margins, m_shells;
  PairMemory<Backend> m_memory;
  RepeatedEntries<Backend> m_repeated;
  PairEvaluation<Backend> m_evaluation;
  Selection<Backend> m_acting, m_active;
  JoinedPairs<Backend, FeaturePair> m_all;
  Extent m_features;  ///< contacts of pairs of features in the step, before those of faces
  Array<Vec3> m_corrected;
  Law m_law;
  bool m_adoptAlways = true, m_reseat = true, m_twoSided = false, m_entryPoint = false;
  MemoryFlag<Backend> m_isFirst{true};  ///< no step yet
};

}  // namespace touchstone
