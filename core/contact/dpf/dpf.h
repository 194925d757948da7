#pragma once

#include "core/contact/method.h"

namespace touchstone {

/// Discrete penalty forces: the depth of one configuration of each step decides the force (Tang 2012,
/// section 3.1 and figure 8a). Vertices strictly inside closed surfaces are pushed to the closest surface
/// point, F = k (q − p); pairs of edges whose closest points lie inside each other's body are pushed apart;
/// planes push F = k max(0, −g) n.
namespace dpf {
struct Info {
  static MethodInfo describe();
  template <class Backend>
  static std::unique_ptr<Method<Backend>> make(const Backend& backend, const MethodSetup& setup);
};
}  // namespace dpf

const std::vector<ParameterSpec>& dpfParameters();

}  // namespace touchstone
