#include "core/constraints/joint_projection.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/constraints/joint_islands.h"
#include "core/constraints/joint_velocity_rows.h"
#include "core/constraints/row_terms.h"
#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/rows/redundant_rows.h"
#include "core/solver/rows/uploaded_rows.inl"
#include "core/solver/sweep/projected_gauss_seidel.inl"
#include "core/world/body_pose.h"

namespace touchstone {

namespace {

/// A rigid row that is to become 0.
struct ProjectedRow {
  RowTerms terms;
  double c = 0;
};

/// Turns an orientation by a small rotation vector [rad].
void turnBy(const Vec3& angle, Quaternion& orientation) {
  const Vec3 half = 0.5 * angle;
  Quaternion turned = product(Quaternion(1, half.x(), half.y(), half.z()), orientation);
  turned.normalize();
  orientation = turned;
}

class IslandProjection {
 public:
  IslandProjection(World& world, const std::vector<int>& bodies, const std::vector<int>& place)
      : m_world(world), m_bodies(bodies), m_place(place) {
    for (const int body : bodies) {
      const Mat3 turn = world.orientation[body].toRotationMatrix();
      const BodyConstants& constants = (*world.constants)[body];
      m_inverseInertia.push_back(turn * constants.inverseInertia * turn.transpose());
    }
  }

  /// Rows of a joint that a projection is about.
  void add(int joint) {
    const auto poseOfBody = [this](int body) { return poseOf(m_world, body); };
    eachJointConstraint(m_world, joint, m_world.time, poseOfBody, [&](const JointConstraint& constraint) {
      if (!isProjected(constraint)) return;
      const RowTerms terms = termsOf(*m_world.scene, joint, constraint, m_place);
      if (terms.isEmpty()) return;
      m_rows.push_back({terms, constraint.c});
      if (constraint.slot >= JointRows::kMost) return;
      double& largest = constraint.isAngle ? gaps.angle : gaps.distance;
      largest = std::max(largest, std::abs(constraint.c));
    });
  }

  void project() {
    constexpr double kTogether = 1e-14;  // m, rad: rounding
    if (!(std::max(gaps.angle, gaps.distance) > kTogether)) return;
    const Eigen::Index n = static_cast<Eigen::Index>(m_rows.size());
    Eigen::MatrixXd A(n, n);
    Eigen::VectorXd c(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      c[k] = m_rows[k].c;
      for (Eigen::Index l = 0; l < n; ++l) A(k, l) = coupling(m_rows[k], m_rows[l]);
      A(k, k) *= 1 + kRedundantRows;
    }
    const Eigen::VectorXd impulses = -A.ldlt().solve(c);
    if (!impulses.allFinite()) return;
    Motions moves(m_bodies.size());
    for (Eigen::Index k = 0; k < n; ++k) push(m_rows[k].terms, impulses[k], moves);
    for (std::size_t place = 0; place < m_bodies.size(); ++place) {
      const std::size_t body = m_bodies[place];
      m_world.position[body] += m_world.inverseMass[body] * moves.linear[place];
      turnBy(m_inverseInertia[place] * moves.angular[place], m_world.orientation[body]);
    }
  }

  JointGaps gaps;

 private:
  double coupling(const ProjectedRow& one, const ProjectedRow& other) const {
    double sum = 0;
    for (const BodyTerm& a : one.terms)
      for (const BodyTerm& b : other.terms) {
        if (a.body != b.body) continue;
        const std::size_t place = a.body;
        sum += m_world.inverseMass[m_bodies[place]] * a.linear.dot(b.linear) +
               a.angular.dot(m_inverseInertia[place] * b.angular);
      }
    return sum;
  }

  World& m_world;
  const std::vector<int>& m_bodies;
  const std::vector<int>& m_place;
  std::vector<Mat3> m_inverseInertia;  ///< [bodies of the island] world frame, where they are now
  std::vector<ProjectedRow> m_rows;
};

enum class Projection { Done, Left };

JointGaps gapsOf(World& world, Projection projection) {
  const JointIslands islands = jointIslands(world);
  std::vector<JointGaps> gaps(islands.joints.size());
  parallelFor(
      countOf(gaps),
      [&](int index) {
        IslandProjection island(world, islands.bodies.ofIsland[index], islands.bodies.place);
        for (const int joint : islands.joints[index]) island.add(joint);
        if (projection == Projection::Done) island.project();
        gaps[index] = island.gaps;
      },
      Work::Long);
  JointGaps largest;
  for (const JointGaps& islandGaps : gaps) {
    largest.distance = std::max(largest.distance, islandGaps.distance);
    largest.angle = std::max(largest.angle, islandGaps.angle);
  }
  return largest;
}

}  // namespace

JointGaps projectJoints(World& world, const std::vector<SweepLimits>& sweeps) {
  const JointGaps before = gapsOf(world, Projection::Left);
  const JointVelocityRows rows = jointProjectionRows(world);
  if (rows.rows.rows.empty()) return before;
  const int bodies = countOf(world.position);
  std::vector<Vec3> linear(bodies, Vec3(0, 0, 0)), angular = linear;
  std::vector<Mat3> inverseInertia(bodies, Mat3::Zero());
  for (int body = 0; body < bodies; ++body) {
    const Mat3 turn = world.orientation[body].toRotationMatrix();
    if (isDynamic(world, body))
      inverseInertia[body] = turn * (*world.constants)[body].inverseInertia * turn.transpose();
  }
  WorldView view = viewOf(world);
  view.carrierCount = bodies;
  view.nextLinearVelocity = linear.data();
  view.nextAngularVelocity = angular.data();
  view.inverseInertia = inverseInertia.data();
  std::vector<SolverSettings> settings(sweeps.size());
  for (int replica = 0; replica < countOf(sweeps); ++replica) {
    settings[replica].tolerance = sweeps[replica].tolerance;
    settings[replica].maxIterations = sweeps[replica].maxIterations;
    settings[replica].velocityUnit = sweeps[replica].velocityUnit * world.dt;  // rows are in metres
  }
  const HostBackend backend;
  UploadedRows<HostBackend> kind;
  kind.set(backend, rows.rows);
  ProjectedGaussSeidelOn<HostBackend> solver(backend);
  solver.layOut(view, {&kind}, settings);
  solver.runAll();
  solver.keepFree();
  solver.start(true);
  solver.solve(0);
  for (int body = 0; body < bodies; ++body) {
    if (!isDynamic(world, body)) continue;
    world.position[body] += linear[body];
    turnBy(angular[body], world.orientation[body]);
  }
  return before;
}

JointGaps projectJoints(World& world) { return gapsOf(world, Projection::Done); }

JointGaps measureJoints(World& world) { return gapsOf(world, Projection::Left); }

}  // namespace touchstone
