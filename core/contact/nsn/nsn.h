#pragma once

#include "core/contact/complementarity/host_method.h"

namespace touchstone {

/// Non-smooth Newton (Macklin, Erleben, Müller, Chentanez, Jeschke and Makoviychuk 2019): velocities and
/// forces of the end of the step as one system, with contacts linearised again at every iterate.
namespace nsn {
struct Info : MadeOnHost<Info> {
  static MethodInfo describe();
  static std::unique_ptr<HostMethod> makeHostMethod(const MethodSetup& setup);
};
}  // namespace nsn

}  // namespace touchstone
