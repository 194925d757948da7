#pragma once

#include "core/contact/contact_record.h"
#include "core/contact/gap_step.h"
#include "core/record/step_record.h"

namespace touchstone {

/// Contacts, iterations of the largest island, worst residual, traps and counts of sets of a solved step.
void writeGapRecord(const World& world, const SolvedStep& solved, const ModelSettings& settings,
                    StepRecord& record);

void writeSetCounts(const SetCounts& counts, StepRecord& record);

/// Said where an island was solved again.
inline constexpr char kLargestGapUsed[] =
    "constraint sets were solved with the largest gap as their primary contact";

}  // namespace touchstone
