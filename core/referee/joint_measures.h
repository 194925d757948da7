#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/referee/referee_history.h"
#include "core/world/world.h"

namespace touchstone {

/// Sums over the joints of a world at its poses, the same for every method.
struct JointMeasures {
  double error = 0;   ///< max |c| of the rigid rows; angles times lengthOf() the scene [m]
  int worst = -1;     ///< the joint that has it; −1: none is off
  double energy = 0;  ///< Σ ½ c²/E of the compliant rows [J]
};
JointMeasures measureJoints(const World& world);

/// A sentence about the joint that is off by more than 1 % of the scene's length ℓ, angles times ℓ; empty if
/// none is.
std::string tornJoint(const World& world, const JointMeasures& measures);

/// [joints] of the scene. @param before  at the last frame, whose turns go on; empty: those of the world
std::vector<DriveState> driveStates(const World& world, const std::vector<DriveState>& before);

/// Energy in the springs of drives [J]. Beyond its largest force a drive pulls with that force.
double driveEnergy(const World& world, const std::vector<DriveState>& states);

/// Energy that drives supply during a frame.
struct DriveWork {
  double supplied = 0;  ///< by given forces, and by what moves the ends of springs and dampers [J]
  double unknown = 0;   ///< J that the sums of a frame leave open
};
/// @param record  with the mean forces of the drives, if the method tells them   @param frameDt  [s]
DriveWork driveWork(const World& world, const std::vector<DriveState>& before,
                    const std::vector<DriveState>& after, const StepRecord& record, double frameDt);

/// Errors and coordinates of each joint at the end of a frame, in the records of the scene's joints; their
/// forces stay as they are.
void measureJoints(const World& world, std::vector<JointState>& joints);

}  // namespace touchstone
