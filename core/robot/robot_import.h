#pragma once

#include <map>
#include <string>
#include <vector>

namespace touchstone {

/// Choices for the scene that a robot becomes.
struct RobotOptions {
  double density = 1000;  ///< of collision solids whose file gives no mass [kg/m³]
  /// Folders of packages by name, for package://name/path.
  std::map<std::string, std::string> packages;
  bool keepFixed = false;  ///< fixed joints hold six rows; else their bodies are one
  /// Motion of the root. File: that of a URDF is fixed to the world, that of an MJCF file moves if it has
  /// a free joint.
  enum class Base { File, Fixed, Free } base = Base::File;
  bool ground = false;  ///< adds a plane below the robot
  /// Drives that hold the joints where they start [N·m/rad, N·m·s/rad; N/m, N·s/m], up to the effort of the
  /// joint; 0: none. They add to springs and dampers of the file.
  double stiffness = 0, damping = 0;
  std::string keyframe;  ///< MJCF: name of the key whose pose is the start; empty: the pose of the file
};

/// A robot as a scene.
struct ImportedRobot {
  std::string scene;                ///< text of a scene file (JSON); its `notes` hold the notes as well
  std::vector<std::string> notes;   ///< what was done to which element of which file, one line each
  std::vector<std::string> meshes;  ///< mesh files that the scene names, relative to the robot's file
  std::vector<std::string>
      meshFolders;  ///< canonical folders outside that of the robot's file that hold them
};

/// True for the text of an XML file, which is no scene file but may be a robot.
bool isRobotText(const std::string& text);

/// Makes a scene file of a robot: URDF (root element `robot`) or the common part of MJCF (`mujoco`). The z
/// axis of the file becomes the y axis of the world. Mesh files are read from the folder of the robot's file,
/// its package and the folders of `options.packages` only.
/// @throws SceneError with file, element and remedy
ImportedRobot importRobot(const std::string& path, const RobotOptions& options = {});

}  // namespace touchstone
