#include "core/run/step_sums.h"

#include <algorithm>

#include "core/contact/contact_sums.h"

namespace touchstone {

void addPull(const World& world, StepRecord& record) {
  if (!isPulling(world)) return;
  const SpringAction& action = world.springAction;
  record.pull = {world.spring->body, action.point, world.spring->target, action.impulse.norm() / world.dt};
  record.pullImpulse += action.impulse;
  record.pullAngularImpulse += action.point.cross(action.impulse);
  record.pullWork += action.work;
}

void addOthers(const StepRecord& whole, StepRecord& record) {
  int sets = 0;
  for (const Contact& contact : whole.contacts) sets = std::max(sets, contact.set + 1);
  for (Contact& contact : record.contacts) contact.set += sets;
  record.contacts.insert(record.contacts.begin(), whole.contacts.begin(), whole.contacts.end());
  if (!whole.iterations.empty()) {
    record.iterations = whole.iterations;
    record.deliveredBy = whole.deliveredBy;
    record.solverTolerance = whole.solverTolerance;
  }
  addOfOtherReplicas(whole.quantities, record);
}

}  // namespace touchstone
