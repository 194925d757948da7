#include "core/contact/complementarity/row_step.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class ProjectedGaussSeidelOn<CudaBackend>;
template class NewtonRowsOn<CudaBackend>;
template std::unique_ptr<RowSolver<CudaBackend>> makeRowSolver(RowSolverKind, const CudaBackend&);

std::unique_ptr<RowStep> makeCudaRowStep(RowSolverKind solver, RowPer rows, const World& world,
                                         const std::shared_ptr<DeviceWorld>& deviceWorld,
                                         const NarrowPhase& pieces) {
  return std::make_unique<RowStepOn<CudaBackend>>(solver, rows, world, deviceWorld, pieces);
}

}  // namespace touchstone
