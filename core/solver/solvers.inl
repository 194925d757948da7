#pragma once

#include <memory>

#include "core/solver/dense_row_solver.inl"
#include "core/solver/newton/newton.inl"
#include "core/solver/sweep/projected_gauss_seidel.inl"

namespace touchstone {

/// @param hasFriction  two bodies of the world can rub against each other
template <class Backend>
std::unique_ptr<RowSolver<Backend>> makeRowSolver(const RowSolverChoice& choice, const Backend& backend,
                                                  bool planar, bool hasFriction) {
  if (choice.kind == RowSolverKind::Dense)
    return std::make_unique<DenseRowsOn<Backend>>(choice.key, backend, planar);
  if (choice.kind == RowSolverKind::Pgs)
    return std::make_unique<ProjectedGaussSeidelOn<Backend>>(backend, planar);
  const NcpFunction function =
      choice.kind == RowSolverKind::NewtonFb ? NcpFunction::FischerBurmeister : NcpFunction::MinimumMap;
  return std::make_unique<NewtonRowsOn<Backend>>(function, hasFriction, backend, planar);
}

}  // namespace touchstone
