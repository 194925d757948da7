#pragma once

#include <string>
#include <vector>

#include "core/robot/robot_tree.h"

namespace touchstone {

/// Links that fixed joints make one body.
struct RobotGroup {
  int root = 0;    ///< link that gives name and frame
  int parent = 0;  ///< group; −1: the world
  std::vector<int> links;
  bool isStatic = false;
  bool isGone = false;           ///< has no mass and carries nothing
  bool isLight = false;          ///< has a share of the mass of what it carries
  double carries = 0;            ///< mass that such a share is taken of [kg]
  RobotInertia inertia;          ///< in the frame of the root
  RobotPose body;                ///< frame of the body (centre, principal axes) in that of the root
  Vec3 moments = Vec3(0, 0, 0);  ///< principal, along the axes of the body [kg·m²]
};

/// The bodies of a robot with their masses, and where its links are in the world of the scene. The robot's
/// world has z up and that of the scene has y up; both have the same x axis.
struct RobotLayout {
  std::vector<RobotGroup> groups;         ///< parents first
  std::vector<int> groupOf;               ///< [link]
  std::vector<RobotPose> inGroup;         ///< [link] in the frame of the root of its group
  std::vector<RobotPose> startPoses;      ///< [link] at the start
  std::vector<RobotPose> referencePoses;  ///< [link] with all joints at their references
  bool isMoved = false;                   ///< the start is not the reference

  /// Pose of a link in the scene, at the start or with all joints at their references; of link −1 that of the
  /// robot's world.
  RobotPose startPose(int link) const { return poseAmong(startPoses, link); }
  RobotPose referencePose(int link) const { return poseAmong(referencePoses, link); }

 private:
  static RobotPose poseAmong(const std::vector<RobotPose>& poses, int link) {
    if (link >= 0) return poses[link];
    return {Vec3(0, 0, 0), Quaternion(std::sqrt(0.5), -std::sqrt(0.5), 0, 0)};
  }
};

/// Makes one body of links that fixed joints hold, weighs the bodies and places the links at the start. In
/// the tree it changes what the options and the rules of scenes ask for: the kind of the base joint, the
/// armature of inserted links, and the limits of joints that follow others.
/// @throws SceneError
RobotLayout layOut(RobotTree& tree, const RobotOptions& options, RobotNotes& notes);

/// Most names in one note. A larger value makes the note too long to read; a smaller value leaves out links
/// that the user has to check.
constexpr std::size_t kMostNamesInNote = 20;

}  // namespace touchstone
