#pragma once

#include <array>
#include <vector>

#include "core/geometry/clipped_solid.h"
#include "core/geometry/separation.h"
#include "core/math/quaternion.h"

namespace touchstone {

/// A polytope at a pose: world-frame vertices and faces, edges as in the Polytope.
struct PlacedPolytope {
  const Polytope* polytope = nullptr;
  std::vector<Vec3> vertices;   ///< [vertexCount] m
  std::vector<Vec3> normals;    ///< [faceCount] outward
  std::vector<double> offsets;  ///< [faceCount] normal · x = offset [m]
  operator PolytopeView() const;
};
PlacedPolytope placed(const Polytope& polytope, const Vec3& position, const Quaternion& orientation);

/// separation() with scratch memory of its own.
double separation(const PolytopeView& a, const PolytopeView& b, Vec3* normal = nullptr,
                  SeparatingFeature* feature = nullptr);

/// Intersection of two solids as a closed surface; of two polygons as a prism whose section is their common
/// area.
struct Intersection {
  double volume = 0;  ///< m³; of polygons their area [m²]
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
};
/// The surface of a clipped solid; of a polygon (thickness > 0) a prism just thicker than the bodies.
/// @param size  result of sizeOf()
Intersection shownSolid(const PolygonList& solid, double size, double thickness);

}  // namespace touchstone
