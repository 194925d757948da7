#pragma once

#include "core/geometry/pair_motion.h"
#include "core/geometry/separation.h"

namespace touchstone {

/// A convex piece whose vertices move on straight lines from one pose to another, t in [0, 1].
struct MovingPiece {
  PolytopeView start, end;
  // Scratch memory for the piece at times between: [vertexCount], [faceCount], [faceCount].
  Vec3* vertices;
  Vec3* normals;
  double* offsets;

  /// The piece at time t, in its scratch memory. The faces turn with their vertices.
  TS_HD PolytopeView at(double t) const {
    PolytopeView view = start;
    view.vertices = vertices;
    view.normals = normals;
    view.offsets = offsets;
    for (int vertex = 0; vertex < start.vertexCount; ++vertex)
      vertices[vertex] = start.vertices[vertex] + t * Vec3(end.vertices[vertex] - start.vertices[vertex]);
    for (int face = 0; face < start.faceCount; ++face) {
      normals[face] = (start.normals[face] + t * Vec3(end.normals[face] - start.normals[face])).normalized();
      const IndexRange loop = start.faceVertices[face];
      double offset = -HUGE_VAL;  // no vertex of the face lies above it
      for (int vertex : loop) offset = std::fmax(offset, normals[face].dot(vertices[vertex]));
      offsets[face] = offset;
    }
    return view;
  }
};

namespace detail {

/// Three vertices of a face that are far from each other.
TS_HD inline void cornersOf(const PolytopeView& piece, int face, const Vec3* positions, Vec3 corners[3]) {
  const IndexRange loop = piece.faceVertices[face];
  const int count = loop.size();
  for (int k = 0; k < 3; ++k) corners[k] = positions[loop[k * count / 3]];
}

/// Motion of a vertex of `vertexPiece` over a face of `facePiece`.
TS_HD inline PairMotion vertexOverFace(const MovingPiece& facePiece, int face, const MovingPiece& vertexPiece,
                                       int vertex) {
  Vec3 x0[4], x1[4];
  x0[0] = vertexPiece.start.vertices[vertex];
  x1[0] = vertexPiece.end.vertices[vertex];
  cornersOf(facePiece.start, face, facePiece.start.vertices, x0 + 1);
  cornersOf(facePiece.start, face, facePiece.end.vertices, x1 + 1);
  return motionOf(FeaturePairKind::VertexFace, x0, x1);
}

TS_HD inline PairMotion edgeOverEdge(const MovingPiece& a, int edgeA, const MovingPiece& b, int edgeB) {
  const Polytope::Edge &ea = a.start.edges[edgeA], &eb = b.start.edges[edgeB];
  const Vec3 x0[4] = {a.start.vertices[ea.tail], a.start.vertices[ea.head], b.start.vertices[eb.tail],
                      b.start.vertices[eb.head]},
             x1[4] = {a.end.vertices[ea.tail], a.end.vertices[ea.head], b.end.vertices[eb.tail],
                      b.end.vertices[eb.head]};
  return motionOf(FeaturePairKind::EdgeEdge, x0, x1);
}

/// The first time after `start` at which side · G becomes negative; `none` if it never does.
TS_HD inline double firstDive(const PairMotion& motion, int side, double start, double none) {
  double roots[3];
  const int count = signChanges(motion.gap, motion.gapEnd, roots);
  int sign = signAfterZero(motion.gap);
  for (int k = 0; k < count; ++k, sign = -sign)
    if (side * sign > 0 && roots[k] > start) return roots[k];
  return none;
}

/// The first time after `start` at which a feature stops separating the pieces; 2 if it never does.
TS_HD inline double endOfSeparation(const SeparatingFeature& feature, const MovingPiece& a,
                                    const MovingPiece& b, double start) {
  using Kind = SeparatingFeature::Kind;
  constexpr double kNever = 2;
  if (feature.kind == Kind::Edges) {
    const PairMotion motion = edgeOverEdge(a, feature.a, b, feature.b);
    const int side = motion.gap(start) < 0 ? -1 : 1;
    return firstDive(motion, side, start, kNever);
  }
  const bool isOfA = feature.kind == Kind::FaceOfA;
  const MovingPiece &facePiece = isOfA ? a : b, &vertexPiece = isOfA ? b : a;
  double first = kNever;
  for (int vertex = 0; vertex < vertexPiece.start.vertexCount; ++vertex)
    first = std::fmin(
        first, firstDive(vertexOverFace(facePiece, isOfA ? feature.a : feature.b, vertexPiece, vertex), 1,
                         start, kNever));
  return first;
}

}  // namespace detail

/// The first meeting of two convex pieces that are apart at the start.
struct FirstContact {
  double time = 2;            ///< step fraction; above 1: not within the step
  SeparatingFeature feature;  ///< the accepted feature that separates them best at that time
  TS_HD bool meets() const { return time <= 1; }
};

/// Continuous collision detection of two convex pieces. It follows a separating feature until that feature
/// separates the pieces no longer; if another feature separates them at that time, it follows that one.
/// Pieces that touch at the start and do not move apart meet at 0.
/// @param first  a feature that separates the pieces at the start
/// @param findBest  double(const PolytopeView& a, const PolytopeView& b, SeparatingFeature* feature): returns
/// the largest gap of an accepted feature, and that feature
template <class FindBest>
TS_HD FirstContact firstContact(const MovingPiece& a, const MovingPiece& b, const SeparatingFeature& first,
                                double tolerance, const FindBest& findBest) {
  // Most features that are followed. With more the pieces stay so close that they count as touching. A
  // smaller value reports contacts of pieces that only pass; a larger one costs time.
  constexpr int kMostFeatures = 16;
  FirstContact contact;
  contact.feature = first;
  double start = 0;
  for (int k = 0; k < kMostFeatures; ++k) {
    const double end = detail::endOfSeparation(contact.feature, a, b, start);
    if (end > 1) return contact;
    SeparatingFeature next;
    const double gap = findBest(a.at(end), b.at(end), &next);
    if (next.isNone()) return contact;
    const bool isLast = !(gap > tolerance) || next == contact.feature;
    contact.feature = next;
    if (isLast) {
      contact.time = end;
      return contact;
    }
    start = end;
  }
  contact.time = start;
  return contact;
}

}  // namespace touchstone
