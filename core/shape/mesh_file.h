#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/geometry/topology.h"

namespace touchstone {

/// Largest number of triangles of a mesh, and of all bodies of a scene. A larger value accepts meshes that
/// need too much memory and time; a smaller one refuses usable ones.
constexpr std::size_t kMostTriangles = 2'000'000;

/// A surface as read from its file, and the repairs that were made.
struct MeshFile {
  TriangleMesh mesh;
  std::vector<std::string> files;  ///< the mesh file and every further one that holds geometry
  double precision = 0;            ///< rounding of a coordinate [m], see precisionOf()
  std::size_t triangles = 0;       ///< number of triangles in the file
  std::size_t withoutArea = 0;     ///< number of them without area: left out
  std::size_t joined = 0;          ///< corners that differed from others by at most the precision
};

/// Reads a triangle mesh of a kind in meshReaders() (OBJ, STL, PLY, glTF), cuts polygons into triangles,
/// leaves out triangles without area, and builds its topology. Vertices at exactly the same position become
/// one, numbered by first use. If the surface is open, and joining the corners of open sides at the precision
/// of the file closes it, they are joined. Materials, normals and textures are ignored. Files that the mesh
/// refers to are opened only inside the folder of the mesh. Coordinates are read in single precision.
/// @param scale  every coordinate is multiplied by it
/// @throws SceneError with the file and the triangle
MeshFile loadMesh(const std::string& path, double scale);

/// The corners of a mesh file of these formats, or Collada (.dae): of a surface that need not be a manifold,
/// for its convex hull. Collada's unit of length is applied and its upward axis ignored, as in robot
/// descriptions.
/// @param files  out: the mesh file and every further one that holds geometry, appended
/// @throws SceneError
std::vector<Vec3> loadMeshCorners(const std::string& path, std::vector<std::string>& files);

}  // namespace touchstone
