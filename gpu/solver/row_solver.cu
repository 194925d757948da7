#include "core/solver/newton/newton_engine.inl"
#include "core/solver/sweep/sweep_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class SweepEngineOn<CudaBackend>;
template class NewtonEngineOn<CudaBackend>;

std::unique_ptr<RowSolver> makeCudaRowSolver(MatrixFreeSolver solver, RowPer rows, const World& world,
                                             const std::shared_ptr<BackendWorld>& there,
                                             const NarrowPhase& pieces) {
  return rowSolverOn<CudaBackend>(solver, rows, world, there, pieces);
}

}  // namespace touchstone
