#include "core/shape/mesh_readers.h"

#include <algorithm>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

bool serves(const MeshReader& reader, MeshPurpose purpose) {
  return reader.readPolygons || purpose == MeshPurpose::Hull;
}

bool hasExtension(const MeshReader& reader, const std::string& extension) {
  return std::find(reader.extensions.begin(), reader.extensions.end(), extension) != reader.extensions.end();
}

/// The formats for a purpose, such as: OBJ, STL or PLY (.obj, .stl, .ply).
std::string formatsFor(MeshPurpose purpose) {
  std::vector<std::string> formats;
  std::string list, extensions;
  for (const MeshReader& reader : meshReaders()) {
    if (!serves(reader, purpose)) continue;
    // Text and binary form of a format have a reader each.
    if (std::find(formats.begin(), formats.end(), reader.format) == formats.end())
      formats.push_back(reader.format);
    for (const std::string& extension : reader.extensions)
      extensions += (extensions.empty() ? "" : ", ") + extension;
  }
  for (std::size_t index = 0; index < formats.size(); ++index)
    list += (index == 0 ? "" : index + 1 == formats.size() ? " or " : ", ") + formats[index];
  return list + " (" + extensions + ")";
}

}  // namespace

const std::vector<MeshReader>& meshReaders() {
  static const std::vector<MeshReader> readers = {
      objReader(), stlReader(), plyReader(), gltfReader(), glbReader(), colladaReader(),
  };
  return readers;
}

const MeshReader& meshReaderOf(const std::string& path, const std::string& bytes, MeshPurpose purpose) {
  const std::vector<MeshReader>& readers = meshReaders();
  const std::string extension = lowerExtensionOf(path);
  auto reader = std::find_if(readers.begin(), readers.end(),
                             [&](const MeshReader& candidate) { return hasExtension(candidate, extension); });
  if (reader == readers.end())
    reader = std::find_if(readers.begin(), readers.end(),
                          [&](const MeshReader& candidate) { return candidate.canRead(bytes); });
  if (reader == readers.end() || !serves(*reader, purpose))
    throw SceneError(path, "", "has an unknown mesh format", "use " + formatsFor(purpose));
  return *reader;
}

}  // namespace touchstone
