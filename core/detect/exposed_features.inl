#pragma once

#include "core/geometry/polytope_features.h"
#include "core/world/exposure.h"
#include "core/world/placed_pieces.inl"

namespace touchstone {

/// Tells which parts of a piece's surface its neighbours cover. A union of pieces, or of static bodies that
/// are flush, acts as one body: a corner or a wall inside it makes no contact.
struct ExposedFeatures {
  WorldView world;
  PiecesView pieces;

  TS_HD bool hasNeighbours(int piece) const { return pieces.neighbours[piece].size() > 0; }

  /// True if a neighbour covers the face near `point`, which is on the face's plane.
  TS_HD bool isCovered(int piece, int face, const Vec3& point) const {
    const PolytopeView polytope = pieces[piece];
    const IndexRange loop = polytope.faceVertices[face];
    Vec3 middle(0, 0, 0);
    for (int vertex : loop) middle += polytope.vertices[vertex];
    const Vec3 inwards = middle / static_cast<double>(loop.size()) - point;
    const double away = inwards.norm(), step = kBesideFeature * pieces.length;
    const Vec3 probe = point + (away > step ? step / away : 1) * inwards +
                       0.5 * kFlush * pieces.length * polytope.normals[face];
    for (int neighbour : pieces.neighbours[piece])
      if (world.active[pieces.body[neighbour]] && isInside(pieces[neighbour], probe)) return true;
    return false;
  }

  /// True if the surface around a vertex can push along a direction. If all faces of the vertex are exposed,
  /// it can. Otherwise the direction must lie in the cone of the normals of the exposed faces, or close to
  /// it.
  TS_HD bool vertexPushes(int piece, int vertex, const Vec3& direction) const {
    if (!hasNeighbours(piece)) return true;
    const PolytopeView polytope = pieces[piece];
    return pushes(piece, polytope.vertexFaces[vertex], polytope.vertices[vertex], direction);
  }
  TS_HD bool edgePushes(int piece, int edge, const Vec3& point, const Vec3& direction) const {
    if (!hasNeighbours(piece)) return true;
    const Polytope::Edge& polytopeEdge = pieces[piece].edges[edge];
    const int faces[2] = {polytopeEdge.left, polytopeEdge.right};
    return pushes(piece, {faces, faces + 2}, point, direction);
  }
  TS_HD bool facePushes(int piece, int face, const Vec3& point) const {
    return !hasNeighbours(piece) || !isCovered(piece, face, point);
  }

 private:
  // Sine of the largest angle to the cone. With a larger value contacts push along walls that do not exist;
  // with a smaller one valid contacts at the rim of an exposed part are lost.
  static constexpr double kLean = 0.2;

  TS_HD static bool isInside(const PolytopeView& piece, const Vec3& point) {
    for (int face = 0; face < piece.faceCount; ++face)
      if (piece.normals[face].dot(point) > piece.offsets[face]) return false;
    return true;
  }

  /// Projects the direction onto the cone of the exposed normals, by projected Gauss–Seidel on their
  /// coefficients, and tests the remainder.
  TS_HD bool pushes(int piece, const IndexRange& faces, const Vec3& point, const Vec3& direction) const {
    // kMost: faces of a vertex beyond it are ignored, and their pushes are lost; a larger value takes more
    // memory per thread. kSweeps: fewer leave the projection unconverged and lose contacts; more cost time.
    constexpr int kMost = 32, kSweeps = 16;
    const PolytopeView polytope = pieces[piece];
    int exposed[kMost], count = 0;
    bool isWhole = true;
    for (int face : faces) {
      if (isCovered(piece, face, point))
        isWhole = false;
      else if (count < kMost)
        exposed[count++] = face;
    }
    if (isWhole) return true;
    double shares[kMost] = {};
    Vec3 remainder = direction;
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (int k = 0; k < count; ++k) {
        const Vec3& normal = polytope.normals[exposed[k]];
        const double step = remainder.dot(normal), share = shares[k] + step > 0 ? shares[k] + step : 0;
        remainder -= (share - shares[k]) * normal;
        shares[k] = share;
      }
    return remainder.norm() <= kLean;
  }
};

/// Exposure of a contact of a face and a vertex, or of two edges: true if it lies on exposed surface of both
/// pieces.
/// @param normal  unit, from piece A into piece B
TS_HD inline bool isExposed(const ExposedFeatures& exposed, int pieceA, int pieceB,
                            const PieceContact& contact) {
  const Vec3 outOfB = -contact.normal;
  if (contact.kind == FeaturePairKind::EdgeEdge)
    return exposed.edgePushes(pieceA, contact.featureA, contact.pointA, contact.normal) &&
           exposed.edgePushes(pieceB, contact.featureB, contact.pointB, outOfB);
  if (contact.vertexOnA)
    return exposed.vertexPushes(pieceA, contact.featureA, contact.normal) &&
           exposed.facePushes(pieceB, contact.featureB, contact.pointB);
  return exposed.facePushes(pieceA, contact.featureA, contact.pointA) &&
         exposed.vertexPushes(pieceB, contact.featureB, outOfB);
}

}  // namespace touchstone
