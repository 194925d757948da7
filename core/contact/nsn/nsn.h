#pragma once

#include <memory>

#include "core/contact/method.h"

namespace touchstone {

/// Non-smooth Newton (Macklin, Erleben, Müller, Chentanez, Jeschke and Makoviychuk 2019): velocities and
/// forces of the end of the step as one system, with contacts linearised again at every iterate.
namespace nsn {

struct Info {
  static MethodInfo describe();
  template <class Backend>
  static std::unique_ptr<Method<Backend>> make(const Backend&, const MethodSetup& setup);
};

}  // namespace nsn

}  // namespace touchstone
