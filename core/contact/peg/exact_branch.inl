#pragma once

#include "core/contact/manifold/row_rules.h"
#include "core/contact/peg/branch_review.h"
#include "core/detect/candidates.h"
#include "core/detect/pair_space.inl"
#include "core/record/contact.h"
#include "core/world/placed_pieces.inl"

namespace touchstone {

/// Switches of a branch in one step, at most: to one that separates better, and from one that does not.
constexpr int kMostBetter = 4, kMostViolated = 8;

/// The feature that keeps a pair of pieces, or a piece and a plane, apart in an exact step.
struct ExactBranch {
  SeparatingFeature feature;     ///< not for planes
  double target = 0;             ///< gap to reach at the end [m]
  double lift = 0;               ///< speed at which the step parts what overlaps at its start [m/s]
  double reach = 0;              ///< rows are vertices closer than this [m]
  int better = 0, violated = 0;  ///< switches so far
  int first = 0, count = 0;      ///< rows of the last linearisation
  int before = 0;                ///< the first of the one before it
};

/// A row of a branch: its contact, and what the turning of the branch's normal adds to the gradient.
struct BranchRow {
  PieceContact contact;
  Vec3 angularA = Vec3(0, 0, 0),
       angularB = Vec3(0, 0, 0);  ///< added to the angular parts of the gradient [m]
};

/// The pieces of a world at a pose, as pairs with branches see them. Planes do not move.
struct BranchScene {
  WorldView world;    ///< before contact
  PiecesView pieces;  ///< at the pose

  TS_HD int bodyA(const PiecePair& pair) const { return pieces.body[pair.pieceA]; }
  TS_HD int bodyB(const PiecePair& pair) const {
    return pair.pieceB >= 0 ? pieces.body[pair.pieceB] : pair.planeBody;
  }
  TS_HD int copyOf(const PiecePair& pair) const { return world.bodies[bodyA(pair)].replica; }
  TS_HD double planeGap(const PiecePair& pair) const {
    const PolytopeView piece = pieces[pair.pieceA];
    const Vec3 normal = planeNormal(world, pair.planeBody);
    double gap = 1e300;
    for (int vertex = 0; vertex < piece.vertexCount; ++vertex) {
      const double vertexGap = normal.dot(piece.vertices[vertex] - world.position[pair.planeBody]);
      if (vertexGap < gap) gap = vertexGap;
    }
    return gap;
  }
  /// Along the normal of the branch [m].
  TS_HD double gapOf(const PiecePair& pair, const SeparatingFeature& feature) const {
    return pair.planeBody >= 0 ? planeGap(pair) : gapAlong(feature, pieces[pair.pieceA], pieces[pair.pieceB]);
  }
  TS_HD ExposedFeatures exposed() const { return {world, pieces}; }
  /// The largest gap of any branch [m]. @param feature  out: its
  TS_HD double largestGap(const PiecePair& pair, const PairSpace& space, SeparatingFeature* feature) const {
    if (pair.planeBody >= 0) return planeGap(pair);
    return exposedSeparation(exposed(), pair.pieceA, pair.pieceB, pieces[pair.pieceA], pieces[pair.pieceB],
                             space.numbers, space.patch, nullptr, feature);
  }
};

namespace detail {

/// The first face of a piece that counts and whose gap to another one is at least this. @param guide  a
/// vertex of the other one: it bounds the gap of each face   @return −1: there is none
template <class Counts>
TS_HD inline int firstFaceWithGap(const PolytopeView& facePiece, const PolytopeView& vertexPiece, int guide,
                                  double least, const Counts& counts) {
  for (int face = 0; face < facePiece.faceCount; ++face) {
    const Vec3& normal = facePiece.normals[face];
    if (normal.dot(vertexPiece.vertices[guide]) - facePiece.offsets[face] < least) continue;
    if (normal.dot(vertexPiece.vertices[lowestVertex(vertexPiece, normal)]) - facePiece.offsets[face] >=
            least &&
        counts(face))
      return face;
  }
  return -1;
}

/// The feature that separates best; among features that are equal up to rounding always the same one. The
/// rows of pieces that rest face to face are then those of the last step, with their impulses.
TS_HD inline SeparatingFeature startFeature(const BranchScene& start, const RowRules& rule,
                                            const PiecePair& pair, const PairSpace& space) {
  using Kind = SeparatingFeature::Kind;
  const PolytopeView a = start.pieces[pair.pieceA], b = start.pieces[pair.pieceB];
  Vec3 normal;
  SeparatingFeature best;
  const double separation = exposedSeparation(start.exposed(), pair.pieceA, pair.pieceB, a, b, space.numbers,
                                              space.patch, &normal, &best);
  double least = separation - rule.alike;
  if (separation >= 0 && least < -rule.exactDepth)
    least = -rule.exactDepth;  // what separates is alike only to its like
  const double apart = patchTolerance(start.pieces);
  const auto counts = [&](const SeparatingFeature& feature) {
    return separation > apart ||
           isExposed(start.exposed(), pair.pieceA, pair.pieceB, a, b, feature, space.patch);
  };
  const int ofA = firstFaceWithGap(a, b, lowestVertex(b, normal), least, [&](int face) {
    return counts({Kind::FaceOfA, face, -1});
  });
  if (ofA >= 0) return {Kind::FaceOfA, ofA, -1};
  const int ofB = firstFaceWithGap(b, a, lowestVertex(a, -normal), least, [&](int face) {
    return counts({Kind::FaceOfB, -1, face});
  });
  return ofB >= 0 ? SeparatingFeature{Kind::FaceOfB, -1, ofB} : best;
}

/// A branch that overlaps at the start need not be free at once.
TS_HD inline void forgiveOverlap(const RowRules& rule, double dt, double gap, ExactBranch& branch) {
  branch.lift = gap < 0 ? -rateOf(rule, gap, dt) : 0;
  const double target = gap < 0 ? gap - rateOf(rule, gap, dt) * dt : 0;
  branch.target = target < 0 ? target : 0;
}

}  // namespace detail

/// The branch with the largest gap, where the step starts. What comes from so far away that it might pass
/// that branch has the one that separates until both meet first.
/// @param predicted  the pieces where the step leads without contact
TS_HD inline ExactBranch startBranch(const BranchScene& start, const PiecesView& predicted,
                                     const RowRules* rules, const PiecePair& pair, const PairSpace& space) {
  ExactBranch branch;
  const int bodyA = start.bodyA(pair), bodyB = start.bodyB(pair);
  const RowRules& rule = ruleOf(start.world, rules, bodyA);
  if (pair.planeBody < 0) branch.feature = detail::startFeature(start, rule, pair, space);
  const double gap = start.gapOf(pair, branch.feature), reach = reachOf(start.world, rule, bodyA, bodyB);
  branch.reach = epsilonOf(start.world, rule, bodyA, bodyB);
  detail::forgiveOverlap(rule, start.world.dt, gap, branch);
  if (gap > reach) return branch;
  if (pair.planeBody >= 0) {
    branch.reach = reach;
    return branch;
  }
  const PolytopeView ownA = start.pieces[pair.pieceA], ownB = start.pieces[pair.pieceB];
  // A wall that a neighbour covers may separate, but it does not stop what slides on the neighbour.
  const bool isWall = gap > 0 && !isExposed(start.exposed(), pair.pieceA, pair.pieceB, ownA, ownB,
                                            branch.feature, space.patch);
  if (!isWall && gap <= branch.reach) return branch;
  const MovingPiece a = space.moving(ownA, predicted[pair.pieceA], false),
                    b = space.moving(ownB, predicted[pair.pieceB], true);
  const FirstContact first =
      firstContact(a, b, branch.feature, patchTolerance(start.pieces),
                   [&](const PolytopeView& nowA, const PolytopeView& nowB, SeparatingFeature* feature) {
                     return exposedSeparation(start.exposed(), pair.pieceA, pair.pieceB, nowA, nowB,
                                              space.numbers, space.patch, nullptr, feature);
                   });
  const double gapThen = first.meets() ? start.gapOf(pair, first.feature) : 0;
  if (!first.meets() || (!isWall && gapThen < -rule.exactDepth)) {
    if (isWall) branch.reach = 0;
    return branch;
  }
  branch.feature = first.feature;
  branch.reach = reach;
  detail::forgiveOverlap(rule, start.world.dt, gapThen, branch);
  return branch;
}

namespace detail {

/// Rows of a pair of edges: along their common normal n no vertex b of B may lie below a vertex a of A. The
/// edges themselves give one row; a pair of other vertices within reach gives ψ = n·(b − a) with
///
///     dψ/dt = n·(v_b − v_a) + ṅ·(b − a),   ṅ = (1 − n nᵀ) ċ / |c|,   c = ± e_a × e_b,
///     ċ = ± ((ω_A × e_a) × e_b + e_a × (ω_B × e_b))
///
/// Without these rows a branch whose edges stop being the outermost ones flips to its neighbour and back.
template <class Keep>
TS_HD void eachEdgeRow(const PolytopeView& a, int edgeA, const PolytopeView& b, int edgeB, double reach,
                       const Keep& keep) {
  Vec3 n;
  PieceContact edges;
  if (!edgePairAxis(a, edgeA, b, edgeB, n) || !edgeEdgeContact(a, edgeA, b, edgeB, edges)) return;
  if (edges.normal.dot(n) < 0) {
    edges.normal = n;
    edges.psi = -edges.psi;
  }
  if (edges.psi <= reach) keep(BranchRow{edges});
  const Polytope::Edge &ea = a.edges[edgeA], &eb = b.edges[edgeB];
  const Vec3 alongA = a.along(edgeA), alongB = b.along(edgeB);
  const Vec3 cross = alongA.cross(alongB);
  const double sign = cross.dot(n) > 0 ? 1 : -1;
  const double top = n.dot(a.vertices[ea.tail]), bottom = n.dot(b.vertices[eb.tail]);
  // Vertices outermost enough to come within reach with the other side's edge or a vertex like them; −1: the
  // edge.
  for (int ka = -1; ka < a.vertexCount; ++ka) {
    if (ka >= 0 && (ka == ea.tail || ka == ea.head || bottom - n.dot(a.vertices[ka]) > reach)) continue;
    for (int kb = ka < 0 ? 0 : -1; kb < b.vertexCount; ++kb) {
      if (kb >= 0 && (kb == eb.tail || kb == eb.head || n.dot(b.vertices[kb]) - top > reach)) continue;
      const int va = ka < 0 ? ea.tail : ka, vb = kb < 0 ? eb.tail : kb;
      const Vec3 across = b.vertices[vb] - a.vertices[va];
      BranchRow row{edges};
      row.contact.pointA = a.vertices[va];
      row.contact.pointB = b.vertices[vb];
      row.contact.psi = n.dot(across);
      if (row.contact.psi > reach) continue;
      const Vec3 d = (across - row.contact.psi * n) / cross.norm();
      row.angularA = sign * alongA.cross(Vec3(alongB.cross(d)));
      row.angularB = sign * alongB.cross(Vec3(d.cross(alongA)));
      keep(row);
    }
  }
}

}  // namespace detail

/// Calls keep(row) with each row of a branch.
template <class Keep>
TS_HD void eachRowOf(const BranchScene& scene, const PiecePair& pair, const ExactBranch& branch,
                     const Keep& keep) {
  using Kind = SeparatingFeature::Kind;
  const SeparatingFeature& feature = branch.feature;
  const auto keepNear = [&](const PieceContact& contact) {
    if (contact.psi <= branch.reach) keep(BranchRow{contact});
  };
  const PolytopeView a = scene.pieces[pair.pieceA];
  if (pair.planeBody >= 0) {
    const Vec3 normal = planeNormal(scene.world, pair.planeBody);
    for (int vertex = 0; vertex < a.vertexCount; ++vertex)
      keepNear(planeContact(a.vertices[vertex], vertex, normal, scene.world.position[pair.planeBody]));
    return;
  }
  const PolytopeView b = scene.pieces[pair.pieceB];
  if (feature.kind == Kind::FaceOfB) {
    for (int vertex = 0; vertex < a.vertexCount; ++vertex)
      keepNear(vertexFaceContact(a, vertex, b, feature.b));
  } else if (feature.kind == Kind::FaceOfA) {
    for (int vertex = 0; vertex < b.vertexCount; ++vertex)
      keepNear(faceVertexContact(a, feature.a, b, vertex));
  } else {
    detail::eachEdgeRow(a, feature.a, b, feature.b, branch.reach, keep);
  }
}

/// Exchanges branches where a pass has led. Planes have but one.
struct BranchReviewer {
  BranchScene end, start;
  const RowRules* rules;  // [replicaCount]

  /// @param carries  whether an impulse holds the branch
  TS_HD BranchReview operator()(const PiecePair& pair, bool carries, const PairSpace& space,
                                ExactBranch& branch) const {
    BranchReview review;
    const RowRules& rule = ruleOf(end.world, rules, end.bodyA(pair));
    const double gap = end.gapOf(pair, branch.feature), enough = branch.target - rule.exactDepth;
    const bool isViolated = gap < enough;
    const bool mayLeave =
        isViolated ? branch.violated < kMostViolated : carries && branch.better < kMostBetter;
    // What enters does so through a feature that separated before.
    const auto isBehind = [&](const SeparatingFeature& feature) {
      return branch.target >= 0 && start.gapOf(pair, feature) < -rule.exactSkin();
    };
    if (pair.planeBody < 0 && carries) {
      SeparatingFeature widest;
      const double apart = touchTolerance(end.world, end.pieces.length, end.bodyA(pair), end.bodyB(pair));
      review.passesCorner = isBehind(branch.feature) || end.largestGap(pair, space, &widest) > apart ? 1 : 0;
    }
    if (pair.planeBody < 0 && mayLeave) {
      SeparatingFeature best;
      const double largestGap = end.largestGap(pair, space, &best);
      const bool differs = !(best == branch.feature), isFree = largestGap >= enough;
      const bool mayEnter = !differs || !isBehind(best) || isBehind(branch.feature);
      if (differs && isViolated && (isFree || (mayEnter && largestGap > gap + rule.alike))) {
        ++branch.violated;
        review.isChanged = 1;
      } else if (differs && !isViolated && largestGap > gap + rule.alike) {
        ++branch.better;
        review.isChanged = 1;
      }
      if (review.isChanged) branch.feature = best;
      if (isViolated && isFree && !review.isChanged) return review;  // another one separates: no overlap
    }
    const double depth = branch.target - end.gapOf(pair, branch.feature);
    if (!(depth <= 0)) review.deepest = depth / rule.exactDepth;  // nor what is no number
    return review;
  }
};

}  // namespace touchstone
