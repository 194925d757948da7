#pragma once

#include <vector>

#include "core/math/vec.h"

namespace touchstone {

/// Place of the drive of a joint at the end of a frame.
struct DriveState {
  double coordinate = 0;  ///< with its turns [m, rad]
  double rate = 0;        ///< of the coordinate [m/s, rad/s]
  double target = 0;      ///< where its spring is at rest
};

/// Memory of a Referee of earlier frames.
struct RefereeHistory {
  double dt = 0;                          ///< s, of the steps that energies refer to, see useStep()
  double startEnergy = 0;                 ///< J, at the start, plus supplied energy
  Vec3 expectedLinear = Vec3::Zero();     ///< N·s, start + gravity + impulses of static bodies
  Vec3 expectedAngular = Vec3::Zero();    ///< N·m·s about the world's origin
  std::vector<unsigned char> wasDynamic;  ///< [carrierCount] carriers enter the balances when released
  std::vector<Vec3> slowVelocity;         ///< [carrierCount] m/s, low-pass filtered; jitter is the rest
  double drift = 0;                       ///< J, EnergyDrift
  double lively = 0;                      ///< J, kinetic and elastic energy
  double elastic = 0;                     ///< J
  double overlapWork = 0;                 ///< J that the separation of last frame's overlaps may need
  std::vector<DriveState> drives;         ///< [joints] at the last frame; empty: none yet
};

}  // namespace touchstone
