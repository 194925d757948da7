#include "core/constraints/joint_projection.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/constraints/joint_islands.h"
#include "core/constraints/row_terms.h"
#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/dense/constraint_row.h"
#include "core/world/body_pose.h"

namespace touchstone {

namespace {

/// A rigid row that is to become 0.
struct ProjectedRow {
  RowTerms terms;
  double c = 0;
};

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
      using Kind = JointConstraint::Kind;
      if (constraint.kind == Kind::Drive || constraint.kind == Kind::Force) return;
      if (constraint.compliance > 0) return;
      if (constraint.kind == Kind::Unilateral && constraint.c >= 0) return;
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
      const Vec3 half = 0.5 * Vec3(m_inverseInertia[place] * moves.angular[place]);
      Quaternion turned = product(Quaternion(1, half.x(), half.y(), half.z()), m_world.orientation[body]);
      turned.normalize();
      m_world.orientation[body] = turned;
    }
  }

  JointGaps gaps;

 private:
  double coupling(const ProjectedRow& one, const ProjectedRow& other) const {
    double sum = 0;
    for (const RowTerm& a : one.terms)
      for (const RowTerm& b : other.terms) {
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

JointGaps projectJoints(World& world) { return gapsOf(world, Projection::Done); }

JointGaps measureJoints(World& world) { return gapsOf(world, Projection::Left); }

}  // namespace touchstone
