#pragma once

#include <string>

#include "core/solver/linear/linear.h"
#include "core/solver/rows/row_report.h"

namespace touchstone {

/// Solver of the rows of a step: with products of their matrix on the backend, or, by any other solver, with
/// the dense matrix of each island on the host.
enum class RowSolverKind { Pgs, NewtonFb, NewtonMin, Dense };

struct RowSolverChoice {
  RowSolverKind kind = RowSolverKind::Dense;
  std::string key;  ///< of the solver, for makeSolver()
};

/// The Newton solvers do without the matrix only where `linear` does (isOnBackend()).
RowSolverKind rowSolverKindOf(const std::string& key, LinearSolver linear);

}  // namespace touchstone
