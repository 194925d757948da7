#include "core/solver/solvers.inl"
#include "core/parallel/host_backend.h"

namespace touchstone {

template std::unique_ptr<RowSolver<HostBackend>> makeRowSolver(RowSolverKind, const HostBackend&);

}  // namespace touchstone
