#include "core/robot/scene_readers.h"

#include <algorithm>
#include <filesystem>

#include "core/robot/robot_import.h"
#include "core/scene/scene_file.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Scene> sceneOfRobot(const std::string& path, SourceFile source) {
  const ImportedRobot robot = importRobot(path);
  source.bytes = std::make_shared<const std::string>(robot.scene);
  source.hash = hashOf(robot.scene);
  return readScene(path, source, robot.meshFolders);
}

std::shared_ptr<const Scene> sceneOfJson(const std::string& path, SourceFile source) {
  return readScene(path, source);
}

/// The parser of JSON explains what is wrong with any text that no other reader takes.
bool anyText(const std::string&) { return true; }

}  // namespace

const std::vector<SceneReader>& sceneReaders() {
  static const std::vector<SceneReader> readers = {
      {"robot (URDF, MJCF)", {".urdf", ".xml", ".mjcf"}, isRobotText, sceneOfRobot},
      {"scene (JSON)", {".json"}, anyText, sceneOfJson},
  };
  return readers;
}

std::shared_ptr<const Scene> loadScene(const std::string& path) {
  SourceFile source = readSource(path, "give the path of a scene file");
  const std::vector<SceneReader>& readers = sceneReaders();
  const auto reader = std::find_if(readers.begin(), readers.end(), [&](const SceneReader& candidate) {
    return candidate.canRead(*source.bytes);
  });
  return reader->read(path, std::move(source));  // the last one takes any text
}

std::vector<std::string> findScenes(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && entry.path().extension() == ".json")
      paths.push_back(entry.path().string());
    const fs::path inside = entry.path() / "scene.json";
    if (fs::is_regular_file(inside, error)) paths.push_back(inside.string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace touchstone
