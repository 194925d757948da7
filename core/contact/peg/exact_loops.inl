#pragma once

#include "core/contact/complementarity/touching_pairs.inl"
#include "core/contact/peg/exact_branch.inl"
#include "core/detect/candidates.h"
#include "core/parallel/grouping.h"

namespace touchstone {

namespace detail {

struct StartBranch {  // one pair per index
  BranchScene start;
  PiecesView predicted;
  const RowRules* rules;  // [replicaCount]
  const PiecePair* pairs;
  ExactBranch* out;
  TS_HD void operator()(int index, const PairSpace& space) const {
    out[index] = startBranch(start, predicted, rules, pairs[index], space);
  }
};

/// One pair per index: the branch with which the step began, for the rows of another linearisation there.
struct RestartBranch {
  BranchScene start;
  RunningReplicas replicas;
  const PiecePair* pairs;
  const ExactBranch* source;
  ExactBranch* branches;
  TS_HD void operator()(int index) const {
    if (!replicas.isRunning(start.bodyA(pairs[index]))) return;
    ExactBranch branch = source[index];
    branch.first = branches[index].first;
    branch.count = branches[index].count;
    branches[index] = branch;
  }
};

struct IsNear {
  BranchScene start;
  RunningReplicas replicas;
  const PiecePair* pairs;
  const ExactBranch* branches;
  TS_HD bool operator()(int index) const {
    const PiecePair& pair = pairs[index];
    return replicas.isRunning(start.bodyA(pair)) &&
           start.gapOf(pair, branches[index].feature) <= branches[index].reach;
  }
};

template <class T>
struct TakeListed {
  const int* indices;
  const T* source;
  T* to;
  TS_HD void operator()(int index) const { to[index] = source[indices[index]]; }
};

struct CountBranchRows {  // one pair per index
  BranchScene scene;
  RunningReplicas replicas;
  const PiecePair* pairs;
  const ExactBranch* branches;
  int* counts;
  TS_HD void operator()(int index) const {
    const PiecePair& pair = pairs[index];
    int count = branches[index].count;
    if (replicas.isRunning(scene.bodyA(pair))) {
      count = 0;
      eachRowOf(scene, pair, branches[index], [&count](const BranchRow&) { ++count; });
    }
    counts[index] = count;
  }
};

struct WriteBranchRows {  // one pair per index
  BranchScene scene;
  const RowRules* rules;  // [replicaCount]
  EndPose pose;
  const Vec3* linear;  // [bodyCount] velocities that lead there; null: the start of the step
  RunningReplicas replicas;
  const PiecePair* pairs;
  const int* firstRow;  // [pairCount + 1]
  const ModelContact* before;
  ExactBranch* branches;
  ModelContact* out;
  TS_HD void operator()(int index) const {
    const PiecePair& pair = pairs[index];
    ExactBranch& branch = branches[index];
    int next = firstRow[index];
    if (replicas.isRunning(scene.bodyA(pair)))
      eachRowOf(scene, pair, branch,
                [&](const BranchRow& row) { out[next++] = linearised(pair, branch, row); });
    else
      for (int row = branch.first; row < branch.first + branch.count; ++row) out[next++] = before[row];
    branch.before = branch.first;
    branch.first = firstRow[index];
    branch.count = next - firstRow[index];
  }

 private:
  /// Only rows of edges turn, and pieces come in the order of their bodies.
  TS_HD ModelContact linearised(const PiecePair& pair, const ExactBranch& branch,
                                const BranchRow& row) const {
    ModelContact contact = modelContact(scene.world, row.contact, pair.pieceA, pair.pieceB, scene.bodyA(pair),
                                        scene.bodyB(pair));
    setArmsAtEnd(scene.world, pose, contact, row.angularA, row.angularB);
    const double skin = ruleOf(scene.world, rules, contact.bodyA).exactSkin();
    contact.rate = (row.contact.psi - branch.target - skin) / scene.world.dt;
    if (linear) contact.rate -= rateAlong(contact.jacobian, linear, pose.angularVelocity);
    // What the path bends by is no gain of energy.
    contact.maxSeparationSpeed = branch.lift + bendingSpeed(scene.world, contact.bodyA, contact.bodyB);
    return contact;
  }
};

struct FreeBodies {  // one body per index, of replicas that are running: the velocities without contact
  WorldView world;
  RunningReplicas replicas;
  const Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    if (!replicas.isRunning(body)) return;
    world.nextLinearVelocity[body] = linear[body];
    world.nextAngularVelocity[body] = angular[body];
  }
};

/// One pair of an exact step per index, of replicas that are frozen: into its rows as they lie now.
struct CarryImpulses {
  RowsOfFound found;
  const ExactBranch* branches;
  RunningReplicas replicas;
  int perContact;
  const double* before;
  double* best;
  TS_HD void operator()(int pair) const {
    if (replicas.isRunning(found.pieceBody[found.pairs[pair].pieceA])) return;
    const ExactBranch& branch = branches[pair];
    for (int k = 0; k < perContact * branch.count; ++k)
      best[perContact * branch.first + k] = before[perContact * branch.before + k];
  }
};

struct ReviewPair {  // one pair per index
  BranchReviewer reviewer;
  RunningReplicas replicas;
  const PiecePair* pairs;
  const double* impulses;  // [perContact · rows] p, then β
  int perContact;
  ExactBranch* branches;
  BranchReview* out;
  TS_HD void operator()(int index, const PairSpace& space) const {
    out[index] = BranchReview();
    const PiecePair& pair = pairs[index];
    if (!replicas.isRunning(reviewer.end.bodyA(pair))) return;
    ExactBranch& branch = branches[index];
    bool carries = false;
    for (int row = branch.first; row < branch.first + branch.count; ++row)
      carries = carries || impulses[perContact * row] > 0;
    out[index] = reviewer(pair, carries, space, branch);
  }
};

/// The box of a piece of a replica that takes the step.
struct BranchPieceBox {
  BranchScene scene;
  RunningReplicas replicas;
  TS_HD Aabb operator()(int piece) const {
    const int body = scene.pieces.body[piece];
    return scene.world.active[body] && replicas.isRunning(body) ? boxOf(scene.pieces[piece]) : Aabb();
  }
};

/// Pairs that have a branch: those of the start as broad phase gives them, then those that came later.
struct KnownPairs {
  const PiecePair* pairs;
  int ordered, count;
  TS_HD bool has(const PiecePair& pair) const {
    const int index = firstNotBefore(ordered, [&](int entry) { return pairs[entry] < pair; });
    if (index < ordered && !(pair < pairs[index])) return true;
    for (int place = ordered; place < count; ++place)
      if (!(pair < pairs[place]) && !(pairs[place] < pair)) return true;
    return false;
  }
};

struct FlagOverlapping {  // one pair per index: it overlaps, and has no branch yet
  BranchScene end;
  const RowRules* rules;  // [replicaCount]
  KnownPairs known;
  const PiecePair* pairs;
  int* flags;
  TS_HD void operator()(int index, const PairSpace& space) const {
    const PiecePair& pair = pairs[index];
    SeparatingFeature feature;
    const double depth = ruleOf(end.world, rules, end.bodyA(pair)).exactDepth;
    flags[index] = !known.has(pair) && end.largestGap(pair, space, &feature) < -depth ? 1 : 0;
  }
};

struct IsFlagged {
  const int* flags;
  TS_HD bool operator()(int index) const { return flags[index] != 0; }
};

struct ReplicaOfPair {
  BranchScene scene;
  const PiecePair* pairs;
  TS_HD int operator()(int index) const { return scene.copyOf(pairs[index]); }
};

/// A term of GroupSums: of the pairs of each replica.
struct ReviewOfPair {
  using Sum = BranchReview;
  const GroupedItem* items;
  const BranchReview* reviews;
  TS_HD bool isWanted(int) const { return true; }
  TS_HD BranchReview operator()(int, int place) const { return reviews[items[place].item]; }
};

struct TakeReview {
  BranchReview* out;
  TS_HD void operator()(int replica, const BranchReview& review) const { out[replica] = review; }
};

}  // namespace detail

}  // namespace touchstone
