#pragma once

#include "core/detect/exposed_features.inl"
#include "core/geometry/face_patch.h"

namespace touchstone {

/// Scratch memory of facePatch() for any two faces.
struct PatchScratch {
  PatchCorner* corners;      ///< [patchScratch()]
  detail::CutCorner* spare;  ///< [2 × patchScratch()]
};
/// @param largestLoop  largest number of vertices of a face
TS_HD inline int patchScratch(int largestLoop) { return mostPatchCorners(largestLoop, largestLoop); }

/// Two faces that face each other along the normal of one of them, the reference face.
struct FacingFaces {
  bool isReferenceA = true;  ///< the reference face belongs to piece A
  int reference = -1, incident = -1;
  Vec3 normal;  ///< outward normal of the reference face
};

/// The two faces at a separating face. @param feature  must not be a pair of edges
TS_HD inline FacingFaces facingFaces(const SeparatingFeature& feature, const PolytopeView& a,
                                     const PolytopeView& b) {
  FacingFaces faces;
  faces.isReferenceA = feature.kind == SeparatingFeature::Kind::FaceOfA;
  const PolytopeView &reference = faces.isReferenceA ? a : b, &other = faces.isReferenceA ? b : a;
  faces.reference = faces.isReferenceA ? feature.a : feature.b;
  faces.normal = reference.normals[faces.reference];
  faces.incident = incidentFace(other, faces.normal);
  return faces;
}

/// Writes the corners of the overlap of both faces into the scratch. @return their number
TS_HD inline int patchOf(const FacingFaces& faces, const PolytopeView& a, const PolytopeView& b,
                         double tolerance, const PatchScratch& scratch) {
  return faces.isReferenceA
             ? facePatch(a, faces.reference, b, faces.incident, tolerance, scratch.corners, scratch.spare)
             : facePatch(b, faces.reference, a, faces.incident, tolerance, scratch.corners, scratch.spare);
}

/// Tolerance [m] of patchOf(): outlines that coincide up to it do not cut each other. If it is smaller,
/// rounding decides about corners; if it is larger, small overlaps lose corners.
TS_HD inline double patchTolerance(const PiecesView& pieces) { return 1e-9 * pieces.length; }

/// True if a corner of a patch lies on exposed surface of both pieces.
TS_HD inline bool isExposed(const ExposedFeatures& exposed, int pieceA, int pieceB, const FacingFaces& faces,
                            const PatchCorner& corner) {
  const int reference = faces.isReferenceA ? pieceA : pieceB, incident = faces.isReferenceA ? pieceB : pieceA;
  const Vec3 foot = corner.point - corner.gap * faces.normal, against = -faces.normal;
  if (!exposed.facePushes(reference, faces.reference, foot)) return false;
  if (!exposed.hasNeighbours(incident)) return true;
  const IndexRange loop = exposed.pieces[incident].faceVertices[faces.incident];
  if (corner.kind == PatchCorner::Kind::IncidentVertex)
    return exposed.vertexPushes(incident, loop[corner.incident], against);
  return exposed.facePushes(incident, faces.incident, corner.point);
}

/// True if a feature separates exposed surfaces. False if it only separates walls inside a body that one of
/// the pieces makes with its neighbours.
/// @param a, b  the pieces, at the pose of the exposed features or close to it
TS_HD inline bool isExposed(const ExposedFeatures& exposed, int pieceA, int pieceB, const PolytopeView& a,
                            const PolytopeView& b, const SeparatingFeature& feature,
                            const PatchScratch& scratch) {
  if (!exposed.hasNeighbours(pieceA) && !exposed.hasNeighbours(pieceB)) return true;
  if (feature.kind == SeparatingFeature::Kind::Edges) {
    PieceContact edges;
    return !edgeEdgeContact(a, feature.a, b, feature.b, edges) || isExposed(exposed, pieceA, pieceB, edges);
  }
  const FacingFaces faces = facingFaces(feature, a, b);
  const int count = patchOf(faces, a, b, patchTolerance(exposed.pieces), scratch);
  for (int k = 0; k < count; ++k)
    if (isExposed(exposed, pieceA, pieceB, faces, scratch.corners[k])) return true;
  return count == 0;  // apart from the face: what separates there need not be surface
}

/// Depth to which the faces of a feature reach into each other where they overlap [m]. For edges, and for
/// faces that do not overlap, it is the depth of the pieces along the axis of the feature.
/// @param gap  of the feature [m]
TS_HD inline double reachOf(const SeparatingFeature& feature, double gap, const PolytopeView& a,
                            const PolytopeView& b, double tolerance, const PatchScratch& scratch) {
  if (feature.kind == SeparatingFeature::Kind::Edges) return -gap;
  const int count = patchOf(facingFaces(feature, a, b), a, b, tolerance, scratch);
  if (count == 0) return -gap;
  double depth = 0;
  for (int k = 0; k < count; ++k)
    if (-scratch.corners[k].gap > depth) depth = -scratch.corners[k].gap;
  return depth;
}

/// separation() over features for which isExposed() is true. A feature that is not exposed still counts if
/// its gap exceeds rounding, because it separates the pieces.
/// @param deepest  largest depth of a face that may replace a covered one [m]. It prevents that a piece which
/// has reached a wall covered by a neighbour is pushed out at its far side. HUGE_VAL: no bound
/// @return the gap [m]; `deepest` and no feature if only covered and deeper features are left: the neighbours
/// then carry the load
TS_HD inline double exposedSeparation(const ExposedFeatures& exposed, int pieceA, int pieceB,
                                      const PolytopeView& a, const PolytopeView& b, int* numbers,
                                      const PatchScratch& scratch, Vec3* normal, SeparatingFeature* feature,
                                      double deepest = HUGE_VAL) {
  const double apart = patchTolerance(exposed.pieces);
  Vec3 axis(0, 0, 0);
  double gap = separation(a, b, numbers, &axis, feature);
  ExcludedFeatures covered;
  covered.deepestEdges = deepest;
  const auto isRefused = [&] {
    return gap <= apart && (!isExposed(exposed, pieceA, pieceB, a, b, *feature, scratch) ||
                            (covered.count > 0 && deepest < HUGE_VAL &&
                             reachOf(*feature, gap, a, b, apart, scratch) > deepest));
  };
  while (isRefused()) {
    if (covered.count == ExcludedFeatures::kMost) {
      if (deepest < HUGE_VAL) {
        gap = deepest;
        *feature = SeparatingFeature();
      }
      break;
    }
    covered.add(*feature, axis);
    gap = separation(a, b, numbers, &axis, feature, &covered);
  }
  if (normal) *normal = axis;
  return gap;
}

}  // namespace touchstone
