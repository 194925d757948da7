#pragma once

#include "core/contact/contact.h"
#include "core/geometry/polytope_overlap.h"

namespace touchstone {

/// A feature pair of two convex pieces as the complementarity models see it (Williams 2017, section 2):
/// always stated from piece A into piece B, whichever of them owns the vertex.
struct PieceContact {
  FeaturePairKind kind = FeaturePairKind::VertexFace;  ///< VertexPlane: vertex of A, plane B
  bool vertexOnA = true;                               ///< VertexFace: who owns the vertex
  int featureA = -1, featureB = -1;
  double psi = 0;  ///< signed gap, > 0 apart [m]
  Vec3 normal;     ///< unit, from A into B
  Vec3 pointA,
      pointB;  ///< pointB = pointA + psi normal; edge–edge: feet of the common perpendicular of the lines
  double applicability = 0;  ///< sine-like measure; the contact is applicable if it is ≥ −ε_θ
  bool sameFeatures(const PieceContact& o) const {
    return kind == o.kind && vertexOnA == o.vertexOnA && featureA == o.featureA && featureB == o.featureB;
  }
};

/// Vertex of A against a face of B, n = −η, ψ = η·(v − x_f).
PieceContact vertexFaceContact(const PlacedPolytope& a, int vertex, const PlacedPolytope& b, int face);
/// Vertex of B against a face of A, n = +η.
PieceContact faceVertexContact(const PlacedPolytope& a, int face, const PlacedPolytope& b, int vertex);
/// Two edges: n = ± unit(e_a × e_b) with the sign for which the faces beside both edges lie behind it.
/// @return false for parallel edges (sine < 1e-9): not applicable
bool edgeEdgeContact(const PlacedPolytope& a, int edgeA, const PlacedPolytope& b, int edgeB,
                     PieceContact& contact);

/// The same features at other poses: gap, normal and points anew. @return false if edges have become parallel
bool reevaluate(const PlacedPolytope& a, const PlacedPolytope& b, PieceContact& contact);

/// O_e = unit(e × −(η1 + η2)) of an edge: in the plane across it, towards its left face.
Vec3 edgeCross(const PlacedPolytope& p, int edge);

/// Closest points of two segments. @param s, t  out: parameters in [0, 1]
double segmentDistance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double& s, double& t);

}  // namespace touchstone
