#include "core/trajectory/interpolation.h"

#include <algorithm>
#include <cmath>

namespace touchstone {

Vec3 rotationBetween(const Quaternion& a, const Quaternion& b) {
  Quaternion turn = product(b, a.conjugate());
  if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
  const double sine = turn.vec().norm();
  if (sine == 0) return Vec3::Zero();
  return 2 * std::atan2(sine, turn.w()) / sine * turn.vec();
}

namespace {

Quaternion slerp(const Quaternion& a, const Quaternion& b, double share) {
  Quaternion result(a.slerp(share, b));  // of the shorter arc
  result.normalize();
  return result;
}

}  // namespace

BodyState stateBetween(double time0, const BodyState& state0, double time1, const BodyState& state1,
                       double time, bool isGiven) {
  if (time <= time0) return state0;
  if (time >= time1) return state1;
  BodyState state;
  const double h = time1 - time0, s = (time - time0) / h;
  state.active = state0.active && state1.active;
  if (isGiven)
    state.position = (1 + s * s * (2 * s - 3)) * state0.position +
                     s * (1 - s) * (1 - s) * h * state0.linearVelocity +
                     s * s * (3 - 2 * s) * state1.position - s * s * (1 - s) * h * state1.linearVelocity;
  else
    state.position = (1 - s) * state0.position + s * state1.position;
  state.orientation = slerp(state0.orientation, state1.orientation, s);
  state.linearVelocity = (1 - s) * state0.linearVelocity + s * state1.linearVelocity;
  state.angularVelocity = (1 - s) * state0.angularVelocity + s * state1.angularVelocity;
  return state;
}

std::vector<BodyState> stateAt(const Trajectory& trajectory, double time) {
  const std::vector<double>& times = trajectory.times;
  if (times.empty()) return {};
  const std::size_t after = std::upper_bound(times.begin(), times.end(), time) - times.begin();
  if (after == 0) return trajectory.states.front();
  if (after == times.size()) return trajectory.states.back();
  const std::vector<BodyState>&states0 = trajectory.states[after - 1], &states1 = trajectory.states[after];
  std::vector<BodyState> states;
  for (std::size_t body = 0; body < states0.size(); ++body)
    states.push_back(stateBetween(times[after - 1], states0[body], times[after], states1[body], time,
                                  !trajectory.linearDerived));
  return states;
}

}  // namespace touchstone
