#pragma once

#include <string>
#include <vector>

#include "core/math/vec.h"

namespace touchstone {

/// Corners of convex primitives, centred on the origin [m]; the body is their hull.
std::vector<Vec3> boxPoints(const Vec3& size);
/// Regular n-gon prism along y.
std::vector<Vec3> cylinderPoints(double radius, double height, int segments);
/// Such a sphere, cut in two and its halves moved apart along y: `length` lies between their centres.
std::vector<Vec3> capsulePoints(double radius, double length, int levels);
/// Icosahedron subdivided `levels` times, every vertex on the sphere: 12, 42, 162, 642 vertices.
std::vector<Vec3> spherePoints(double radius, int levels);
/// tetrahedron, cube, octahedron, dodecahedron or icosahedron with the given circumradius; empty for any
/// other name.
std::vector<Vec3> platonicPoints(const std::string& name, double radius);

}  // namespace touchstone
