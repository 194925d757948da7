#pragma once

#include <memory>

#include "core/solver/newton/newton.inl"
#include "core/solver/sweep/projected_gauss_seidel.inl"

namespace touchstone {

/// @param hasFriction  two bodies of the world can rub against each other
template <class Backend>
std::unique_ptr<RowSolver<Backend>> makeRowSolver(MatrixFreeSolver solver, const Backend& backend,
                                                  bool planar, bool hasFriction) {
  if (solver == MatrixFreeSolver::Pgs)
    return std::make_unique<ProjectedGaussSeidelOn<Backend>>(backend, planar);
  const NcpFunction function =
      solver == MatrixFreeSolver::NewtonFb ? NcpFunction::FischerBurmeister : NcpFunction::MinimumMap;
  return std::make_unique<NewtonRowsOn<Backend>>(function, hasFriction, backend, planar);
}

}  // namespace touchstone
