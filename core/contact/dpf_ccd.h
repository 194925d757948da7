#pragma once

#include "core/contact/contact_method.h"

namespace touchstone {

/// Discrete penalty force on the features of continuous collision detection (Tang 2012, variant b of figure
/// 8): pairs, memory and both passes of CPF, but the force of one instant over the whole step.
MethodInfo dpfCcdMethod();

}  // namespace touchstone
