#include "core/contact/dpf_ccd.h"

#include <algorithm>

#include "core/contact/tracked_penalty.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& dpfCcdSpecs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = TrackedPenalty::trackedParameters();
    all.push_back({"evaluate",
                   "Depth taken at",
                   "",
                   "end: the depth at the end of the predicted path, as published; it damps strongly, which "
                   "is part of its "
                   "calm. start: the depth at the start of the step, of pairs that penetrate then.",
                   ParameterKind::Choice,
                   std::string("end"),
                   0,
                   0,
                   false,
                   {"end", "start"}});
    return all;
  }();
  return list;
}

class DpfCcd : public TrackedPenalty {
 public:
  DpfCcd(const World& world, const ParameterValues& values, BackendKind backend)
      : TrackedPenalty(world, backend) {
    DpfCcd::setParameters(values);
  }

  void setParameters(const ParameterValues& values) override {
    TrackedPenalty::setParameters(values);
    m_atEnd = choiceOf(dpfCcdSpecs(), values, "evaluate") == "end";
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return dpfCcdSpecs(); }
  double stabilityLimit() const override { return m_atEnd ? 4.0 / 3 : 4; }

  /// I = −h k G(t) m(t) / |m(t)|², the unit normal and no L_k, at t = 1 of a pair that is active then, or at
  /// t = 0.
  bool actionOf(const PairInput& input, const PairResult& result, PairAction& action) const override {
    const PairMotion& motion = result.motion;
    const double t = m_atEnd ? 1 : 0;
    const bool acts = m_atEnd ? result.activeAtEnd : !result.intervals[0].entered;
    const Vec3 m = motion.m(t);
    const double square = motion.kind == FeaturePairKind::VertexPlane ? 1 : m.squaredNorm();
    if (!acts || !(square > 0)) return false;
    const PenetrationInterval& interval = result.intervals[m_atEnd ? result.intervalCount - 1 : 0];
    action.impulse =
        m_atEnd ? result.endImpulse : Vec3(-(input.stiffness * input.dt * motion.gap(0) / square) * m);
    action.depth = depthAt(motion, interval.side, t);
    if (!weightsAt(motion, t, action.weights))
      std::copy(interval.weights, interval.weights + 4, action.weights);
    // The gap's rate over the step, −h c dg/dτ.
    const Vec3 normal = interval.side * m / std::sqrt(square);
    const double rate = depthAt(motion, interval.side, 1) - depthAt(motion, interval.side, interval.start);
    action.impulse += std::max(m_damping * rate, -action.impulse.dot(normal)) * normal;
    return true;
  }

 private:
  bool m_atEnd = true;
};

}  // namespace

MethodInfo dpfCcdMethod() {
  MethodInfo info;
  info.key = "dpf-ccd";
  info.name = "Discrete penalty on tracked pairs";
  info.shortName = "DPF-CCD";
  info.source = "Tang et al. 2012, figure 8b";
  info.parameters = dpfCcdSpecs();
  info.refusal = [](const Scene&) { return std::string(); };
  info.create = [](const World& world, const ParameterValues& values, const std::string&,
                   BackendKind backend) { return std::make_unique<DpfCcd>(world, values, backend); };
  return info;
}

}  // namespace touchstone
