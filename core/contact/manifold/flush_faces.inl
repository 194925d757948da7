#pragma once

#include "core/detect/exposed_separation.inl"
#include "core/geometry/polytope_features.h"

namespace touchstone {

/// Faces of two pieces that lie upon each other: one plane separates the pieces, and the corners of the
/// faces' overlap are all that can cross it.
///
/// A pair takes this form below one angle of the faces and one area of their overlap and keeps it up to a
/// larger angle and a smaller area. With one limit for both, faces that rest at it change their contacts in
/// every step.
class FlushFaces {
 public:
  TS_HD FlushFaces(const PolytopeView& a, const PolytopeView& b, const PatchScratch& scratch)
      : m_a(a), m_b(b), m_scratch(scratch) {}

  /// @param best  feature that separates the pieces best   @param wasFlush  find() in the last step
  /// @param tolerance  patchTolerance() [m]   @return true if they are flush
  TS_HD bool find(const SeparatingFeature& best, bool wasFlush, double tolerance) {
    constexpr double kParallel = 5e-9,  // 1 − cosine of 1e-4 rad: corners leave the plane by 1e-4 of a face
        kStillParallel = 4.5e-8;        // 3e-4 rad
    constexpr double kSmallPatch = 1e-3,  // of the smaller face: below it the pieces touch with their rims
        kStillPatch = 5e-4;
    // Tolerances by which outlines of faces may differ that count as the same. Smaller: the corners of faces
    // that shift by less in some steps are now vertices and now crossings.
    constexpr double kSameOutline = 1e4;
    if (!findFaces(best, wasFlush ? kStillParallel : kParallel)) return false;
    m_count = patchOf(m_faces, m_a, m_b, kSameOutline * tolerance, m_scratch);
    const double smaller =
        std::fmin(faceArea(reference(), m_faces.reference), faceArea(incident(), m_faces.incident));
    return patchArea(m_scratch.corners, m_count, m_faces.normal) >
           (wasFlush ? kStillPatch : kSmallPatch) * smaller;
  }

  /// After find(): calls visit(PieceContact) for the corners of the overlap, no more than kMostCorners of
  /// them, evenly along its outline. It begins with the first by its features: where facePatch() begins is
  /// rounding.
  template <class Visit>
  TS_HD void eachContact(const Visit& visit) const {
    constexpr int kMostCorners = 8;
    PieceContact contact, earliest;
    int wanted = 0, first = 0;
    for (int k = 0; k < m_count; ++k) {
      if (!contactAt(m_scratch.corners[k], contact)) continue;
      if (wanted == 0 || contact.isBefore(earliest)) {
        earliest = contact;
        first = k;
      }
      ++wanted;
    }
    int seen = 0, taken = 0;
    for (int k = 0; k < m_count; ++k) {
      if (!contactAt(m_scratch.corners[(first + k) % m_count], contact)) continue;
      const bool isMeant = wanted <= kMostCorners || seen * kMostCorners / wanted >= taken;
      ++seen;
      if (!isMeant) continue;
      ++taken;
      visit(contact);
    }
  }

 private:
  TS_HD const PolytopeView& reference() const { return m_faces.isReferenceA ? m_a : m_b; }
  TS_HD const PolytopeView& incident() const { return m_faces.isReferenceA ? m_b : m_a; }

  /// The faces that the best axis leaves and meets. Which of both separates better is rounding: the reference
  /// is always that of A, which keeps the contacts the same.
  /// @param parallel  1 − cosine up to which they count as parallel   @return false if they are not
  TS_HD bool findFaces(const SeparatingFeature& best, double parallel) {
    if (best.isNone() || best.kind == SeparatingFeature::Kind::Edges) return false;
    m_faces = facingFaces(best, m_a, m_b);
    if (!m_faces.isReferenceA)
      m_faces = facingFaces({SeparatingFeature::Kind::FaceOfA, m_faces.incident, -1}, m_a, m_b);
    return m_faces.normal.dot(m_b.normals[m_faces.incident]) < parallel - 1;
  }

  TS_HD static double faceArea(const PolytopeView& p, int face) {
    const IndexRange loop = p.faceVertices[face];
    const Vec3& first = p.vertices[loop[0]];
    Vec3 twice(0, 0, 0);
    for (int k = 1; k + 1 < loop.size(); ++k)
      twice += (p.vertices[loop[k]] - first).cross(p.vertices[loop[k + 1]] - first);
    return 0.5 * twice.norm();
  }

  TS_HD PieceContact cornerFace(bool vertexOnA, int vertex, int face) const {
    return vertexOnA ? vertexFaceContact(m_a, vertex, m_b, face) : faceVertexContact(m_a, face, m_b, vertex);
  }
  /// @return false for a crossing of edges that are nearly parallel: the outline goes straight on there
  TS_HD bool contactAt(const PatchCorner& corner, PieceContact& contact) const {
    constexpr double kStraight = 0.1;        // sine
    const bool onA = !m_faces.isReferenceA;  // the incident face
    const IndexRange referenceLoop = reference().faceVertices[m_faces.reference],
                     other = incident().faceVertices[m_faces.incident];
    if (corner.kind == PatchCorner::Kind::IncidentVertex) {
      contact = cornerFace(onA, other[corner.incident], m_faces.reference);
      return true;
    }
    if (corner.kind == PatchCorner::Kind::ReferenceVertex) {
      contact = cornerFace(!onA, referenceLoop[corner.reference], m_faces.incident);
      return true;
    }
    const int incidentEdge = edgeBetween(incident(), other[corner.incident],
                                         other[(corner.incident + 1) % other.size()]),
              referenceEdge = edgeBetween(reference(), referenceLoop[corner.reference],
                                          referenceLoop[(corner.reference + 1) % referenceLoop.size()]);
    const int edgeA = onA ? incidentEdge : referenceEdge, edgeB = onA ? referenceEdge : incidentEdge;
    const Vec3 alongA = m_a.along(edgeA), alongB = m_b.along(edgeB);
    return alongA.cross(alongB).norm() > kStraight * alongA.norm() * alongB.norm() &&
           edgeEdgeContact(m_a, edgeA, m_b, edgeB, contact);
  }

  const PolytopeView &m_a, &m_b;
  const PatchScratch& m_scratch;
  FacingFaces m_faces;
  int m_count = 0;
};

}  // namespace touchstone
