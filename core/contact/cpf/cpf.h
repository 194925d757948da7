#pragma once

#include "core/contact/cpf/tracked_penalty.h"
#include "core/contact/method.h"
#include "core/contact/penalty/step_limit.h"

namespace touchstone {

/// Continuous penalty forces (Tang 2012): feature pairs are found by continuous collision detection, tracked
/// until their depth returns to zero, and give the impulse of the penalty force integrated over their
/// penetration intervals.
namespace cpf {
struct Info {
  static MethodInfo describe();
  template <class Backend>
  static std::unique_ptr<Method<Backend>> make(const Backend& backend, const MethodSetup& setup);
};
}  // namespace cpf

/// The impulse of the force over all penetration intervals of the predicted path (Tang 2012, eqs. 8 to 10).
/// The paper takes its integral over the unit step [0, 1] for one over the step; the factor h between them is
/// in closedImpulse() and exactImpulse().
struct CpfLaw {
  bool quadrature = false;

  static const std::vector<ParameterSpec>& specs();
  static CpfLaw of(const ParameterValues& values);
  double stabilityLimit() const { return stabilityLimitAt(0.5); }
  bool wantsQuadrature() const { return quadrature; }

  TS_HD bool operator()(const PairPath& input, const PairMotion& motion, const PairImpulse& result,
                        PairAction& action) const {
    const PenetrationInterval* heaviest = &result.intervals[0];
    action.share = 0;
    for (int k = 0; k < result.intervalCount; ++k) {
      const PenetrationInterval& interval = result.intervals[k];
      const Vec3 impulse = quadrature ? interval.impulseExact : interval.impulseClosed;
      addInterval(input, motion, interval, impulse, action);
      action.depth = std::fmax(action.depth, interval.depthMax);
      action.share += interval.end - interval.start;
      if (interval.impulseClosed.squaredNorm() > heaviest->impulseClosed.squaredNorm()) heaviest = &interval;
    }
    for (int k = 0; k < 4; ++k) action.weights[k] = heaviest->meanWeights[k];
    return true;
  }
};

}  // namespace touchstone
