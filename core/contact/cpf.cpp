#include "core/contact/cpf.h"

#include <algorithm>

#include "core/contact/tracked_penalty.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& cpfSpecs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = TrackedPenalty::trackedParameters();
    all.push_back({"normal",
                   "Normal over the step",
                   "",
                   "closed: n ≈ m / L_k, the degree-6 polynomial of the paper; quadrature: the exact unit "
                   "normal, integrated "
                   "numerically (Tang 2012, eq. 12).",
                   ParameterKind::Choice,
                   std::string("closed"),
                   0,
                   0,
                   false,
                   {"closed", "quadrature"}});
    return all;
  }();
  return list;
}

/// The impulse of the force over all penetration intervals of the predicted path.
class Cpf : public TrackedPenalty {
 public:
  Cpf(const World& world, const ParameterValues& values, BackendKind backend)
      : TrackedPenalty(world, backend) {
    Cpf::setParameters(values);
  }

  void setParameters(const ParameterValues& values) override {
    TrackedPenalty::setParameters(values);
    m_quadrature = choiceOf(cpfSpecs(), values, "normal") == "quadrature";
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return cpfSpecs(); }
  double stabilityLimit() const override { return 2; }
  bool wantsQuadrature() const override { return m_quadrature; }

  bool actionOf(const PairInput&, const PairResult& result, PairAction& action) const override {
    const PenetrationInterval* heaviest = &result.intervals[0];
    for (int k = 0; k < result.intervalCount; ++k) {
      const PenetrationInterval& interval = result.intervals[k];
      const Vec3 impulse = m_quadrature ? interval.impulseExact : interval.impulseClosed;
      action.impulse += withDamping(result.motion, interval, m_damping, impulse);
      action.depth = std::max(action.depth, interval.depthMax);
      if (interval.impulseClosed.squaredNorm() > heaviest->impulseClosed.squaredNorm()) heaviest = &interval;
    }
    std::copy(heaviest->meanWeights, heaviest->meanWeights + 4, action.weights);
    return true;
  }

 private:
  bool m_quadrature = false;
};

}  // namespace

MethodInfo cpfMethod() {
  MethodInfo info;
  info.key = "cpf";
  info.name = "Continuous penalty forces";
  info.shortName = "CPF";
  info.source = "Tang et al. 2012";
  info.parameters = cpfSpecs();
  info.refusal = [](const Scene&) { return std::string(); };
  info.create = [](const World& world, const ParameterValues& values, const std::string&,
                   BackendKind backend) { return std::make_unique<Cpf>(world, values, backend); };
  return info;
}

}  // namespace touchstone
