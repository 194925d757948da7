#pragma once

#include <string>

#include "core/solver/linear/linear.h"
#include "core/solver/rows/row_report.h"

namespace touchstone {

/// Solver of the rows of a step, on the backend, or on the host (`OnHost`): Lemke's, and Newton's with the
/// matrix of each island, and `auto`, which is Newton's and then Lemke's.
enum class RowSolverKind { Pgs, NewtonFb, NewtonMin, Lemke, NewtonFbOnHost, NewtonMinOnHost, AutoOnHost };

/// The Newton solvers do without the matrix only where `linear` does (isOnBackend()).
RowSolverKind rowSolverKindOf(const std::string& key, LinearSolver linear);
/// True for those that make a matrix of each island.
inline bool makesMatrix(RowSolverKind kind) { return kind >= RowSolverKind::Lemke; }

}  // namespace touchstone
