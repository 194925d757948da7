#pragma once

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// Adds what the mouse spring did in the step, if it pulls a body that took part.
void addPull(const World& world, StepRecord& record);

/// Adds to the record of replicas that took halves what the others did in the whole step.
/// @param whole  the record before the halves, whose sums the other one has already
void addOthers(const StepRecord& whole, StepRecord& record);

}  // namespace touchstone
