#include "core/contact/lcp/lcp.h"

#include "core/contact/complementarity/complementarity_method.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& lcpParameters() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> specs = ComplementarityMethod::sharedParameters();
    specs.push_back(ParameterSpec{
        "restitution",
        "Restitution e",
        "",
        "Newton's: a contact that closes faster than 2 g dt leaves with e times its speed of approach, "
        "Gᵀν⁺ ≥ −e Gᵀν. 0: plastic, as published.",
        ParameterKind::Number,
        0.0,
        0,
        1,
        false,
        {}}.publishedIn("Stewart and Trinkle 1996"));
    return specs;
  }();
  return list;
}

class Lcp : public ComplementarityMethod {
 public:
  explicit Lcp(const MethodSetup& setup) : ComplementarityMethod(setup.world, setup.solver) {
    setParameters(setup.ofReplicas);
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return lcpParameters(); }

  RowRules ruleWith(const ParameterValues& values) const override {
    RowRules rule = ComplementarityMethod::ruleWith(values);
    rule.restitution = numberOf(lcpParameters(), values, "restitution");
    return rule;
  }

  RowPer rowPer() const override { return RowPer::Contact; }
};

}  // namespace

std::unique_ptr<HostMethod> lcp::Info::makeHostMethod(const MethodSetup& setup) {
  return std::make_unique<Lcp>(setup);
}

MethodInfo lcp::Info::describe() {
  MethodInfo info;
  info.key = "lcp";
  info.name = "Standard complementarity model";
  info.shortName = "LCP";
  info.source = "Stewart and Trinkle 1996";
  info.colour = 0xE69F00;  // orange-yellow
  info.dash = LineDash::DashDot;
  info.parameters = lcpParameters();
  info.planar = true;
  info.joints = true;
  info.balancesJoints = false;
  info.solvers = ComplementarityMethod::solvers();
  // newton-min is not for PEG: it cycles on half of its problems with coupled sets.
  for (const char* solver : {"pgs", "newton-min"}) info.solvers.push_back(solver);
  info.staysOnHost = ComplementarityMethod::staysOnHost;
  info.refusal = ComplementarityMethod::refusal;
  return info;
}

}  // namespace touchstone
