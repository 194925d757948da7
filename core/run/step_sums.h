#pragma once

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// Adds the impulses of the record's contacts, those of one step, to its sums: magnitudes, and what static
/// bodies gave to dynamic ones.
void addImpulses(const World& world, StepRecord& record);

/// Adds what the mouse spring did in the step.
void addPull(const World& world, StepRecord& record);

}  // namespace touchstone
