#pragma once

#include <vector>

#include "core/geometry/feature_pair.h"

namespace touchstone {

/// Two convex pieces (ids of PieceTable; the body of a has the lower index), or a piece a and a plane body
/// (pieceB = −1).
struct PiecePair {
  int pieceA, pieceB;
  int planeBody = -1;
  /// The order in which the broad phase lists pairs: pairs of pieces first, then those with planes.
  TS_HD bool operator<(const PiecePair& o) const {
    const bool isPlane = planeBody >= 0, isOtherPlane = o.planeBody >= 0;
    if (isPlane != isOtherPlane) return isOtherPlane;
    if (pieceA != o.pieceA) return pieceA < o.pieceA;
    return isPlane ? planeBody < o.planeBody : pieceB < o.pieceB;
  }
};

/// The kinds of feature pairs that a penalty method needs, besides those with planes.
struct FeatureNeeds {
  bool triangles = true;      ///< vertices against triangles
  bool openSurfaces = false;  ///< Candidates::vertexSurface holds open surfaces too
  bool surfaces = true;       ///< pairs of any two surfaces
  bool self = false;          ///< pairs of one surface, of bodies that touch themselves
  bool convexPairs = true;    ///< pairs of surfaces of two bodies that also have convex pieces
};

/// Result of the broad phase. It is sorted, so that later code runs in the same order on any number of
/// threads.
struct Candidates {
  std::vector<FeaturePair> features;       ///< boxes of features, swept from start to predicted pose, overlap
  std::vector<FeaturePair> vertexSurface;  ///< VertexFace kind with b = surface id: the swept box of vertex a
                                           ///< overlaps that of a closed surface
};

/// Candidates that the broad phase must deliver for a method.
struct CandidateNeeds {
  bool features = false;        ///< Candidates::features and vertexSurface
  FeatureNeeds kinds;           ///< the kinds of pairs among them
  std::vector<double> margins;  ///< [replicaCount] boxes closer than this count as overlapping [m]
};

}  // namespace touchstone
