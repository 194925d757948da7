#pragma once

#include <cstddef>

#include "core/geometry/topology.h"

namespace touchstone {

/// What the coordinates of a mesh file are rounded to, per coordinate [unit of the coordinates]: eight steps
/// of single precision at the largest one, which is what programs differ by that compute a corner in two
/// ways; or the last decimal, where all coordinates end at the same one and it is coarser. A decimal above
/// 1e-4 of the size is no rounding but a round number, and does not count.
double precisionOf(const std::vector<Vec3>& vertices);

/// Joins corners of sides that no other triangle shares where their coordinates differ by at most
/// `tolerance`; all others stay apart, so that narrow slits stay open.
/// @return how many corners became another one
std::size_t joinOpenCorners(TriangleMesh& mesh, double tolerance);

/// Takes out the triangles without area, at the poles of spheres for one, and the vertices that no triangle
/// names. Where three corners of one lie on a line, the triangle across its longest side is cut in two at the
/// corner between, so that a closed surface stays closed.
/// @return how many there were
std::size_t dropTrianglesWithoutArea(TriangleMesh& mesh);

}  // namespace touchstone
