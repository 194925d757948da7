#pragma once

#include "core/contact/cpf/tracked_penalty.h"
#include "core/contact/method.h"
#include "core/contact/penalty/step_limit.h"

namespace touchstone {

/// Discrete penalty force on the features of continuous collision detection (Tang 2012, variant b of figure
/// 8): pairs, memory and both passes of CPF, but the force of one instant over the whole step.
namespace dpf_ccd {
struct Info {
  static MethodInfo describe();
  template <class Backend>
  static std::unique_ptr<Method<Backend>> make(const Backend& backend, const MethodSetup& setup);
};
}  // namespace dpf_ccd

/// I = −h k G(t) m(t) / |m(t)|², the unit normal and no L_k, at t = 1 of a pair that is active then, or at
/// t = 0.
struct DpfCcdLaw {
  bool atEnd = true;

  static const std::vector<ParameterSpec>& specs();
  static DpfCcdLaw of(const ParameterValues& values);
  double stabilityLimit() const { return stabilityLimitAt(atEnd ? 1 : 0); }
  bool wantsQuadrature() const { return false; }

  TS_HD bool operator()(const PairPath& input, const PairMotion& motion, const PairImpulse& result,
                        PairAction& action) const {
    const double t = atEnd ? 1 : 0;
    const bool acts = atEnd ? result.activeAtEnd : !result.intervals[0].entered;
    const Vec3 m = motion.m(t);
    const double square = motion.kind == FeaturePairKind::VertexPlane ? 1 : m.squaredNorm();
    if (!acts || !(square > 0)) return false;
    const PenetrationInterval& interval = result.intervals[atEnd ? result.intervalCount - 1 : 0];
    action.impulse = result.endImpulse;
    Vec3 normal = interval.side * m / std::sqrt(square);
    double rate;
    if (input.shell > 0) {
      action.depth = atEnd ? interval.depthEnd : interval.depthStart;
      normal = interval.impulseClosed.normalized();
      action.impulse = (input.stiffness * input.dt * action.depth) * normal;
      rate = interval.depthEnd - interval.depthStart;
      for (int k = 0; k < 4; ++k) action.weights[k] = interval.weights[k];
    } else {
      if (!atEnd) action.impulse = -(input.stiffness * input.dt * motion.gap(0) / square) * m;
      action.depth = depthAt(motion, interval.side, t);
      if (!weightsAt(motion, t, action.weights))
        for (int k = 0; k < 4; ++k) action.weights[k] = interval.weights[k];
      // The gap's rate over the step, −h c dg/dτ.
      rate = depthAt(motion, interval.side, 1) - depthAt(motion, interval.side, interval.start);
    }
    action.spring = action.impulse;
    action.damper = input.damping * rate;
    action.impulse += std::fmax(action.damper, -action.impulse.dot(normal)) * normal;
    return true;
  }
};

}  // namespace touchstone
