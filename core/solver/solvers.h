#pragma once

#include <functional>
#include <map>
#include <memory>

#include "core/solver/row_solver.h"

namespace touchstone {

template <class Backend>
class RowSolver;  // core/solver/row_solver.inl

/// Solver of the rows of a step, see core/solver/solvers.inl.
template <class Backend>
std::unique_ptr<RowSolver<Backend>> makeRowSolver(RowSolverKind kind, const Backend& backend);

/// Makers of the solvers that are registered on a backend, by RowSolverKind.
template <class Backend>
std::map<int, std::function<std::unique_ptr<RowSolver<Backend>>(const Backend&)>>& registeredSolverMakers() {
  static std::map<int, std::function<std::unique_ptr<RowSolver<Backend>>(const Backend&)>> makers;
  return makers;
}

/// Solvers besides those of the program, each with
///     static constexpr const char* kKey;
///     template <class Backend>
///     static std::unique_ptr<RowSolver<Backend>> make(const Backend&);
template <class... Solvers>
struct SolverList {};

}  // namespace touchstone
