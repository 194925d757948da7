#pragma once

#include <cmath>

#include "core/solver/rows/pair_jacobian.h"

namespace touchstone {

/// Softness that redundant rows get, as those of closed loops, as a share of their diagonal in A. A larger
/// value softens joints visibly; with a smaller one rounding decides how such rows share their impulse.
inline constexpr double kRedundantRows = 1e-10;

/// A row that is no contact's, such as one of a joint, with an impulse p:
///     w = constant + J ν⁺ + softness p
/// w = 0 with p free; 0 ≤ p ⊥ w ≥ 0 if it is unilateral; or with a largest impulse, |p| ≤ bound, where p
/// opposes w. The impulse acts as Jᵀ p.
struct ConstraintRow {
  PairJacobian jacobian;  ///< J of two bodies …
  PairJacobian led;       ///< … and of two more, where the row couples joints; without bodies: none
  double constant = 0;    ///< m/s, rad/s
  double softness = 0;    ///< E / h² [1/kg, 1/(kg·m²)]
  bool isUnilateral = false;
  double bound = HUGE_VAL;    ///< of |p| [N·s, N·m·s]
  bool isPrescribed = false;  ///< p is `bound`, whatever w is
};

}  // namespace touchstone
