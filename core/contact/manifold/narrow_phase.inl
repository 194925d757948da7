#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/contact/manifold/found_sets.h"
#include "core/contact/manifold/model_contact.h"
#include "core/contact/manifold/pair_forms.inl"
#include "core/contact/manifold/row_rules.h"
#include "core/detect/candidates.h"
#include "core/detect/pair_space.inl"
#include "core/detect/piece_broad_phase.inl"
#include "core/parallel/copy.h"
#include "core/parallel/device/deferred_lists.h"
#include "core/parallel/device/timed_graph.h"
#include "core/record/step_record.h"
#include "core/world/device_world.inl"

namespace touchstone {

namespace detail {

struct PairBatch;  // core/contact/manifold/narrow_phase_loops.inl

/// Lengths of the lists that narrow phase writes.
struct FoundLengths {
  int contacts = 0, sets = 0, members = 0, crossSets = 0;
};

/// Counts of what narrow phase has found so far.
struct FoundCounts {
  FoundLengths lists;
  int pairs = 0;   // after the last batch
  int isFull = 0;  // the scratch memory of a pair was too small
};

}  // namespace detail

/// Broad and narrow phase of the complementarity models on a backend: pairs of convex pieces, their contacts
/// with gaps and gradients, and their constraint sets. The pieces are sent to the backend once, the bodies
/// are those of the DeviceWorld, and back comes what is fetched. One per pane.
///
/// Its loops are those of narrow_phase_loops.inl, which one unit of each backend compiles.
template <class Backend>
class NarrowPhase {
 public:
  NarrowPhase(const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)
      : m_scene(world.scene),
        m_deviceWorld(worldOn<Backend>(deviceWorld)),
        m_backend(m_deviceWorld->backend()),
        m_loops(m_backend),
        m_pieces(m_backend, world),
        m_predicted(m_backend, world),
        m_spaces(m_pieces.largest(), m_pieces.largestLoop(), numbersOfPair(m_pieces.largest())),
        m_forms(m_backend) {
    m_found.resize(1);
  }

  /// From the next begin() on. Asks nothing of the backend.
  /// @param rules  [replicaCount] of each replica
  void setRules(const std::vector<RowRules>& rules) {
    m_rulesHere = rules;
    m_areRulesSent = false;
  }

  /// From the next begin() on: pairs alone, or contacts and sets as well, as at first.
  void setFindsContacts(bool on) { m_findsContacts = on; }

  /// Broad and narrow phase of the running step, from the arrays that DeviceWorld::predict() left; on a
  /// device without waiting for them. What they find stays on the backend.
  void begin(const WorldView& world) {
    // A step that was begun ahead and given up still sends what the loops write over.
    m_loops.awaitReading();
    m_view = world;
    m_isLinearised = false;
    if (!m_areRulesSent) m_backend.upload(m_rulesHere.data(), m_rulesHere.size(), m_rules);
    m_areRulesSent = true;
    m_sequence.learnFor({m_forms.before().entries}, {m_view.dt, largestMargin(), double(m_findsContacts)});
    launch();
  }

  /// Waits for them, and adds what they took. Before all that follows.
  void await(PhaseTimes& times) {
    while (growOverflowed()) {
      m_sequence.forget();
      launch();
    }
    m_counts = *m_foundHere.wait();
    if (m_findsContacts) m_forms.commit(pairCount());
    m_sequence.addTo(times);
  }

  /// Forms of the pairs, as steps that were waited for have left them; part of a method's contact memory.
  PairForms<Backend>& forms() { return m_forms; }

  /// Number of the pairs of fetchPairs(), and of the contacts of fetchContacts().
  int pairCount() const { return m_counts.pairs; }
  int contactCount() const { return m_counts.lists.contacts; }
  /// Pieces whose swept boxes come as near as contacts of the rules may be, then pieces and planes; sorted.
  std::vector<PiecePair> fetchPairs() const { return fetched(pairs(), pairCount()); }
  /// The contacts with gaps and gradients, in the order of their pairs.
  std::vector<ModelContact> fetchContacts() const { return fetched(found(), contactCount()); }
  FoundSets fetchSets() const {
    return {fetched(sets(), setCount()), fetched(members(), memberCount()),
            fetched(crossSets(), crossSetCount())};
  }

  /// Evaluates gaps ψ and gradients G of the contacts again where the running step's velocities ν lead, with
  /// rates ψ/h − Gᵀν: the next linearisation.
  void linearise();
  /// The contacts as the last linearise() left them.
  std::vector<ModelContact> fetchLinearised() const { return fetched(m_linearised.data(), contactCount()); }
  /// Gaps of the contacts where the running step's velocities lead; before integration.
  void findEndGaps();
  /// Reviews the answer, whose velocities are on the backend, before integration. @return [replicaCount]
  /// @param impulses  [contactCount()] normal impulses [N·s], in the backend's memory
  std::vector<AnswerReview> review(const double* impulses);

  // On the backend, after await():

  const RowRules* rules() const { return m_rules.data(); }  ///< [replicaCount]
  const PiecePair* pairs() const { return m_broadPhase.pairs().data(); }
  const int* pieceBody() const { return m_pieces.view().body; }
  const ModelContact* found() const { return m_contacts.data(); }
  /// [contactCount()] m, of the last findEndGaps()
  const double* endGaps() const { return m_endGaps.data(); }
  /// The contacts; after linearise() those that it has linearised.
  const ModelContact* contacts() const { return m_isLinearised ? m_linearised.data() : m_contacts.data(); }
  const SetRange* sets() const { return m_sets.data(); }
  const int* members() const { return m_members.data(); }  ///< of the sets, into the contacts
  int setCount() const { return m_counts.lists.sets; }
  int memberCount() const { return m_counts.lists.members; }
  const CrossSet* crossSets() const { return m_crossSets.data(); }
  int crossSetCount() const { return m_counts.lists.crossSets; }
  /// [pairs + 1] the first contact, and the first set, of each pair.
  const int* firstOfPair() const { return m_firstOfPair.data(); }
  const int* firstSetOfPair() const { return m_firstSetOfPair.data(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  using Loops = WithoutWaiting<Backend>;

  /// Numbers of the SetBuilder, and of separation() while that runs.
  static int numbersOfPair(const PolytopeView& largest);

  double largestMargin() const {
    double margin = 0;
    for (const RowRules& rule : m_rulesHere) margin = std::max(margin, rule.margin);
    return margin;
  }

  void launch();
  /// After launch(). @return true if something had too little scratch, so that it must be launched again
  bool growOverflowed() {
    bool wasShort = m_loops.growOverflowed();
    const detail::FoundCounts& found = *m_foundHere.wait();
    if (found.isFull) {
      m_capacity *= 2;
      wasShort = true;
    }
    wasShort |= growCapacity(found.lists.contacts, m_scratches.contacts);
    wasShort |= growCapacity(found.lists.sets, m_scratches.sets);
    wasShort |= growCapacity(found.lists.members, m_scratches.members);
    wasShort |= growCapacity(found.lists.crossSets, m_scratches.crossSets);
    return wasShort;
  }

  /// [1] What any body may come nearer within the step, on the backend [m].
  const double* findGrowth();

  /// The pieces where the step's velocities lead.
  const PiecesView& placeAtEnd();

  /// And closes the lists.
  void findContacts(const List<Loops, PiecePair>& pairs);

  void findInBatches(const List<Loops, PiecePair>& pairs);

  /// Rooms for as many pairs as fit into the memory set aside for them, or all that are left.
  int prepareScratch(int wanted);

  /// Finds and appends what a batch of pairs gives, as far as the scratch memory lasts.
  /// @param count  of the batch, in its scratches
  void findIn(const detail::PairBatch& batch, int count, const PiecesView& pieces);

  /// Adds what is flagged to the reviews. Most often nothing is, and only that comes back.
  /// @param bodyOf  a body that an item is about
  template <class BodyOf>
  void countByReplica(int count, std::vector<AnswerReview>& reviews, int AnswerReview::*counted,
                      const BodyOf& bodyOf);

  template <class T>
  std::vector<T> fetched(const T* items, int count) const {
    return touchstone::fetched(m_backend, items, count);
  }

  std::shared_ptr<const Scene> m_scene;
  std::shared_ptr<DeviceWorldOn<Backend>> m_deviceWorld;
  Backend m_backend;
  Loops m_loops;  ///< of begin()
  TimedGraph<Loops> m_sequence;
  PlacedPieces<Backend> m_pieces, m_predicted;  ///< where the step starts; where it leads without contact
  PairSpaces<Backend> m_spaces;
  PairSpacesView m_spacesView{};
  PairForms<Backend> m_forms;
  PairForm* m_foundForms = nullptr;  ///< of the running step, as many as pairs
  WorldView m_view;
  std::vector<RowRules> m_rulesHere;  ///< [replicaCount]
  bool m_areRulesSent = false;
  Array<RowRules> m_rules;
  PieceBroadPhase<Loops> m_broadPhase;
  Array<detail::FoundCounts> m_found;  ///< [1]
  typename Loops::template Download<detail::FoundCounts> m_foundHere;
  detail::FoundCounts m_counts;  ///< after await()
  detail::FoundLengths m_scratches{256, 256, 1024,
                                   256};  ///< of the lists; they grow as those of a DeferredLists do
  int m_capacity = 32;                    ///< contacts and sets of one pair; grows where a pair has more
  Array<double> m_reaches;
  Array<PieceContact> m_scratchContacts;
  Array<SetRange> m_scratchSets;
  Array<CrossSet> m_scratchCrossSets;
  Array<FeatureIds> m_scratchFeatures;
  Array<int> m_scratchMembers;
  Array<int> m_contactOffsets, m_setOffsets, m_memberOffsets, m_crossOffsets, m_full;
  Array<ModelContact> m_contacts, m_linearised;
  bool m_findsContacts = true, m_isLinearised = false;
  Array<SetRange> m_sets;
  Array<CrossSet> m_crossSets;
  Array<int> m_members, m_firstOfPair, m_firstSetOfPair;
  Array<Vec3> m_endPosition;
  Array<Quaternion> m_endOrientation;
  Array<double> m_endGaps;
  Array<int> m_flags, m_flagPartials;
};

}  // namespace touchstone
