#pragma once

#include <array>
#include <string>
#include <vector>

namespace touchstone {

/// The lines of an OBJ file that say where its surface is: corners, and faces by the numbers of their corners
/// only. Numbers of texture coordinates and normals go, for they are used for nothing and often name none.
std::string objGeometry(const std::string& bytes);

/// The document of a glTF file without materials, images, animations and all else that is no surface.
/// @param binary  name of the file that holds the buffer without one: of a binary glTF file; else empty
/// @throws SceneError where its surface cannot be read without an extension
std::string gltfGeometry(const std::string& document, const std::string& file, const std::string& binary);

/// Document and buffer of a binary glTF 2.0 file.   @throws SceneError where its lengths do not fit
struct GlbParts {
  std::string document, buffer;
};
GlbParts partsOfGlb(const std::string& bytes, const std::string& file);

/// What a PLY file holds, text or binary, of either order of bytes.
struct PlyMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::vector<double>> faces;  ///< numbers of vertices, as they are given
};
/// @throws SceneError naming the element
PlyMesh readPly(const std::string& bytes, const std::string& file);

}  // namespace touchstone
