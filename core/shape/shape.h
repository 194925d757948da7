#pragma once

#include <optional>
#include <vector>

#include "core/geometry/topology.h"
#include "core/math/vec.h"

namespace touchstone {

/// The round primitive that a convex piece stands for. Contact methods and Referee take the polyhedron;
/// other engines, and files for them, the primitive. Body frame.
struct RoundPiece {
  enum class Kind { Sphere, Capsule, Cylinder };
  Kind kind = Kind::Sphere;
  double radius = 0;           ///< m
  double length = 0;           ///< Capsule: between the centres of its ends; Cylinder: its height [m]
  Vec3 centre = Vec3::Zero();  ///< m
  Vec3 axis = Vec3(0, 1, 0);   ///< unit
};

/// Geometry of a body in its body frame (origin at the centre of mass; for static bodies at the file's
/// origin).
struct Shape {
  enum class Kind { Plane, Mesh, Convex };
  Kind kind = Kind::Convex;
  Vec3 planeNormal = Vec3(0, 1, 0);  ///< Plane: outward; the plane passes through the body's position
  /// Closed surfaces that penalty methods collide: one for a mesh, one per piece for a union; none for a
  /// plane.
  std::vector<TriangleMesh> surfaces;
  /// Convex pieces that complementarity methods and exact overlap need. For Convex, pieces[i] has the
  /// vertices of surfaces[i] in the same order. Empty for a mesh that is not convex and ships no pieces.
  std::vector<Polytope> pieces;
  /// [pieces] the primitives that pieces were made of, or none at all.
  std::vector<std::optional<RoundPiece>> rounds;
  double radius = 0;  ///< largest distance of a vertex from the origin of the body frame [m]; 0 for a plane
};

/// The primitive that a piece of a shape was made of, or none.
inline std::optional<RoundPiece> roundOf(const Shape& shape, std::size_t piece) {
  return piece < shape.rounds.size() ? shape.rounds[piece] : std::nullopt;
}

}  // namespace touchstone
