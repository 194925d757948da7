#include "core/constraints/joint_islands.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "core/constraints/row_terms.h"
#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/rows/redundant_rows.h"
#include "core/world/body_pose.h"

namespace touchstone {

JointPairs jointPairs(const World& world) {
  const std::vector<Joint>& joints = world.scene->joints;
  const auto movingOf = [&world](int body) { return canMove(world, body) ? body : -1; };
  const auto anyOf = [&movingOf](const Joint& joint) {
    const int b = movingOf(joint.bodyB);
    return b >= 0 ? b : movingOf(joint.bodyA);
  };
  JointPairs pairs;
  const auto add = [&pairs](int a, int b, int joint) {
    pairs.moving.push_back({a, b});
    pairs.joint.push_back(joint);
  };
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = joints[index];
    if (anyOf(joint) < 0) continue;
    add(movingOf(joint.bodyA), movingOf(joint.bodyB), static_cast<int>(index));
    if (joint.mimic.joint < 0) continue;
    const int led = anyOf(joints[joint.mimic.joint]);
    if (led >= 0) add(anyOf(joint), led, -1);
  }
  return pairs;
}

JointIslands jointIslands(const World& world) {
  const int bodyCount = world.bodyCount();
  const JointPairs pairs = jointPairs(world);
  const std::vector<std::vector<int>> found = islandsOfPairs(pairs.moving, bodyCount);
  JointIslands islands;
  islands.bodies = bodiesOfIslands(found, pairs.moving, bodyCount);
  islands.joints.resize(found.size());
  for (std::size_t island = 0; island < found.size(); ++island)
    for (const int pair : found[island])
      if (const int joint = pairs.joint[pair]; joint >= 0) islands.joints[island].push_back(joint);
  return islands;
}

/// M⁻¹ of a body where it is.
static Mobility freeMobility(const World& world, int body) {
  const std::size_t place = body;
  const Mat3 turn = world.orientation[place].toRotationMatrix();
  Mobility mobility;
  mobility.linear = world.inverseMass[place] * Mat3::Identity();
  mobility.angular = turn * (*world.constants)[place].inverseInertia * turn.transpose();
  return mobility;
}

/// W of the bodies of an island, from Y = L⁻¹ J M⁻¹ with L Lᵀ = J M⁻¹ Jᵀ + E/h²: M⁻¹ − Yᵀ Y.
static void findMobilities(const World& world, const JointIslands& islands, std::size_t island,
                           std::vector<Mobility>& ofBody) {
  const std::vector<int>& bodies = islands.bodies.ofIsland[island];
  std::vector<RowTerms> rows;
  std::vector<double> softness;
  for (const int joint : islands.joints[island]) {
    const auto keep = [&](const JointConstraint& constraint) {
      if (constraint.kind != JointConstraint::Kind::Bilateral) return;
      rows.push_back(termsOf(*world.scene, joint, constraint, islands.bodies.place));
      const double share = 1 + (constraint.compliance > 0 ? constraint.dampingTime / world.dt : 0);
      softness.push_back(constraint.compliance / (share * world.dt * world.dt));
    };
    eachJointConstraint(
        world, joint, world.time + world.dt, [&world](int body) { return poseOf(world, body); }, keep);
  }
  for (const int body : bodies) ofBody[body] = freeMobility(world, body);
  const Eigen::Index count = static_cast<Eigen::Index>(rows.size()),
                     columns = 6 * static_cast<Eigen::Index>(bodies.size());
  if (count == 0) return;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(count, columns), Y = J;
  for (Eigen::Index row = 0; row < count; ++row)
    for (const BodyTerm& term : rows[row]) {
      const int body = bodies[term.body];
      const Mobility& alone = ofBody[body];
      J.block<1, 3>(row, 6 * term.body) += term.linear.transpose();
      J.block<1, 3>(row, 6 * term.body + 3) += term.angular.transpose();
      Y.block<1, 3>(row, 6 * term.body) += (alone.linear * term.linear).transpose();
      Y.block<1, 3>(row, 6 * term.body + 3) += (alone.angular * term.angular).transpose();
    }
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index row = 0; row < count; ++row)
    for (Eigen::Index other = 0; other <= row; ++other)
      for (const BodyTerm& term : rows[row])
        A(row, other) += J.block<1, 6>(row, 6 * term.body).dot(Y.block<1, 6>(other, 6 * term.body));
  for (Eigen::Index row = 0; row < count; ++row)
    A(row, row) = (A(row, row) + softness[row]) * (1 + kRedundantRows);
  const Eigen::LLT<Eigen::MatrixXd> factors(A);
  if (factors.info() != Eigen::Success) return;  // rows so redundant that rounding decides: as if free
  factors.matrixL().solveInPlace(Y);
  for (std::size_t place = 0; place < bodies.size(); ++place) {
    Mobility& mobility = ofBody[bodies[place]];
    const auto columns = Y.middleCols<6>(6 * static_cast<Eigen::Index>(place));
    const Eigen::Matrix<double, 6, 6> taken = columns.transpose() * columns;
    mobility.linear -= taken.topLeftCorner<3, 3>();
    mobility.coupling -= taken.topRightCorner<3, 3>();
    mobility.angular -= taken.bottomRightCorner<3, 3>();
  }
}

JointMobilities jointMobilities(const World& world) {
  const JointIslands islands = jointIslands(world);
  const std::size_t bodyCount = world.bodyCount();
  JointMobilities mobilities;
  mobilities.islandOf.assign(bodyCount, -1);
  mobilities.first.push_back(0);
  mobilities.ofBody.resize(bodyCount);
  for (std::size_t island = 0; island < islands.joints.size(); ++island) {
    for (const int body : islands.bodies.ofIsland[island]) {
      mobilities.islandOf[body] = static_cast<int>(island);
      mobilities.bodies.push_back(body);
    }
    mobilities.first.push_back(countOf(mobilities.bodies));
  }
  mobilities.first.resize(bodyCount + 1, countOf(mobilities.bodies));
  mobilities.bodies.resize(bodyCount, -1);
  parallelFor(
      countOf(islands.joints), [&](int island) { findMobilities(world, islands, island, mobilities.ofBody); },
      Work::Long);
  return mobilities;
}

}  // namespace touchstone
