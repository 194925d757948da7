#pragma once

#include <map>
#include <string>

#include "core/files/json_view.h"
#include "core/geometry/mass_properties.h"
#include "core/scene/scene.h"

namespace touchstone {

/// A shape in the coordinates of its own origin, before it is moved to the centre of mass.
struct LoadedShape {
  Shape shape;
  MassProperties solid;  ///< density 1 kg/m³ (polygons: 1 kg/m²); overlapping pieces count twice
  bool overlappingPieces = false;
  std::string description;  ///< of a mesh: size, volume and repairs; else empty
};

/// Reads the `shape` field of a body. Mesh files are added to `sources`.
/// @throws SceneError
LoadedShape readShape(const JsonView& json, SourceFiles& sources);

/// Moves the origin of the body frame to `centre`.
void recentre(Shape& shape, const Vec3& centre);

}  // namespace touchstone
