#pragma once

#include <algorithm>
#include <utility>

#include "core/contact/exact_engine.h"
#include "core/contact/piece_engine.inl"
#include "core/parallel/group_sums.h"
#include "core/parallel/select.h"

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

struct CopiesOfBodies {
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
  CopiesOfBodies copies;
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
  CopiesOfBodies copies;
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
  CopiesOfBodies copies;
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
    contact.rate = (row.contact.psi - branch.target - kSkin) / scene.world.dt;
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
  CopiesOfBodies copies;
  const PiecePair* pairs;
  const double* impulses;  // [rows] along their normals
  ExactBranch* branches;
  BranchReview* out;
  TS_HD void operator()(int index, int* numbers) const {
    out[index] = BranchReview();
    const PiecePair& pair = pairs[index];
    if (!copies.isRunning(reviewer.end.bodyA(pair))) return;
    ExactBranch& branch = branches[index];
    bool carries = false;
    for (int row = branch.first; row < branch.first + branch.count; ++row)
      carries = carries || impulses[row] > 0;
    out[index] = reviewer(pair, carries, numbers, branch);
  }
};

/// The box of a piece of a copy that takes the step.
struct BranchPieceBox {
  BranchScene scene;
  CopiesOfBodies copies;
  TS_HD Aabb operator()(int piece) const {
    Aabb box;
    const int body = scene.pieces.body[piece];
    if (!scene.world.active[body] || !copies.isRunning(body)) return box;
    const PolytopeView own = scene.pieces[piece];
    for (int vertex = 0; vertex < own.vertexCount; ++vertex) box.add(own.vertices[vertex]);
    return box;
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

template <class Backend>
class ExactEngineOn : public ExactEngine {
 public:
  ExactEngineOn(const World& world, const std::shared_ptr<BackendWorld>& there, const PieceEngine& pieces)
      : m_there(worldOn<Backend>(there)),
        m_backend(m_there->backend()),
        m_pieces(dynamic_cast<const PieceEngineOn<Backend>&>(pieces)),
        m_piecesAtStart(m_backend, world),
        m_piecesAtEnd(m_backend, world) {}

  void begin(const World& world, const CopySet& copies) override {
    const WorldView view = m_there->view(world);
    const int bodies = view.bodyCount;
    for (Array<Vec3>* array : {&m_freeLinear, &m_freeAngular, &m_linear, &m_angular, &m_endPosition})
      array->resize(static_cast<std::size_t>(bodies));
    m_endOrientation.resize(static_cast<std::size_t>(bodies));
    copyWithin(m_backend, static_cast<const Vec3*>(view.nextLinearVelocity), bodies, m_freeLinear.data());
    copyWithin(m_backend, static_cast<const Vec3*>(view.nextAngularVelocity), bodies, m_freeAngular.data());
    m_start = {withVelocities(view, m_freeLinear, m_freeAngular),
               m_piecesAtStart.place(m_backend, view.position, view.orientation)};
    m_now = withVelocities(view, m_linear, m_angular);
    m_hasMoved = false;
    m_runningHere.assign(copies.begin(), copies.end());
    m_backend.upload(m_runningHere.data(), m_runningHere.size(), m_running);
    findNear();
  }

  void linearise() override {
    const BranchScene& scene = m_hasMoved ? m_end : m_start;
    m_firstRow.resize(static_cast<std::size_t>(m_pairCount) + 1);
    forEach(m_backend, m_pairCount,
            detail::CountBranchRows{scene, copies(), m_pairs.data(), m_branches.data(), m_firstRow.data()},
            Work::Heavy);
    m_rowCount = offsetsOf(m_backend, m_pairCount, m_firstRow.data());
    std::swap(m_rows, m_rowsBefore);
    m_rows.resize(static_cast<std::size_t>(m_rowCount));
    forEach(m_backend, m_pairCount,
            detail::WriteBranchRows{scene, pose(), copies(), m_pairs.data(), m_firstRow.data(),
                                    m_rowsBefore.data(), m_branches.data(), m_rows.data()},
            Work::Heavy);
  }

  std::vector<ModelContact> fetchRows() const override {
    return fetched(m_backend, m_rows.data(), static_cast<std::size_t>(m_rowCount));
  }

  void takeAnswer(const std::vector<double>& impulses, const Velocities& velocities) override {
    std::vector<Vec3> linear, angular;
    for (const Vec6& velocity : velocities) {
      linear.push_back(velocity.head<3>());
      angular.push_back(velocity.tail<3>());
    }
    m_backend.upload(impulses.data(), impulses.size(), m_impulses);
    m_backend.upload(linear.data(), linear.size(), m_linear);
    m_backend.upload(angular.data(), angular.size(), m_angular);
  }

  std::vector<BranchReview> review() override {
    forEach(m_backend, m_now.bodyCount,
            detail::MoveToEnd{m_now, m_endPosition.data(), m_endOrientation.data()});
    m_end = {m_start.world, m_piecesAtEnd.place(m_backend, m_endPosition.data(), m_endOrientation.data())};
    m_hasMoved = true;
    m_reviews.resize(static_cast<std::size_t>(m_pairCount));
    eachWithNumbers(
        m_pairCount,
        detail::ReviewPair{
            {m_end}, copies(), m_pairs.data(), m_impulses.data(), m_branches.data(), m_reviews.data()});
    addOverlapping();
    return reviewsOfCopies();
  }

  void end(const CopySet& copies) override {
    for (std::size_t copy = 0; copy < copies.size(); ++copy)
      if (copies[copy]) m_runningHere[copy] = 0;
    m_backend.upload(m_runningHere.data(), m_runningHere.size(), m_running);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  static WorldView withVelocities(WorldView view, Array<Vec3>& linear, Array<Vec3>& angular) {
    view.nextLinearVelocity = linear.data();
    view.nextAngularVelocity = angular.data();
    return view;
  }
  detail::CopiesOfBodies copies() const { return {m_start.world.bodies, m_running.data()}; }
  detail::BranchPose pose() const {
    if (!m_hasMoved) return {m_start.world.position, nullptr, nullptr};
    return {m_endPosition.data(), m_now.nextLinearVelocity, m_now.nextAngularVelocity};
  }

  /// A loop over pairs with numbers for each, as many at a time as there is memory set aside for them.
  template <class Body>
  void eachWithNumbers(int count, const Body& body) {
    const PolytopeView& largest = m_piecesAtStart.largest();
    const int numbers = std::max(1, separationRoom(largest, largest));
    for (int first = 0; first < count;) {
      const std::size_t rooms =
          roomsFor<Backend>(count - first, static_cast<std::size_t>(numbers) * sizeof(int));
      m_numbers.resize(rooms * static_cast<std::size_t>(numbers));
      forEach(m_backend, static_cast<int>(rooms),
              detail::WithNumbers<Body>{body, first, numbers, m_numbers.data()}, Work::Heavy);
      first += static_cast<int>(rooms);
    }
  }

  void startBranches(const PiecePair* pairs, int count, Array<ExactBranch>& branches) {
    branches.resize(static_cast<std::size_t>(count));
    eachWithNumbers(count, detail::StartBranch{m_start, m_pieces.rules(), pairs, branches.data()});
  }

  void findNear() {
    const PiecePair* pairs = m_pieces.pairs();
    startBranches(pairs, m_pieces.pairCount(), m_newBranches);
    const List<Backend, int>& near =
        m_chosen.select(m_backend, Extent{m_pieces.pairCount(), nullptr},
                        detail::IsNear{m_start, copies(), pairs, m_newBranches.data()}, Work::Heavy);
    m_pairCount = m_orderedCount = near.size();
    m_pairs.resize(static_cast<std::size_t>(m_pairCount));
    m_branches.resize(m_pairs.size());
    forEach(m_backend, m_pairCount, detail::TakeListed<PiecePair>{near.data(), pairs, m_pairs.data()});
    forEach(m_backend, m_pairCount,
            detail::TakeListed<ExactBranch>{near.data(), m_newBranches.data(), m_branches.data()});
    groupByCopy();
  }

  /// Pairs that overlap now and were not in the list, with the branch that separated them at the start.
  void addOverlapping() {
    const List<Backend, PiecePair>& meeting = m_broadPhase.find(
        m_backend, m_start.world, m_end.pieces, detail::BranchPieceBox{m_end, copies()}, nullptr);
    m_flags.resize(static_cast<std::size_t>(meeting.size()));
    eachWithNumbers(
        meeting.size(),
        detail::FlagOverlapping{
            m_end, {m_pairs.data(), m_orderedCount, m_pairCount}, meeting.data(), m_flags.data()});
    const List<Backend, int>& chosen =
        m_chosen.select(m_backend, meeting.extent(), detail::IsFlagged{m_flags.data()});
    const int count = chosen.size();
    if (count == 0) return;
    m_newPairs.resize(static_cast<std::size_t>(count));
    forEach(m_backend, count,
            detail::TakeListed<PiecePair>{chosen.data(), meeting.data(), m_newPairs.data()});
    startBranches(m_newPairs.data(), count, m_newBranches);
    append(m_newPairs, count, m_pairs);
    append(m_newBranches, count, m_branches);
    Array<BranchReview> reviews;
    reviews.resize(static_cast<std::size_t>(count));
    fill(m_backend, reviews.data(), count, BranchReview{1, 0});
    append(reviews, count, m_reviews);
    m_pairCount += count;
    groupByCopy();
  }

  /// Arrays lose what is in them when they grow.
  template <class T>
  void append(const Array<T>& more, int count, Array<T>& to) {
    Array<T> longer;
    longer.resize(static_cast<std::size_t>(m_pairCount + count));
    copyWithin(m_backend, static_cast<const T*>(to.data()), m_pairCount, longer.data());
    copyWithin(m_backend, more.data(), count, longer.data() + m_pairCount);
    std::swap(to, longer);
  }

  void groupByCopy() {
    m_byCopy.make(m_backend, m_pairCount, m_start.world.copyCount,
                  detail::CopyOfPair{m_start, m_pairs.data()});
    m_reviewSums.make(m_backend, m_byCopy, m_pairCount, m_start.world.copyCount);
  }

  std::vector<BranchReview> reviewsOfCopies() {
    const int count = m_start.world.copyCount;
    m_copyReviews.resize(static_cast<std::size_t>(count));
    m_reviewSums.forEachSum(m_backend, detail::ReviewOfPair{m_byCopy.items(), m_reviews.data()}, m_sumRoom,
                            detail::TakeReview{m_copyReviews.data()});
    return fetched(m_backend, static_cast<const BranchReview*>(m_copyReviews.data()),
                   static_cast<std::size_t>(count));
  }

  std::shared_ptr<BackendWorldOn<Backend>> m_there;
  Backend m_backend;
  const PieceEngineOn<Backend>& m_pieces;
  PlacedPieces<Backend> m_piecesAtStart, m_piecesAtEnd;
  BranchScene m_start;      ///< with velocities without contact
  BranchScene m_end;        ///< with the same; after review()
  bool m_hasMoved = false;  ///< review() since begin()
  WorldView m_now;          ///< with those of the last answer
  Array<Vec3> m_freeLinear, m_freeAngular, m_linear, m_angular, m_endPosition;
  Array<Quaternion> m_endOrientation;
  std::vector<int> m_runningHere;  ///< [copyCount]
  Array<int> m_running;

  int m_pairCount = 0, m_orderedCount = 0, m_rowCount = 0;
  Array<PiecePair> m_pairs, m_newPairs;
  Array<ExactBranch> m_branches, m_newBranches;
  Array<int> m_firstRow;  ///< [pairs + 1]
  Array<ModelContact> m_rows, m_rowsBefore;
  Array<double> m_impulses;  ///< [rows]
  Array<BranchReview> m_reviews, m_copyReviews, m_sumRoom;
  Grouping<Backend> m_byCopy;  ///< pairs
  GroupSums<Backend> m_reviewSums;
  PieceBroadPhase<Backend> m_broadPhase;
  Selection<Backend> m_chosen;
  Array<int> m_flags, m_numbers;
};

}  // namespace touchstone
