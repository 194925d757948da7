#include "core/contact/contact_sums.h"

namespace touchstone {

void addTo(StepRecord& record, const ContactSums& sums) {
  record.normalImpulseSum += sums.normal;
  record.frictionImpulseSum += sums.friction;
  record.groundImpulse += sums.ground;
  record.groundAngularImpulse += sums.groundAngular;
}

void addSumsOfContacts(const World& world, StepRecord& record) {
  const WorldView view = viewOf(world);
  ContactSums sums;
  for (const Contact& contact : record.contacts) sums.add(view, contact);
  addTo(record, sums);
}

void addOfOtherReplicas(const QuantityValues& others, StepRecord& record) {
  for (const Quantity quantity : {Quantity::Residual, Quantity::MethodDepth})
    record.quantities[quantity] = std::max(record.quantities[quantity], others[quantity]);
  for (const Quantity quantity :
       {Quantity::Traps, Quantity::UnilateralSets, Quantity::InequalitySets, Quantity::CrossSets})
    record.quantities[quantity] += others[quantity];
}

}  // namespace touchstone
