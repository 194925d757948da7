#pragma once

#include <string>

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

}  // namespace touchstone
