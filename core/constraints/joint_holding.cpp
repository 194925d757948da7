#include "core/constraints/joint_holding.h"

#include <vector>

#include "core/constraints/attachment_rows.h"
#include "core/constraints/joint_rows.h"
#include "core/constraints/kinds/host_kinds.h"
#include "core/constraints/kinds/registered_kinds.h"
#include "core/parallel/host_backend.h"
#include "core/solver/newton/newton.inl"
#include "core/solver/rows/redundant_rows.h"
#include "core/solver/rows/uploaded_rows.inl"

namespace touchstone {

namespace {

/// Larger: costs without effect where the iteration does not converge; smaller: limits that are met in a step
/// do not find whether they hold.
constexpr int kMostIterations = 8;
/// [m, rad] A smaller value costs iterations without visible effect; with a larger one joints drift apart.
constexpr double kHolds = 1e-9;

SolverSettings limitsOf(double h) {
  SolverSettings limits;
  limits.tolerance = kHolds / h;
  limits.maxIterations = kMostIterations;
  limits.linear = LinearSolver::Direct;
  limits.linearIterations = 1;
  return limits;
}

RewritingSettings wholeSteps() {
  RewritingSettings settings;
  settings.forms.function = NcpFunction::MinimumMap;
  settings.damping = 1;
  settings.lastStepIsWhole = false;  // all of them are
  settings.startsAtRest = false;
  settings.regularisation = kRedundantRows;
  settings.stiffensJoints = settings.stiffensParticles = false;
  return settings;
}

}  // namespace

JointTotals holdJoints(World& world, DriveIntegration drives, std::shared_ptr<RowsDetail>* detail) {
  JointSlots slots;
  JointBlocks joints{world, detail ? &slots : nullptr, JointGradients::ForcesOfStart, drives};
  const AttachmentRows attachments{world, true};
  HostKinds kinds;
  kinds.add(joints);
  kinds.add(attachments);
  addRegisteredKinds(world, kinds);
  RowBuffer rows;
  const StateView start{world, world.dt, nullptr};
  kinds.write(start, rows);
  joints.slots = nullptr;  // they stay
  if (rows.blocks.empty()) return {};

  // Substeps are short: their arrays stay.
  thread_local UploadedRows<HostBackend> kind;
  thread_local NewtonRowsOn<HostBackend> solver(NcpFunction::MinimumMap, HostBackend());
  kind.set(HostBackend(), rows);
  solver.layOut(viewOf(world), {&kind},
                std::vector<SolverSettings>(world.scene->replicas, limitsOf(world.dt)));
  solver.runAll();
  solver.keepFree();
  solver.start(true);
  std::vector<BodyPose> poses;
  const RowRewriting again = kinds.rewriting(world, poses);
  solver.rewriteRows(&again, wholeSteps());
  solver.solve(0);

  if (detail) {
    const std::vector<int> islands = islandsOf(rows, solver.table().blocks, solver.blockCount());
    const CarrierVelocities u = solver.velocities();
    *detail =
        std::make_shared<RowsDetail>(kinds.detailAt(rows, {world, world.dt, &u}, islands, solver.best()));
    setSlots(rows.view(), countOf(rows.blocks), slots, (*detail)->slots);
  }
  JointTotals totals = totalsOf(rows.view(), countOf(rows.blocks), solver.best(), start, {});
  for (const RowBlock& block : rows.blocks)
    if (block.key.kind == kAttachmentBlock)
      addGroundImpulse(world, block, solver.best() + block.firstRow, totals.groundImpulse,
                       totals.groundAngularImpulse);
  recordRegistered(rows.view(), countOf(rows.blocks), solver.best(), world, {}, totals.groundImpulse,
                   totals.groundAngularImpulse);
  for (int island = 0; island < solver.islandCount(); ++island)
    if (!(world.dt * solver.islands()[island].best.natural <= 1e3 * kHolds)) ++totals.missedIslands;
  return totals;
}

}  // namespace touchstone
