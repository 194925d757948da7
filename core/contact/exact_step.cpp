#include "core/contact/exact_step.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/geometry/box_overlaps.h"

namespace touchstone {

namespace {

constexpr int kMostPasses = 20;
constexpr int kMostBetter = 4, kMostViolated = 8;  // switches of a branch per pair
constexpr double kBetter = 1e-9;                   // m; below it two branches count as equal
// Depth that counts as none: some roundings of coordinates of a few metres. Rows ask for a gap of kSkin, so
// that what the solver leaves over does not reach it.
constexpr double kExactDepth = 1e-14, kSkin = 1e-12;  // m

/// A pair of pieces (or a piece and a plane) with the branch that keeps them apart.
struct Pair {
  int pieceA = -1, pieceB = -1, planeBody = -1;
  SeparatingFeature branch;  ///< not for planes
  double target = 0;         ///< gap to reach at the end [m]
  double reach = 0;          ///< rows are vertices closer than this [m]
  double friction = 0;
  int better = 0, violated = 0;         ///< switches so far
  std::vector<SeparatingFeature> left;  ///< branches given up for an equal one
  double impulse = 0;                   ///< Σ p of the last pass [N·s]
};

/// A row of a branch: its contact, and what the turning of the branch's normal adds to the gradient.
struct Row {
  PieceContact contact;
  Vec3 turnA = Vec3::Zero(), turnB = Vec3::Zero();  ///< added to the angular parts [m]
};

/// Rows of a pair of edges: along their common normal n no vertex b of B may lie below a vertex a of A. The
/// edges themselves give one row; a pair of other vertices within reach gives ψ = n·(b − a) with
///
///     dψ/dt = n·(v_b − v_a) + ṅ·(b − a),   ṅ = (1 − n nᵀ) ċ / |c|,   c = ± e_a × e_b,
///     ċ = ± ((ω_A × e_a) × e_b + e_a × (ω_B × e_b))
///
/// Without these rows a branch whose edges stop being the outermost ones flips to its neighbour and back.
std::vector<Row> edgeRows(const PlacedPolytope& a, int edgeA, const PlacedPolytope& b, int edgeB,
                          double reach) {
  std::vector<Row> rows;
  Vec3 n;
  PieceContact edges;
  if (!edgePairAxis(a, edgeA, b, edgeB, n) || !edgeEdgeContact(a, edgeA, b, edgeB, edges)) return rows;
  if (edges.normal.dot(n) < 0) {
    edges.normal = n;
    edges.psi = -edges.psi;
  }
  if (edges.psi <= reach) rows.push_back({edges});
  const Polytope::Edge &ea = a.polytope->edges[edgeA], &eb = b.polytope->edges[edgeB];
  const Vec3 alongA = a.vertices[ea.head] - a.vertices[ea.tail],
             alongB = b.vertices[eb.head] - b.vertices[eb.tail];
  const Vec3 cross = alongA.cross(alongB);
  const double sign = cross.dot(n) > 0 ? 1 : -1;
  const double top = n.dot(a.vertices[ea.tail]), bottom = n.dot(b.vertices[eb.tail]);
  // Vertices outermost enough to come within reach with the other side's edge or a vertex like them.
  std::vector<int> nearA{ea.tail}, nearB{eb.tail};
  for (int vertex = 0; vertex < static_cast<int>(a.vertices.size()); ++vertex)
    if (vertex != ea.tail && vertex != ea.head && bottom - n.dot(a.vertices[vertex]) <= reach)
      nearA.push_back(vertex);
  for (int vertex = 0; vertex < static_cast<int>(b.vertices.size()); ++vertex)
    if (vertex != eb.tail && vertex != eb.head && n.dot(b.vertices[vertex]) - top <= reach)
      nearB.push_back(vertex);
  for (int va : nearA)
    for (int vb : nearB) {
      if (va == ea.tail && vb == eb.tail) continue;  // the row of the edges
      Row row{edges};
      const Vec3 reachAcross = b.vertices[vb] - a.vertices[va];
      row.contact.pointA = a.vertices[va];
      row.contact.pointB = b.vertices[vb];
      row.contact.psi = n.dot(reachAcross);
      if (row.contact.psi > reach) continue;
      const Vec3 d = (reachAcross - row.contact.psi * n) / cross.norm();
      row.turnA = sign * alongA.cross(alongB.cross(d));
      row.turnB = sign * alongB.cross(d.cross(alongA));
      rows.push_back(row);
    }
  return rows;
}

class ExactStep {
 public:
  ExactStep(const World& world, const ExactSettings& settings)
      : m_world(world),
        m_settings(settings),
        m_running(settings.copies),
        m_start{world.position, world.orientation},
        m_startPieces(placedPieces(world, m_start)) {
    m_result.solved.step.free = velocitiesOf(world);
    m_result.outcomes.resize(m_running.size());
  }

  ExactResult run(const std::vector<PiecePair>& candidates) {
    for (const PiecePair& pair : candidates) addIfNear(pair);
    Pose pose = m_start;
    std::vector<PlacedPolytope> pieces = m_startPieces;
    Velocities velocities(m_start.position.size(), Vec6::Zero());  // of which the pose is the result
    while (!isEmpty(m_running)) {
      linearise(pose, pieces, velocities);
      solve();
      velocities = velocitiesAfter(m_world, m_linear);
      finish([](const ExactOutcome& outcome) { return !outcome.solved; });
      pose = poseAfter(m_world, velocities);
      pieces = placedPieces(m_world, pose);
      review(pieces);
      finish([](const ExactOutcome& outcome) { return outcome.converged || outcome.passes == kMostPasses; });
    }
    return std::move(m_result);
  }

 private:
  int bodyA(const Pair& pair) const { return m_world.pieces->body[pair.pieceA]; }
  int bodyB(const Pair& pair) const {
    return pair.pieceB >= 0 ? m_world.pieces->body[pair.pieceB] : pair.planeBody;
  }
  int copyOfPiece(int piece) const { return (*m_world.constants)[m_world.pieces->body[piece]].copy; }
  bool isRunning(const Pair& pair) const { return m_running[copyOfPiece(pair.pieceA)]; }

  /// Running copies that have come to an end keep their last linearisation and run no more.
  template <class HasEnded>
  void finish(const HasEnded& hasEnded) {
    CopySet ended(m_running.size());
    for (std::size_t copy = 0; copy < ended.size(); ++copy)
      ended[copy] = m_running[copy] && hasEnded(m_result.outcomes[copy]);
    if (isEmpty(ended)) return;
    moveCopies(m_world, m_linear, ended, m_result.solved);
    for (std::size_t copy = 0; copy < ended.size(); ++copy)
      if (ended[copy]) m_running[copy] = 0;
    const auto isOver = [this](const Pair& pair) { return !isRunning(pair); };
    m_pairs.erase(std::remove_if(m_pairs.begin(), m_pairs.end(), isOver), m_pairs.end());
  }

  double planeGap(const Pair& pair, const PlacedPolytope& piece) const {
    const Vec3 normal = planeNormal(m_world, pair.planeBody);
    double gap = 1e300;
    for (const Vec3& vertex : piece.vertices)
      gap = std::min(gap, normal.dot(vertex - m_world.position[pair.planeBody]));
    return gap;
  }

  double gapOf(const Pair& pair, const std::vector<PlacedPolytope>& pieces) const {
    return pair.planeBody >= 0 ? planeGap(pair, pieces[pair.pieceA])
                               : gapAlong(pair.branch, pieces[pair.pieceA], pieces[pair.pieceB]);
  }

  Pair makePair(const PiecePair& given) const {
    Pair pair;
    pair.pieceA = given.pieceA;
    pair.pieceB = given.pieceB;
    pair.planeBody = given.planeBody;
    const double gap = pair.planeBody >= 0 ? planeGap(pair, m_startPieces[pair.pieceA])
                                           : separation(m_startPieces[pair.pieceA],
                                                        m_startPieces[pair.pieceB], nullptr, &pair.branch);
    pair.target = gap < 0 ? std::min(0.0, m_settings.target(bodyA(pair), gap)) : 0;
    pair.reach = m_settings.reach(bodyA(pair), bodyB(pair));
    pair.friction = m_settings.friction(bodyA(pair), bodyB(pair));
    return pair;
  }

  void add(const Pair& pair) {
    m_pairs.push_back(pair);
    m_known.insert({pair.pieceA, pair.pieceB, pair.planeBody});
  }

  void addIfNear(const PiecePair& candidate) {
    if (!m_running[copyOfPiece(candidate.pieceA)]) return;
    const Pair pair = makePair(candidate);
    if (gapOf(pair, m_startPieces) <= pair.reach) add(pair);
  }

  // ---- rows

  std::vector<Row> rowsOf(const Pair& pair, const std::vector<PlacedPolytope>& pieces) const {
    std::vector<Row> rows;
    const PlacedPolytope& a = pieces[pair.pieceA];
    const auto keep = [&](const PieceContact& contact) {
      if (contact.psi <= pair.reach) rows.push_back({contact});
    };
    if (pair.planeBody >= 0) {
      const Vec3 normal = planeNormal(m_world, pair.planeBody);
      for (std::size_t vertex = 0; vertex < a.vertices.size(); ++vertex)
        keep(planeContact(a.vertices[vertex], static_cast<int>(vertex), normal,
                          m_world.position[pair.planeBody]));
      return rows;
    }
    const PlacedPolytope& b = pieces[pair.pieceB];
    if (pair.branch.kind == SeparatingFeature::Kind::FaceOfB) {
      for (std::size_t vertex = 0; vertex < a.vertices.size(); ++vertex)
        keep(vertexFaceContact(a, static_cast<int>(vertex), b, pair.branch.b));
    } else if (pair.branch.kind == SeparatingFeature::Kind::FaceOfA) {
      for (std::size_t vertex = 0; vertex < b.vertices.size(); ++vertex)
        keep(faceVertexContact(a, pair.branch.a, b, static_cast<int>(vertex)));
    } else {
      return edgeRows(a, pair.branch.a, b, pair.branch.b, pair.reach);
    }
    return rows;
  }

  /// Gradient with respect to the step's angular velocity instead of a small rotation at the end:
  ///     q⁺ = normalise((1, u) ⊗ q), u = ½ h ω:   δθ = h J δω,   J = (1 + [u]×) / (1 + |u|²)
  void pullBack(int body, const Velocities& velocities, Vec6& gradient) const {
    if (!isDynamic(m_world, body)) return;
    const Vec3 u = 0.5 * m_world.dt * velocities[body].tail<3>(), g = gradient.tail<3>();
    gradient.tail<3>() = (g - u.cross(g)) / (1 + u.squaredNorm());
  }

  void linearise(const Pose& pose, const std::vector<PlacedPolytope>& pieces, const Velocities& velocities) {
    m_linear = SolvedStep();
    GapStep& step = m_linear.step;
    step.free = m_result.solved.step.free;
    m_pairOfSet.clear();
    for (std::size_t index = 0; index < m_pairs.size(); ++index) {
      const Pair& pair = m_pairs[index];
      for (const Row& row : rowsOf(pair, pieces)) {
        ModelContact contact =
            modelContact(m_world, pose, row.contact, pair.pieceA, pair.pieceB, pair.planeBody);
        PairJacobian& jacobian = contact.jacobian;
        jacobian.a.tail<3>() += row.turnA;
        jacobian.b.tail<3>() += row.turnB;
        pullBack(contact.bodyA, velocities, jacobian.a);
        pullBack(contact.bodyB, velocities, jacobian.b);
        contact.rate = (row.contact.psi - pair.target - kSkin) / m_world.dt -
                       jacobian.a.dot(velocities[contact.bodyA]) - jacobian.b.dot(velocities[contact.bodyB]);
        step.sets.push_back({ConstraintType::U, {static_cast<int>(step.contacts.size())}, pair.friction});
        step.contacts.push_back(contact);
        m_pairOfSet.push_back(static_cast<int>(index));
      }
    }
  }

  void solve() {
    const GapStep& step = m_linear.step;
    const std::vector<std::vector<int>> islands = islandsOf(m_world, step.contacts, step.sets);
    m_linear.answers = solveEach(islands, [&](const std::vector<int>& island) {
      IslandProblem problem =
          assemble(m_world, step.contacts, setsOfIsland(step.sets, island), step.free, m_settings.model);
      Eigen::VectorXd start = Eigen::VectorXd::Zero(problem.problem.b.size());
      if (m_isFirst && m_settings.last) start = m_settings.last->startOf(step, problem, m_settings.model);
      IslandAnswer answer =
          answerOf(std::move(problem), *m_settings.solver, std::move(start), m_settings.solverSettings);
      return m_settings.keepsMatrices ? answer : withoutMatrix(std::move(answer));
    });
    m_isFirst = false;
    for (std::size_t copy = 0; copy < m_running.size(); ++copy)
      if (m_running[copy]) ++m_result.outcomes[copy].passes;
    for (Pair& pair : m_pairs) pair.impulse = 0;
    for (std::size_t island = 0; island < islands.size(); ++island) {
      const IslandAnswer& answer = m_linear.answers[island];
      ExactOutcome& outcome = m_result.outcomes[answer.island.copy];
      ++outcome.solves;
      outcome.solved = outcome.solved && answer.result.status == SolveStatus::Solved;
      for (std::size_t k = 0; k < islands[island].size(); ++k)
        m_pairs[m_pairOfSet[islands[island][k]]].impulse +=
            std::max(0.0, answer.result.z[answer.island.first[k]]);
    }
  }

  // ---- branches

  /// Another face of the same piece that separates as well, not left before in this step: the velocity stays
  /// feasible under it, so that the work of the impulses can only fall. Without it a body would stop at the
  /// joint of two flush pieces.
  bool freeFace(const Pair& pair, const std::vector<PlacedPolytope>& pieces, SeparatingFeature& face) const {
    using Kind = SeparatingFeature::Kind;
    const PlacedPolytope &a = pieces[pair.pieceA], &b = pieces[pair.pieceB];
    // Only the faces of a union have joints.
    const int body = pair.branch.kind == Kind::FaceOfA ? bodyA(pair) : bodyB(pair);
    if (pair.branch.kind == Kind::Edges || m_world.scene->bodies[body].shape->pieces.size() < 2) return false;
    const PlacedPolytope& own = pair.branch.kind == Kind::FaceOfA ? a : b;
    std::vector<SeparatingFeature> faces;
    for (int k = 0; k < static_cast<int>(own.normals.size()); ++k)
      faces.push_back(pair.branch.kind == Kind::FaceOfA ? SeparatingFeature{Kind::FaceOfA, k, -1}
                                                        : SeparatingFeature{Kind::FaceOfB, -1, k});
    for (const SeparatingFeature& other : faces) {
      if (other == pair.branch || std::count(pair.left.begin(), pair.left.end(), other)) continue;
      if (gapAlong(other, a, b) < pair.target - kExactDepth) continue;
      face = other;
      return true;
    }
    return false;
  }

  /// Exchanges branches and adds pairs; finds out which copies have nothing left to do.
  void review(const std::vector<PlacedPolytope>& pieces) {
    CopySet changed(m_running.size());
    std::vector<double> deepest(m_running.size());
    for (Pair& pair : m_pairs) {
      const int copy = copyOfPiece(pair.pieceA);
      if (review(pair, pieces, deepest[copy])) changed[copy] = 1;
    }
    addOverlapping(pieces, changed);
    for (std::size_t copy = 0; copy < m_running.size(); ++copy)
      if (m_running[copy]) m_result.outcomes[copy].converged = !changed[copy] && deepest[copy] <= kExactDepth;
  }

  /// @return true if the pair's branch was changed   @param deepest  raised to the depth of the pair below
  /// its target
  bool review(Pair& pair, const std::vector<PlacedPolytope>& pieces, double& deepest) const {
    const double gap = gapOf(pair, pieces);
    const bool isViolated = gap<pair.target - kExactDepth, carries = pair.impulse> 0;
    bool switched = false;
    const bool mayLeave = isViolated ? pair.violated < kMostViolated : carries && pair.better < kMostBetter;
    if (pair.planeBody < 0 && mayLeave) {
      SeparatingFeature best;
      const double most = separation(pieces[pair.pieceA], pieces[pair.pieceB], nullptr, &best);
      const bool differs = !(best == pair.branch), isFree = most >= pair.target - kExactDepth;
      if (differs && isViolated && (isFree || most > gap + kBetter)) {
        ++pair.violated;
        switched = true;
      } else if (differs && !isViolated && most > gap + kBetter) {
        ++pair.better;
        switched = true;
      } else if (!isViolated && freeFace(pair, pieces, best)) {
        ++pair.better;
        pair.left.push_back(pair.branch);
        switched = true;
      }
      if (switched) pair.branch = best;
      if (isViolated && isFree && !switched) return false;  // another branch separates: nothing overlaps
    }
    deepest = std::max(deepest, pair.target - gapOf(pair, pieces));
    return switched;
  }

  /// Pairs that overlap now and were not in the list, with the branch that separated them at the start.
  /// @param changed  in and out: copies that have got one
  void addOverlapping(const std::vector<PlacedPolytope>& pieces, CopySet& changed) {
    const int count = static_cast<int>(pieces.size());
    for (int first = 0, end = 0; first < count; first = end) {  // copies lie in the same place
      const int copy = copyOfPiece(first);
      while (end < count && copyOfPiece(end) == copy) ++end;
      if (!m_running[copy]) continue;
      const std::size_t before = m_pairs.size();
      addOverlapping(pieces, first, end);
      addBelowPlanes(pieces, first, end);
      if (m_pairs.size() > before) changed[copy] = 1;
    }
  }

  void addOverlapping(const std::vector<PlacedPolytope>& pieces, int first, int end) {
    const std::vector<int>& body = m_world.pieces->body;
    std::vector<Aabb> boxes(static_cast<std::size_t>(end - first));
    for (int piece = first; piece < end; ++piece)
      for (const Vec3& vertex : pieces[piece].vertices) boxes[piece - first].add(vertex);
    const auto mayOverlap = [&](int a, int b) {
      const int bodyA = body[first + a], bodyB = body[first + b];
      return bodyA < bodyB && canCollide(m_world, bodyA, bodyB);
    };
    for (const auto& [lower, higher] : findBoxOverlaps(boxes, mayOverlap)) {
      const int a = first + lower, b = first + higher;
      if (!m_known.count({a, b, -1}) && separation(pieces[a], pieces[b]) < -kExactDepth)
        add(makePair({a, b, -1}));
    }
  }

  void addBelowPlanes(const std::vector<PlacedPolytope>& pieces, int first, int end) {
    const SurfaceTopology& surface = *m_world.surface;
    const int copy = copyOfPiece(first);
    for (int piece = first; piece < end; ++piece)
      for (int place = surface.copyFirstPlane[copy]; place < surface.copyFirstPlane[copy + 1]; ++place) {
        Pair pair;
        pair.pieceA = piece;
        pair.planeBody = surface.planes[place];
        if (m_known.count({piece, -1, pair.planeBody}) || !canCollide(m_world, bodyA(pair), pair.planeBody))
          continue;
        if (planeGap(pair, pieces[piece]) < -kExactDepth) add(makePair({piece, -1, pair.planeBody}));
      }
  }

  const World& m_world;
  const ExactSettings& m_settings;
  CopySet m_running;
  const Pose m_start;
  const std::vector<PlacedPolytope> m_startPieces;
  /// Later linearisations start from zero: from the answer before, redundant rows keep impulses that hold
  /// branches which ought to be left.
  bool m_isFirst = true;
  SolvedStep m_linear;        ///< of the running copies
  std::vector<Pair> m_pairs;  ///< of them
  std::set<std::array<int, 3>> m_known;
  std::vector<int> m_pairOfSet;
  ExactResult m_result;
};

}  // namespace

ExactResult takeExactStep(const World& world, const std::vector<PiecePair>& candidates,
                          const ExactSettings& settings) {
  return ExactStep(world, settings).run(candidates);
}

}  // namespace touchstone
