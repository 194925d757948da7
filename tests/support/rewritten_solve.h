#pragma once

#include "core/constraints/kinds/host_kinds.h"
#include "core/parallel/host_backend.h"
#include "core/solver/newton/newton.inl"
#include "core/solver/rows/uploaded_rows.inl"
#include "core/world/world.h"

namespace touchstone::test {

/// Answer of Newton's method to rows that it writes again at each iterate.
struct RewrittenAnswer {
  RowSolverReport report;
  std::vector<double> z;
  std::vector<Vec3> linear, angular;
  double residual = 0;
  bool isSolved = false;  ///< every island
};

/// Solves the rows of a world in the middle of a step. @param linear  with its iterations
inline RewrittenAnswer solveRewritten(World world, HostKinds& kinds, const RewritingSettings& settings,
                                      const SolverSettings& limits) {
  RowBuffer rows;
  kinds.write({world, world.dt, nullptr}, rows);
  const HostBackend backend;
  UploadedRows<HostBackend> uploaded;
  uploaded.set(backend, rows);
  NewtonRowsOn<HostBackend> solver(settings.forms.function, backend);
  solver.layOut(viewOf(world), {&uploaded}, {limits});
  solver.runAll();
  solver.keepFree();
  solver.start(true);
  std::vector<BodyPose> poses;
  RowRewriting again = kinds.rewriting(world, poses);
  again.stiffness = [](const RowBlock&, int, const RowTerm*, const double*, const CarrierVelocities&) {
    return Mat3(Mat3::Zero());
  };
  solver.rewriteRows(&again, settings);
  solver.solve(0);
  RewrittenAnswer answer;
  answer.report = solver.report();
  answer.z.assign(solver.best(), solver.best() + solver.rowCount());
  answer.linear = world.nextLinearVelocity;
  answer.angular = world.nextAngularVelocity;
  answer.residual = answer.report.residual;
  answer.isSolved = answer.report.unsolved == 0;
  return answer;
}

}  // namespace touchstone::test
