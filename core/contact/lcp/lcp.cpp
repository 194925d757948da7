#include "core/contact/lcp/lcp.inl"

#include "core/contact/complementarity/rigid_parameters.h"
#include "core/parallel/host_backend.h"
#include "core/solver/solver_traits.h"

namespace touchstone {

const std::vector<ParameterSpec>& lcpParameters() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> specs = rigid::sharedParameters();
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
  info.solvers = solverKeys();
  info.staysOnHost = rigid::staysOnHost;
  info.refusal = rigid::refusal;
  return info;
}

template std::unique_ptr<Method<HostBackend>> lcp::Info::make(const HostBackend&, const MethodSetup&);

}  // namespace touchstone
