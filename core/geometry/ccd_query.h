#pragma once

#include "core/geometry/feature_pair.h"
#include "core/math/vec.h"

namespace touchstone {

/// Asks whether a vertex and a triangle, or two edges, touch while their vertices move on straight lines from
/// t = 0 to t = 1. Rows for vertex–face: v, f0, f1, f2; for edge–edge: a0, a1, b0, b1 [m].
struct CcdQuery {
  FeaturePairKind kind = FeaturePairKind::VertexFace;
  Vec3 start[4], end[4];
};

/// Conservative answer. It is never false for features that touch, including features that stay in one plane,
/// touch exactly at t = 0 or t = 1, are degenerate or do not move. It may be true for features that pass at
/// less than about 1e-7 of the query's size, and for nearly grazing ones.
///
/// 1. A box test of the swept features excludes contact, without rounding. So does the coplanarity cubic in
/// Bernstein form, if all coefficients have one sign and exceed their rounding error.
/// 2. A root of the cubic whose closest points lie inside the features proves contact.
/// 3. Subdivision of (t, u, v) decides the rest, with F(t, u, v) = p − (a + u (b − a) + v (c − a)), or the
/// difference of the points on both edges. F is linear in each variable, so that the box of its eight corner
/// values contains all values; if 0 lies outside that box, there is no contact (Snyder 1992; Redon et al.
/// 2002). Boxes that reach the tolerance count as contact, and so does a query with too many boxes.
bool mayTouch(const CcdQuery& query);

}  // namespace touchstone
