#pragma once

#include "core/contact/gap_step.h"
#include "core/record/step_record.h"

namespace touchstone {

/// Contacts, iterations of the largest island, worst residual, traps and counts of sets of a solved step.
/// @param tolerance  of the solver, on the equilibrated residual
void writeGapRecord(const World& world, const GapStep& step, const std::vector<IslandAnswer>& answers,
                    const ModelSettings& settings, double tolerance, StepRecord& record);

/// Said where an island was solved again.
inline constexpr char kLargestGapUsed[] =
    "constraint sets were solved with the largest gap as their primary contact";

/// What a solver without a matrix has found.
struct MatrixFreeAnswer {
  const std::vector<ModelContact>& contacts;
  const std::vector<ModelSet>& sets;
  const std::vector<Vec3>& impulses;  ///< [sets] p and β along frictionDirections() of the disk [N·s]
  std::vector<double> slips;          ///< [sets] speeds along the tangents of the primary at the end [m/s]
  std::vector<double> ends;           ///< [contacts] gaps at the end [m]; none: no set has two contacts
};

/// Contacts with their impulses, the method's depth, traps and counts of sets.
void writeMatrixFreeContacts(const MatrixFreeAnswer& answer, const ModelSettings& settings,
                             StepRecord& record);

}  // namespace touchstone
