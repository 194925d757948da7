#include "core/solver/row_solver.h"

namespace touchstone {

RowSolverKind rowSolverKindOf(const std::string& key, LinearSolver linear) {
  if (key == "pgs") return RowSolverKind::Pgs;
  if (key == "lemke") return RowSolverKind::Lemke;
  if (key == "auto" && !isOnBackend(linear)) return RowSolverKind::AutoOnHost;
  if (key == "newton-min")
    return isOnBackend(linear) ? RowSolverKind::NewtonMin : RowSolverKind::NewtonMinOnHost;
  return isOnBackend(linear) ? RowSolverKind::NewtonFb : RowSolverKind::NewtonFbOnHost;
}

}  // namespace touchstone
