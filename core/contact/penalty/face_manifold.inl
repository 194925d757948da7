#pragma once

#include "core/contact/penalty/penalty_contact.h"
#include "core/detect/candidates.h"
#include "core/detect/pair_space.inl"

namespace touchstone {

namespace detail {

/// A pair of convex pieces in a penalty method with `contacts = faces`: one direction, that of the feature
/// which separates them best, and springs in the corners of the overlap of the two faces that look at each
/// other along it.
///
/// A corner that lies δ below the plane of the reference face is pushed with w k δ along its normal. The
/// weights w are the shares of the corners in the outline of the overlap, times the corners of the face that
/// has fewer: a box that lies on another one with a whole face, or with a part of it, has the stiffness 4 k;
/// one that stands on a corner has k. Everything is continuous in the poses but for the choice of the
/// feature.
///
/// Static pieces that stand flush are one surface: where the incident face lies on several of them the
/// weights are shared by the areas of the overlaps, so that nothing is felt of a seam.
///
/// A tracked pair keeps its feature while the faces overlap: a body that has gone deep into a thin one, or
/// through it, is pushed back to where it came from. Another feature takes over where it separates better and
/// looks the same way, within kTakeOver.
struct PairState {
  PiecePair pair{};
  SeparatingFeature feature;
  double allowance = 0;      ///< see allowedNext() [m]
  double store = 0;          ///< that it may give back [J]
  int first = 0, count = 0;  ///< of its corners that pushed in the last step, in a list
};
template <class Visit>
void eachNumber(const Visit& visit, PairState& state) {
  SeparatingFeature& feature = state.feature;
  visit(state.pair.pieceA);
  visit(state.pair.pieceB);
  visit(feature.kind);
  for (int* number : {&feature.a, &feature.b, &state.first, &state.count}) visit(*number);
  visit(state.allowance);
  visit(state.store);
}

/// A corner that pushed, with its friction.
struct CornerMemory {
  int pieceA = -1;  ///< that `features` begin with
  FeaturePair features{};
  FrictionAnchor anchor;
};
template <class Visit>
void eachNumber(const Visit& visit, CornerMemory& corner) {
  visit(corner.pieceA);
  visit(corner.features);
  visit(corner.anchor);
}

/// Pose at which the overlap of two pieces is measured: where a tracked pair enters, or at one pose.
enum class PairPose { Entry, Start, End };

/// Plan of a pair over a path.
struct PairPlan {
  SeparatingFeature feature;
  int acts = 0;          ///< tracked, or it meets on the path
  double allowance = 0;  ///< of its depth, that makes no force [m]
  int wasTracked = 0;
  double store = 0;     ///< that it may give back [J]; HUGE_VAL: it begins with what its springs hold
  double start = 0;     ///< step fraction at which its overlap is taken, and from which on it penetrates
  int patchCount = -1;  ///< corners that the patch of its faces has left in the scratch memory; −1: unknown
};

/// Cosine of the angle within which another feature may take over from a tracked one. Larger: a body that
/// tips over an edge is held by the plane that it has left; smaller: one that is deep in a plate is pushed
/// out at its back.
constexpr double kTakeOver = 0.5;
/// Share of the depth: another feature takes over from a tracked one where it is less deep. Nearer to 1: both
/// faces of a pair that rocks take turns, and each turn is a jolt; smaller: a body that has tipped over is
/// held by its old side.
constexpr double kLessDeep = 0.8;
/// Cosine of the angle up to which two edges that separate best count as the faces next to them: these cross
/// there, and what lies between them carries. Larger: stacks of tilted boxes balance on single points;
/// smaller: edges that meet at a right angle are pushed aside.
constexpr double kCountsAsFace = 0.9;

/// Pieces at both ends of a path.
struct PieceMotion {
  WorldView world;
  PiecesView start, end;
  const Vec3* endPosition;           // [bodyCount]
  const Quaternion* endOrientation;  // [bodyCount]
  const PenaltyNumbers* numbers;     // [replicaCount]
  bool adopts;                       // pieces that overlap at the start of the path without being tracked

  TS_HD ExposedFeatures exposed() const { return {world, start}; }
  TS_HD MovingPiece moving(int piece, const PairSpace& space, bool second) const {
    return space.moving(start[piece], end[piece], second);
  }
  /// True if no other pieces cover features of both.
  TS_HD bool areAlone(const PiecePair& pair) const {
    return !exposed().hasNeighbours(pair.pieceA) && !exposed().hasNeighbours(pair.pieceB);
  }
  /// @param floor  < 0: only a larger gap is wanted; without one there may be no feature [m]
  TS_HD double bestGap(const PiecePair& pair, const PolytopeView& a, const PolytopeView& b,
                       const PairSpace& space, Vec3* normal, SeparatingFeature* feature,
                       double floor = kNoGap) const {
    if (floor > kNoGap && areAlone(pair))
      return separation(a, b, space.numbers, normal, feature, nullptr, floor);
    const double deepest = std::fmin(start.shortestEdge(pair.pieceA), start.shortestEdge(pair.pieceB));
    return exposedSeparation(exposed(), pair.pieceA, pair.pieceB, a, b, space.numbers, space.patch, normal,
                             feature, deepest);
  }
  /// The feature that acts where another separates best: see kCountsAsFace.
  TS_HD SeparatingFeature actingFeature(const SeparatingFeature& best, const PiecePair& pair,
                                        const PolytopeView& a, const PolytopeView& b,
                                        const PairSpace& space) const;
  TS_HD const PenaltyNumbers& numbersOf(const PiecePair& pair) const {
    return numbers[world.bodies[start.body[pair.pieceA]].replica];
  }
};

/// Unit axis of a feature, from a into b. @return false for parallel edges
TS_HD inline bool axisOf(const SeparatingFeature& feature, const PolytopeView& a, const PolytopeView& b,
                         Vec3& axis) {
  using Kind = SeparatingFeature::Kind;
  if (feature.kind == Kind::Edges) return edgePairAxis(a, feature.a, b, feature.b, axis);
  axis = feature.kind == Kind::FaceOfA ? a.normals[feature.a] : Vec3(-b.normals[feature.b]);
  return true;
}

/// True if the lines of two edges come closest within both of them.
TS_HD inline bool edgesFace(const PolytopeView& a, int edgeA, const PolytopeView& b, int edgeB, double& s,
                            double& t) {
  const Vec3 &a0 = a.vertices[a.edges[edgeA].tail], &b0 = b.vertices[b.edges[edgeB].tail];
  const Vec3 alongA = a.along(edgeA), alongB = b.along(edgeB), cross = alongA.cross(alongB), rho = b0 - a0;
  const double square = cross.squaredNorm();
  if (!(square > kParallelEdges * kParallelEdges * alongA.squaredNorm() * alongB.squaredNorm())) return false;
  s = rho.cross(alongB).dot(cross) / square;
  t = rho.cross(alongA).dot(cross) / square;
  constexpr double kSlide = 1e-6;  // of the edges: one that has slid off by less is still held
  return s >= -kSlide && s <= 1 + kSlide && t >= -kSlide && t <= 1 + kSlide;
}

/// True if the faces, or the edges, of a feature lie over each other.
/// @param patchCount  out, or null: of faces, the corners of their patch in the scratch memory
TS_HD inline bool overlaps(const SeparatingFeature& feature, const PolytopeView& a, const PolytopeView& b,
                           double tolerance, const PatchScratch& scratch, int* patchCount = nullptr) {
  double s, t;
  if (feature.kind == SeparatingFeature::Kind::Edges) return edgesFace(a, feature.a, b, feature.b, s, t);
  const int count = patchOf(facingFaces(feature, a, b), a, b, tolerance, scratch);
  if (patchCount) *patchCount = count;
  return count > 0;
}

TS_HD inline SeparatingFeature PieceMotion::actingFeature(const SeparatingFeature& best,
                                                          const PiecePair& pair, const PolytopeView& a,
                                                          const PolytopeView& b,
                                                          const PairSpace& space) const {
  using Kind = SeparatingFeature::Kind;
  Vec3 axis;
  if (best.kind != Kind::Edges || !edgePairAxis(a, best.a, b, best.b, axis)) return best;
  SeparatingFeature acting = best;
  double maximum = kCountsAsFace;
  const auto offer = [&](double along, const SeparatingFeature& face) {
    if (!(along > maximum) || !overlaps(face, a, b, patchTolerance(start), space.patch) ||
        !isExposed(exposed(), pair.pieceA, pair.pieceB, a, b, face, space.patch))
      return;
    maximum = along;
    acting = face;
  };
  for (int face : {a.edges[best.a].left, a.edges[best.a].right})
    offer(a.normals[face].dot(axis), {Kind::FaceOfA, face, -1});
  for (int face : {b.edges[best.b].left, b.edges[best.b].right})
    offer(-b.normals[face].dot(axis), {Kind::FaceOfB, -1, face});
  return acting;
}

/// Plan of a tracked pair over the path. @param tracked  its memory, or null
TS_HD inline PairPlan trackedPlan(const PieceMotion& motion, const PiecePair& pair, const PairState* tracked,
                                  const PairSpace& space) {
  PairPlan plan;
  const int bodyA = motion.start.body[pair.pieceA], bodyB = motion.start.body[pair.pieceB];
  if (!canCollide(motion.world, bodyA, bodyB))
    return plan;  // memory may hold bodies that are no longer active
  const PolytopeView a = motion.start[pair.pieceA], b = motion.start[pair.pieceB];
  const double tolerance = patchTolerance(motion.start);
  SeparatingFeature best;
  Vec3 normal(0, 0, 0);
  const double trackedGap = tracked ? gapAlong(tracked->feature, a, b) : 0;
  // A feature that separates less than the tracked one takes over nothing while its faces overlap.
  int patchCount = -1;
  const bool isHeld = trackedGap < 0 && overlaps(tracked->feature, a, b, tolerance, space.patch, &patchCount);
  const double gap =
      motion.bestGap(pair, a, b, space, &normal, &best, isHeld ? kLessDeep * trackedGap : kNoGap);
  plan.feature = motion.actingFeature(best, pair, a, b, space);
  if (tracked) {
    plan.wasTracked = 1;
    plan.allowance = allowedNext(motion.numbersOf(pair), motion.world.dt, tracked->allowance);
    plan.store = plan.allowance > 0 ? HUGE_VAL : tracked->store;
    if (isHeld) {
      Vec3 axis;
      const bool takesOver = !best.isNone() && gapAlong(plan.feature, a, b) > kLessDeep * trackedGap &&
                             axisOf(tracked->feature, a, b, axis) && axis.dot(normal) > kTakeOver &&
                             overlaps(plan.feature, a, b, tolerance, space.patch);
      if (!takesOver) plan.feature = tracked->feature;
      // The search without an answer has left the scratch memory alone.
      if (best.isNone() && motion.areAlone(pair)) plan.patchCount = patchCount;
      plan.acts = 1;
      return plan;
    }
  }
  if (gap < 0) {
    plan.acts = tracked || motion.adopts || gap >= -tolerance ? 1 : 0;
    if (tracked) return plan;
    plan.allowance =
        allowedAtFirst(motion.world, motion.numbersOf(pair), springPair(motion.world, bodyA, bodyB), -gap);
    if (gap < -tolerance) plan.store = HUGE_VAL;
    return plan;
  }
  if (best.isNone()) return plan;
  const MovingPiece movingA = motion.moving(pair.pieceA, space, false),
                    movingB = motion.moving(pair.pieceB, space, true);
  const FirstContact first =
      firstContact(movingA, movingB, best, tolerance,
                   [&](const PolytopeView& ownA, const PolytopeView& ownB, SeparatingFeature* feature) {
                     return motion.bestGap(pair, ownA, ownB, space, nullptr, feature);
                   });
  plan.allowance = plan.store = 0;
  if (!first.meets()) return plan;
  plan.acts = 1;
  plan.start = first.time;
  plan.feature =
      motion.actingFeature(first.feature, pair, movingA.at(first.time), movingB.at(first.time), space);
  return plan;
}

/// Plan of a pair whose overlap is that of one pose. @param tracked  of the last step, or null
TS_HD inline PairPlan depthPlan(const PieceMotion& motion, const PiecePair& pair, const PairState* tracked,
                                PairPose taken, const PairSpace& space) {
  PairPlan plan;
  const WorldView& world = motion.world;
  const int bodyA = motion.start.body[pair.pieceA], bodyB = motion.start.body[pair.pieceB];
  if (!canCollide(world, bodyA, bodyB)) return plan;
  const bool isEnd = taken == PairPose::End;
  const PiecesView& pieces = isEnd ? motion.end : motion.start;
  Vec3 normal;
  const double gap =
      motion.bestGap(pair, pieces[pair.pieceA], pieces[pair.pieceB], space, &normal, &plan.feature);
  if (!(gap < 0)) return plan;
  plan.acts = 1;
  plan.feature = motion.actingFeature(plan.feature, pair, pieces[pair.pieceA], pieces[pair.pieceB], space);
  plan.start = isEnd ? 1 : 0;
  plan.wasTracked = tracked ? 1 : 0;
  if (tracked) {
    plan.allowance = allowedNext(motion.numbersOf(pair), world.dt, tracked->allowance);
    plan.store = plan.allowance > 0 ? HUGE_VAL : tracked->store;
    return plan;
  }
  // Deeper than the motion of one step and half another explains.
  const double closing = normal.dot(world.nextLinearVelocity[bodyA] - world.nextLinearVelocity[bodyB]) +
                         world.nextAngularVelocity[bodyA].norm() * world.bodies[bodyA].radius +
                         world.nextAngularVelocity[bodyB].norm() * world.bodies[bodyB].radius;
  if (-gap > 1.5 * world.dt * std::fmax(0.0, closing)) {
    plan.allowance = allowedAtFirst(world, motion.numbersOf(pair), springPair(world, bodyA, bodyB), -gap);
    plan.store = HUGE_VAL;
  }
  return plan;
}

/// A corner as it moves with both bodies: a point of one over a face of the other, or two edges.
struct ManifoldPoint {
  FeaturePair features{};  ///< as recorded: of piece A, then of piece B
  int pair = -1;           ///< of those of the step
  int pieceA = -1, pieceB = -1;
  bool isReversed = false;  ///< of a face: piece A has the reference face, not the point over it
  double weight = 1;        ///< of k
  Vec3 point, foot;  ///< over the reference face and on it; on the first and the second edge; body frames [m]
  int vertices[4] =
      {};        ///< [1 … 3] of the reference face; of edges tail and head of the first, of the second
  int side = 1;  ///< sign of G where both are apart
  bool isPair = false;  ///< two edges, and not a point over a face

  TS_HD int pointPiece() const { return isReversed ? pieceB : pieceA; }
  TS_HD int facePiece() const { return isReversed ? pieceA : pieceB; }
};

/// Weights of a point in three corners of a face, in its plane.
TS_HD inline void weightsInFace(const Vec3 corners[3], const Vec3& point, double weights[3]) {
  const Vec3 u = corners[1] - corners[0], w = corners[2] - corners[0], m = u.cross(w), r = point - corners[0];
  const double square = m.squaredNorm();
  weights[1] = r.cross(w).dot(m) / square;
  weights[2] = u.cross(r).dot(m) / square;
  weights[0] = 1 - weights[1] - weights[2];
}

/// The share of an incident face's overlap with one static piece in that with all that stand flush with it.
TS_HD inline double shareOfFlush(const PieceMotion& motion, const PiecesView& pieces, int reference,
                                 int incident, const FacingFaces& faces, const PolytopeView& referencePiece,
                                 const PolytopeView& other, double area, double tolerance,
                                 const PatchScratch& scratch) {
  if (isDynamic(motion.world, pieces.body[reference])) return 1;
  double total = area;
  for (int neighbour : pieces.neighbours[reference]) {
    if (!motion.world.active[pieces.body[neighbour]] || pieces.body[neighbour] == pieces.body[incident])
      continue;
    const PolytopeView beside = pieces[neighbour];
    const double plane = referencePiece.offsets[faces.reference];
    for (int face = 0; face < beside.faceCount; ++face) {
      constexpr double kSameWay = 1 - 1e-12;  // cosine of 1e-6 rad
      if (beside.normals[face].dot(faces.normal) < kSameWay ||
          std::fabs(faces.normal.dot(beside.vertices[beside.faceVertices[face][0]]) - plane) >
              kFlush * pieces.length)
        continue;
      const int count =
          facePatch(beside, face, other, faces.incident, tolerance, scratch.corners, scratch.spare);
      total += patchArea(scratch.corners, count, faces.normal);
    }
  }
  return total > 0 ? area / total : 1;
}

/// Calls keep(ManifoldPoint) for each corner of the overlap of a plan's faces, or for its edges.
/// @param a, b  the pieces at the pose that the overlap is taken at   @param patchCount  of the plan
template <class Keep>
TS_HD void eachCorner(const PieceMotion& motion, const PolytopeView& a, const PolytopeView& b,
                      const PiecePair& pair, const SeparatingFeature& feature, int patchCount,
                      const PairSpace& space, const Keep& keep) {
  const PiecesView& pieces = motion.start;
  const auto local = [&](int piece, int vertex) -> const Vec3& {
    return pieces.shapeVertices[pieces.shapes[pieces.shape[piece]].firstVertex + vertex];
  };
  ManifoldPoint corner;
  if (feature.kind == SeparatingFeature::Kind::Edges) {
    double s, t;
    Vec3 axis;
    if (!edgesFace(a, feature.a, b, feature.b, s, t) || !edgePairAxis(a, feature.a, b, feature.b, axis))
      return;
    const Polytope::Edge &ea = a.edges[feature.a], &eb = b.edges[feature.b];
    const int ends[4] = {ea.tail, ea.head, eb.tail, eb.head};
    for (int k = 0; k < 4; ++k) corner.vertices[k] = ends[k];
    corner.features = {FeaturePairKind::EdgeEdge, feature.a, feature.b};
    corner.isPair = true;
    corner.pieceA = pair.pieceA;
    corner.pieceB = pair.pieceB;
    corner.point = (1 - s) * local(pair.pieceA, ea.tail) + s * local(pair.pieceA, ea.head);
    corner.foot = (1 - t) * local(pair.pieceB, eb.tail) + t * local(pair.pieceB, eb.head);
    // G = m · (a − c): with m along the axis from A into B it is negative where they are apart.
    corner.side = a.along(feature.a).cross(b.along(feature.b)).dot(axis) > 0 ? -1 : 1;
    keep(corner);
    return;
  }
  const double tolerance = patchTolerance(pieces);
  const FacingFaces faces = facingFaces(feature, a, b);
  const int reference = faces.isReferenceA ? pair.pieceA : pair.pieceB,
            incident = faces.isReferenceA ? pair.pieceB : pair.pieceA;
  const PolytopeView &referencePiece = faces.isReferenceA ? a : b, &other = faces.isReferenceA ? b : a;
  const IndexRange ownLoop = referencePiece.faceVertices[faces.reference],
                   otherLoop = other.faceVertices[faces.incident];
  int count = patchCount >= 0 ? patchCount : patchOf(faces, a, b, tolerance, space.patch);
  if (count == 0) return;
  const double area = patchArea(space.patch.corners, count, faces.normal);
  const double share = shareOfFlush(motion, pieces, reference, incident, faces, referencePiece, other, area,
                                    tolerance, space.patch);
  if (share != 1) count = patchOf(faces, a, b, tolerance, space.patch);  // its scratch was used
  const int fewer = ownLoop.size() < otherLoop.size() ? ownLoop.size() : otherLoop.size();
  Vec3 ownCorners[3], otherCorners[3];
  int otherVertices[3];
  for (int k = 0; k < 3; ++k) {
    corner.vertices[1 + k] = ownLoop[k * ownLoop.size() / 3];
    otherVertices[k] = otherLoop[k * otherLoop.size() / 3];
    ownCorners[k] = referencePiece.vertices[corner.vertices[1 + k]];
    otherCorners[k] = other.vertices[otherVertices[k]];
  }
  for (int k = 0; k < count; ++k) {
    const PatchCorner& patchCorner = space.patch.corners[k];
    double weights[3];
    if (patchCorner.kind == PatchCorner::Kind::IncidentVertex) {
      corner.point = local(incident, otherLoop[patchCorner.incident]);
    } else {
      weightsInFace(otherCorners, patchCorner.point, weights);
      corner.point = weights[0] * local(incident, otherVertices[0]) +
                     weights[1] * local(incident, otherVertices[1]) +
                     weights[2] * local(incident, otherVertices[2]);
    }
    weightsInFace(ownCorners, patchCorner.point - patchCorner.gap * faces.normal, weights);
    corner.foot = weights[0] * local(reference, corner.vertices[1]) +
                  weights[1] * local(reference, corner.vertices[2]) +
                  weights[2] * local(reference, corner.vertices[3]);
    corner.weight = share * fewer * patchCorner.share;
    corner.isReversed = patchCorner.kind == PatchCorner::Kind::ReferenceVertex;
    corner.pieceA = corner.isReversed ? reference : incident;
    corner.pieceB = corner.isReversed ? incident : reference;
    if (patchCorner.kind == PatchCorner::Kind::Crossing)
      corner.features = {FeaturePairKind::EdgeEdge,
                         edgeBetween(other, otherLoop[patchCorner.incident],
                                     otherLoop[(patchCorner.incident + 1) % otherLoop.size()]),
                         edgeBetween(referencePiece, ownLoop[patchCorner.reference],
                                     ownLoop[(patchCorner.reference + 1) % ownLoop.size()])};
    else if (corner.isReversed)
      corner.features = {FeaturePairKind::VertexFace, ownLoop[patchCorner.reference], faces.incident};
    else
      corner.features = {FeaturePairKind::VertexFace, otherLoop[patchCorner.incident], faces.reference};
    keep(corner);
  }
}

}  // namespace detail

}  // namespace touchstone
