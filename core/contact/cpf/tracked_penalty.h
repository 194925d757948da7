#pragma once

#include <vector>

#include "core/contact/penalty/pair_action.h"
#include "core/scene/parameter.h"
#include "core/world/world.h"

namespace touchstone {

/// Thickness of the shell about each body whose surface touches itself [m]; 0 of others. Larger: folds keep
/// apart more than they have to; smaller: fast ones go through each other between two steps.
std::vector<double> ownShells(const World& world);

/// Parameters that cpf and dpf-ccd share.
std::vector<ParameterSpec> trackedPenaltyParameters();

}  // namespace touchstone
