#include "core/contact/dpf/dpf.inl"

#include "core/contact/penalty/penalty_parameters.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

const std::vector<ParameterSpec>& dpfParameters() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> specs = sharedPenaltyParameters();
    specs.push_back(
        choiceSpec("evaluate", "Depth taken at",
                   "start: positions at the start of the step (symplectic Euler, Tang 2012 section "
                   "3.6); end: predicted "
                   "positions, which damps strongly. The two differ more than DPF and CPF do.",
                   {"start", "end"})
            .publishedIn("Tang 2012, section 3.6"));
    specs.push_back(ParameterSpec{
        "edge_edge",
        "Edge–edge contacts",
        "",
        "Edges that cross through each other's body are pushed apart.",
        ParameterKind::Switch,
        1.0,
        0,
        1,
        false,
        {}}.publishedIn("Tang 2012, section 3.1"));
    specs.push_back(
        {"thickness",
         "Shell of open meshes T",
         "m",
         "An open mesh has no inside: it pushes what is closer than T to either of its sides, with δ = T − "
         "distance. 0 takes a thousandth of the scene's size. What passes its middle in one step is "
         "pushed out on the far side.",
         ParameterKind::Number,
         0.0,
         0,
         10,
         false,
         {}});
    return specs;
  }();
  return list;
}

MethodInfo dpf::Info::describe() {
  MethodInfo info;
  info.key = "dpf";
  info.name = "Discrete penalty forces";
  info.shortName = "DPF";
  info.source = "Tang et al. 2012, section 3.1";
  info.joints = true;
  info.deformables = Deformables::Explicit;
  info.colour = 0xD55E00;  // vermillion
  info.dash = LineDash::Dash;
  info.penalty = {0, false};
  info.parameters = dpfParameters();
  return info;
}

template std::unique_ptr<Method<HostBackend>> dpf::Info::make(const HostBackend&, const MethodSetup&);

}  // namespace touchstone
