#include "core/constraints/joint_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/constraints/joint_rows.h"
#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/newton/newton.inl"
#include "core/solver/rows/uploaded_rows.inl"
#include "core/solver/sweep/projected_gauss_seidel.inl"
#include "core/world/body_pose.h"

namespace touchstone {

namespace {

/// Turns an orientation by a small rotation vector [rad].
void turnBy(const Vec3& angle, Quaternion& orientation) {
  const Vec3 half = 0.5 * angle;
  Quaternion turned = product(Quaternion(1, half.x(), half.y(), half.z()), orientation);
  turned.normalize();
  orientation = turned;
}

/// Bodies that move by impulses on the rows of joints, with masses where they are now.
struct MovedBodies {
  std::vector<Vec3> linear, angular;
  std::vector<Mat3> inverseInertia;  ///< world frame
  WorldView view;

  explicit MovedBodies(World& world)
      : linear(world.position.size(), Vec3(0, 0, 0)),
        angular(linear),
        inverseInertia(linear.size(), Mat3::Zero()),
        view(viewOf(world)) {
    for (int body = 0; body < world.bodyCount(); ++body) {
      const Mat3 turn = world.orientation[body].toRotationMatrix();
      if (isDynamic(world, body))
        inverseInertia[body] = turn * (*world.constants)[body].inverseInertia * turn.transpose();
    }
    view.carrierCount = countOf(linear);
    view.nextLinearVelocity = linear.data();
    view.nextAngularVelocity = angular.data();
    view.inverseInertia = inverseInertia.data();
  }
  void moveTo(World& world) const {
    for (int body = 0; body < world.bodyCount(); ++body) {
      if (!isDynamic(world, body)) continue;
      world.position[body] += linear[body];
      turnBy(angular[body], world.orientation[body]);
    }
  }
};

/// The rows of joints that a projection is about, where the bodies are.
RowBuffer rowsOfProjection(const World& world) {
  RowBuffer rows;
  JointBlocks joints{world};
  joints.hasUnitsOfRows = joints.isProjection = true;
  for (int joint = 0; joint < joints.count(); ++joint) joints.write(joint, {world, 1, nullptr}, rows);
  return rows;
}

/// Moves bodies along the impulses that bring the rows to 0.
/// @param smallest  islands whose largest error is no larger stay as they are [m, rad]
void moveBodies(World& world, const RowBuffer& rows, const std::vector<SolverSettings>& settings,
                double smallest, RowSolver<HostBackend>& solver) {
  MovedBodies bodies(world);
  UploadedRows<HostBackend> kind;
  kind.set(HostBackend(), rows);
  solver.layOut(bodies.view, {&kind}, settings);
  std::fill(solver.running(), solver.running() + solver.islandCount(), 0);
  for (int index = 0; index < solver.blockCount(); ++index) {
    const RowBlock& block = solver.table().blocks[index];
    for (int row = block.firstRow; row < block.firstRow + block.rowCount; ++row)
      if (std::fabs(rows.rows[row].constant) > smallest) solver.running()[block.island] = 1;
  }
  if (solver.runningIslands() == 0) return;
  solver.keepFree();
  solver.start(true);
  solver.solve(0);
  bodies.moveTo(world);
}

}  // namespace

JointGaps projectJoints(World& world, const std::vector<SweepLimits>& sweeps) {
  const JointGaps before = measureJoints(world);
  const RowBuffer rows = rowsOfProjection(world);
  if (rows.rows.empty()) return before;
  std::vector<SolverSettings> settings(sweeps.size());
  for (int replica = 0; replica < countOf(sweeps); ++replica) {
    settings[replica].tolerance = sweeps[replica].tolerance;
    settings[replica].maxIterations = sweeps[replica].maxIterations;
    settings[replica].velocityUnit = sweeps[replica].velocityUnit * world.dt;  // rows are in metres
  }
  SweepsOn<HostBackend, false> solver{HostBackend()};
  moveBodies(world, rows, settings, -1, solver);
  return before;
}

JointGaps projectJoints(World& world) {
  constexpr double kTogether = 1e-14;  // m, rad: rounding
  constexpr int kMostPasses = 10;      // larger: steps that are lost take longer
  const JointGaps before = measureJoints(world);
  if (!(before.largest() > kTogether)) return before;
  SolverSettings direct;
  direct.tolerance = 1e-12;  // larger: gaps stay; smaller: iterations that move nothing
  direct.maxIterations = 20;
  direct.linear = LinearSolver::Direct;
  thread_local NewtonRowsOn<HostBackend> solver(NcpFunction::MinimumMap, HostBackend());  // its arrays stay
  ModelSettings model;
  model.largestProblem = std::numeric_limits<int>::max();
  solver.setModel(model);
  const std::vector<SolverSettings> settings(world.scene->replicas, direct);
  // One pass leaves the square of a gap, and bodies that have come far apart take several.
  constexpr double kVisible = 1e-6;  // m, rad
  double gap = before.largest();
  for (int pass = 0; pass == 0 || (pass < kMostPasses && gap > kVisible); ++pass) {
    moveBodies(world, rowsOfProjection(world), settings, kTogether, solver);
    const double now = measureJoints(world).largest();
    if (!(now < 0.5 * gap)) break;
    gap = now;
  }
  return before;
}

JointGaps measureJoints(World& world) {
  JointGaps largest;
  const auto poseOfBody = [&world](int body) { return poseOf(world, body); };
  for (int joint = 0; joint < countOf(world.scene->joints); ++joint) {
    const Joint& ends = world.scene->joints[joint];
    if (!canMove(world, ends.bodyA) && !canMove(world, ends.bodyB)) continue;
    eachJointConstraint(world, joint, world.time, poseOfBody, [&](const JointConstraint& constraint) {
      if (!isProjected(constraint) || constraint.slot >= JointRows::kMost) return;
      double& gap = constraint.isAngle ? largest.angle : largest.distance;
      gap = std::max(gap, std::abs(constraint.c));
    });
  }
  return largest;
}

}  // namespace touchstone
