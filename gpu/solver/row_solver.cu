#include "core/solver/newton/newton.inl"
#include "core/solver/sweep/projected_gauss_seidel.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class ProjectedGaussSeidelOn<CudaBackend>;
template class NewtonRowsOn<CudaBackend>;

std::unique_ptr<RowSolver> makeCudaRowSolver(MatrixFreeSolver solver, RowPer rows, const World& world,
                                             const std::shared_ptr<DeviceWorld>& deviceWorld,
                                             const NarrowPhase& pieces) {
  return rowSolverOn<CudaBackend>(solver, rows, world, deviceWorld, pieces);
}

}  // namespace touchstone
