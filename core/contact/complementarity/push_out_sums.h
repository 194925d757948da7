#pragma once

#include <vector>

#include "core/record/step_record.h"
#include "core/world/free_rotation.h"
#include "core/world/world_view.h"

namespace touchstone {

namespace detail {

/// Bodies in a step with the displacements that push them out of overlaps.
struct PushedBodies {
  std::vector<BodyConstants> bodies;
  std::vector<Vec3> position;                 ///< at the start [m]
  std::vector<Quaternion> orientation;        ///< at the start
  std::vector<Vec3> linear, angular;          ///< ν⁺ [m/s, rad/s]
  std::vector<double> inverseMass;            ///< 1/kg
  std::vector<Vec3> pushLinear, pushAngular;  ///< δ [m/s, rad/s]
};

/// Adds to a record what displacements h δ change though no impulse does: the place of each body, the energy
/// of gravity and of the rotation, and Σ x × m v + I ω.
void addPushOut(const PushedBodies& pushed, const Vec3& gravity, double dt, StepRecord& record);

struct MoveApart {  // one body per index, after the step
  WorldView world;
  const Vec3 *linear, *angular;  // [bodyCount] δ
  TS_HD void operator()(int body) const {
    if (!isDynamic(world, body)) return;
    world.position[body] += world.dt * linear[body];
    if (angular[body].squaredNorm() == 0) return;
    world.orientation[body] = product(rotationBy(world.dt * angular[body]), world.orientation[body]);
    world.orientation[body].normalize();
  }
};

}  // namespace detail

}  // namespace touchstone
