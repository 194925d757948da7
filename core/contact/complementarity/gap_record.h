#pragma once

#include "core/contact/complementarity/contact_record.h"
#include "core/contact/complementarity/contact_set_step.h"
#include "core/record/step_record.h"

namespace touchstone {

/// Contacts, iterations of the largest island, worst residual, traps and counts of sets of a solved step.
void writeGapRecord(const World& world, const SolvedStep& solved, const ModelSettings& settings,
                    StepRecord& record);

void writeSetCounts(const SetCounts& counts, StepRecord& record);

/// Said where an island was solved again.
inline constexpr char kLargestGapUsed[] =
    "constraint sets were solved with the largest gap as their primary contact";

/// Adds to what a method counts of some replicas what it has counted of the others.
inline void addOfOtherReplicas(const QuantityValues& others, StepRecord& record) {
  for (const Quantity quantity : {Quantity::Residual, Quantity::MethodDepth})
    record.quantities[quantity] = std::max(record.quantities[quantity], others[quantity]);
  for (const Quantity quantity :
       {Quantity::Traps, Quantity::UnilateralSets, Quantity::InequalitySets, Quantity::CrossSets})
    record.quantities[quantity] += others[quantity];
}

}  // namespace touchstone
