#pragma once

#include <vector>

#include "core/geometry/feature_pair.h"

namespace touchstone {

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

/// What broad phase must deliver for a method.
struct CandidateNeeds {
  bool features = false;        ///< Candidates::features and vertexSurface
  FeatureNeeds kinds;           ///< of them
  std::vector<double> margins;  ///< [replicaCount] boxes of a pair that are closer than this overlap [m]
};

}  // namespace touchstone
