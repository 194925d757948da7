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

}  // namespace touchstone
