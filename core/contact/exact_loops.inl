#pragma once

#include "core/contact/exact_branch.h"
#include "core/contact/touching_pairs.inl"
#include "core/parallel/grouping.h"

namespace touchstone {

namespace detail {

/// A loop body of pairs with numbers for separation(): body(pair, numbers), from `first` on.
template <class Body>
struct WithNumbers {
  Body body;
  int first, numberCount;
  int* numbers;  // [numberCount] for each index
  TS_HD void operator()(int index) const {
    body(first + index, numbers + static_cast<long long>(numberCount) * index);
  }
};

/// The copies of the scene that an exact step goes on for.
struct RunningCopies {
  const BodyConstants* bodies;
  const int* running;  // [copyCount]
  TS_HD bool isRunning(int body) const { return running[bodies[body].copy] != 0; }
};

struct StartBranch {  // one pair per index
  BranchScene start;
  const GapRule* rules;  // [copyCount]
  const PiecePair* pairs;
  ExactBranch* out;
  TS_HD void operator()(int index, int* numbers) const {
    out[index] = startBranch(start, rules, pairs[index], numbers);
  }
};

struct IsNear {
  BranchScene start;
  RunningCopies copies;
  const PiecePair* pairs;
  const ExactBranch* branches;
  TS_HD bool operator()(int index) const {
    const PiecePair& pair = pairs[index];
    return copies.isRunning(start.bodyA(pair)) &&
           start.gapOf(pair, branches[index].feature) <= branches[index].reach;
  }
};

template <class T>
struct TakeListed {
  const int* indices;
  const T* from;
  T* to;
  TS_HD void operator()(int index) const { to[index] = from[indices[index]]; }
};

struct CountBranchRows {  // one pair per index
  BranchScene scene;
  RunningCopies copies;
  const PiecePair* pairs;
  const ExactBranch* branches;
  int* counts;
  TS_HD void operator()(int index) const {
    const PiecePair& pair = pairs[index];
    int count = branches[index].count;
    if (copies.isRunning(scene.bodyA(pair))) {
      count = 0;
      eachRowOf(scene, pair, branches[index], [&count](const BranchRow&) { ++count; });
    }
    counts[index] = count;
  }
};

/// Where a linearisation is.
struct BranchPose {
  const Vec3* position;          // [bodyCount]
  const Vec3 *linear, *angular;  // [bodyCount] velocities that lead there; null: the start
};

struct WriteBranchRows {  // one pair per index
  BranchScene scene;
  BranchPose at;
  RunningCopies copies;
  const PiecePair* pairs;
  const int* firstRow;  // [pairCount + 1]
  const ModelContact* before;
  ExactBranch* branches;
  ModelContact* out;
  TS_HD void operator()(int index) const {
    const PiecePair& pair = pairs[index];
    ExactBranch& branch = branches[index];
    int next = firstRow[index];
    if (copies.isRunning(scene.bodyA(pair)))
      eachRowOf(scene, pair, branch,
                [&](const BranchRow& row) { out[next++] = linearised(pair, branch, row); });
    else
      for (int row = branch.first; row < branch.first + branch.count; ++row) out[next++] = before[row];
    branch.before = branch.first;
    branch.first = firstRow[index];
    branch.count = next - firstRow[index];
  }

 private:
  TS_HD ModelContact linearised(const PiecePair& pair, const ExactBranch& branch,
                                const BranchRow& row) const {
    ModelContact contact = modelContact(at.position, row.contact, pair.pieceA, pair.pieceB, scene.bodyA(pair),
                                        scene.bodyB(pair));
    PairJacobian& jacobian = contact.jacobian;
    for (int axis = 0; axis < 3; ++axis) {
      jacobian.a[3 + axis] += row.turnA[axis];
      jacobian.b[3 + axis] += row.turnB[axis];
    }
    contact.rate = (row.contact.psi - branch.target - kExactSkin) / scene.world.dt;
    if (!at.linear) return contact;
    pullBack(contact.bodyA, jacobian.a);
    pullBack(contact.bodyB, jacobian.b);
    contact.rate -= rateAlong(jacobian, at.linear, at.angular);
    return contact;
  }
  /// Gradient with respect to the step's angular velocity instead of a small rotation at the end:
  ///     q⁺ = normalise((1, u) ⊗ q), u = ½ h ω:   δθ = h J δω,   J = (1 + [u]×) / (1 + |u|²)
  TS_HD void pullBack(int body, Vec6& gradient) const {
    if (!isDynamic(scene.world, body)) return;
    const Vec3 u = 0.5 * scene.world.dt * at.angular[body], g = gradient.tail<3>();
    const Vec3 pulled = (g - u.cross(g)) / (1 + u.squaredNorm());
    for (int axis = 0; axis < 3; ++axis) gradient[3 + axis] = pulled[axis];
  }
};

struct ReviewPair {  // one pair per index
  BranchReviewer reviewer;
  RunningCopies copies;
  const PiecePair* pairs;
  const Vec3* impulses;  // [rows] (p, β)
  ExactBranch* branches;
  BranchReview* out;
  TS_HD void operator()(int index, int* numbers) const {
    out[index] = BranchReview();
    const PiecePair& pair = pairs[index];
    if (!copies.isRunning(reviewer.end.bodyA(pair))) return;
    ExactBranch& branch = branches[index];
    bool carries = false;
    for (int row = branch.first; row < branch.first + branch.count; ++row)
      carries = carries || impulses[row][0] > 0;
    out[index] = reviewer(pair, carries, numbers, branch);
  }
};

/// The box of a piece of a copy that takes the step.
struct BranchPieceBox {
  BranchScene scene;
  RunningCopies copies;
  TS_HD Aabb operator()(int piece) const {
    const int body = scene.pieces.body[piece];
    return scene.world.active[body] && copies.isRunning(body) ? boxOf(scene.pieces[piece]) : Aabb();
  }
};

/// Pairs that have a branch: those of the start as broad phase gives them, then those that came later.
struct KnownPairs {
  const PiecePair* pairs;
  int ordered, count;
  TS_HD bool has(const PiecePair& pair) const {
    const int at = firstNotBefore(ordered, [&](int each) { return comesBefore(pairs[each], pair); });
    if (at < ordered && !comesBefore(pair, pairs[at])) return true;
    for (int each = ordered; each < count; ++each)
      if (!comesBefore(pair, pairs[each]) && !comesBefore(pairs[each], pair)) return true;
    return false;
  }
};

struct FlagOverlapping {  // one pair per index: it overlaps, and has no branch yet
  BranchScene end;
  KnownPairs known;
  const PiecePair* pairs;
  int* flags;
  TS_HD void operator()(int index, int* numbers) const {
    const PiecePair& pair = pairs[index];
    SeparatingFeature feature;
    flags[index] = !known.has(pair) && end.largestGap(pair, numbers, &feature) < -kExactDepth ? 1 : 0;
  }
};

struct IsFlagged {
  const int* flags;
  TS_HD bool operator()(int index) const { return flags[index] != 0; }
};

struct CopyOfPair {
  BranchScene scene;
  const PiecePair* pairs;
  TS_HD int operator()(int index) const { return scene.copyOf(pairs[index]); }
};

/// A term of GroupSums: of the pairs of each copy.
struct ReviewOfPair {
  using Sum = BranchReview;
  const GroupedItem* items;
  const BranchReview* reviews;
  TS_HD bool isWanted(int) const { return true; }
  TS_HD BranchReview operator()(int, int place) const { return reviews[items[place].item]; }
};

struct TakeReview {
  BranchReview* out;
  TS_HD void operator()(int copy, const BranchReview& review) const { out[copy] = review; }
};

}  // namespace detail

}  // namespace touchstone
