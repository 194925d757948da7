#pragma once

#include "core/contact/complementarity/host_method.h"

namespace touchstone {

/// The standard model (Stewart and Trinkle 1996; as stated in Williams 2017, eqs. 8 to 10): every contact is
/// a row of its own, 0 ≤ p ⊥ ψ/h + Gᵀν⁺ ≥ 0. For comparison with PEG it takes the distinct contacts of all of
/// PEG's sets.
namespace lcp {
struct Info : MadeOnHost<Info> {
  static MethodInfo describe();
  static std::unique_ptr<HostMethod> makeHostMethod(const MethodSetup& setup);
};
}  // namespace lcp

}  // namespace touchstone
