#include "core/constraints/joint_step.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>

#include "core/constraints/joint_constraints.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/rows/host_islands.h"
#include "core/world/free_rotation.h"

namespace touchstone {

namespace {

constexpr int kMostIterations = 4;
constexpr double kHolds = 1e-9;  // m, rad: smaller costs iterations that nobody sees; larger lets joints drift
/// Of the matrix's diagonal: closed loops have redundant rows.
constexpr double kRegularisation = 1e-10;

/// What a row does to a body.
struct Pull {
  int body = -1;  ///< of the island
  Vec3 linear = Vec3(0, 0, 0), angular = Vec3(0, 0, 0);
};

struct Row {
  std::vector<Pull> start, now;  ///< J(q⁻), J(q⁺)
  JointConstraint constraint;
  int joint = 0;
  double impulse = 0;     ///< p [N·s]
  bool isActive = true;   ///< of limits and ropes
  double fixed = 0;       ///< of a drive at its largest force: its sign
};

struct Island {
  std::vector<int> joints;  ///< of the scene
  std::vector<int> bodies;  ///< of the world
  bool holds = true;
};

class IslandStep {
 public:
  IslandStep(const World& world, Island& island) : m_world(world), m_island(island), m_h(world.dt) {
    for (const int body : island.bodies) {
      const std::size_t at = static_cast<std::size_t>(body);
      m_startLinear.push_back(world.nextLinearVelocity[at]);
      m_startAngular.push_back(world.nextAngularVelocity[at]);
    }
    m_linear = m_startLinear;
    m_angular = m_startAngular;
  }

  void solve() {
    collect(true);
    collect(false);
    if (findActive()) collect(false);
    std::vector<double> first;
    double last = HUGE_VAL;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
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
    m_island.holds = largest() <= 1e3 * kHolds;
  }

  /// Writes the velocities, and what bodies that do not move have given.
  void take(World& world, StepRecord& record) const {
    for (std::size_t k = 0; k < m_island.bodies.size(); ++k) {
      const std::size_t at = static_cast<std::size_t>(m_island.bodies[k]);
      world.nextLinearVelocity[at] = m_linear[k];
      world.nextAngularVelocity[at] = m_angular[k];
    }
    for (const Row& row : m_rows) {
      const Joint& joint = m_world.scene->joints[static_cast<std::size_t>(row.joint)];
      const bool a = joint.bodyA >= 0 && isDynamic(m_world, joint.bodyA), b = isDynamic(m_world, joint.bodyB);
      if (a == b) continue;
      for (const Pull& pull : row.start) {
        const std::size_t at = static_cast<std::size_t>(m_island.bodies[static_cast<std::size_t>(pull.body)]);
        const Vec3 force = row.impulse * pull.linear;
        record.groundImpulse += force;
        record.groundAngularImpulse += world.position[at].cross(force) + row.impulse * pull.angular;
      }
    }
  }

 private:
  int placeOf(int body) const {
    const auto at = std::find(m_island.bodies.begin(), m_island.bodies.end(), body);
    return at == m_island.bodies.end() ? -1 : static_cast<int>(at - m_island.bodies.begin());
  }

  BodyPose startPose(int body) const {
    if (body < 0) return {};
    return {m_world.position[static_cast<std::size_t>(body)],
            m_world.orientation[static_cast<std::size_t>(body)]};
  }
  BodyPose endPose(int body) const {
    const BodyPose start = startPose(body);
    const int place = body < 0 ? -1 : placeOf(body);
    if (place < 0) return start;
    const std::size_t at = static_cast<std::size_t>(place);
    return {start.position + m_h * m_linear[at],
            freeRotation((*m_world.constants)[static_cast<std::size_t>(body)], start.orientation, m_angular[at],
                         m_h)
                .orientation};
  }

  PlacedConstraints placed(int index, bool atStart) const {
    const Joint& joint = m_world.scene->joints[static_cast<std::size_t>(index)];
    const auto poseOf = [&](int body) { return atStart ? startPose(body) : endPose(body); };
    const JointDrive::Aim aim = joint.drive.aimAt(m_world.time + m_world.dt);
    return {&joint, poseOf(joint.bodyA), poseOf(joint.bodyB), 0, aim.target, aim.rate, nullptr};
  }

  void add(const JacobianRow& j, const Joint& joint, std::vector<Pull>& pulls) const {
    const auto put = [&](int body, const Vec3& linear, const Vec3& angular) {
      const int place = body < 0 ? -1 : placeOf(body);
      if (place < 0) return;
      for (Pull& pull : pulls)
        if (pull.body == place) {
          pull.linear += linear;
          pull.angular += angular;
          return;
        }
      pulls.push_back({place, linear, angular});
    };
    put(joint.bodyA, j.linearA, j.angularA);
    put(joint.bodyB, j.linearB, j.angularB);
  }

  /// Errors and gradients: where the step starts the rows and J(q⁻), else where the velocities lead.
  void collect(bool atStart) {
    std::size_t next = 0;
    for (const int index : m_island.joints) {
      const Joint& joint = m_world.scene->joints[static_cast<std::size_t>(index)];
      PlacedConstraints own = placed(index, atStart), led;
      if (joint.mimic.joint >= 0) {
        led = placed(joint.mimic.joint, atStart);
        own.led = &led;
      }
      eachJointConstraint(own, [&](const JointConstraint& constraint) {
        std::vector<Pull> pulls;
        add(constraint.row, joint, pulls);
        if (constraint.hasLed) add(constraint.led, *led.joint, pulls);
        if (atStart) {
          m_rows.emplace_back();
          m_rows.back().start = pulls;
          m_rows.back().joint = index;
          m_rows.back().constraint = constraint;
          return;
        }
        while (next < m_rows.size() && !(m_rows[next].joint == index && m_rows[next].constraint.slot == constraint.slot))
          ++next;
        if (next == m_rows.size()) return;  // it had no row at the start
        m_rows[next].constraint = constraint;
        m_rows[next].now = std::move(pulls);
        ++next;
      });
    }
  }

  double rateOf(const std::vector<Pull>& pulls) const {
    double sum = 0;
    for (const Pull& pull : pulls)
      sum += pull.linear.dot(m_linear[static_cast<std::size_t>(pull.body)]) +
             pull.angular.dot(m_angular[static_cast<std::size_t>(pull.body)]);
    return sum;
  }

  /// c + (E/h) p of a row, in the form of a bilateral one. @param compliance  out: E
  double residualOf(const Row& row, double& compliance) const {
    const JointConstraint& own = row.constraint;
    if (own.kind == JointConstraint::Kind::Drive) {
      compliance = own.driveCompliance(m_h);
      return compliance *
             (row.impulse / m_h + own.stiffness * own.c + own.damping * (rateOf(row.now) - own.rate));
    }
    const double share = 1 + (own.compliance > 0 ? own.dampingTime / m_h : 0);
    compliance = own.compliance / share;
    return (own.c + (own.compliance > 0 ? own.dampingTime * rateOf(row.now) : 0) +
            own.compliance * row.impulse / m_h) /
           share;
  }

  bool isSolved(const Row& row) const { return row.isActive && row.fixed == 0; }
  double largest() const {
    double most = 0, compliance = 0;
    for (const Row& row : m_rows)
      if (isSolved(row) && row.constraint.kind != JointConstraint::Kind::Drive)
        most = std::max(most, std::abs(residualOf(row, compliance)));
    return most;
  }

  /// Which limits hold and which drives are saturated. @return true if that has changed
  bool findActive() {
    bool hasChanged = false;
    for (Row& row : m_rows) {
      const JointConstraint& own = row.constraint;
      if (own.kind == JointConstraint::Kind::Unilateral) {
        const bool isActive = row.isActive && row.impulse != 0 ? row.impulse > 0 : own.c < 0;
        hasChanged = hasChanged || isActive != row.isActive;
        row.isActive = isActive;
        if (!isActive) row.impulse = 0;
      } else if (own.kind == JointConstraint::Kind::Drive && std::abs(row.impulse) > own.most * m_h) {
        row.fixed = row.impulse > 0 ? 1 : -1;
        row.impulse = row.fixed * own.most * m_h;
        hasChanged = true;
      }
    }
    if (hasChanged) applyImpulses();
    return hasChanged;
  }

  std::vector<double> impulses() const {
    std::vector<double> all;
    for (const Row& row : m_rows) all.push_back(row.impulse);
    return all;
  }
  void setImpulses(const std::vector<double>& all) {
    for (std::size_t row = 0; row < m_rows.size(); ++row) m_rows[row].impulse = all[row];
    applyImpulses();
  }
  /// u = u* + M⁻¹ J(q⁻)ᵀ p.
  void applyImpulses() {
    m_linear = m_startLinear;
    m_angular = m_startAngular;
    for (const Row& row : m_rows)
      for (const Pull& pull : row.start) {
        const std::size_t at = static_cast<std::size_t>(pull.body),
                          body = static_cast<std::size_t>(m_island.bodies[at]);
        m_linear[at] += row.impulse * m_world.inverseMass[body] * pull.linear;
        m_angular[at] += row.impulse * Vec3(m_world.inverseInertia[body] * pull.angular);
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
      const Row& one = m_rows[static_cast<std::size_t>(solved[static_cast<std::size_t>(k)])];
      double compliance = 0;
      c[k] = residualOf(one, compliance);
      for (Eigen::Index l = 0; l < n; ++l) {
        const Row& other = m_rows[static_cast<std::size_t>(solved[static_cast<std::size_t>(l)])];
        for (const Pull& a : one.now)
          for (const Pull& b : other.start) {
            if (a.body != b.body) continue;
            const std::size_t body = static_cast<std::size_t>(m_island.bodies[static_cast<std::size_t>(a.body)]);
            A(k, l) += m_h * (m_world.inverseMass[body] * a.linear.dot(b.linear) +
                              a.angular.dot(m_world.inverseInertia[body] * b.angular));
          }
      }
      A(k, k) += compliance / m_h;
      A(k, k) *= 1 + kRegularisation;
    }
    if (n > 0) {
      const Eigen::VectorXd change = A.partialPivLu().solve(c);
      for (Eigen::Index k = 0; k < n; ++k)
        m_rows[static_cast<std::size_t>(solved[static_cast<std::size_t>(k)])].impulse -= change[k];
    }
    applyImpulses();
  }

  const World& m_world;
  Island& m_island;
  double m_h;
  std::vector<Vec3> m_startLinear, m_startAngular, m_linear, m_angular;
  std::vector<Row> m_rows;
};

}  // namespace

void holdJoints(World& world, StepRecord& record) {
  const std::vector<Joint>& joints = world.scene->joints;
  const auto movingOf = [&world](int body) { return body >= 0 && isDynamic(world, body) ? body : -1; };
  std::vector<IndexPair> moving;
  std::vector<int> jointOfPair;
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = joints[index];
    const int a = movingOf(joint.bodyA), b = movingOf(joint.bodyB);
    if (a < 0 && b < 0) continue;
    moving.push_back({a, b});
    jointOfPair.push_back(static_cast<int>(index));
    if (joint.mimic.joint < 0) continue;
    const Joint& led = joints[static_cast<std::size_t>(joint.mimic.joint)];
    const int other = movingOf(led.bodyB) >= 0 ? led.bodyB : movingOf(led.bodyA);
    if (other < 0) continue;
    moving.push_back({b >= 0 ? b : a, other});
    jointOfPair.push_back(-1);
  }
  std::vector<Island> islands;
  for (const std::vector<int>& pairs : islandsOfPairs(moving, static_cast<int>(world.position.size()))) {
    Island island;
    for (const int pair : pairs) {
      const std::size_t at = static_cast<std::size_t>(pair);
      if (jointOfPair[at] >= 0) island.joints.push_back(jointOfPair[at]);
      for (const int body : {moving[at].first, moving[at].second})
        if (body >= 0 && std::find(island.bodies.begin(), island.bodies.end(), body) == island.bodies.end())
          island.bodies.push_back(body);
    }
    islands.push_back(std::move(island));
  }
  std::vector<std::unique_ptr<IslandStep>> steps(islands.size());
  parallelFor(
      static_cast<int>(islands.size()),
      [&](int index) {
        const std::size_t at = static_cast<std::size_t>(index);
        steps[at] = std::make_unique<IslandStep>(world, islands[at]);
        steps[at]->solve();
      },
      Work::Long);
  int missed = 0;
  for (std::size_t island = 0; island < islands.size(); ++island) {
    steps[island]->take(world, record);
    missed += islands[island].holds ? 0 : 1;
  }
  if (missed > 0)
    record.warnings.push_back("the joints of " + std::to_string(missed) +
                              (missed == 1 ? " island" : " islands") +
                              " were not brought together within the step; a shorter step, or more substeps, "
                              "holds them");
}

}  // namespace touchstone
