#pragma once

#include <string>

#include "core/solver/linear/linear.h"
#include "core/solver/rows/row_report.h"

namespace touchstone {

/// Solver of the rows of a step, on the backend, or on the host (`OnHost`): Lemke's, Newton's with the matrix
/// of each island or of its carriers, and `auto`, which begins with Newton's and its matrix, or without.
enum class RowSolverKind {
  Pgs,
  PgsConjugate,
  NewtonFb,
  NewtonMin,
  Auto,
  Lemke,
  NewtonFbOnHost,
  NewtonMinOnHost,
  NewtonCarrier,
  AutoOnHost
};

/// Kind of the first solver that is registered, see registerSolvers(); the next ones follow.
constexpr int kFirstRegisteredSolver = 64;

/// The Newton solvers do without the matrix only where `linear` does (isOnBackend()).
RowSolverKind rowSolverKindOf(const std::string& key, LinearSolver linear);
/// True for those that make a matrix of each island.
inline bool makesMatrix(RowSolverKind kind) {
  return kind >= RowSolverKind::Lemke && static_cast<int>(kind) < kFirstRegisteredSolver;
}

/// Adds the key of a solver. @return its kind   @throws std::logic_error if there is one with this key
RowSolverKind addRowSolver(const std::string& key);
bool isRegisteredSolver(const std::string& key);

}  // namespace touchstone
