#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"
#include "core/solver/newton/newton.inl"
#include "core/solver/sweep/projected_gauss_seidel.inl"

namespace touchstone {

using RowSolvers = BackendRegistry<RowSolver, MatrixFreeSolver, RowPer, const World&,
                                   const std::shared_ptr<DeviceWorld>&, const NarrowPhase&>;

static RowSolvers& rowSolvers() {
  static RowSolvers table(BackendKind::Cpu, rowSolverOn<HostBackend>);
  return table;
}

std::optional<MatrixFreeSolver> matrixFreeSolverOf(const std::string& key, LinearSolver linear) {
  if (key == "pgs") return MatrixFreeSolver::Pgs;
  if (!isOnBackend(linear)) return std::nullopt;
  if (key == "newton-fb") return MatrixFreeSolver::NewtonFb;
  if (key == "newton-min") return MatrixFreeSolver::NewtonMin;
  return std::nullopt;
}

std::unique_ptr<RowSolver> makeRowSolver(BackendKind backend, MatrixFreeSolver solver, RowPer rows,
                                         const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld,
                                         const NarrowPhase& pieces) {
  return rowSolvers().make(backend, solver, rows, world, deviceWorld, pieces);
}

void registerRowSolver(BackendKind backend, RowSolverFactory factory) {
  rowSolvers().add(backend, std::move(factory));
}

}  // namespace touchstone
