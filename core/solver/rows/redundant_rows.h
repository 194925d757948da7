#pragma once

namespace touchstone {

/// Softness that redundant rows get, as those of closed loops, as a share of their diagonal in A. A larger
/// value softens joints visibly; with a smaller one rounding decides how such rows share their impulse.
inline constexpr double kRedundantRows = 1e-10;

}  // namespace touchstone
