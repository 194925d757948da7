#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/math/vec.h"

namespace touchstone {

/// The lines of an OBJ file that describe its surface: corners, and faces with the numbers of their corners
/// only. The numbers of texture coordinates and normals are removed; they are not used and often invalid.
std::string objGeometry(const std::string& bytes);

/// The document of a glTF file without materials, images, animations and everything else that is not part of
/// the surface.
/// @param binary  name of the file that holds the buffer without a URI, for a binary glTF file; else empty
/// @throws SceneError if its surface cannot be read without an extension
std::string gltfGeometry(const std::string& document, const std::string& file, const std::string& binary);

/// Document and buffer of a binary glTF 2.0 file.   @throws SceneError if its lengths are inconsistent
struct GlbParts {
  std::string document, buffer;
};
GlbParts partsOfGlb(const std::string& bytes, const std::string& file);

/// Content of a PLY file, text or binary, in either byte order.
struct PlyMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::vector<double>> faces;  ///< vertex numbers as the file gives them
};
/// @throws SceneError naming the element
PlyMesh readPly(const std::string& bytes, const std::string& file);

/// The corners of all surfaces in the scene of a Collada file [m], with its unit of length and the places of
/// its nodes; its upward axis is ignored. The library's reader of this format crashes on malformed files.
/// @throws SceneError
std::vector<Vec3> cornersOfCollada(const std::string& bytes, const std::string& path);

}  // namespace touchstone
