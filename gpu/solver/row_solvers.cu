#include "core/solver/solvers.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class ProjectedGaussSeidelOn<CudaBackend>;
template class NewtonRowsOn<CudaBackend>;
template std::unique_ptr<RowSolver<CudaBackend>> makeRowSolver(RowSolverKind, const CudaBackend&);

}  // namespace touchstone
