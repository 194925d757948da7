#pragma once

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// Adds what the mouse spring did in the step, if it pulls a body that took part.
void addPull(const World& world, StepRecord& record);

}  // namespace touchstone
