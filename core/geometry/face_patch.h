#pragma once

#include "core/geometry/separation.h"

namespace touchstone {

/// A corner of the patch in which two faces of convex pieces overlap, as seen along the normal of one of
/// them.
struct PatchCorner {
  enum class Kind : unsigned char { IncidentVertex, ReferenceVertex, Crossing };
  Kind kind;
  /// Places in the loops of the faces: place of the vertex at the corner, or of the two edges that cross
  /// there (edge k runs from vertex k to vertex k + 1); −1: none.
  int incident, reference;
  Vec3 point;    ///< on the plane of the incident face [m]
  double gap;    ///< over the plane of the reference face, negative below it [m]
  double share;  ///< half the length of the two edges at the corner over the length of the outline; the sum
                 ///< is 1
};

/// Corners that a patch of two faces has at most.
TS_HD inline int mostPatchCorners(int incidentVertices, int referenceVertices) {
  return incidentVertices + referenceVertices;
}

/// The face of a piece that faces a plane below the piece: among the faces of the lowest vertex the one whose
/// normal is most opposite to the plane's; the first of equals.
/// @param normal  unit normal of the plane, towards the piece
TS_HD inline int incidentFace(const PolytopeView& piece, const Vec3& normal) {
  int best = -1;
  double lowest = HUGE_VAL;
  for (int face : piece.vertexFaces[detail::lowestVertex(piece, normal)]) {
    const double along = piece.normals[face].dot(normal);
    if (along >= lowest) continue;
    lowest = along;
    best = face;
  }
  return best;
}

namespace detail {

/// A corner of a polygon that is being cut, and the edge that starts there: edge k of the incident face, or n
/// + j for a cut by edge j of the reference face.
struct CutCorner {
  Vec3 point;
  int edge;
};

/// Cuts a polygon by one side of the reference face (Sutherland and Hodgman 1974). A corner outside by less
/// than the tolerance is kept as it is, so that edges that coincide up to rounding do not cut each other.
/// @return the number of corners in `cut`
TS_HD inline int cutOutside(const CutCorner* corners, int count, const Vec3& inward, const Vec3& on,
                            double tolerance, int edge, CutCorner* cut) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const CutCorner &corner = corners[k], &next = corners[(k + 1) % count];
    const double gap = inward.dot(corner.point - on), nextGap = inward.dot(next.point - on);
    const bool isIn = gap >= -tolerance, isNextIn = nextGap >= -tolerance;
    if (isIn) cut[kept++] = corner;
    if (isIn == isNextIn) continue;
    const Vec3 crossing = corner.point + gap / (gap - nextGap) * Vec3(next.point - corner.point);
    cut[kept++] = {crossing, isIn ? edge : corner.edge};
  }
  return kept;
}

}  // namespace detail

/// The part of an incident face that lies over a reference face, seen along the normal of the latter. Each
/// corner is a vertex of either face or a crossing of two edges, as the cuts determine. Where outlines
/// coincide up to the tolerance, the corners are vertices of the incident face. Everything except the number
/// of corners is continuous in the poses: a corner that splits shares its edges between both parts.
/// @param tolerance  a point that is outside by less counts as inside [m]
/// @param corners, spare  out, and scratch: [mostPatchCorners()] each
/// @return the number of corners; 0 if the faces do not overlap
TS_HD inline int facePatch(const PolytopeView& reference, int referenceFace, const PolytopeView& incident,
                           int incidentFace, double tolerance, PatchCorner* corners,
                           detail::CutCorner* spare) {
  using Kind = PatchCorner::Kind;
  const IndexRange referenceCorners = reference.faceVertices[referenceFace],
                   incidentCorners = incident.faceVertices[incidentFace];
  const Vec3& normal = reference.normals[referenceFace];
  const int sides = referenceCorners.size(), edges = incidentCorners.size(),
            capacity = mostPatchCorners(edges, sides);
  detail::CutCorner *polygon = spare, *target = spare + capacity;
  int count = edges;
  for (int k = 0; k < edges; ++k) polygon[k] = {incident.vertices[incidentCorners[k]], k};
  for (int side = 0; side < sides && count > 0; ++side) {
    const Vec3& tail = reference.vertices[referenceCorners[side]];
    const Vec3 along = reference.vertices[referenceCorners[(side + 1) % sides]] - tail;
    count = detail::cutOutside(polygon, count, normal.cross(along).normalized(), tail, tolerance,
                               edges + side, target);
    detail::CutCorner* cut = target;
    target = polygon;
    polygon = cut;
  }
  double outline = 0;
  for (int k = 0; k < count; ++k) {
    const detail::CutCorner &before = polygon[(k + count - 1) % count], &now = polygon[k];
    const bool isOwnBefore = before.edge >= edges, isOwn = now.edge >= edges;
    PatchCorner corner{Kind::IncidentVertex, now.edge, -1, now.point, 0, 0};
    if (isOwnBefore && isOwn) {
      // The outline runs opposite to that of the reference face: the corner is at the start of the later
      // edge.
      const int first = before.edge - edges, second = now.edge - edges;
      corner.kind = Kind::ReferenceVertex;
      corner.incident = -1;
      corner.reference = (second + 1) % sides == first ? first : second;
    } else if (isOwnBefore || isOwn) {
      corner.kind = Kind::Crossing;
      corner.incident = isOwn ? before.edge : now.edge;
      corner.reference = (isOwn ? now.edge : before.edge) - edges;
    }
    corner.gap = normal.dot(now.point) - reference.offsets[referenceFace];
    const auto across = [&](const Vec3& step) { return (step - normal.dot(step) * normal).norm(); };
    corner.share =
        0.5 * (across(now.point - before.point) + across(polygon[(k + 1) % count].point - now.point));
    outline += corner.share;
    corners[k] = corner;
  }
  for (int k = 0; k < count; ++k) corners[k].share = outline > 0 ? corners[k].share / outline : 1.0 / count;
  return count;
}

/// The edge between two consecutive vertices of a face.
TS_HD inline int edgeBetween(const PolytopeView& piece, int tail, int head) {
  for (int edge : piece.vertexEdges[tail])
    if (piece.edges[edge].tail == head || piece.edges[edge].head == head) return edge;
  return -1;
}

/// Area of a patch, seen along the normal [m²].
TS_HD inline double patchArea(const PatchCorner* corners, int count, const Vec3& normal) {
  double twice = 0;
  for (int k = 1; k + 1 < count; ++k)
    twice += normal.dot((corners[k].point - corners[0].point).cross(corners[k + 1].point - corners[0].point));
  return 0.5 * std::fabs(twice);
}

}  // namespace touchstone
