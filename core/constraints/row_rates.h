#pragma once

#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/state_view.h"

namespace touchstone {

/// J u of the last row of a buffer, of form General; 0 at the start of a step.
double rateOfLastRow(const RowBuffer& rows, const StateView& state);

/// Velocity Σ weight (v + ω × arm) that u gives the point of the last group of a buffer, of form Point [m/s];
/// 0 at the start of a step.
Vec3 velocityOfLastPoint(const RowBuffer& rows, const StateView& state);

/// A row without a gradient and with the impulse 0. It stands where an error has no direction, so that a
/// block has the same rows at every state.
inline Row idleRow() { return {0, 0, 0, 1, 0, RowLaw::Fixed, 0}; }

}  // namespace touchstone
