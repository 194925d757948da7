#include "core/contact/cpf/dpf_ccd.inl"

#include "core/parallel/host_backend.h"

namespace touchstone {

const std::vector<ParameterSpec>& DpfCcdLaw::specs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> specs = trackedPenaltyParameters();
    specs.push_back(
        choiceSpec("evaluate", "Depth taken at",
                   "end: the depth at the end of the predicted path, as published; it damps strongly, "
                   "which is part of its "
                   "calm. start: the depth at the start of the step, of pairs that penetrate then.",
                   {"end", "start"})
            .publishedIn("Tang 2012, section 3.6"));
    return specs;
  }();
  return list;
}

DpfCcdLaw DpfCcdLaw::of(const ParameterValues& values) {
  DpfCcdLaw law;
  law.atEnd = choiceOf(specs(), values, "evaluate") == "end";
  return law;
}

MethodInfo dpf_ccd::Info::describe() {
  MethodInfo info;
  info.key = "dpf-ccd";
  info.name = "Discrete penalty on tracked pairs";
  info.shortName = "DPF-CCD";
  info.source = "Tang et al. 2012, figure 8b";
  info.joints = true;
  info.deformables = Deformables::Explicit;
  info.colour = 0x56B4E9;  // sky blue
  info.dash = LineDash::Dot;
  info.penalty = {1, false};
  info.parameters = DpfCcdLaw::specs();
  return info;
}

template std::unique_ptr<Method<HostBackend>> dpf_ccd::Info::make(const HostBackend&, const MethodSetup&);

}  // namespace touchstone
