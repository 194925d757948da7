#include "core/world/joint_coordinates.h"

#include <cmath>

#include "core/world/body_pose.h"

namespace touchstone {

double jointCoordinateNow(const World& world, std::size_t index) {
  const Joint& joint = world.scene->joints[index];
  if (!joint.hasCoordinate()) return 0;
  const double now =
      jointCoordinate(joint.kind, joint.frames, poseOf(world, joint.bodyA), poseOf(world, joint.bodyB)).value;
  return joint.kind == JointKind::Prismatic ? now : unwrapped(world.jointCoordinate[index], now);
}

JointDrive::Aim driveAim(const World& world, std::size_t joint, double time) {
  const double target = world.driveTarget[joint];
  const JointDrive& drive = world.scene->joints[joint].drive;
  JointDrive::Aim aim = std::isnan(target) ? drive.aimAt(time) : JointDrive::Aim{target, 0, 0};
  aim.force = drive.forceAt(time, joint);
  return aim;
}

void updateJointCoordinates(World& world) {
  for (std::size_t joint = 0; joint < world.jointCoordinate.size(); ++joint)
    world.jointCoordinate[joint] = jointCoordinateNow(world, joint);
}

}  // namespace touchstone
