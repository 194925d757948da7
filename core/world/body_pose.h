#pragma once

#include "core/scene/joint_rows.h"
#include "core/world/free_rotation.h"
#include "core/world/world.h"

namespace touchstone {

/// Pose of a body at the start of the step; −1: the world's own frame.
inline BodyPose poseOf(const World& world, int body) {
  if (body < 0) return {};
  return {world.position[body], world.orientation[body]};
}

/// Pose after free motion with these velocities [m/s, rad/s] over h [s].
inline BodyPose poseAfter(const BodyPose& start, const BodyConstants& constants, const Vec3& linear,
                          const Vec3& angular, double h) {
  return {start.position + h * linear, freeRotation(constants, start.orientation, angular, h).orientation};
}

}  // namespace touchstone
