#include "core/constraints/joint_islands.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "core/constraints/joint_constraints.h"
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
  std::vector<JointConstraint> rows;
  std::vector<int> jointOfRow;
  std::vector<double> softness;
  for (const int joint : islands.joints[island]) {
    const auto keep = [&](const JointConstraint& constraint) {
      if (constraint.kind != JointConstraint::Kind::Bilateral) return;
      rows.push_back(constraint);
      jointOfRow.push_back(joint);
      const double share = 1 + (constraint.compliance > 0 ? constraint.dampingTime / world.dt : 0);
      softness.push_back(constraint.compliance / (share * world.dt * world.dt));
    };
    eachJointConstraint(
        world, joint, world.time + world.dt, [&world](int body) { return poseOf(world, body); }, keep);
  }
  for (const int body : bodies) ofBody[body] = freeMobility(world, body);
  const int count = countOf(rows), columns = 6 * countOf(bodies);
  if (count == 0) return;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(count, columns), Y = J;
  std::vector<std::vector<int>> placesOfRow(count);
  const auto add = [&](int row, const Joint& joint, const JacobianRow& gradient) {
    for (const bool isA : {true, false}) {
      const int body = isA ? joint.bodyA : joint.bodyB, place = body < 0 ? -1 : islands.bodies.place[body];
      if (place < 0) continue;
      std::vector<int>& places = placesOfRow[row];
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
      J.block<1, 3>(row, 6 * place) += (isA ? gradient.linearA : gradient.linearB).transpose();
      J.block<1, 3>(row, 6 * place + 3) += (isA ? gradient.angularA : gradient.angularB).transpose();
    }
  };
  for (int row = 0; row < count; ++row) {
    const Joint& joint = world.scene->joints[jointOfRow[row]];
    add(row, joint, rows[row].row);
    if (rows[row].hasLed) add(row, world.scene->joints[joint.mimic.joint], rows[row].led);
    for (const int place : placesOfRow[row]) {
      const Mobility& alone = ofBody[bodies[place]];
      Y.block<1, 3>(row, 6 * place) = J.block<1, 3>(row, 6 * place) * alone.linear;
      Y.block<1, 3>(row, 6 * place + 3) = J.block<1, 3>(row, 6 * place + 3) * alone.angular;
    }
  }
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(count, count);
  for (int row = 0; row < count; ++row)
    for (int other = 0; other <= row; ++other)
      for (const int place : placesOfRow[row])
        A(row, other) += J.block<1, 6>(row, 6 * place).dot(Y.block<1, 6>(other, 6 * place));
  for (int row = 0; row < count; ++row) A(row, row) = (A(row, row) + softness[row]) * (1 + kRedundantRows);
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
