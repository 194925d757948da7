#pragma once

#include "core/contact/complementarity/host_method.h"

namespace touchstone {

/// Polytopal exact geometry model (Williams, Lu and Trinkle 2017): near corners at least one contact of each
/// I or X set must hold, max(ρ_1, …, ρ_k) ≥ 0, instead of all of them.
namespace peg {
struct Info : MadeOnHost<Info> {
  static MethodInfo describe();
  static std::unique_ptr<HostMethod> makeHostMethod(const MethodSetup& setup);
};
}  // namespace peg

}  // namespace touchstone
