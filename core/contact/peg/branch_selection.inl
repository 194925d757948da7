#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/contact/complementarity/linearised_rows.h"
#include "core/contact/manifold/move_to_end.h"
#include "core/contact/manifold/narrow_phase.inl"
#include "core/contact/peg/branch_review.h"
#include "core/contact/peg/exact_loops.inl"
#include "core/detect/candidates.h"
#include "core/parallel/group_sums.h"
#include "core/parallel/select.h"

namespace touchstone {

/// Pairs, branches and rows of exact steps (ExactStep) on a backend. The pairs are those of the running
/// step's broad phase that are within reach, and such as overlap in the course of the step. One per pane.
template <class Backend>
class BranchSelection {
 public:
  /// @param pieces  of the method
  BranchSelection(const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld,
                  const NarrowPhase<Backend>& pieces)
      : m_deviceWorld(worldOn<Backend>(deviceWorld)),
        m_backend(m_deviceWorld->backend()),
        m_pieces(pieces),
        m_piecesAtStart(m_backend, world),
        m_piecesAtEnd(m_backend, world),
        m_predicted(m_backend, world),
        m_spaces(m_piecesAtStart.largest(), m_piecesAtStart.largestLoop(),
                 std::max(1, separationScratch(m_piecesAtStart.largest(), m_piecesAtStart.largest()))) {}

  /// Pairs with the branches that separate best where the step starts; the step's velocities are those
  /// without contact. After NarrowPhase::await().
  /// @param replicas  of the scene that take the step
  void begin(const World& world, const ReplicaSet& replicas) {
    const WorldView view = m_deviceWorld->view(world);
    const int bodies = view.bodyCount;
    for (Array<Vec3>* array : {&m_freeLinear, &m_freeAngular, &m_endPosition}) array->resize(bodies);
    m_endOrientation.resize(bodies);
    copyWithin(m_backend, static_cast<const Vec3*>(view.nextLinearVelocity), bodies, m_freeLinear.data());
    copyWithin(m_backend, static_cast<const Vec3*>(view.nextAngularVelocity), bodies, m_freeAngular.data());
    m_start = {withVelocities(view, m_freeLinear, m_freeAngular),
               m_piecesAtStart.place(m_backend, view.position, view.orientation)};
    m_predicted.place(m_backend, view.predictedPosition, view.predictedOrientation);
    m_hasMoved = false;
    m_runningHere.assign(replicas.begin(), replicas.end());
    m_backend.upload(m_runningHere.data(), m_runningHere.size(), m_running);
    findNear();
  }

  /// The rows of all branches: at first where the step starts, then where the last velocities lead. Those of
  /// replicas that have ended stay as they are.
  void linearise() {
    const BranchScene& scene = m_hasMoved ? m_end : m_start;
    m_firstRow.resize(m_pairCount + 1);
    forEach(m_backend, m_pairCount,
            detail::CountBranchRows{scene, replicas(), m_pairs.data(), m_branches.data(), m_firstRow.data()},
            Work::Heavy);
    m_rowCount = offsetsOf(m_backend, m_pairCount, m_firstRow.data());
    std::swap(m_rows, m_rowsBefore);
    m_rows.resize(m_rowCount);
    forEach(m_backend, m_pairCount,
            detail::WriteBranchRows{
                scene, m_pieces.rules(), pose(), m_hasMoved ? m_now.nextLinearVelocity : nullptr, replicas(),
                m_pairs.data(), m_firstRow.data(), m_rowsBefore.data(), m_branches.data(), m_rows.data()},
            Work::Heavy);
  }

  /// In the order of their pairs.
  std::vector<ModelContact> fetchRows() const { return fetched(m_backend, m_rows.data(), m_rowCount); }

  /// Exchanges branches where the velocities lead, and adds pairs. @return of each replica
  std::vector<BranchReview> review() {
    forEach(m_backend, m_now.bodyCount,
            detail::MoveToEnd{m_now, m_endPosition.data(), m_endOrientation.data()});
    m_end = {m_start.world, m_piecesAtEnd.place(m_backend, m_endPosition.data(), m_endOrientation.data())};
    m_hasMoved = true;
    m_reviews.resize(m_pairCount);
    forEachWithSpace(m_backend, m_pairCount, m_spaces,
                     detail::ReviewPair{{m_end, m_start, m_pieces.rules()},
                                        replicas(),
                                        m_pairs.data(),
                                        m_impulses,
                                        m_perContact,
                                        m_branches.data(),
                                        m_reviews.data()});
    addOverlapping();
    return reviewsOfReplicas();
  }

  /// The branches of these replicas as begin() found them, and the start as the place of the next
  /// linearise(). Pairs that came later stay.
  void restart(const ReplicaSet& replicas) {
    m_runningHere.assign(replicas.begin(), replicas.end());
    m_backend.upload(m_runningHere.data(), m_runningHere.size(), m_running);
    startBranches(m_pairs.data(), m_pairCount, m_newBranches);
    m_hasMoved = false;
    forEach(m_backend, m_pairCount,
            detail::RestartBranch{m_start, this->replicas(), m_pairs.data(), m_newBranches.data(),
                                  m_branches.data()});
  }

  /// Replicas that are left out of what follows.
  void end(const ReplicaSet& replicas) {
    for (std::size_t replica = 0; replica < replicas.size(); ++replica)
      if (replicas[replica]) m_runningHere[replica] = 0;
    m_backend.upload(m_runningHere.data(), m_runningHere.size(), m_running);
  }

  /// The rows as linearise() has left them.
  LinearisedRows rows() const { return {found(), m_rows.data(), m_rowCount, replicas()}; }
  /// Copies the impulses of rows of frozen replicas to where these rows are now.
  /// @param before, best  [perContact · rows]
  void carryImpulses(const double* before, int perContact, double* best) const {
    forEach(m_backend, m_pairCount,
            detail::CarryImpulses{found(), m_branches.data(), replicas(), perContact, before, best});
  }
  /// Gives bodies of running replicas the velocities without contact.
  void freeBodies(const WorldView& world) const {
    forEach(m_backend, world.bodyCount,
            detail::FreeBodies{world, replicas(), m_freeLinear.data(), m_freeAngular.data()});
  }
  /// Receives what the rows were solved to. @param impulses  [perContact · rows] p, then β
  /// @param world  with the velocities
  void takeAnswer(const double* impulses, int perContact, const WorldView& world) {
    m_impulses = impulses;
    m_perContact = perContact;
    m_now = world;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  RowsOfFound found() const { return {m_pairs.data(), m_pairCount, m_firstRow.data(), m_pieces.pieceBody()}; }
  detail::RunningReplicas replicas() const { return {m_start.world.bodies, m_running.data()}; }
  static WorldView withVelocities(WorldView view, Array<Vec3>& linear, Array<Vec3>& angular) {
    view.nextLinearVelocity = linear.data();
    view.nextAngularVelocity = angular.data();
    return view;
  }
  EndPose pose() const {
    if (!m_hasMoved) return {m_start.world.position, nullptr};
    return {m_endPosition.data(), m_now.nextAngularVelocity};
  }

  void startBranches(const PiecePair* pairs, int count, Array<ExactBranch>& branches) {
    branches.resize(count);
    forEachWithSpace(
        m_backend, count, m_spaces,
        detail::StartBranch{m_start, m_predicted.view(), m_pieces.rules(), pairs, branches.data()});
  }

  void findNear() {
    const PiecePair* pairs = m_pieces.pairs();
    startBranches(pairs, m_pieces.pairCount(), m_newBranches);
    const List<Backend, int>& near =
        m_chosen.select(m_backend, Extent{m_pieces.pairCount(), nullptr},
                        detail::IsNear{m_start, replicas(), pairs, m_newBranches.data()}, Work::Heavy);
    m_pairCount = m_orderedCount = near.size();
    m_pairs.resize(m_pairCount);
    m_branches.resize(m_pairs.size());
    forEach(m_backend, m_pairCount, detail::TakeListed<PiecePair>{near.data(), pairs, m_pairs.data()});
    forEach(m_backend, m_pairCount,
            detail::TakeListed<ExactBranch>{near.data(), m_newBranches.data(), m_branches.data()});
    groupByReplica();
  }

  /// Pairs that overlap now and were not in the list, with the branch that separated them at the start.
  void addOverlapping() {
    const List<Backend, PiecePair>& meeting = m_broadPhase.find(
        m_backend, m_start.world, m_end.pieces, detail::BranchPieceBox{m_end, replicas()}, nullptr);
    m_flags.resize(meeting.size());
    forEachWithSpace(m_backend, meeting.size(), m_spaces,
                     detail::FlagOverlapping{m_end,
                                             m_pieces.rules(),
                                             {m_pairs.data(), m_orderedCount, m_pairCount},
                                             meeting.data(),
                                             m_flags.data()});
    const List<Backend, int>& chosen =
        m_chosen.select(m_backend, meeting.extent(), detail::IsFlagged{m_flags.data()});
    const int count = chosen.size();
    if (count == 0) return;
    m_newPairs.resize(count);
    forEach(m_backend, count,
            detail::TakeListed<PiecePair>{chosen.data(), meeting.data(), m_newPairs.data()});
    startBranches(m_newPairs.data(), count, m_newBranches);
    grow(count, m_sparePairs, m_pairs);
    grow(count, m_spareBranches, m_branches);
    grow(count, m_spareReviews, m_reviews);
    copyWithin(m_backend, static_cast<const PiecePair*>(m_newPairs.data()), count,
               m_pairs.data() + m_pairCount);
    copyWithin(m_backend, static_cast<const ExactBranch*>(m_newBranches.data()), count,
               m_branches.data() + m_pairCount);
    fill(m_backend, m_reviews.data() + m_pairCount, count, BranchReview{1, 0});
    m_pairCount += count;
    groupByReplica();
  }

  /// Capacity for more pairs, in a spare array: one loses what is in it when it grows.
  template <class T>
  void grow(int count, Array<T>& spare, Array<T>& ofPairs) {
    spare.resize(m_pairCount + count);
    copyWithin(m_backend, static_cast<const T*>(ofPairs.data()), m_pairCount, spare.data());
    std::swap(ofPairs, spare);
  }

  void groupByReplica() {
    m_byReplica.make(m_backend, m_pairCount, m_start.world.replicaCount,
                     detail::ReplicaOfPair{m_start, m_pairs.data()});
    m_reviewSums.make(m_backend, m_byReplica, m_pairCount, m_start.world.replicaCount);
  }

  std::vector<BranchReview> reviewsOfReplicas() {
    const int count = m_start.world.replicaCount;
    m_replicaReviews.resize(count);
    m_reviewSums.forEachSum(m_backend, detail::ReviewOfPair{m_byReplica.items(), m_reviews.data()},
                            m_sumScratch, detail::TakeReview{m_replicaReviews.data()});
    return fetched(m_backend, static_cast<const BranchReview*>(m_replicaReviews.data()), count);
  }

  std::shared_ptr<DeviceWorldOn<Backend>> m_deviceWorld;
  Backend m_backend;
  const NarrowPhase<Backend>& m_pieces;
  PlacedPieces<Backend> m_piecesAtStart, m_piecesAtEnd;
  PlacedPieces<Backend> m_predicted;  ///< where the step leads without contact
  PairSpaces<Backend> m_spaces;
  BranchScene m_start;      ///< with velocities without contact
  BranchScene m_end;        ///< with the same; after review()
  bool m_hasMoved = false;  ///< review() since begin()
  WorldView m_now;          ///< with those of the last answer
  Array<Vec3> m_freeLinear, m_freeAngular, m_endPosition;
  Array<Quaternion> m_endOrientation;
  std::vector<int> m_runningHere;  ///< [replicaCount]
  Array<int> m_running;

  int m_pairCount = 0, m_orderedCount = 0, m_rowCount = 0;
  Array<PiecePair> m_pairs, m_newPairs, m_sparePairs;
  Array<ExactBranch> m_branches, m_newBranches, m_spareBranches;
  Array<int> m_firstRow;  ///< [pairs + 1]
  Array<ModelContact> m_rows, m_rowsBefore;
  const double* m_impulses = nullptr;  ///< of the last answer
  int m_perContact = 1;                ///< impulses of a contact
  Array<BranchReview> m_reviews, m_spareReviews, m_replicaReviews, m_sumScratch;
  Grouping<Backend> m_byReplica;  ///< pairs
  GroupSums<Backend> m_reviewSums;
  PieceBroadPhase<Backend> m_broadPhase;
  Selection<Backend> m_chosen;
  Array<int> m_flags;
};

}  // namespace touchstone
