#include "core/constraints/joint_step.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>

#include "core/constraints/joint_islands.h"
#include "core/constraints/row_terms.h"
#include "core/math/count.h"
#include "core/parallel/frame_clock.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/rows/redundant_rows.h"
#include "core/world/body_pose.h"

namespace touchstone {

namespace {

constexpr int kMostIterations = 4;
/// [m, rad] A smaller value costs iterations without visible effect; with a larger one joints drift apart.
constexpr double kHolds = 1e-9;

struct JointRow {
  RowTerms start, now;  ///< J(q⁻), J(q⁺)
  JointConstraint atStart, constraint;
  int joint = 0;
  double impulse = 0;    ///< p [N·s]
  bool isActive = true;  ///< of limits and ropes
  double fixed = 0;      ///< not 0: the impulse is given, or that of a drive at its largest force
};

class IslandStep {
 public:
  IslandStep(const World& world, const JointIslands& islands, std::size_t island)
      : m_world(world),
        m_joints(islands.joints[island]),
        m_bodies(islands.bodies.ofIsland[island]),
        m_place(islands.bodies.place),
        m_h(world.dt) {
    for (const int body : m_bodies) {
      m_start.linear.push_back(world.nextLinearVelocity[body]);
      m_start.angular.push_back(world.nextAngularVelocity[body]);
    }
    m_u = m_start;
  }

  void solve() {
    collect(true);
    applyImpulses();  // forces that are given
    if (isFarOff()) beginLinearised();
    collect(false);
    if (findActive()) collect(false);
    std::vector<double> first;
    double last = HUGE_VAL;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      checkFrameClock();
      step();
      collect(false);
      if (findActive()) {
        collect(false);
        last = HUGE_VAL;
        continue;
      }
      const double error = largest();
      if (first.empty()) first = impulses();
      if (error <= kHolds) return;
      if (!(error < last)) {
        setImpulses(first);
        break;
      }
      last = error;
    }
    collect(false);
    m_holds = largest() <= 1e3 * kHolds;
  }

  /// Writes the velocities, and adds what bodies that do not move have given.
  void take(World& world, JointTotals& totals) const {
    for (std::size_t k = 0; k < m_bodies.size(); ++k) {
      const std::size_t body = m_bodies[k];
      world.nextLinearVelocity[body] = m_u.linear[k];
      world.nextAngularVelocity[body] = m_u.angular[k];
    }
    const auto poseOfBody = [this](int body) { return poseOf(m_world, body); };
    for (const JointRow& row : m_rows) totals.add(m_world, row.joint, row.atStart, row.impulse, poseOfBody);
    if (!m_holds) ++totals.missedIslands;
  }

 private:
  /// A contact's force on a light body at a heavy one turns it wildly before its joints hold it. Iterations
  /// that begin there do not come back.
  bool isFarOff() const {
    constexpr double kFar = 0.5;  // rad, and share of a body's radius. Larger: the iteration fails; smaller:
                                  // needless work, and the last digits of slow scenes change
    for (std::size_t k = 0; k < m_bodies.size(); ++k) {
      const std::size_t body = m_bodies[k];
      const double turn = m_h * (m_u.angular[k] - m_world.angularVelocity[body]).norm(),
                   way = m_h * (m_u.linear[k] - m_world.linearVelocity[body]).norm();
      if (turn > kFar || way > kFar * m_world.scene->bodies[body].shape->radius) return true;
    }
    return false;
  }
  /// The impulses of rows that are linearised at the start, where the iteration is to begin.
  void beginLinearised() {
    for (JointRow& row : m_rows) {
      row.now = row.start;
      row.constraint.c += m_h * rateOf(row.start, m_u);
    }
    findActive();
    step();
  }

  /// In the island, −1 of a body that does not move.
  int placeOf(int body) const { return body < 0 ? -1 : m_place[body]; }

  /// Errors and gradients: where the step starts the rows and J(q⁻), else where the velocities lead.
  void collect(bool atStart) {
    m_poses.clear();
    for (std::size_t k = 0; k < m_bodies.size(); ++k) {
      const int body = m_bodies[k];
      const BodyPose start = poseOf(m_world, body);
      m_poses.push_back(
          atStart ? start : poseAfter(start, (*m_world.constants)[body], m_u.linear[k], m_u.angular[k], m_h));
    }
    const auto poseOfBody = [this](int body) {
      const int place = placeOf(body);
      return place < 0 ? poseOf(m_world, body) : m_poses[place];
    };
    std::size_t next = 0;
    for (const int index : m_joints) {
      const auto keep = [&](const JointConstraint& constraint) {
        const RowTerms terms = termsOf(*m_world.scene, index, constraint, m_place);
        if (atStart)
          addRow(index, constraint, terms);
        else
          renewRow(next, index, constraint, terms);
      };
      eachJointConstraint(m_world, index, m_world.time + m_h, poseOfBody, keep);
    }
  }

  void addRow(int joint, const JointConstraint& constraint, const RowTerms& terms) {
    JointRow& row = m_rows.emplace_back();
    row.start = terms;
    row.joint = joint;
    row.atStart = row.constraint = constraint;
    if (constraint.kind != JointConstraint::Kind::Force) return;
    row.fixed = 1;
    row.impulse = constraint.bound * m_h;
  }
  /// @param next  the row after the one that was renewed last: constraints come in the order of the rows
  void renewRow(std::size_t& next, int joint, const JointConstraint& constraint, const RowTerms& terms) {
    const auto isIt = [&](const JointRow& row) {
      return row.joint == joint && row.constraint.slot == constraint.slot;
    };
    while (next < m_rows.size() && !isIt(m_rows[next])) ++next;
    if (next == m_rows.size()) return;  // it had no row at the start
    m_rows[next].constraint = constraint;
    m_rows[next].now = terms;
    ++next;
  }

  /// c + (E/h) p of a row, in the form of a bilateral one. @param compliance  out: E
  double residualOf(const JointRow& row, double& compliance) const {
    const JointConstraint& constraint = row.constraint;
    if (constraint.kind == JointConstraint::Kind::Drive) {
      compliance = constraint.driveCompliance(m_h);
      return compliance * (row.impulse / m_h + constraint.stiffness * constraint.c +
                           constraint.damping * (rateOf(row.now, m_u) - constraint.rate));
    }
    const double share = 1 + (constraint.compliance > 0 ? constraint.dampingTime / m_h : 0);
    compliance = constraint.compliance / share;
    return (constraint.c + (constraint.compliance > 0 ? constraint.dampingTime * rateOf(row.now, m_u) : 0) +
            constraint.compliance * row.impulse / m_h) /
           share;
  }

  bool isSolved(const JointRow& row) const { return row.isActive && row.fixed == 0; }
  double largest() const {
    double maximum = 0, compliance = 0;
    for (const JointRow& row : m_rows)
      if (isSolved(row) && row.constraint.kind != JointConstraint::Kind::Drive)
        maximum = std::max(maximum, std::abs(residualOf(row, compliance)));
    return maximum;
  }

  /// Which limits hold and which drives are saturated. @return true if that has changed
  bool findActive() {
    bool hasChanged = false;
    for (JointRow& row : m_rows) {
      const JointConstraint& constraint = row.constraint;
      if (constraint.kind == JointConstraint::Kind::Unilateral) {
        const bool isActive = row.isActive && row.impulse != 0 ? row.impulse > 0 : constraint.c < 0;
        hasChanged = hasChanged || isActive != row.isActive;
        row.isActive = isActive;
        if (!isActive) row.impulse = 0;
      } else if (constraint.kind == JointConstraint::Kind::Drive &&
                 std::abs(row.impulse) > constraint.bound * m_h) {
        row.fixed = row.impulse > 0 ? 1 : -1;
        row.impulse = row.fixed * constraint.bound * m_h;
        hasChanged = true;
      }
    }
    if (hasChanged) applyImpulses();
    return hasChanged;
  }

  std::vector<double> impulses() const {
    std::vector<double> impulses;
    for (const JointRow& row : m_rows) impulses.push_back(row.impulse);
    return impulses;
  }
  void setImpulses(const std::vector<double>& impulses) {
    for (std::size_t row = 0; row < m_rows.size(); ++row) m_rows[row].impulse = impulses[row];
    applyImpulses();
  }
  /// u = u* + M⁻¹ J(q⁻)ᵀ p.
  void applyImpulses() {
    m_u = m_start;
    for (const JointRow& row : m_rows)
      for (const BodyTerm& term : row.start) {
        const std::size_t place = term.body, body = m_bodies[place];
        m_u.linear[place] += row.impulse * m_world.inverseMass[body] * term.linear;
        m_u.angular[place] += row.impulse * Vec3(m_world.inverseInertia[body] * term.angular);
      }
  }

  void step() {
    std::vector<int> solved;
    for (std::size_t row = 0; row < m_rows.size(); ++row)
      if (isSolved(m_rows[row])) solved.push_back(static_cast<int>(row));
    const Eigen::Index n = static_cast<Eigen::Index>(solved.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd c(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const JointRow& one = m_rows[solved[k]];
      double compliance = 0;
      c[k] = residualOf(one, compliance);
      for (Eigen::Index l = 0; l < n; ++l) {
        const JointRow& other = m_rows[solved[l]];
        for (const BodyTerm& a : one.now)
          for (const BodyTerm& b : other.start) {
            if (a.body != b.body) continue;
            const std::size_t body = m_bodies[a.body];
            A(k, l) += m_h * (m_world.inverseMass[body] * a.linear.dot(b.linear) +
                              a.angular.dot(m_world.inverseInertia[body] * b.angular));
          }
      }
      A(k, k) += compliance / m_h;
      A(k, k) *= 1 + kRedundantRows;
    }
    if (n > 0) {
      const Eigen::VectorXd change = A.partialPivLu().solve(c);
      for (Eigen::Index k = 0; k < n; ++k) m_rows[solved[k]].impulse -= change[k];
    }
    applyImpulses();
  }

  const World& m_world;
  const std::vector<int>&m_joints, &m_bodies;  ///< of the scene, of the world
  const std::vector<int>& m_place;             ///< [bodyCount] of each body in its island, or −1
  double m_h;
  bool m_holds = true;
  Motions m_start, m_u;
  std::vector<BodyPose> m_poses;  ///< [bodies of the island]
  std::vector<JointRow> m_rows;
};

}  // namespace

void JointTotals::add(const World& world, int index, const JointConstraint& row, double impulse,
                      const PoseOfBody& poseOfBody) {
  const Joint& joint = world.scene->joints[index];
  const JacobianRow wrench = row.row.scaled(impulse);
  addWrench(world, index, poseOfBody(joint.bodyA), poseOfBody(joint.bodyB), wrench);
  addGround(world, index, wrench, poseOfBody);
  if (row.hasLed) addGround(world, joint.mimic.joint, row.led.scaled(impulse), poseOfBody);
  addSlot(world, index, row.slot, impulse);
}

void JointTotals::addWrench(const World& world, int index, const BodyPose& a, const BodyPose& b,
                            const JacobianRow& impulse) {
  joints.resize(world.scene->joints.size());
  const JointFrames& frames = world.scene->joints[index].frames;
  const Quaternion intoA = product(a.orientation, frames.frameA).conjugate();
  const Vec3 arm = b.orientation * frames.anchorB;
  JointState& state = joints[index];
  state.force += intoA * impulse.linearB;
  state.torque += intoA * Vec3(impulse.angularB - arm.cross(impulse.linearB));
}

void JointTotals::addGround(const World& world, int index, const JacobianRow& impulse,
                            const PoseOfBody& poseOfBody) {
  const Joint& joint = world.scene->joints[index];
  const bool isOnB = canMove(world, joint.bodyB);
  if (canMove(world, joint.bodyA) == isOnB) return;
  const Vec3 &linear = isOnB ? impulse.linearB : impulse.linearA,
             &angular = isOnB ? impulse.angularB : impulse.angularA;
  groundImpulse += linear;
  groundAngularImpulse += poseOfBody(isOnB ? joint.bodyB : joint.bodyA).position.cross(linear) + angular;
}

void JointTotals::addSlot(const World& world, int index, int slot, double impulse) {
  joints.resize(world.scene->joints.size());
  JointState& state = joints[index];
  const Joint& joint = world.scene->joints[index];
  if (slot == JointConstraint::Given || slot == JointConstraint::Driven) {
    constexpr double kRounding = 1e-9;
    state.drive += impulse;
    if (slot == JointConstraint::Driven &&
        std::abs(impulse) >= (1 - kRounding) * joint.drive.mostForce * world.dt)
      state.isLargest = true;
  } else if (slot == JointConstraint::DryFriction) {
    state.friction += impulse;
  } else if (impulse != 0) {
    if (slot == JointConstraint::Lower) state.limit = -1;
    if (slot == JointConstraint::Upper || joint.kind == JointKind::Rope) state.limit = 1;
  }
}

void JointTotals::addTo(StepRecord& record) const {
  if (!joints.empty()) record.joints.resize(joints.size());
  for (std::size_t joint = 0; joint < joints.size(); ++joint) {
    JointState& sum = record.joints[joint];
    const JointState& state = joints[joint];
    sum.force += state.force;
    sum.torque += state.torque;
    sum.drive += state.drive;
    sum.friction += state.friction;
    if (state.limit != 0) sum.limit = state.limit;
    sum.isLargest = sum.isLargest || state.isLargest;
  }
  record.groundImpulse += groundImpulse;
  record.groundAngularImpulse += groundAngularImpulse;
  if (missedIslands == 0) return;
  record.warnings.push_back("the joints of " + std::to_string(missedIslands) +
                            (missedIslands == 1 ? " island" : " islands") +
                            " were not brought together within the step; a shorter step, or more substeps, "
                            "holds them");
}

JointTotals holdJoints(World& world) {
  const JointIslands islands = jointIslands(world);
  std::vector<std::unique_ptr<IslandStep>> steps(islands.joints.size());
  parallelFor(
      countOf(steps),
      [&](int index) {
        steps[index] = std::make_unique<IslandStep>(world, islands, index);
        steps[index]->solve();
      },
      Work::Long);
  JointTotals totals;
  for (const std::unique_ptr<IslandStep>& step : steps) step->take(world, totals);
  return totals;
}

}  // namespace touchstone
