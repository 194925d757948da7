#include "core/contact/peg/peg.inl"
#include "core/contact/complementarity/rigid_parameters.h"
#include "core/parallel/host_backend.h"
#include "core/solver/solver_traits.h"

namespace touchstone {

const std::vector<ParameterSpec>& pegParameters() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> specs = rigid::sharedParameters();
    specs.push_back(ParameterSpec{
        "step",
        "Linearisation",
        "",
        "plain: one linearisation, as published; relinearise: gaps, gradients and primaries are taken "
        "again at the end state until the velocity no longer changes (at most 15 times); exact: one "
        "separating "
        "feature per pair of pieces, exchanged and re-linearised until nothing overlaps, with the step "
        "bisected where that fails. With pgs: plain or relinearise; with the linear solver gauss-seidel: "
        "exact.",
        ParameterKind::Choice,
        std::string("plain"),
        0,
        0,
        false,
        {"plain", "relinearise",
         "exact"}}.publishedIn("Williams 2017"));
    specs.push_back(
        {"x_sets",
         "X sets",
         "",
         "published: no force belongs to a cross-contact set; the answer is checked, and a set that it "
         "violates is "
         "counted. impulse: a multiplier of its own along its first contact, as in the authors' program. "
         "off: neither "
         "built nor checked, the older LNC model (Williams 2017, figure 6). The exact step has none.",
         ParameterKind::Choice,
         std::string("published"),
         0,
         0,
         false,
         {"published", "impulse", "off"}});
    return specs;
  }();
  return list;
}

namespace {

std::string pegClash(const ParameterValues& values, const std::string& solver) {
  const bool exact = choiceOf(pegParameters(), values, "step") == "exact";
  const LinearSolver linear = linearSolverOf(choiceOf(pegParameters(), values, "linear_solver").c_str());
  const std::string refusal = refusalOf(traitsOf(solver), linear, {exact, !exact});
  if (refusal.empty()) return {};
  return refusal +
         (exact ? ", or the step 'relinearise' or 'plain'" : ", or the step 'exact', which has none");
}

}  // namespace

MethodInfo peg::Info::describe() {
  MethodInfo info;
  info.key = "peg";
  info.name = "Polytopal exact geometry";
  info.shortName = "PEG";
  info.source = "Williams, Lu and Trinkle 2017";
  info.colour = 0x009E73;  // bluish green
  info.dash = LineDash::Solid;
  info.parameters = pegParameters();
  info.planar = true;
  info.joints = true;
  info.balancesJoints = false;
  info.solvers = solverKeys();
  info.staysOnHost = rigid::staysOnHost;
  info.refusal = rigid::refusal;
  info.clash = pegClash;
  return info;
}

template std::unique_ptr<Method<HostBackend>> peg::Info::make(const HostBackend&, const MethodSetup&);

}  // namespace touchstone
