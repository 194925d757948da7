#pragma once

#include "core/world/world.h"

namespace touchstone {

/// The coordinate of a joint where the world is, with the turns that bring it nearest to
/// World::jointCoordinate [m, rad]; 0 for a joint without.
double jointCoordinateNow(const World& world, std::size_t joint);

/// Target of a drive when a step ends at this time [s].
JointDrive::Aim driveAim(const World& world, std::size_t joint, double time);

/// Brings World::jointCoordinate to where the bodies are. A step turns no joint by half a turn or more.
void updateJointCoordinates(World& world);

}  // namespace touchstone
