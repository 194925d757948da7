#include "core/solver/rows/row_solver.h"

namespace touchstone {

std::optional<MatrixFreeSolver> matrixFreeSolverOf(const std::string& key, LinearSolver linear) {
  if (key == "pgs") return MatrixFreeSolver::Pgs;
  if (!isOnBackend(linear)) return std::nullopt;
  if (key == "newton-fb") return MatrixFreeSolver::NewtonFb;
  if (key == "newton-min") return MatrixFreeSolver::NewtonMin;
  return std::nullopt;
}

}  // namespace touchstone
