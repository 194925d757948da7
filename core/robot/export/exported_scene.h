#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

/// A scene as other engines can take it: free and static rigid bodies with boxes, convex meshes and planes.
/// A body's frame has the axes of its shape and its origin at the centre of mass (static bodies: at the
/// origin of the shape), as in Body. World frame, SI units, y up.
struct ExportedSolid {
  enum class Kind { Plane, Box, Round, Mesh };
  Kind kind = Kind::Mesh;
  Vec3 normal = Vec3(0, 1, 0);                            ///< Plane: outward, unit, body frame
  Vec3 centre = Vec3(0, 0, 0), halfSize = Vec3(0, 0, 0);  ///< Box: along the body's axes [m]
  RoundPiece round;                                       ///< Round: body frame
  const Polytope* piece = nullptr;                        ///< Mesh: its hull, body frame
};

/// Solids of a body. A piece whose corners are those of a box along the body's axes, up to rounding of 1e-12
/// of its size, is a Box; one that was made of a sphere, capsule or cylinder is Round; any other piece is a
/// Mesh.
std::vector<ExportedSolid> exportedSolids(const Body& body);

/// Refuses what another engine would get wrong in silence: polygons, meshes without convex pieces, bodies
/// that begin later, that deform, or that joints hold.
/// @throws SceneError with file, field and remedy
void requireExportable(const Scene& scene);

/// One sentence for each thing that the scene says and the exported files do not: restitution, and the static
/// friction of materials in which it differs from the dynamic one, which is written.
std::vector<std::string> exportWarnings(const Scene& scene);

/// Coulomb coefficient of a pair that slides: √(μ_A μ_B).
double exportedFriction(const Scene& scene, const Body& a, const Body& b);

/// Numbers with one blank between them, each the shortest text that reads back to the same double.
std::string spaced(const Vec3& v);
std::string spaced(const Quaternion& q);  ///< w x y z

}  // namespace touchstone
