#pragma once

#include <string>
#include <vector>

#include "core/geometry/topology.h"

namespace touchstone {

/// Convex hull of points as a polytope with polygonal faces; coplanar facets are merged. Vertices keep the
/// order of the points; points inside the hull or within rounding of a face are left out.
/// @return empty, or why there is no hull (fewer than four points, all in one plane, not finite)
std::string convexHull(const std::vector<Vec3>& points, Polytope& hull);

}  // namespace touchstone
