#pragma once

#include <memory>
#include <vector>

#include "core/contact/method.h"

namespace touchstone {

/// The standard model (Stewart and Trinkle 1996; as stated in Williams 2017, eqs. 8 to 10): every contact is
/// a row of its own, 0 ≤ p ⊥ ψ/h + Gᵀν⁺ ≥ 0. For comparison with PEG it takes the distinct contacts of all of
/// PEG's sets.
namespace lcp {
struct Info {
  static MethodInfo describe();
  template <class Backend>
  static std::unique_ptr<Method<Backend>> make(const Backend&, const MethodSetup& setup);
};
}  // namespace lcp

const std::vector<ParameterSpec>& lcpParameters();

}  // namespace touchstone
