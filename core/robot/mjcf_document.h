#pragma once

#include <tinyxml2.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/robot/robot_tree.h"
#include "core/robot/robot_xml.h"

namespace touchstone {

using MjcfElement = tinyxml2::XMLElement;

/// Calls use(child) for the children of an element with a tag.
template <class Use>
void forEachChild(MjcfElement* parent, const char* tag, const Use& use) {
  for (auto* child = parent->FirstChildElement(tag); child; child = child->NextSiblingElement(tag))
    use(child);
}

/// Settings of the element `compiler`.
struct MjcfCompiler {
  double angle = M_PI / 180;  ///< rad per unit of the file: degrees unless it says radian
  std::string eulerSequence = "xyz";
  std::string meshFolder;
  bool stripsPath = false, limitsFollowRange = true;
  enum class Inertia { Auto, Geoms, File } inertia = Inertia::Auto;
  double totalMass = 0;  ///< kg; 0: as it comes
};

/// An MJCF file with its includes in place and its default classes at hand.
class MjcfDocument {
 public:
  /// @param document  that holds `root`; includes and defaults are written into it   @throws SceneError
  MjcfDocument(const XmlView& root, tinyxml2::XMLDocument& document, const RobotMeshes& meshes,
               RobotNotes& notes);

  const MjcfCompiler& compiler() const { return m_compiler; }
  MjcfElement* root() const { return m_document.RootElement(); }
  XmlView view(const MjcfElement* element) const { return m_root.at(*element); }

  /// Writes the attributes of its default class into an element that lacks them.
  /// @param childClass  the class of the bodies around it
  void applyDefaults(MjcfElement* element, const std::string& childClass) const;
  void requireClass(const XmlView& element, const std::string& name) const;

  /// The orientation by quat, axisangle, euler, xyaxes or zaxis; else none.
  Quaternion orientationOf(const XmlView& element) const;
  RobotPose poseOf(const XmlView& element) const {
    return {element.vectorOr("pos", Vec3(0, 0, 0)), orientationOf(element)};
  }

 private:
  void expandIncludes(MjcfElement* element, int depth);
  void insertFile(MjcfElement* include, const std::string& path, int depth);
  void readDefaults(MjcfElement* element, const std::string& parent, bool isTop);
  void readCompiler(const XmlView& compiler);

  using Attributes = std::map<std::string, std::string>;
  XmlView m_root;
  tinyxml2::XMLDocument& m_document;
  const RobotMeshes& m_meshes;
  RobotNotes& m_notes;
  MjcfCompiler m_compiler;
  std::map<std::string, std::map<std::string, Attributes>> m_classes;  ///< by class and tag
  std::vector<std::unique_ptr<std::string>> m_files;                   ///< that elements point to
  std::set<std::string> m_included;
  std::size_t m_bytes = 0, m_defaults = 0;
};

}  // namespace touchstone
