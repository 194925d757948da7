#pragma once

#include <limits>

namespace touchstone {

/// No value: a quantity does not apply, or nothing was measured.
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace touchstone
