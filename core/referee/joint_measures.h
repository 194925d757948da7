#pragma once

#include <vector>

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// What the joints of a world come to at its poses, the same for every method.
struct JointMeasures {
  double error = 0;   ///< max |c| of the rigid rows; angles times lengthOf() the scene [m]
  double energy = 0;  ///< Σ ½ c²/E of the compliant rows [J]
};
JointMeasures measureJoints(const World& world);
/// Errors and coordinates of each joint at the end of a frame, in the records of the scene's joints; their
/// forces stay as they are.
void measureJoints(const World& world, std::vector<JointState>& joints);

}  // namespace touchstone
