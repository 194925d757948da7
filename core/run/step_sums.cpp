#include "core/run/step_sums.h"

namespace touchstone {

void addImpulses(const World& world, StepRecord& record) {
  for (const Contact& contact : record.contacts) {
    record.normalImpulseSum += contact.normalImpulse;
    record.frictionImpulseSum += contact.frictionImpulse.norm();
    const bool dynamicA = isDynamic(world, contact.bodyA), dynamicB = isDynamic(world, contact.bodyB);
    if (dynamicA == dynamicB) continue;
    const Vec3 onB = contact.normalImpulse * contact.normal + contact.frictionImpulse;
    const Vec3 impulse = dynamicB ? onB : Vec3(-onB);
    record.groundImpulse += impulse;
    record.groundAngularImpulse += (dynamicB ? contact.pointB : contact.pointA).cross(impulse);
  }
}

void addPull(const World& world, StepRecord& record) {
  if (!world.spring) return;
  const SpringAction& action = world.springAction;
  record.pull = {world.spring->body, action.point, world.spring->target, action.impulse.norm() / world.dt};
  record.pullImpulse += action.impulse;
  record.pullAngularImpulse += action.point.cross(action.impulse);
  record.pullWork += action.work;
}

}  // namespace touchstone
