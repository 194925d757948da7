#include "core/trajectory/velocity_belief.h"

#include <algorithm>
#include <cmath>

#include "core/trajectory/derived.h"
#include "core/trajectory/interpolation.h"
#include "core/trajectory/near_pairs.h"

namespace touchstone {

namespace {

// Shares of the larger speed. Larger ones believe what is wrong by a unit of the last digit; smaller ones
// doubt what oscillates within a few samples, and bodies whose joints are corrected.
constexpr double kOff = 0.05, kOffJointed = 0.3;

/// Distance of a point from a segment.
double distanceFrom(const Vec3& point, const Vec3& start, const Vec3& end) {
  const Vec3 along = end - start;
  const double length = along.squaredNorm();
  const double share = length > 0 ? std::clamp((point - start).dot(along) / length, 0.0, 1.0) : 0.0;
  return (point - start - share * along).norm();
}

/// A push of a contact: how a body moves and turns by it.
struct Push {
  Vec3 linear, angular;
};

/// The rest of a motion after non-negative multiples of pushes, by coordinate descent.
Push leftOf(Push motion, const std::vector<Push>& pushes, double radius) {
  constexpr int kSweeps = 60;  // fewer leave corrections of many contacts in part
  std::vector<double> shares(pushes.size(), 0);
  const auto product = [radius](const Push& a, const Push& b) {
    return a.linear.dot(b.linear) + radius * radius * a.angular.dot(b.angular);
  };
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (std::size_t k = 0; k < pushes.size(); ++k) {
      const double size = product(pushes[k], pushes[k]);
      if (!(size > 0)) continue;
      const double share = std::max(0.0, shares[k] + product(motion, pushes[k]) / size);
      motion.linear -= (share - shares[k]) * pushes[k].linear;
      motion.angular -= (share - shares[k]) * pushes[k].angular;
      shares[k] = share;
    }
  return motion;
}

}  // namespace

/// The interval before or after a sample, of one body.
struct VelocityBelief::Interval {
  const TrajectorySample* start = nullptr;
  double dt = 0;
  Vec3 way = Vec3::Zero(), turn = Vec3::Zero();  ///< Δx/Δt, Δθ/Δt
};

VelocityBelief::VelocityBelief(std::shared_ptr<const Scene> scene, bool linear, bool angular)
    : m_scene(std::move(scene)),
      m_linear(linear),
      m_angular(angular),
      m_isJointed(m_scene->bodies.size(), 0),
      m_world(makeWorld(m_scene)) {
  for (const Joint& joint : m_scene->joints)
    for (const int body : {joint.bodyA, joint.bodyB})
      if (body >= 0) m_isJointed[body] = 1;
}

bool VelocityBelief::isCorrection(int body, const Interval& interval, const BodyState& state, double share) {
  const std::vector<BodyState>& states = interval.start->states;
  for (std::size_t index = 0; index < states.size(); ++index) {
    const Body& properties = m_scene->bodies[index];
    m_world.position[index] = states[index].position;
    m_world.orientation[index] = states[index].orientation;
    m_world.active[index] = states[index].active;
    m_world.inverseMass[index] =
        states[index].active && properties.motion == Motion::Dynamic ? 1 / properties.mass : 0;
  }
  const Body& properties = m_scene->bodies[body];
  const BodyState& start = states[body];
  const Mat3 turn = start.orientation.toRotationMatrix();
  const Mat3 inverse = turn * properties.inertia.inverse() * turn.transpose();
  std::vector<Push> pushes;
  for (const NearPair& pair : nearPairs(m_world)) {
    if (pair.bodyA != body && pair.bodyB != body) continue;
    const Vec3 outward = pair.bodyB == body ? pair.normal : Vec3(-pair.normal);
    for (const Vec3& point : pair.points)
      pushes.push_back({outward, properties.mass * inverse * (point - start.position).cross(outward)});
  }
  if (pushes.empty()) return false;
  const Push motion{interval.way - state.linearVelocity, interval.turn - state.angularVelocity};
  const Push remainder =
      leftOf({m_linear ? motion.linear : Vec3(0, 0, 0), m_angular ? motion.angular : Vec3(0, 0, 0)}, pushes,
             properties.shape->radius);
  const double gravity = 0.5 * m_scene->gravity.norm() * interval.dt, radius = properties.shape->radius;
  const bool isLinear =
      !m_linear ||
      remainder.linear.norm() <= gravity + share * std::max(state.linearVelocity.norm(), interval.way.norm());
  const bool isAngular = !m_angular || remainder.angular.norm() <=
                                           gravity / radius + share * std::max(state.angularVelocity.norm(),
                                                                               interval.turn.norm());
  if (!isLinear || !isAngular) return false;
  const double correction = interval.dt * (motion.linear - remainder.linear).norm();
  if (correction > m_sums.correction) {
    m_sums.correction = correction;
    m_sums.correctedBody = body;
    m_sums.correctedAt = interval.start->time;
  }
  return true;
}

void VelocityBelief::check(const TrajectorySample* before, TrajectorySample& sample,
                           const TrajectorySample* after) {
  if (!m_linear && !m_angular) return;
  std::vector<char> isFalseLinear(sample.states.size(), 0), isFalseAngular(sample.states.size(), 0);
  bool isAnyFalse = false;
  for (std::size_t body = 0; body < sample.states.size(); ++body) {
    const Body& properties = m_scene->bodies[body];
    const BodyState& state = sample.states[body];
    if (properties.motion == Motion::Static || !state.active) continue;
    Interval intervals[2];
    std::size_t count = 0;
    const auto add = [&](const TrajectorySample* start, const TrajectorySample* end) {
      if (!start || !end || !start->states[body].active || !end->states[body].active) return;
      const double dt = end->time - start->time;
      intervals[count++] = {
          start, dt, (end->states[body].position - start->states[body].position) / dt,
          rotationBetween(start->states[body].orientation, end->states[body].orientation) / dt};
    };
    add(before, &sample);
    add(&sample, after);
    if (count == 0) continue;
    ++m_sums.velocities;
    const Interval &first = intervals[0], &last = intervals[count - 1];
    const bool isStart =
        count == 1 && &sample == first.start &&
        (state.linearVelocity - properties.linearVelocity).norm() <= 1e-3 * state.linearVelocity.norm() &&
        (state.angularVelocity - properties.angularVelocity).norm() <= 1e-3 * state.angularVelocity.norm();
    if (isStart) continue;
    const double share = m_isJointed[body] ? kOffJointed : kOff, radius = properties.shape->radius;
    const double dt = std::max(first.dt, last.dt), gravity = 0.5 * m_scene->gravity.norm() * dt;
    // Of poses in single precision, and of what stands still.
    const double rounding = 4e-7 * (state.position.norm() + radius) / std::min(first.dt, last.dt) + 1e-6;
    const auto speed = [](const Vec3& v, const Vec3& w, const Vec3& u) {
      return std::max({v.norm(), w.norm(), u.norm()});
    };
    // At an end the one interval lies between the velocities of its ends.
    const BodyState* neighbour =
        count > 1 ? nullptr : &(first.start == &sample ? after : first.start)->states[body];
    const auto off = [&](const Vec3& v, const Vec3* other, const Vec3& before, const Vec3& behind) {
      return other ? distanceFrom(before, *other, v) : distanceFrom(v, before, behind);
    };
    const bool isOffLinear =
        m_linear &&
        off(state.linearVelocity, neighbour ? &neighbour->linearVelocity : nullptr, first.way, last.way) >
            rounding + gravity + share * speed(state.linearVelocity, first.way, last.way);
    // Beyond it the shorter arc of two poses may be another turn than the one that was taken [rad].
    constexpr double kTurn = 2;
    const bool isOffAngular =
        m_angular && state.angularVelocity.norm() * dt < kTurn &&
        off(state.angularVelocity, neighbour ? &neighbour->angularVelocity : nullptr, first.turn, last.turn) >
            (rounding + gravity) / radius + share * speed(state.angularVelocity, first.turn, last.turn);
    if (!isOffLinear && !isOffAngular) continue;
    const auto isCorrected = [&](const Interval& interval) {
      return isCorrection(static_cast<int>(body), interval, state, share);
    };
    if (std::any_of(intervals, intervals + count, isCorrected)) continue;
    isFalseLinear[body] = isOffLinear;
    isFalseAngular[body] = isOffAngular;
    isAnyFalse = true;
    ++m_sums.replaced;
  }
  if (!isAnyFalse) return;
  TrajectorySample derived = sample;
  deriveVelocities(before, derived, after, *m_scene, true, true);
  for (std::size_t body = 0; body < sample.states.size(); ++body) {
    if (isFalseLinear[body]) sample.states[body].linearVelocity = derived.states[body].linearVelocity;
    if (isFalseAngular[body]) sample.states[body].angularVelocity = derived.states[body].angularVelocity;
  }
}

}  // namespace touchstone
