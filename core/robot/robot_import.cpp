#include "core/robot/robot_import.h"

#include <vector>

#include "core/files/scene_error.h"
#include "core/robot/robot_tree.h"

namespace touchstone {

namespace {

RobotTree treeOfUrdf(const XmlView& root, tinyxml2::XMLDocument&, const RobotOptions& options,
                     RobotMeshes& meshes, RobotNotes& notes) {
  return urdfTree(root, options, meshes, notes);
}

/// A format of robot files. A new one adds a line to the table of robotFormats().
struct RobotFormat {
  const char* root;  ///< its first element
  const char* name;  ///< as messages name it
  /// Makes the tree of links. @throws SceneError
  RobotTree (*readTree)(const XmlView& root, tinyxml2::XMLDocument& document, const RobotOptions& options,
                        RobotMeshes& meshes, RobotNotes& notes);
};

const std::vector<RobotFormat>& robotFormats() {
  static const std::vector<RobotFormat> formats = {
      {"robot", "URDF", treeOfUrdf},
      {"mujoco", "MJCF", mjcfTree},
  };
  return formats;
}

[[noreturn]] void refuseFormat(const XmlView& root) {
  std::string elements, names;
  for (const RobotFormat& format : robotFormats()) {
    elements += (elements.empty() ? "" : " or ") + std::string(format.root) + " (" + format.name + ")";
    names += (names.empty() ? "" : " or ") + std::string(format.name);
  }
  root.fail("is no robot: the first element must be " + elements,
            root.tag() == "sdf" ? "SDF is not read; export a URDF" : "give a " + names + " file");
}

}  // namespace

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
  for (const RobotFormat& format : robotFormats())
    if (root.tag() == format.root)
      return sceneOf(format.readTree(root, document, options, meshes, notes), options, meshes, notes);
  refuseFormat(root);
}

}  // namespace touchstone
