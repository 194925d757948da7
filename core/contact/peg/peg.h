#pragma once

#include <memory>
#include <vector>

#include "core/contact/method.h"

namespace touchstone {

/// Polytopal exact geometry model (Williams, Lu and Trinkle 2017): near corners at least one contact of each
/// I or X set must hold, max(ρ_1, …, ρ_k) ≥ 0, instead of all of them.
namespace peg {
struct Info {
  static MethodInfo describe();
  template <class Backend>
  static std::unique_ptr<Method<Backend>> make(const Backend&, const MethodSetup& setup);
};
}  // namespace peg

const std::vector<ParameterSpec>& pegParameters();

}  // namespace touchstone
