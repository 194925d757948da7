#pragma once

#include "core/record/step_record.h"
#include "core/solver/rows/rewriting.h"

namespace touchstone {

/// Tells a record what fails at an iterate, gaps and joints as lengths. @param h  step [s]
inline void tellParts(const ResidualParts& parts, double h, SolverIteration& iteration) {
  iteration.stepSize = parts.stepSize;
  iteration.normal = h * parts.normal;
  iteration.friction = parts.friction;
  iteration.joints = h * parts.joints;
  iteration.momentum = parts.momentum;
}

}  // namespace touchstone
