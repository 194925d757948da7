#pragma once

#include <string>
#include <vector>

#include "core/math/vec.h"

namespace touchstone {

class PolygonCollector;

/// A kind of mesh file. A new kind is one file with its entry, and one line in the table of meshReaders().
struct MeshReader {
  const char* format;                   ///< as messages name it
  std::vector<std::string> extensions;  ///< that files of this kind have, lower case, with the dot
  /// True if bytes are surely of this kind. Decides about files whose extension no reader has.
  bool (*canRead)(const std::string& bytes);
  /// Reads all polygons; null if the kind is read for convex hulls only.
  /// @param path   of the file, in messages and for files that it names
  /// @param files  out: canonical names of further files with geometry, appended   @throws SceneError
  void (*readPolygons)(const std::string& bytes, const std::string& path, PolygonCollector& polygons,
                       std::vector<std::string>& files);
  /// Reads all corners of a kind without `readPolygons`; else null. @throws SceneError
  std::vector<Vec3> (*readCorners)(const std::string& bytes, const std::string& path);
};

/// All kinds. The extension of a file decides which reader takes it, or else its content.
const std::vector<MeshReader>& meshReaders();

/// Purpose of a mesh: a surface needs its polygons, a convex hull only corners.
enum class MeshPurpose { Surface, Hull };

/// The reader of a file: the first with its extension or, if no reader has it, the first whose canRead()
/// accepts its bytes. @throws SceneError with the formats that are read for this purpose
const MeshReader& meshReaderOf(const std::string& path, const std::string& bytes, MeshPurpose purpose);

/// @name The entries, each in the file of its kind.
///@{
MeshReader objReader();
MeshReader stlReader();
MeshReader plyReader();
MeshReader gltfReader();
MeshReader glbReader();
MeshReader colladaReader();
///@}

constexpr char kExportRemedy[] = "export it again, for example as OBJ";

}  // namespace touchstone
