#pragma once

#include "core/contact/manifold/constraint_sets.inl"
#include "core/contact/manifold/move_to_end.h"
#include "core/contact/manifold/narrow_phase.inl"
#include "core/contact/manifold/thinned_contacts.inl"

namespace touchstone {

namespace detail {

/// Rooms of many pairs in one array of each kind.
struct PairScratches {
  int capacity;            // of one scratch
  PieceContact* contacts;  // [scratchCount × capacity]
  SetRange* sets;          // [scratchCount × capacity]
  int* members;            // [scratchCount × kMembersPerSet capacity]
  CrossSet* crossSets;     // [scratchCount × capacity]
  FeatureIds* features;    // [scratchCount × 3 capacity]
  PairSpacesView spaces;

  static constexpr int kMembersPerSet = 4;
  TS_HD PairScratch operator[](int scratch) const {
    PairScratch pairScratch;
    const long long first = static_cast<long long>(scratch) * capacity;
    pairScratch.contacts.items = contacts + first;
    pairScratch.sets.items = sets + first;
    pairScratch.members.items = members + kMembersPerSet * first;
    pairScratch.crossSets.items = crossSets + first;
    pairScratch.corners.items = features + 3 * first;
    pairScratch.vertexEdges[0].items = pairScratch.corners.items + capacity;
    pairScratch.vertexEdges[1].items = pairScratch.vertexEdges[0].items + capacity;
    pairScratch.contacts.capacity = pairScratch.sets.capacity = pairScratch.crossSets.capacity =
        pairScratch.corners.capacity = pairScratch.vertexEdges[0].capacity =
            pairScratch.vertexEdges[1].capacity = capacity;
    pairScratch.members.capacity = kMembersPerSet * capacity;
    const PairSpace space = spaces[scratch];
    pairScratch.numbers = space.numbers;
    pairScratch.patch = space.patch;
    return pairScratch;
  }
};

/// The other bodies and pieces near a pair of pieces, for SetBuilder.
struct PairSurroundings {
  ExposedFeatures exposed;  // with the pieces where the step starts
  PiecesView predicted;     // where it leads without contact
  PairSpace space;
  int* numbers;  // for separation(), behind those of the SetBuilder
  int pieceA, pieceB;
  double skin;  // m

  TS_HD bool isExposed(const PieceContact& contact) const {
    return touchstone::isExposed(exposed, pieceA, pieceB, contact);
  }
  TS_HD double separation(int* scratch, const PatchScratch& patch, SeparatingFeature* feature) const {
    return exposedSeparation(exposed, pieceA, pieceB, exposed.pieces[pieceA], exposed.pieces[pieceB], scratch,
                             patch, nullptr, feature);
  }
  /// separation() without pairs of edges. @return false if another feature may be the best: pairs of edges,
  /// or exposed ones instead of this one
  TS_HD bool separateByFaces(int* scratch, const PatchScratch& patch, SeparatingFeature* feature,
                             double* gap) const {
    const PolytopeView a = exposed.pieces[pieceA], b = exposed.pieces[pieceB];
    detail::SeparationSearch search(a, b, scratch, nullptr);
    search.searchFaces();
    *gap = search.gap;
    *feature = search.feature;
    return search.gap > tolerance() || touchstone::isExposed(exposed, pieceA, pieceB, a, b, *feature, patch);
  }
  TS_HD double tolerance() const { return patchTolerance(exposed.pieces); }
  TS_HD FirstContact meets(const SeparatingFeature& feature) const {
    const MovingPiece a = space.moving(exposed.pieces[pieceA], predicted[pieceA], false),
                      b = space.moving(exposed.pieces[pieceB], predicted[pieceB], true);
    return firstContact(a, b, feature, tolerance(),
                        [&](const PolytopeView& ownA, const PolytopeView& ownB, SeparatingFeature* best) {
                          return exposedSeparation(exposed, pieceA, pieceB, ownA, ownB, numbers, space.patch,
                                                   nullptr, best);
                        });
  }
  /// True for points deeper in a sibling of a piece than ε: in an inner corner of two pieces a vertex that
  /// has crossed both faces by less has its feet inside the respective other piece, and both faces must still
  /// hold it.
  TS_HD bool isBuried(bool onA, const Vec3& point) const {
    const PiecesView& pieces = exposed.pieces;
    const int ownPiece = onA ? pieceA : pieceB, body = pieces.body[ownPiece];
    for (int piece = pieces.bodyFirstPiece[body]; piece < pieces.bodyFirstPiece[body + 1]; ++piece)
      if (piece != ownPiece && isInside(pieces[piece], point)) return true;
    return false;
  }

 private:
  TS_HD bool isInside(const PolytopeView& piece, const Vec3& point) const {
    for (int face = 0; face < piece.faceCount; ++face)
      if (piece.normals[face].dot(point) - piece.offsets[face] >= -skin) return false;
    return true;
  }
};

struct FindReach {  // one body per index: how near it may come to what does not move, no less than a margin
                    // [m]
  WorldView world;
  const RowRules* rules;  // [replicaCount]
  double margin;
  double* out;
  TS_HD void operator()(int body) const {
    const double reach = epsilonOf(world, ruleOf(world, rules, body), body, body) +
                         world.dt * world.nextLinearVelocity[body].norm();
    out[body] = isDynamic(world, body) && reach > margin ? reach : margin;  // not what is no number
  }
};

/// Some of the pairs, as many as there are scratch memories.
struct PairBatch {
  const PiecePair* pairs;
  Extent extent;
  int first;
  /// Pair `index` of the batch; null: there are not so many.
  TS_HD const PiecePair* operator[](int index) const {
    return first + index < extent.size() ? pairs + first + index : nullptr;
  }
};

struct FindInPair {  // one pair of a batch per index
  WorldView world;
  PiecesView pieces, predicted;
  const RowRules* rules;  // [replicaCount]
  PairBatch batch;
  PairScratches scratches;
  SortedEntries<PairForm> formsBefore;                                 // of the last step
  PairForm* forms;                                                     // out, of all pairs
  int *contactCounts, *setCounts, *memberCounts, *crossCounts, *full;  // out

  TS_HD void operator()(int index) const {
    PairScratch scratch = scratches[index];
    if (const PiecePair* pair = batch[index]) {
      PairForm& form = forms[batch.first + index];
      form = PairForm();
      form.pair = *pair;
      if (pair->planeBody >= 0) {
        meetPlane(*pair, scratch);
      } else {
        meetPiece(*pair, scratches.spaces[index], scratch, form);
      }
      const RowRules& rule = ruleOf(world, rules, pieces.body[pair->pieceA]);
      if (rule.thinning != Thinning::None) {
        const int bodyB = pair->planeBody >= 0 ? pair->planeBody : pieces.body[pair->pieceB];
        const GapAhead ahead(world, pieces.body[pair->pieceA], bodyB);
        ContactThinning(scratch, ahead, rule.constraints.touching).run(rule.thinning);
      }
    }
    contactCounts[index] = scratch.contacts.count;
    setCounts[index] = scratch.sets.count;
    memberCounts[index] = scratch.members.count;
    crossCounts[index] = scratch.crossSets.count;
    full[index] = scratch.isFull() ? 1 : 0;
  }

 private:
  TS_HD void meetPiece(const PiecePair& pair, const PairSpace& space, PairScratch& scratch,
                       PairForm& form) const {
    const PolytopeView a = pieces[pair.pieceA], b = pieces[pair.pieceB];
    const double shortestA = pieces.shortestEdge(pair.pieceA), shortestB = pieces.shortestEdge(pair.pieceB);
    const double third = (shortestA < shortestB ? shortestA : shortestB) / 3;
    const int bodyA = pieces.body[pair.pieceA], bodyB = pieces.body[pair.pieceB];
    const RowRules& rule = ruleOf(world, rules, bodyA);
    ConstraintSettings settings = rule.constraints;
    settings.reach = reachOf(world, rule, bodyA, bodyB);
    settings.nearby = epsilonOf(world, rule, bodyA, bodyB);
    const double maximum = rule.margin < third ? third : rule.margin;
    settings.epsilon = settings.nearby < maximum ? settings.nearby : maximum;
    const PairSurroundings surroundings{
        {world, pieces}, predicted,   space,           scratch.numbers + scratchForNumbers(a, b),
        pair.pieceA,     pair.pieceB, settings.epsilon};
    const PairForm* before = formsBefore.find(pair);
    // Nothing of pieces that are farther apart than the reach is a contact. Most often the feature that has
    // separated them still does.
    if (before && !before->feature.isNone() && settings.reach > patchTolerance(pieces) &&
        gapAlong(before->feature, a, b) > settings.reach) {
      form.feature = before->feature;
      return;
    }
    SetBuilder<PairSurroundings> builder(a, b, settings, surroundings, scratch, before && before->isFlush);
    builder.build();
    form.isFlush = builder.isFlush() ? 1 : 0;
    form.feature = builder.best();
  }

  /// Every vertex of the piece within ε of the plane, as U.
  TS_HD void meetPlane(const PiecePair& pair, PairScratch& scratch) const {
    const PolytopeView piece = pieces[pair.pieceA];
    const Vec3 normal = planeNormal(world, pair.planeBody);
    const int body = pieces.body[pair.pieceA];
    const double epsilon = reachOf(world, ruleOf(world, rules, body), body, pair.planeBody);
    for (int vertex = 0; vertex < piece.vertexCount; ++vertex) {
      const PieceContact contact =
          planeContact(piece.vertices[vertex], vertex, normal, world.position[pair.planeBody]);
      if (contact.psi > epsilon) continue;
      scratch.members.push(scratch.contacts.count);
      scratch.contacts.push(contact);
      scratch.sets.push({ConstraintType::U, scratch.members.count - 1, 1});
    }
  }
};

struct WriteFound {  // one pair of a batch per index: its scratch memory into the lists of all, behind their
                     // entries
  WorldView world;
  const int* pieceBody;
  const RowRules* rules;  // [replicaCount]
  PairBatch batch;
  PairScratches scratches;
  const int *contactOffsets, *setOffsets, *memberOffsets, *crossOffsets;  // [scratches + 1]
  const FoundCounts* before;                                              // [1] in earlier batches
  FoundLengths capacity;
  ModelContact* contacts;
  SetRange* sets;
  CrossSet* crossSets;
  int *members, *firstOfPair, *firstSetOfPair;
  TS_HD void operator()(int index) const {
    if (!batch[index]) return;
    const PiecePair& pair = *batch[index];
    const PairScratch scratch = scratches[index];
    const int firstContact = before->lists.contacts + contactOffsets[index],
              firstSet = before->lists.sets + setOffsets[index],
              firstMember = before->lists.members + memberOffsets[index],
              firstCross = before->lists.crossSets + crossOffsets[index];
    firstOfPair[batch.first + index] = firstContact;
    firstSetOfPair[batch.first + index] = firstSet;
    if (before->lists.contacts + contactOffsets[index + 1] > capacity.contacts ||
        before->lists.sets + setOffsets[index + 1] > capacity.sets ||
        before->lists.members + memberOffsets[index + 1] > capacity.members ||
        before->lists.crossSets + crossOffsets[index + 1] > capacity.crossSets)
      return;
    const int bodyA = pieceBody[pair.pieceA];
    const int bodyB = pair.planeBody >= 0 ? pair.planeBody : pieceBody[pair.pieceB];
    for (int k = 0; k < contactOffsets[index + 1] - contactOffsets[index]; ++k) {
      ModelContact contact =
          modelContact(world, scratch.contacts.items[k], pair.pieceA, pair.pieceB, bodyA, bodyB);
      const RowRules& rule = ruleOf(world, rules, bodyA);
      contact.rate = rateOf(world, rule, contact);
      contact.pushOut = pushOutSpeed(rule, contact.geometry.psi, world.dt);
      contact.isBehind = contact.geometry.psi < -contact.geometry.overlap - rule.exactSkin();
      contact.bend = bendingSpeed(world, bodyA, bodyB);
      if (rule.restitution == 0)
        contact.maxSeparationSpeed = -rateOf(rule, -contact.geometry.overlap, world.dt);
      contacts[firstContact + k] = contact;
    }
    for (int k = 0; k < setOffsets[index + 1] - setOffsets[index]; ++k) {
      SetRange set = scratch.sets.items[k];
      set.first += firstMember;
      sets[firstSet + k] = set;
    }
    for (int k = 0; k < memberOffsets[index + 1] - memberOffsets[index]; ++k)
      members[firstMember + k] = firstContact + scratch.members.items[k];
    for (int k = 0; k < crossOffsets[index + 1] - crossOffsets[index]; ++k) {
      const CrossSet& set = scratch.crossSets.items[k];
      crossSets[firstCross + k] = {{firstContact + set.contacts[0], firstContact + set.contacts[1]}};
    }
  }
};

struct AddFound {                                             // what a batch has found
  const int *contacts, *sets, *members, *crossSets, *isFull;  // [1]
  FoundCounts* found;
  TS_HD void operator()(int) const {
    found->lists.contacts += *contacts;
    found->lists.sets += *sets;
    found->lists.members += *members;
    found->lists.crossSets += *crossSets;
    if (*isFull) found->isFull = 1;
  }
};

struct CloseFound {  // after the last batch
  Extent pairs;
  FoundCounts* found;
  int *firstOfPair, *firstSetOfPair;
  TS_HD void operator()(int) const {
    found->pairs = pairs.size();
    firstOfPair[pairs.size()] = found->lists.contacts;
    firstSetOfPair[pairs.size()] = found->lists.sets;
  }
};

struct FindEndGap {  // one contact per index
  WorldView world;
  PiecesView pieces;     // at the end of the step
  const Vec3* position;  // [bodyCount] at the end of the step
  const ModelContact* contacts;
  double* gaps;
  TS_HD void operator()(int index) const {
    ModelContact contact = contacts[index];
    reevaluate(world, pieces, pieces.body, position, contact);
    gaps[index] = contact.geometry.psi;
  }
};

struct IsBrokenCrossSet {  // one X set per index: both gaps are negative at the linearised end
  WorldView world;
  const ModelContact* contacts;
  const CrossSet* sets;
  double length;  // lengthOf() the scene [m]
  int* out;
  TS_HD void operator()(int index) const {
    constexpr double kBroken = -2e-6;  // of the length: far above what a solver leaves
    double largest = -HUGE_VAL;
    for (int contact : sets[index].contacts) {
      const ModelContact& found = contacts[contact];
      largest = std::fmax(largest,
                          found.geometry.psi + world.dt * rateAlong(found.jacobian, world.nextLinearVelocity,
                                                                    world.nextAngularVelocity));
    }
    const ModelContact& first = contacts[sets[index].contacts[0]];
    // One that was violated before, and is being undone, is as good as it can be.
    const double before = std::fmax(first.geometry.psi, contacts[sets[index].contacts[1]].geometry.psi);
    out[index] = largest < kBroken * length && !(largest > before && before < 0) ? 1 : 0;
  }
};

struct IsFalseTouch {  // one pair per index: its impulses push though its pieces end apart
  WorldView world;
  PiecesView pieces;  // at the end of the step
  const RowRules* rules;
  const PiecePair* pairs;
  const int* firstOfPair;
  const double* impulses;
  int* out;
  TS_HD void operator()(int index, const PairSpace& space) const {
    constexpr double kPushes = 1e-7;  // of the unit of velocities: smaller is what a solver leaves
    const PiecePair& pair = pairs[index];
    out[index] = 0;
    if (pair.planeBody >= 0) return;
    const int bodyA = pieces.body[pair.pieceA], bodyB = pieces.body[pair.pieceB];
    const double least = kPushes * ruleOf(world, rules, bodyA).velocityUnit /
                         (world.inverseMass[bodyA] + world.inverseMass[bodyB]);
    bool pushes = false;
    for (int contact = firstOfPair[index]; contact < firstOfPair[index + 1] && !pushes; ++contact)
      pushes = impulses[contact] > least;
    if (!pushes) return;
    Vec3 normal;
    SeparatingFeature feature;
    const double gap = exposedSeparation({world, pieces}, pair.pieceA, pair.pieceB, pieces[pair.pieceA],
                                         pieces[pair.pieceB], space.numbers, space.patch, &normal, &feature);
    out[index] = gap > touchTolerance(world, pieces.length, bodyA, bodyB) ? 1 : 0;
  }
};

struct LineariseContact {  // one contact per index
  WorldView world;
  PiecesView pieces;      // at the end of the step
  const Vec3* position;   // [bodyCount] at the end of the step
  const RowRules* rules;  // [replicaCount]
  const ModelContact* contacts;
  ModelContact* out;
  TS_HD void operator()(int index) const {
    ModelContact contact = contacts[index];
    contact.gapLeft = gapLeft(ruleOf(world, rules, contact.bodyA), contact.geometry.psi, world.dt);
    reevaluate(world, pieces, pieces.body, position, contact);
    setArmsAtEnd(world, {position, world.nextAngularVelocity}, contact);
    contact.rate = rateAgain(
        contact, rateAlong(contact.jacobian, world.nextLinearVelocity, world.nextAngularVelocity), world.dt);
    // An end without overlap takes what the path bends by.
    contact.maxSeparationSpeed += contact.bend;
    out[index] = contact;
  }
};

}  // namespace detail

template <class Backend>
void NarrowPhase<Backend>::linearise() {
  const PiecesView& pieces = placeAtEnd();
  m_linearised.resize(contactCount());
  m_isLinearised = true;
  forEach(m_backend, contactCount(),
          detail::LineariseContact{m_view, pieces, m_endPosition.data(), m_rules.data(), m_contacts.data(),
                                   m_linearised.data()});
}

template <class Backend>
void NarrowPhase<Backend>::findEndGaps() {
  const PiecesView& pieces = placeAtEnd();
  m_endGaps.resize(contactCount());
  forEach(m_backend, contactCount(),
          detail::FindEndGap{m_view, pieces, m_endPosition.data(), m_contacts.data(), m_endGaps.data()});
}

template <class Backend>
std::vector<AnswerReview> NarrowPhase<Backend>::review(const double* impulses) {
  std::vector<AnswerReview> reviews(m_view.replicaCount);
  m_flags.resize(std::max(pairCount(), crossSetCount()));
  if (crossSetCount() > 0) {
    forEach(m_backend, crossSetCount(),
            detail::IsBrokenCrossSet{m_view, m_contacts.data(), m_crossSets.data(), m_pieces.view().length,
                                     m_flags.data()});
    countByReplica(crossSetCount(), reviews, &AnswerReview::brokenCrossSets, [this](int set) {
      const std::vector<CrossSet> sets = fetched(crossSets() + set, 1);
      return fetched(m_contacts.data() + sets[0].contacts[0], 1)[0].bodyA;
    });
  }
  if (contactCount() == 0) return reviews;
  const PiecesView& pieces = placeAtEnd();
  forEachWithSpace(m_backend, pairCount(), m_spaces,
                   detail::IsFalseTouch{m_view, pieces, m_rules.data(), pairs(), m_firstOfPair.data(),
                                        impulses, m_flags.data()});
  countByReplica(pairCount(), reviews, &AnswerReview::falseTouches, [this](int pair) {
    return fetched(pieceBody() + fetched(pairs() + pair, 1)[0].pieceA, 1)[0];
  });
  return reviews;
}

template <class Backend>
void NarrowPhase<Backend>::launch() {
  m_sequence.run(m_loops, [this](const auto& mark) {
    m_loops.beginStep();
    const double* growth = findGrowth();
    const List<Loops, PiecePair>& pairs = m_broadPhase.find(
        m_loops, m_view, m_pieces.view(), SweptPieceBox{m_view, m_pieces.view(), growth}, growth);
    mark(Phase::BroadPhase);
    findContacts(pairs);
    mark(Phase::NarrowPhase);
  });
  m_foundHere.start(m_loops, static_cast<const detail::FoundCounts*>(m_found.data()), 1);
  m_loops.startReading();
}

template <class Backend>
const double* NarrowPhase<Backend>::findGrowth() {
  m_reaches.resize(m_view.bodyCount);
  forEach(m_loops, m_view.bodyCount,
          detail::FindReach{m_view, m_rules.data(), largestMargin(), m_reaches.data()});
  return reducedOnDevice(m_loops, m_reaches.data(), m_view.bodyCount, Larger{});
}

template <class Backend>
const PiecesView& NarrowPhase<Backend>::placeAtEnd() {
  m_endPosition.resize(m_view.bodyCount);
  m_endOrientation.resize(m_endPosition.size());
  forEach(m_backend, m_view.bodyCount,
          detail::MoveToEnd{m_view, m_endPosition.data(), m_endOrientation.data()});
  return m_pieces.place(m_backend, m_endPosition.data(), m_endOrientation.data());
}

template <class Backend>
void NarrowPhase<Backend>::findContacts(const List<Loops, PiecePair>& pairs) {
  for (Array<int>* firsts : {&m_firstOfPair, &m_firstSetOfPair}) firsts->resize(pairs.extent().capacity + 1);
  fill(m_loops, m_found.data(), 1, detail::FoundCounts{});
  if (m_findsContacts) findInBatches(pairs);
  forEach(m_loops, 1,
          detail::CloseFound{pairs.extent(), m_found.data(), m_firstOfPair.data(), m_firstSetOfPair.data()});
}

template <class Backend>
void NarrowPhase<Backend>::findInBatches(const List<Loops, PiecePair>& pairs) {
  const PiecesView& pieces = m_pieces.place(m_loops, m_view.position, m_view.orientation);
  m_predicted.place(m_loops, m_view.predictedPosition, m_view.predictedOrientation);
  m_contacts.resize(m_scratches.contacts);
  m_sets.resize(m_scratches.sets);
  m_members.resize(m_scratches.members);
  m_crossSets.resize(m_scratches.crossSets);
  m_foundForms = m_forms.found(pairs.extent().capacity);
  for (int first = 0; first < pairs.extent().capacity;) {
    const int count = prepareScratch(pairs.extent().capacity - first);
    findIn({pairs.data(), pairs.extent(), first}, count, pieces);
    first += count;
  }
}

template <class Backend>
int NarrowPhase<Backend>::prepareScratch(int wanted) {
  const std::size_t bytesOfPair =
      m_capacity * (sizeof(PieceContact) + sizeof(SetRange) + sizeof(CrossSet) + 3 * sizeof(FeatureIds) +
                    detail::PairScratches::kMembersPerSet * sizeof(int)) +
      m_spaces.bytes();
  const std::size_t count = scratchFor<Backend>(wanted, bytesOfPair);
  const std::size_t items = count * m_capacity;
  // The arrays only grow: the number of pairs changes in every step.
  const auto grow = [](auto& array, std::size_t size) {
    if (array.size() < size) array.resize(size);
  };
  grow(m_scratchContacts, items);
  grow(m_scratchSets, items);
  grow(m_scratchCrossSets, items);
  grow(m_scratchMembers, detail::PairScratches::kMembersPerSet * items);
  grow(m_scratchFeatures, 3 * items);
  m_spacesView = m_spaces.make(count);
  for (Array<int>* counts : {&m_contactOffsets, &m_setOffsets, &m_memberOffsets, &m_crossOffsets, &m_full})
    counts->resize(count + 1);
  return static_cast<int>(count);
}

template <class Backend>
void NarrowPhase<Backend>::findIn(const detail::PairBatch& batch, int count, const PiecesView& pieces) {
  const detail::PairScratches scratches{m_capacity,
                                        m_scratchContacts.data(),
                                        m_scratchSets.data(),
                                        m_scratchMembers.data(),
                                        m_scratchCrossSets.data(),
                                        m_scratchFeatures.data(),
                                        m_spacesView};
  forEach(m_loops, count,
          detail::FindInPair{m_view, pieces, m_predicted.view(), m_rules.data(), batch, scratches,
                             m_forms.before(), m_foundForms, m_contactOffsets.data(), m_setOffsets.data(),
                             m_memberOffsets.data(), m_crossOffsets.data(), m_full.data()},
          Work::Heavy);
  const int* isFull = reducedOnDevice(m_loops, m_full.data(), count, Larger{});
  for (Array<int>* counts : {&m_contactOffsets, &m_setOffsets, &m_memberOffsets, &m_crossOffsets})
    sumCounts(m_loops, count, counts->data());
  forEach(
      m_loops, count,
      detail::WriteFound{m_view, pieces.body, m_rules.data(), batch, scratches, m_contactOffsets.data(),
                         m_setOffsets.data(), m_memberOffsets.data(), m_crossOffsets.data(), m_found.data(),
                         m_scratches, m_contacts.data(), m_sets.data(), m_crossSets.data(), m_members.data(),
                         m_firstOfPair.data(), m_firstSetOfPair.data()});
  forEach(m_loops, 1,
          detail::AddFound{m_contactOffsets.data() + count, m_setOffsets.data() + count,
                           m_memberOffsets.data() + count, m_crossOffsets.data() + count, isFull,
                           m_found.data()});
}

template <class Backend>
template <class BodyOf>
void NarrowPhase<Backend>::countByReplica(int count, std::vector<AnswerReview>& reviews,
                                          int AnswerReview::*counted, const BodyOf& bodyOf) {
  if (reduced(m_backend, static_cast<const int*>(m_flags.data()), count, 0, Larger{}, m_flagPartials) == 0)
    return;
  const std::vector<int> flags = fetched(static_cast<const int*>(m_flags.data()), count);
  for (int item = 0; item < count; ++item)
    if (flags[item]) {
      const int replica = reviews.size() == 1 ? 0 : m_scene->bodies[bodyOf(item)].replica;
      ++(reviews[replica].*counted);
    }
}

template <class Backend>
int NarrowPhase<Backend>::numbersOfPair(const PolytopeView& largest) {
  return scratchForNumbers(largest, largest) + separationScratch(largest, largest);
}

}  // namespace touchstone
