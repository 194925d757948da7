#pragma once

#include <array>
#include <vector>

#include "core/geometry/topology.h"
#include "core/math/quaternion.h"

namespace touchstone {

/// A polytope at a pose: world-frame vertices and faces, edges as in the Polytope.
struct PlacedPolytope {
  const Polytope* polytope = nullptr;
  std::vector<Vec3> vertices;   ///< [vertexCount] m
  std::vector<Vec3> normals;    ///< [faceCount] outward
  std::vector<double> offsets;  ///< [faceCount] normal · x = offset [m]
};
PlacedPolytope placed(const Polytope& polytope, const Vec3& position, const Quaternion& orientation);

/// A feature of two pieces whose plane may separate them: a face of either, or a pair of edges.
struct SeparatingFeature {
  enum class Kind { FaceOfA, FaceOfB, Edges };
  Kind kind = Kind::FaceOfA;
  int a = -1;  ///< face or edge of A
  int b = -1;  ///< face or edge of B
  bool operator==(const SeparatingFeature& o) const { return kind == o.kind && a == o.a && b == o.b; }
};

/// Unit axis of a pair of edges, out of a. @return false if they are parallel
bool edgePairAxis(const PlacedPolytope& a, int edgeA, const PlacedPolytope& b, int edgeB, Vec3& axis);

/// Gap between both pieces along the normal of one feature, over all their vertices [m]; −∞ for parallel
/// edges.
double gapAlong(const SeparatingFeature& feature, const PlacedPolytope& a, const PlacedPolytope& b);

/// Largest separating gap over the face normals of both and the cross products of their edges
/// (separating-axis theorem): positive when apart (a lower bound of the distance), minus the penetration
/// depth when they overlap [m].
/// @param normal  out: the axis of that gap, from a into b   @param feature  out: whose axis that is; a face
/// where the pieces are apart
double separation(const PlacedPolytope& a, const PlacedPolytope& b, Vec3* normal = nullptr,
                  SeparatingFeature* feature = nullptr);

/// Intersection of two solids as a closed surface; of two polygons as a prism that shows their area.
struct Intersection {
  double volume = 0;  ///< m³; of polygons their area [m²]
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
};
/// Exact intersection of two convex polytopes: a clipped by the half-spaces of b; volume by the divergence
/// theorem from an interior point, area by the shoelace formula.
Intersection intersection(const PlacedPolytope& a, const PlacedPolytope& b);
/// Part of a polytope below the plane normal · x = offset.
Intersection partBelow(const PlacedPolytope& a, const Vec3& normal, double offset);

}  // namespace touchstone
