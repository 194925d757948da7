#pragma once

#include <cstddef>

#include "core/geometry/topology.h"

namespace touchstone {

/// Rounding of the coordinates of a mesh file, per coordinate [unit of the coordinates]. It is eight steps of
/// single precision at the largest coordinate, which is the difference between two ways to compute a corner.
/// If all coordinates end at the same decimal, and that decimal is coarser, it is that decimal. A decimal
/// above 1e-4 of the size does not count: the coordinates are then round numbers, not rounded ones.
double precisionOf(const std::vector<Vec3>& vertices);

/// Joins corners of open sides (sides of a single triangle) whose coordinates differ by at most `tolerance`.
/// All other corners stay separate, so that narrow slits stay open.
/// @return number of corners that were replaced by another one
std::size_t joinOpenCorners(TriangleMesh& mesh, double tolerance);

/// Removes triangles without area, for example at the poles of spheres, and unused vertices. If three corners
/// of such a triangle lie on a line, the triangle across its longest side is cut in two at the middle corner,
/// so that a closed surface stays closed.
/// @return number of removed triangles
std::size_t dropTrianglesWithoutArea(TriangleMesh& mesh);

}  // namespace touchstone
