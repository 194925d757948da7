#pragma once

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// Sums over the impulses of contacts in a record.
struct ContactSums {
  double normal = 0, friction = 0;  ///< Σ of magnitudes [N·s]
  /// Σ of what static bodies gave to dynamic ones [N·s], about the world's origin [N·m·s].
  Vec3 ground = Vec3(0, 0, 0), groundAngular = Vec3(0, 0, 0);

  TS_HD void add(const WorldView& world, const Contact& contact) {
    normal += contact.normalImpulse;
    friction += contact.frictionImpulse.norm();
    const bool yieldsA = yields(world, contact.bodyA), yieldsB = yields(world, contact.bodyB);
    if (yieldsA == yieldsB) return;
    const Vec3 onB = contact.normalImpulse * contact.normal + contact.frictionImpulse;
    const Vec3 impulse = yieldsB ? onB : Vec3(-onB);
    ground += impulse;
    groundAngular += (yieldsB ? contact.pointB : contact.pointA).cross(impulse);
  }
  TS_HD void add(const ContactSums& o) {
    normal += o.normal;
    friction += o.friction;
    ground += o.ground;
    groundAngular += o.groundAngular;
  }
};

void addTo(StepRecord& record, const ContactSums& sums);

/// Adds the sums of the record's contacts, of one step.
void addSumsOfContacts(const World& world, StepRecord& record);

/// Adds to what a method counts of some replicas what it has counted of the others.
void addOfOtherReplicas(const QuantityValues& others, StepRecord& record);

}  // namespace touchstone
