#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/geometry/topology.h"
#include "core/robot/robot_import.h"
#include "core/robot/robot_xml.h"

namespace touchstone {

/// Finds and reads the meshes of a robot, in the folders that it may read.
class RobotMeshes {
 public:
  RobotMeshes(const std::string& robotFile, const RobotOptions& options);

  /// The file of a mesh in a URDF: package://name/path, or relative to the robot's file. @throws SceneError
  std::string fileOf(const XmlView& element, const std::string& name) const;
  /// A file of an MJCF model below the robot's folder. @throws SceneError
  std::string fileIn(const XmlView& element, const std::string& folder, const std::string& name) const;

  /// The convex hull of a mesh that fileOf() or fileIn() returned, with the scale of each axis. @throws
  /// SceneError
  const Polytope& hull(const XmlView& element, const std::string& file, const Vec3& scale);
  /// Its path in the scene file.
  std::string nameInScene(const std::string& file) const;

  std::vector<std::string> files() const;    ///< all that were read, relative to the robot's file
  std::vector<std::string> folders() const;  ///< that hold them, beside that of the robot

 private:
  std::string packageFolder(const XmlView& element, const std::string& name) const;
  std::string checked(const XmlView& element, const std::string& path, const std::string& name) const;

  std::string m_folder;                           ///< canonical, of the robot's file
  std::vector<std::string> m_folders;             ///< canonical, further ones
  std::map<std::string, std::string> m_packages;  ///< canonical folders by name
  std::map<std::string, std::vector<Vec3>> m_corners;
  std::map<std::string, Polytope> m_hulls;
  std::set<std::string> m_files;
};

}  // namespace touchstone
