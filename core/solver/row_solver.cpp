#include "core/solver/row_solver.h"

namespace touchstone {

RowSolverKind rowSolverKindOf(const std::string& key, LinearSolver linear) {
  if (key == "pgs") return RowSolverKind::Pgs;
  if (!isOnBackend(linear)) return RowSolverKind::Dense;
  if (key == "newton-fb") return RowSolverKind::NewtonFb;
  if (key == "newton-min") return RowSolverKind::NewtonMin;
  return RowSolverKind::Dense;
}

}  // namespace touchstone
