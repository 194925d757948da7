#pragma once

#include "core/contact/contact_method.h"

namespace touchstone {

/// Continuous penalty forces (Tang 2012): feature pairs are found by continuous collision detection, tracked
/// until their depth returns to zero, and give the impulse of the penalty force integrated over their
/// penetration intervals.
MethodInfo cpfMethod();

}  // namespace touchstone
