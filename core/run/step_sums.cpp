#include "core/run/step_sums.h"

namespace touchstone {

void addPull(const World& world, StepRecord& record) {
  if (!world.spring || !isDynamic(world, world.spring->body)) return;
  const SpringAction& action = world.springAction;
  record.pull = {world.spring->body, action.point, world.spring->target, action.impulse.norm() / world.dt};
  record.pullImpulse += action.impulse;
  record.pullAngularImpulse += action.point.cross(action.impulse);
  record.pullWork += action.work;
}

}  // namespace touchstone
