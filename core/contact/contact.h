#pragma once

#include <vector>

#include "core/math/vec.h"

namespace touchstone {

enum class FeaturePairKind { VertexFace, EdgeEdge, VertexPlane };

/// A pair of features that may touch in this step. Vertex–face: vertex a, triangle b; edge–edge: edges a, b,
/// the body of a below that of b; vertex–plane: vertex a, body b. Ids of SurfaceTopology.
struct FeaturePair {
  FeaturePairKind kind;
  int a, b;
  TS_HD bool operator==(const FeaturePair& o) const { return kind == o.kind && a == o.a && b == o.b; }
  TS_HD bool operator<(const FeaturePair& o) const {
    return kind != o.kind ? kind < o.kind : (a != o.a ? a < o.a : b < o.b);
  }
};

/// Two convex pieces (ids of PieceTable, body of a below that of b), or a piece a and a plane body (pieceB =
/// −1).
struct PiecePair {
  int pieceA, pieceB;
  int planeBody = -1;
  /// The order in which broad phase gives them: pairs of pieces, then those with planes.
  TS_HD bool operator<(const PiecePair& o) const {
    const bool isPlane = planeBody >= 0, isOtherPlane = o.planeBody >= 0;
    if (isPlane != isOtherPlane) return isOtherPlane;
    if (pieceA != o.pieceA) return pieceA < o.pieceA;
    return isPlane ? planeBody < o.planeBody : pieceB < o.pieceB;
  }
};

/// Which pairs of features a penalty method looks at, beside those with planes.
struct FeatureNeeds {
  bool triangles = true;      ///< vertices against triangles
  bool openSurfaces = false;  ///< Candidates::vertexSurface holds open surfaces too
  bool surfaces = true;       ///< any of surfaces against each other
  bool convexPairs = true;    ///< surfaces of two bodies that are made of convex pieces as well
};

/// What broad phase found; sorted, so that everything after it runs in one order on any number of threads.
struct Candidates {
  std::vector<FeaturePair> features;       ///< boxes of features, swept from start to predicted pose, overlap
  std::vector<FeaturePair> vertexSurface;  ///< VertexFace kind with b = surface id: the swept box of vertex a
                                           ///< overlaps that of a closed surface
};

enum class ContactMode { Open, Sticking, Sliding };

/// Role of a contact in a complementarity model (Williams 2017), or Penalty.
enum class ConstraintType { Penalty, U, I, X };

/// One contact of one step as recorded. World frame; bodies ascending (bodyA < bodyB), normal from A into B.
struct Contact {
  FeaturePairKind kind = FeaturePairKind::VertexFace;
  int bodyA = -1, bodyB = -1;
  /// Ids: vertices, edges and triangles of SurfaceTopology, or where a piece is named vertices, edges and
  /// faces of that piece. Of a plane −1 or its body.
  int featureA = -1, featureB = -1;
  int pieceA = -1, pieceB = -1;  ///< of PieceTable; −1: features of SurfaceTopology, and planes
  bool vertexOnA = true;         ///< vertex–face and vertex–plane: who owns the vertex
  Vec3 pointA = Vec3::Zero(), pointB = Vec3::Zero();  ///< on A and on B at the start of the step [m]
  Vec3 normal = Vec3::Zero();                         ///< unit, from A into B
  double gap = 0;                       ///< the gap the method works with [m], negative = overlapping
  double normalImpulse = 0;             ///< on B along normal, ≥ 0 for all methods without adhesion [N·s]
  Vec3 frictionImpulse = Vec3::Zero();  ///< on B [N·s]
  ContactMode mode = ContactMode::Open;
  ConstraintType type = ConstraintType::Penalty;
  int set = -1;          ///< complementarity models: number of its constraint set in this step
  bool primary = false;  ///< the contact of its set that carries the impulse
  bool trap = false;     ///< PEG: in a set that the standard model would have forbidden
  /// CPF: the part of the step in which the pair penetrates, as step fractions; the hull of all its
  /// intervals.
  double intervalStart = 0, intervalEnd = 0;
  double stiffness = 0;  ///< penalty methods: k of the contact [N/m]
};

}  // namespace touchstone
