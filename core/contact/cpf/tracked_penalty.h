#pragma once

#include <vector>

#include "core/contact/penalty/penalty_contact.h"
#include "core/scene/parameter.h"

namespace touchstone {

/// Where a pair that acts touches, and with what.
struct PairAction {
  Vec3 impulse = Vec3(0, 0, 0);      ///< on A (vertex, first edge) [N·s]
  double depth = 0;                  ///< that the method works with [m]
  double share = 1;                  ///< of the step over which the force acts
  double weights[4] = {0, 0, 0, 0};  ///< of the point where the impulse acts, unclamped
};

/// I_d = −c s (g(t_b) − g(t_a)) n̄ along n̄ = s m(t̄) / |m(t̄)|, clamped so that the contact never pulls: the
/// impulse with damping over one interval.
TS_HD inline Vec3 withDamping(const PairMotion& motion, const PenetrationInterval& interval, double damping,
                              const Vec3& impulse) {
  if (damping == 0) return impulse;
  const Vec3 m = interval.side * motion.m(interval.meanTime);
  if (!(m.norm() > 0)) return impulse;
  const Vec3 normal = m / m.norm();
  const double change =
      depthAt(motion, interval.side, interval.end) - depthAt(motion, interval.side, interval.start);
  return impulse + std::fmax(damping * change, -impulse.dot(normal)) * normal;
}

/// Parameters that cpf and dpf-ccd share.
std::vector<ParameterSpec> trackedPenaltyParameters();

}  // namespace touchstone
