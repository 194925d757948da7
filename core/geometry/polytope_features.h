#pragma once

#include "core/geometry/feature_pair.h"
#include "core/geometry/separation.h"

namespace touchstone {

/// A feature pair of two convex pieces in the form of the complementarity models (Williams 2017, section 2):
/// always from piece A into piece B, whichever piece owns the vertex.
struct PieceContact {
  FeaturePairKind kind = FeaturePairKind::VertexFace;  ///< VertexPlane: vertex of A, plane B
  bool vertexOnA = true;                               ///< VertexFace: A owns the vertex
  int featureA = -1, featureB = -1;
  double psi = 0;  ///< signed gap, > 0 apart [m]
  Vec3 normal;     ///< unit, from A into B
  Vec3 pointA,
      pointB;  ///< pointB = pointA + psi normal; edge–edge: feet of the common perpendicular of the lines
  double overlap = 0;        ///< depth of the overlap of the pieces along the feature that separates them
                             ///< best; 0: apart [m]
  double applicability = 0;  ///< sine-like measure; the contact is applicable if it is ≥ −ε_θ
  TS_HD bool sameFeatures(const PieceContact& o) const {
    return kind == o.kind && vertexOnA == o.vertexOnA && featureA == o.featureA && featureB == o.featureB;
  }
  /// An order of features.
  TS_HD bool isBefore(const PieceContact& o) const {
    if (kind != o.kind) return kind < o.kind;
    if (vertexOnA != o.vertexOnA) return vertexOnA;
    return featureA != o.featureA ? featureA < o.featureA : featureB < o.featureB;
  }
};

namespace detail {

/// min over the neighbours w of the vertex of η·(w − v)/|w − v|: how far all edges of the vertex point away
/// from the face.
TS_HD inline double vertexApplicability(const PolytopeView& p, int vertex, const Vec3& eta) {
  double least = 1;
  for (int edge : p.vertexEdges[vertex]) {
    const Polytope::Edge& e = p.edges[edge];
    const Vec3 along = p.vertices[e.tail == vertex ? e.head : e.tail] - p.vertices[vertex];
    const double lean = eta.dot(along) / along.norm();
    if (lean < least) least = lean;
  }
  return least;
}

/// Unit vectors in the two faces of an edge, perpendicular to the edge and pointing into the faces.
struct EdgeSides {
  Vec3 left, right;
};
TS_HD inline EdgeSides sidesOf(const PolytopeView& p, int edge) {
  const Vec3 direction = p.along(edge).normalized();
  return {p.normals[p.edges[edge].left].cross(direction), direction.cross(p.normals[p.edges[edge].right])};
}

/// Distance of the faces of both edges behind an axis: the faces of A must be at or below it, those of B
/// above.
TS_HD inline double clearance(const Vec3& axis, const EdgeSides& a, const EdgeSides& b) {
  const double leans[4] = {-axis.dot(a.left), -axis.dot(a.right), axis.dot(b.left), axis.dot(b.right)};
  double least = leans[0];
  for (int k = 1; k < 4; ++k)
    if (leans[k] < least) least = leans[k];
  return least;
}

}  // namespace detail

/// Contact of a vertex of A with a face of B: n = −η, ψ = η·(v − x_f).
TS_HD inline PieceContact vertexFaceContact(const PolytopeView& a, int vertex, const PolytopeView& b,
                                            int face) {
  PieceContact contact;
  contact.vertexOnA = true;
  contact.featureA = vertex;
  contact.featureB = face;
  const Vec3& eta = b.normals[face];
  contact.psi = eta.dot(a.vertices[vertex]) - b.offsets[face];
  contact.normal = -eta;
  contact.pointA = a.vertices[vertex];
  contact.pointB = contact.pointA + contact.psi * contact.normal;
  contact.applicability = detail::vertexApplicability(a, vertex, eta);
  return contact;
}

/// The same contact with A and B exchanged.
TS_HD inline PieceContact flipped(const PieceContact& contact) {
  PieceContact result = contact;
  result.pointA = contact.pointB;
  result.pointB = contact.pointA;
  result.featureA = contact.featureB;
  result.featureB = contact.featureA;
  result.normal = -contact.normal;
  result.vertexOnA = !contact.vertexOnA;
  return result;
}

/// Contact of a vertex of B with a face of A: n = +η.
TS_HD inline PieceContact faceVertexContact(const PolytopeView& a, int face, const PolytopeView& b,
                                            int vertex) {
  return flipped(vertexFaceContact(b, vertex, a, face));
}

/// Contact of two edges: n = ± unit(e_a × e_b), with the sign for which the faces of both edges lie behind
/// it.
/// @return false for parallel edges (sine < 1e-9), which are not applicable
TS_HD inline bool edgeEdgeContact(const PolytopeView& a, int edgeA, const PolytopeView& b, int edgeB,
                                  PieceContact& contact) {
  const Vec3 &a0 = a.vertices[a.edges[edgeA].tail], &b0 = b.vertices[b.edges[edgeB].tail];
  const Vec3 da = a.along(edgeA), db = b.along(edgeB);
  const Vec3 cross = da.cross(db);
  const double length = cross.norm();
  // Sine of the angle between the edges. If it is smaller, the normal may be noise; if it is larger, valid
  // contacts of nearly parallel edges are lost.
  constexpr double kParallel = 1e-9;
  if (length < kParallel * da.norm() * db.norm()) return false;
  Vec3 n = cross / length;
  const detail::EdgeSides sa = detail::sidesOf(a, edgeA), sb = detail::sidesOf(b, edgeB);
  // n points from A into B: the faces of A lie behind it (n·t_a ≤ 0), those of B before it.
  const double plus = detail::clearance(n, sa, sb), minus = detail::clearance(-n, sa, sb);
  if (minus > plus) n = -n;
  contact.kind = FeaturePairKind::EdgeEdge;
  contact.vertexOnA = true;
  contact.featureA = edgeA;
  contact.featureB = edgeB;
  contact.normal = n;
  contact.psi = n.dot(b0 - a0);
  contact.applicability = plus < minus ? minus : plus;
  const Vec3 rho = b0 - a0;
  contact.pointA = a0 + rho.cross(db).dot(cross) / (length * length) * da;
  contact.pointB = b0 + rho.cross(da).dot(cross) / (length * length) * db;
  return true;
}

/// Contact of a vertex of piece A with the plane through `origin`, from A into the plane.
TS_HD inline PieceContact planeContact(const Vec3& vertex, int index, const Vec3& normal,
                                       const Vec3& origin) {
  PieceContact contact;
  contact.kind = FeaturePairKind::VertexPlane;
  contact.featureA = index;
  contact.featureB = 0;
  contact.psi = normal.dot(vertex - origin);
  contact.overlap = contact.psi < 0 ? -contact.psi : 0;
  contact.normal = -normal;
  contact.pointA = vertex;
  contact.pointB = vertex - contact.psi * normal;
  contact.applicability = 1;
  return contact;
}

/// Recomputes gap, normal and points of the same features at other poses. @return false if the edges have
/// become parallel
TS_HD inline bool reevaluate(const PolytopeView& a, const PolytopeView& b, PieceContact& contact) {
  if (contact.kind == FeaturePairKind::EdgeEdge)
    return edgeEdgeContact(a, contact.featureA, b, contact.featureB, contact);
  contact = contact.vertexOnA ? vertexFaceContact(a, contact.featureA, b, contact.featureB)
                              : faceVertexContact(a, contact.featureA, b, contact.featureB);
  return true;
}

/// O_e = unit(e × −(η1 + η2)) of an edge: perpendicular to the edge, towards its left face.
TS_HD inline Vec3 edgeCross(const PolytopeView& p, int edge) {
  const Polytope::Edge& e = p.edges[edge];
  return p.along(edge).cross(Vec3(-(p.normals[e.left] + p.normals[e.right]))).normalized();
}

/// Distance of two segments. @param s, t  out: parameters of the closest points, in [0, 1]
TS_HD inline double segmentDistance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double& s,
                                    double& t) {
  const Vec3 da = a1 - a0, db = b1 - b0, r = a0 - b0;
  const double aa = da.squaredNorm(), bb = db.squaredNorm(), ab = da.dot(db), ar = da.dot(r), br = db.dot(r);
  const double determinant = aa * bb - ab * ab;
  const auto clamped = [](double x) { return x > 0 ? (x < 1 ? x : 1.0) : 0.0; };
  s = determinant > 1e-18 * aa * bb ? clamped((ab * br - bb * ar) / determinant) : 0;
  t = (ab * s + br) / bb;
  if (t < 0 || t > 1) {
    t = clamped(t);
    s = clamped((ab * t - ar) / aa);
  }
  return (a0 + s * da - b0 - t * db).norm();
}

}  // namespace touchstone
