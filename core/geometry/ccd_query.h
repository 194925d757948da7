#pragma once

#include "core/geometry/feature_pair.h"
#include "core/math/vec.h"

namespace touchstone {

/// Do a vertex and a triangle, or two edges, touch while their vertices move on straight lines from t = 0 to
/// t = 1? Vertex–face: rows v, f0, f1, f2; edge–edge: a0, a1, b0, b1 [m].
struct CcdQuery {
  FeaturePairKind kind = FeaturePairKind::VertexFace;
  Vec3 start[4], end[4];
};

/// Conservative answer: never false for features that touch, also if they stay in one plane throughout, touch
/// at t = 0 or t = 1 exactly, are degenerate or do not move at all. May be true for features that pass at
/// less than about 1e-7 of the query's size, and for hopelessly grazing ones.
///
/// 1. A box test of the swept features, and the coplanarity cubic in Bernstein form: all coefficients of one
/// sign by more
///    than their rounding error exclude contact.
/// 2. A root of the cubic with its closest points inside the features proves it.
/// 3. What is left is decided by subdivision of (t, u, v) in F(t, u, v) = p − (a + u (b − a) + v (c − a)), or
/// the
///    difference of the points on both edges: F is linear in each variable, so that the box of its eight
///    corner values contains all values, and 0 outside that box excludes contact (Snyder 1992; Redon et al.
///    2002). Boxes that come down to the tolerance, or are too many, count as contact.
bool mayTouch(const CcdQuery& query);

}  // namespace touchstone
