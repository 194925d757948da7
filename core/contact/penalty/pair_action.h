#pragma once

#include "core/contact/manifold/continuous_penalty.h"

namespace touchstone {

/// Impulse of an acting pair, and the point where it acts.
struct PairAction {
  Vec3 impulse = Vec3(0, 0, 0);      ///< on A (vertex, first edge) [N·s]
  Vec3 spring = Vec3(0, 0, 0);       ///< that of the spring alone, without damping [N·s]
  double damper = 0;                 ///< of damping along it, before it is kept from pulling [N·s]
  double depth = 0;                  ///< that the method works with [m]
  double share = 1;                  ///< of the step over which the force acts
  double weights[4] = {0, 0, 0, 0};  ///< of the point where the impulse acts, unclamped
};

/// I_d = −c s (g(t_b) − g(t_a)) n̄ along n̄ = s m(t̄) / |m(t̄)|, clamped so that the contact never pulls: adds
/// the impulse of one interval with damping.
TS_HD inline void addInterval(const PairPath& input, const PairMotion& motion,
                              const PenetrationInterval& interval, const Vec3& impulse, PairAction& action) {
  action.spring += impulse;
  const Vec3 m = input.shell > 0 ? impulse : Vec3(interval.side * motion.m(interval.meanTime));
  if (input.damping == 0 || !(m.norm() > 0)) {
    action.impulse += impulse;
    return;
  }
  const Vec3 normal = m / m.norm();
  const double change = input.shell > 0 ? interval.depthEnd - interval.depthStart
                                        : depthAt(motion, interval.side, interval.end) -
                                              depthAt(motion, interval.side, interval.start);
  action.damper += input.damping * change;
  action.impulse += impulse + std::fmax(input.damping * change, -impulse.dot(normal)) * normal;
}

}  // namespace touchstone
