#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/geometry/topology.h"
#include "core/scene/scene.h"

namespace touchstone {

constexpr std::size_t kMostTriangles = 2'000'000;  ///< of a mesh, and of all bodies of a scene

/// A surface as its file has it, and what was done to it.
struct MeshFile {
  TriangleMesh mesh;
  std::vector<std::string> files;  ///< the mesh file and every further one that holds geometry
  double precision = 0;            ///< of a coordinate [m], see precisionOf()
  std::size_t triangles = 0;       ///< of the file
  std::size_t withoutArea = 0;     ///< of them: left out
  std::size_t joined = 0;          ///< corners that differed from others by no more than the precision
};

/// Reads a triangle mesh (OBJ, STL, PLY, glTF), cuts polygons into triangles, leaves out triangles without
/// area, and builds its topology. Vertices at exactly the same position become one, numbered by first use;
/// where the surface is open then, and closed once corners of open sides are joined at the precision of the
/// file, they are joined. Materials, normals and textures are ignored. Files that the mesh refers to are
/// opened only inside the folder of the mesh. Coordinates are read in single precision.
/// @param scale  every coordinate is multiplied by it
/// @throws SceneError naming the file and the triangle
MeshFile loadMesh(const std::string& path, double scale);

}  // namespace touchstone
