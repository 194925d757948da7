#pragma once

#include <string>
#include <vector>

#include "core/motion/motion.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Finding about one thing that may be wrong with a recorded motion.
struct MotionCheck {
  std::string key;      ///< "free_fall"
  std::string title;    ///< "Free fall"
  std::string finding;  ///< what was found, with its number and unit
  bool isGood = true;   ///< false: it should be looked at before the motion is compared with a method
  std::string remedy;   ///< what to do where it is not good
};

/// Checks of a motion against itself and against the scene that it is to be compared with, in this order:
/// norm of quaternions, velocities and angular velocities against differences of poses, times, direction and
/// size of gravity in flight, the plane of the resting places, the deepest corner, noise, the sideways pull
/// in flight, the centre of mass, gaps. A check that the motion cannot answer is good and says so.
/// @throws SceneError for bodies that the scene does not have
std::vector<MotionCheck> motionChecks(const RecordedMotion& motion, const Scene& scene);

/// One line per check, for a terminal.
std::string checkText(const std::vector<MotionCheck>& checks);

}  // namespace touchstone
