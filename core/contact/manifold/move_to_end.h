#pragma once

#include "core/world/free_rotation.h"
#include "core/world/world_view.h"

namespace touchstone {

namespace detail {

struct MoveToEnd {  // one body per index: where the step's velocities lead, as integrate() does
  WorldView world;
  Vec3* position;           // [bodyCount] out
  Quaternion* orientation;  // [bodyCount] out
  TS_HD void operator()(int body) const {
    position[body] = world.position[body];
    orientation[body] = world.orientation[body];
    if (!isDynamic(world, body)) return;
    position[body] += world.dt * world.nextLinearVelocity[body];
    orientation[body] =
        freeRotation(world.bodies[body], world.orientation[body], world.nextAngularVelocity[body], world.dt)
            .orientation;
  }
};

}  // namespace detail

}  // namespace touchstone
