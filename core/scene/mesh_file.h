#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/geometry/topology.h"
#include "core/scene/scene.h"

namespace touchstone {

constexpr std::size_t kMostTriangles = 2'000'000;  ///< of a mesh, and of all bodies of a scene

/// Reads a triangle mesh (OBJ, STL, PLY, glTF), cuts polygons into triangles, and builds its topology.
/// Vertices at exactly the same position become one, numbered by first use; materials, normals and textures
/// are ignored. Files that the mesh refers to are opened only inside the folder of the mesh. Coordinates are
/// read in single precision.
/// @param scale  every coordinate is multiplied by it
/// @param files  out, if given: the mesh file and every further file that holds geometry (glTF buffers)
/// @throws SceneError naming the file and the triangle
TriangleMesh loadMesh(const std::string& path, double scale, std::vector<std::string>* files = nullptr);

}  // namespace touchstone
