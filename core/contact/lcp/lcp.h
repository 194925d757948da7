#pragma once

#include "core/contact/contact_method.h"

namespace touchstone {

/// The standard model (Stewart and Trinkle 1996; as stated in Williams 2017, eqs. 8 to 10): every contact is
/// a row of its own, 0 ≤ p ⊥ ψ/h + Gᵀν⁺ ≥ 0. For comparison with PEG it takes the distinct contacts of all of
/// PEG's sets.
MethodInfo lcpMethod();
/// Of the method with any solver.
const std::vector<ParameterSpec>& lcpParameters();

}  // namespace touchstone
