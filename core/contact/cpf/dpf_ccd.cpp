#include "core/contact/cpf/dpf_ccd.h"

#include "core/contact/penalty/penalty_method.h"

namespace touchstone {

const std::vector<ParameterSpec>& DpfCcdLaw::specs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = trackedPenaltyParameters();
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

DpfCcdLaw DpfCcdLaw::of(const ParameterValues& values) {
  DpfCcdLaw law;
  law.atEnd = choiceOf(specs(), values, "evaluate") == "end";
  return law;
}

MethodInfo dpfCcdMethod() {
  MethodInfo info;
  info.key = "dpf-ccd";
  info.name = "Discrete penalty on tracked pairs";
  info.shortName = "DPF-CCD";
  info.source = "Tang et al. 2012, figure 8b";
  info.parameters = DpfCcdLaw::specs();
  info.refusal = [](const Scene&) { return std::string(); };
  info.create = [](const World& world, const ParameterValues& values, const std::string&) {
    return penaltyMethod("dpf-ccd", world, values);
  };
  return info;
}

}  // namespace touchstone
