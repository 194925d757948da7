#pragma once

#include "core/contact/gap_step.h"
#include "core/record/step_record.h"

namespace touchstone {

/// Contacts, iterations of the largest island, worst residual, traps and counts of sets of a solved step.
/// @param tolerance  of the solver, on the equilibrated residual
void writeGapRecord(const World& world, const GapStep& step, const std::vector<IslandAnswer>& answers,
                    const ModelSettings& settings, double tolerance, StepRecord& record);

/// Contacts of a step whose sets are one contact each, with their impulses, the method's depth and the count
/// of sets.
/// @param impulses  [contacts] p and β along frictionDirections() of the disk [N·s]
/// @param slips     [contacts] speeds along the tangents at the end [m/s]
void writeMatrixFreeContacts(const World& world, const std::vector<ModelContact>& contacts,
                             const std::vector<Vec3>& impulses, const std::vector<double>& slips,
                             const ModelSettings& settings, StepRecord& record);

}  // namespace touchstone
