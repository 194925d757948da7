#include "core/contact/cpf/cpf.inl"

#include "core/parallel/host_backend.h"

namespace touchstone {

const std::vector<ParameterSpec>& CpfLaw::specs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> specs = trackedPenaltyParameters();
    specs.push_back(
        choiceSpec("normal", "Normal over the step",
                   "closed: n ≈ m / L_k, the degree-6 polynomial of the paper; quadrature: the exact "
                   "unit normal, integrated "
                   "numerically (Tang 2012, eq. 12).",
                   {"closed", "quadrature"})
            .publishedIn("Tang 2012, eq. 12"));
    return specs;
  }();
  return list;
}

CpfLaw CpfLaw::of(const ParameterValues& values) {
  CpfLaw law;
  law.quadrature = choiceOf(specs(), values, "normal") == "quadrature";
  return law;
}

MethodInfo cpf::Info::describe() {
  MethodInfo info;
  info.key = "cpf";
  info.name = "Continuous penalty forces";
  info.shortName = "CPF";
  info.source = "Tang et al. 2012";
  info.joints = true;
  info.deformables = Deformables::Explicit;
  info.colour = 0x0072B2;  // blue
  info.dash = LineDash::Solid;
  info.penalty = {0.5, true};
  info.parameters = CpfLaw::specs();
  return info;
}

template std::unique_ptr<Method<HostBackend>> cpf::Info::make(const HostBackend&, const MethodSetup&);

}  // namespace touchstone
