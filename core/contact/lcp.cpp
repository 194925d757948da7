#include "core/contact/lcp.h"

#include <algorithm>

#include "core/contact/gap_method.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& lcpSpecs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = GapMethod::sharedParameters();
    all.push_back(
        {"restitution",
         "Restitution e",
         "",
         "Newton's: a contact that closes faster than 2 g dt leaves with e times its speed of approach, "
         "Gᵀν⁺ ≥ −e Gᵀν. 0: plastic, as published.",
         ParameterKind::Number,
         0.0,
         0,
         1,
         false,
         {}});
    return all;
  }();
  return list;
}

class Lcp : public GapMethod {
 public:
  Lcp(const World& world, const ParameterValues& values, const std::string& solver)
      : GapMethod(world, solver) {
    Lcp::setParameters(values);
  }

  void setParameters(const ParameterValues& values) override {
    GapMethod::setParameters(values);
    m_rule.restitution = numberOf(lcpSpecs(), values, "restitution");
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return lcpSpecs(); }

  void toSets(const FoundContacts& found, std::vector<ModelSet>& sets) const override {
    for (std::size_t contact = 0; contact < found.contacts.size(); ++contact)
      sets.push_back({ConstraintType::U, {static_cast<int>(contact)}, 0});
  }

  /// No retry: where the rows contradict each other the model has no solution, and that is its result.
  IslandAnswer solveIsland(const World& world, const GapStep& step, const std::vector<int>& island,
                           StepRecord& record) override {
    IslandAnswer answer = solveSets(world, step, step.sets, island);
    if (answer.result.status == SolveStatus::NoSolution) {
      record.status = std::max(record.status, StepStatus::NoSolution);
      record.statusText = "the rows of the standard model contradict each other (" + answer.result.message +
                          "); a compromise that violates them evenly is used";
      useCompromise(answer);
    } else if (answer.result.status == SolveStatus::NotConverged) {
      record.status = std::max(record.status, StepStatus::NotConverged);
      record.statusText = answer.result.message + "; a softened problem's answer is used";
      useCompromise(answer);
    }
    return answer;
  }
};

}  // namespace

MethodInfo lcpMethod() {
  MethodInfo info;
  info.key = "lcp";
  info.name = "Standard complementarity model";
  info.shortName = "LCP";
  info.source = "Stewart and Trinkle 1996";
  info.parameters = lcpSpecs();
  info.planar = true;
  info.solvers = GapMethod::solvers();
  // Not for PEG: its slack rows have no diagonal, and newton-min cycles on its coupled sets (peg.md, section
  // 11).
  for (const char* solver : {"pgs", "newton-min"}) info.solvers.push_back(solver);
  info.staysOnHost = GapMethod::staysOnHost();
  info.refusal = GapMethod::refusal;
  info.create = [](const World& world, const ParameterValues& values, const std::string& solver) {
    return std::make_unique<Lcp>(world, values, solver);
  };
  return info;
}

}  // namespace touchstone
