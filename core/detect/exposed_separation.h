#pragma once

#include "core/detect/exposed_features.h"
#include "core/geometry/face_patch.h"

namespace touchstone {

/// Scratch memory for facePatch() of any two faces.
struct PatchScratch {
  PatchCorner* corners;      ///< [patchScratch()]
  detail::CutCorner* spare;  ///< [2 × patchScratch()]
};
/// @param largestLoop  vertices that a face has at most
TS_HD inline int patchScratch(int largestLoop) { return mostPatchCorners(largestLoop, largestLoop); }

/// Two faces that look at each other along the normal of one of them.
struct FacingFaces {
  bool isReferenceA = true;  ///< the reference face is of piece A
  int reference = -1, incident = -1;
  Vec3 normal;  ///< of the reference face, outward
};

/// The faces of a feature that is one. @param feature  no pair of edges
TS_HD inline FacingFaces facingFaces(const SeparatingFeature& feature, const PolytopeView& a,
                                     const PolytopeView& b) {
  FacingFaces faces;
  faces.isReferenceA = feature.kind == SeparatingFeature::Kind::FaceOfA;
  const PolytopeView &own = faces.isReferenceA ? a : b, &other = faces.isReferenceA ? b : a;
  faces.reference = faces.isReferenceA ? feature.a : feature.b;
  faces.normal = own.normals[faces.reference];
  faces.incident = incidentFace(other, faces.normal);
  return faces;
}

/// The corners in which the faces of a feature overlap, into the scratch. @return their number
TS_HD inline int patchOf(const FacingFaces& faces, const PolytopeView& a, const PolytopeView& b,
                         double tolerance, const PatchScratch& scratch) {
  return faces.isReferenceA
             ? facePatch(a, faces.reference, b, faces.incident, tolerance, scratch.corners, scratch.spare)
             : facePatch(b, faces.reference, a, faces.incident, tolerance, scratch.corners, scratch.spare);
}

/// Tolerance of patchOf(): outlines that coincide up to it cut nothing off each other.
TS_HD inline double patchTolerance(const PiecesView& pieces) { return 1e-9 * pieces.length; }

/// True if a corner of a patch lies on surface of both pieces.
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

/// True if a feature separates surfaces, and not walls inside a body that neighbours make with one of the
/// pieces.
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
  return count == 0;  // beside the face: what separates there need not be surface
}

/// How deep the faces of a feature reach into each other where they lie over each other; of edges, and of
/// faces beside each other, how deep the pieces do along their axis [m].
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

/// separation() over features that isExposed(). Of those that are not, one that is apart by more than
/// rounding counts: it separates.
/// @param deepest  of the faces that stand for a covered one [m]: two pieces of which one has come to a wall
///                 that a neighbour covers are not pushed out at their far sides; HUGE_VAL: no bound
/// @return the gap [m]; `deepest`, and no feature, where nothing but covered and deeper ones is left:
///         the neighbours carry
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
