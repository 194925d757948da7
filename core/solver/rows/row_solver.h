#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/solver/dense/problem.h"

namespace touchstone {

/// The solvers that need products with the matrix of a step's rows, but not the matrix.
enum class MatrixFreeSolver { Pgs, NewtonFb, NewtonMin };

/// The one with this key ("pgs", "newton-fb", "newton-min"), or none. The Newton solvers do without the
/// matrix only where `linear` does (isOnBackend()).
std::optional<MatrixFreeSolver> matrixFreeSolverOf(const std::string& key, LinearSolver linear);

/// What solving the rows of all islands came to. Residuals as in core/solver/dense/problem.h.
struct RowSolverReport {
  int islands = 0, unsolved = 0;
  double residual = 0;   ///< largest natural residual of the answers [m/s]
  double tolerance = 0;  ///< of the largest island, as a bound on its natural residual [m/s]
  std::vector<SolverIteration> iterations;  ///< of the largest island; the first is the start
};

}  // namespace touchstone
