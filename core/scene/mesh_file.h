#pragma once

#include <string>

#include "core/geometry/topology.h"

namespace touchstone {

/// Reads a triangle mesh (OBJ, STL, PLY, glTF), joins equal vertices, triangulates polygons, and builds its
/// topology.
/// @param scale  every coordinate is multiplied by it
/// @throws SceneError naming the file and the triangle
TriangleMesh loadMesh(const std::string& path, double scale);

/// FNV-1a hash of a file's bytes as 16 hexadecimal digits. @throws SceneError if it cannot be read
std::string fileHash(const std::string& path);

/// Whole contents of a file of at most 64 MiB. @throws SceneError
std::string readFile(const std::string& path, const char* remedy);

}  // namespace touchstone
