#pragma once

#include <vector>

#include "core/geometry/feature_pair.h"
#include "core/math/vec.h"

namespace touchstone {

enum class ContactMode { Open, Sticking, Sliding };

/// Role of a contact in a complementarity model (Williams 2017), or Penalty.
enum class ConstraintType { Penalty, U, I, X };

/// One contact of one step as recorded. World frame; bodies ascending (bodyA < bodyB), normal from A into B.
struct Contact {
  FeaturePairKind kind = FeaturePairKind::VertexFace;
  int bodyA = -1, bodyB = -1;
  /// Ids of vertices, edges and triangles of SurfaceTopology; if a piece is named, of vertices, edges and
  /// faces of that piece. For a plane −1 or its body.
  int featureA = -1, featureB = -1;
  int pieceA = -1, pieceB = -1;  ///< number in PieceTable; −1: features of SurfaceTopology, and planes
  bool vertexOnA = true;         ///< vertex–face and vertex–plane: A owns the vertex
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
