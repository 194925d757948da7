#include "core/solver/solvers.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class SweepsOn<CudaBackend, false>;
template class SweepsOn<CudaBackend, true>;
template class NewtonOfCarriersOn<CudaBackend>;
template class NewtonRowsOn<CudaBackend>;
template std::unique_ptr<RowSolver<CudaBackend>> makeRowSolver(RowSolverKind, const CudaBackend&);

}  // namespace touchstone
