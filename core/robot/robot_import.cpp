#include "core/robot/robot_import.h"

#include "core/files/scene_error.h"
#include "core/robot/robot_tree.h"

namespace touchstone {

bool isRobotText(const std::string& text) {
  const std::size_t mark = text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
  const std::size_t first = text.find_first_not_of(" \t\r\n", mark);
  return first != std::string::npos && text[first] == '<';
}

ImportedRobot importRobot(const std::string& path, const RobotOptions& options) {
  if (!(options.density > 0) || !(options.density < 1e9))
    throw SceneError(path, "density", "must be positive, in kg/m³", "give for example 1000, that of water");
  tinyxml2::XMLDocument document;
  const XmlView root = readRobotXml(path, document);
  RobotMeshes meshes(path, options);
  RobotNotes notes;
  if (root.tag() == "robot") return sceneOf(urdfTree(root, options, meshes, notes), options, meshes, notes);
  if (root.tag() == "mujoco")
    return sceneOf(mjcfTree(root, document, options, meshes, notes), options, meshes, notes);
  root.fail("is no robot: the first element must be robot (URDF) or mujoco (MJCF)",
            root.tag() == "sdf" ? "SDF is not read; export a URDF" : "give a URDF or MJCF file");
}

}  // namespace touchstone
