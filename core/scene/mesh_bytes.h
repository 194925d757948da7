#pragma once

#include <string>

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

/// Checks that what a PLY file announces is there: entries of each element, corners of each face. The library
/// makes room for all of it before it reads on.   @throws SceneError naming the element
void checkPlyCounts(const std::string& bytes, const std::string& file);

}  // namespace touchstone
