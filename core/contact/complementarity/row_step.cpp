#include "core/contact/complementarity/row_step.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

template std::unique_ptr<RowSolver<HostBackend>> makeRowSolver(RowSolverKind, const HostBackend&);

using RowSteps = BackendRegistry<RowStep, RowSolverKind, RowPer, const World&,
                                 const std::shared_ptr<DeviceWorld>&, const NarrowPhase&>;

static RowSteps& rowSteps() {
  static RowSteps table(BackendKind::Cpu, [](RowSolverKind solver, RowPer rows, const World& world,
                                             const auto& deviceWorld, const NarrowPhase& pieces) {
    return std::make_unique<RowStepOn<HostBackend>>(solver, rows, world, deviceWorld, pieces);
  });
  return table;
}

std::unique_ptr<RowStep> makeRowStep(BackendKind backend, RowSolverKind solver, RowPer rows,
                                     const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld,
                                     const NarrowPhase& pieces) {
  return rowSteps().make(backend, solver, rows, world, deviceWorld, pieces);
}

void registerRowStep(BackendKind backend, RowStepFactory factory) {
  rowSteps().add(backend, std::move(factory));
}

}  // namespace touchstone
