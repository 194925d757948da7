#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/scene/scene.h"

namespace touchstone {

/// A kind of file that a scene is loaded from. A new kind adds a line to the table of sceneReaders().
struct SceneReader {
  const char* kind;                     ///< as messages name it
  std::vector<std::string> extensions;  ///< that files of this kind usually have, lower case, with the dot
  bool (*canRead)(const std::string& text);  ///< whether a text is of this kind
  /// Reads a scene. @param source  the file at `path`   @throws SceneError
  std::shared_ptr<const Scene> (*read)(const std::string& path, SourceFile source);
};

/// All kinds. The content of a file decides which reader takes it, and the first that can read it does.
const std::vector<SceneReader>& sceneReaders();

/// Loads and checks a scene file (JSON, "touchstone": 1; datasets/scene.schema.json), or a robot (URDF, MJCF)
/// by way of importRobot(). The source of a robot is the scene text that was made of it.
/// @throws SceneError with file, field and remedy
std::shared_ptr<const Scene> loadScene(const std::string& path);

/// The scenes below `folder` (each `<name>.json` or `<name>/scene.json`), as paths sorted by name.
std::vector<std::string> findScenes(const std::string& folder);

}  // namespace touchstone
