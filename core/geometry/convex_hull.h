#pragma once

#include <string>
#include <vector>

#include "core/geometry/topology.h"

namespace touchstone {

/// Convex hull of points as a polytope with polygonal faces. Vertices keep the order of the points. Facets
/// are merged, and points on faces and edges left out, within rounding to single precision: points that a
/// file gave with 32 bits, turned and shifted, keep the faces of their solid. No point is farther outside
/// than 4 · 2⁻²⁴ of the longest side of a box around all. What would make no flat, convex face stays in
/// triangles.
/// @return empty, or why there is no hull (fewer than four points, all in one plane up to such rounding, not
/// finite)
std::string convexHull(const std::vector<Vec3>& points, Polytope& hull);

}  // namespace touchstone
