#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/files/json_view.h"
#include "core/geometry/mass_properties.h"
#include "core/shape/shape.h"

namespace touchstone {

/// A shape in the coordinates of its own origin, before it is moved to the centre of mass.
struct LoadedShape {
  Shape shape;
  MassProperties solid;  ///< density 1 kg/m³ (polygons: 1 kg/m²); overlapping pieces count twice
  bool overlappingPieces = false;
  std::string description;  ///< of a mesh: size, volume and repairs; else empty
};

/// Folders where the mesh files of a scene may lie, and the files that were read.
struct MeshPlaces {
  SourceFiles& sources;                     ///< out: mesh files are added
  const std::vector<std::string>& further;  ///< canonical folders beside that of the scene and the datasets
};

/// The path of a mesh file that the scene may read. @param file  its name in the scene   @throws SceneError
std::filesystem::path meshPathOf(const JsonView& file, const MeshPlaces& places);

/// Adds mesh files to the sources of the scene. @param json  of the scene
void addSources(const std::vector<std::string>& files, const JsonView& json, const MeshPlaces& places);

/// Reads the `shape` field of a body. @throws SceneError
LoadedShape readShape(const JsonView& json, const MeshPlaces& places);

/// The convex hull of a mesh's corners, for bodies that collide as one piece. A hull of more than 642 corners
/// is replaced by that of its furthest corners along 642 directions.
/// @return empty, or why there is no hull
std::string hullOfCorners(std::vector<Vec3> corners, Polytope& hull);

/// Moves the origin of the body frame to `centre`.
void recentre(Shape& shape, const Vec3& centre);

}  // namespace touchstone
