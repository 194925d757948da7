#pragma once

#include <vector>

#include "core/math/vec.h"

namespace touchstone {

/// Two unit vectors that make a right-handed frame with a unit normal.
struct Tangents {
  Vec3 first, second;
};
Tangents tangentsOf(const Vec3& normal);

/// Corners of where two sets of points, seen along a normal, cover each other: the intersection of their
/// convex hulls, at the height of the first set. Either may be a point or a line. If one set is empty, the
/// hull of the other; if they do not meet, the middle between their means.
std::vector<Vec3> commonArea(const std::vector<Vec3>& a, const std::vector<Vec3>& b, const Vec3& normal);

/// Distance [m] of a point from the convex hull of others, seen along a normal; 0 within.
double distanceFromHull(const Vec3& point, const std::vector<Vec3>& others, const Vec3& normal);

}  // namespace touchstone
