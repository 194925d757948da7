#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/robot/mjcf_document.h"

namespace touchstone {

/// Place of the coordinates of a joint in the qpos of a key.
struct MjcfKeyPlace {
  int link;           ///< that the joint holds
  std::size_t first;  ///< index in qpos
};

/// Parts of the mechanics that the flags of a file switch off.
struct MjcfSwitches {
  bool contacts = false, limits = false, equalities = false, dryFriction = false, springs = false,
       dampers = false, actuators = false;
};

/// The tree of an MJCF file, and what the file calls its parts.
struct MjcfModel {
  RobotTree tree;
  MjcfSwitches off;
  std::map<std::string, int> bodies, joints;  ///< link by name
  std::vector<MjcfKeyPlace> keyPlaces;
  std::size_t coordinateCount = 0;  ///< numbers in qpos

  /// The link of the body or joint that the attribute `key` names; −1 for the body `world`.
  /// @throws SceneError if the model has no such body or joint
  int linkOfBody(const XmlView& element, const char* key) const;
  int linkOfJoint(const XmlView& element, const char* key) const;
};

/// Reads the sections that act on a model whose bodies are complete, in this order: equality, keyframe and
/// actuator. @throws SceneError
void finishModel(MjcfModel& model, const MjcfDocument& document, const RobotOptions& options,
                 RobotNotes& notes);

}  // namespace touchstone
