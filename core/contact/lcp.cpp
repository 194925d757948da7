#include "core/contact/lcp.h"

#include <algorithm>

#include "core/contact/island_method.h"
#include "core/contact/swept_lcp.h"

namespace touchstone {

namespace {

class Lcp : public IslandMethod {
 public:
  Lcp(const World& world, const ParameterValues& values, const std::string& solver)
      : IslandMethod(world, solver) {
    Lcp::setParameters(values);
  }

  void setParameters(const ParameterValues& values) override {
    IslandMethod::setParameters(values);
    m_rule.restitution = numberOf(lcpParameters(), values, "restitution");
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return lcpParameters(); }

  std::vector<ModelSet> setsOf(const std::vector<ModelContact>& contacts) const override {
    std::vector<ModelSet> sets;
    for (std::size_t contact = 0; contact < contacts.size(); ++contact)
      sets.push_back({ConstraintType::U, {static_cast<int>(contact)}, 0});
    return sets;
  }

  /// No retry: where the rows contradict each other the model has no solution, and that is its result.
  IslandAnswer solveIsland(const World& world, const GapStep& step, const std::vector<int>& island,
                           StepRecord& record) override {
    IslandAnswer answer = solveSets(world, step, step.sets, island);
    adviseSweeps(answer.island.problem.b.size(), record);
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

 private:
  /// Time grows with the cube of the rows: from here on it is felt.
  static void adviseSweeps(Eigen::Index rows, StepRecord& record) {
    constexpr Eigen::Index kMany = 400;
    if (rows <= kMany) return;
    const std::string advice = " coupled rows are solved with their dense matrix; the solver pgs needs none";
    for (const std::string& warning : record.warnings)
      if (warning.find(advice) != std::string::npos) return;
    record.warnings.push_back(std::to_string(rows) + advice);
  }
};

}  // namespace

const std::vector<ParameterSpec>& lcpParameters() {
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

MethodInfo lcpMethod() {
  MethodInfo info;
  info.key = "lcp";
  info.name = "Standard complementarity model";
  info.shortName = "LCP";
  info.source = "Stewart and Trinkle 1996";
  info.parameters = lcpParameters();
  info.planar = true;
  info.solvers = IslandMethod::solvers();
  // Not for PEG: its slack rows have no diagonal, and newton-min cycles on its coupled sets (peg.md, section
  // 11).
  for (const char* solver : {"pgs", "newton-min"}) info.solvers.push_back(solver);
  info.staysOnHost = [](const std::string& solver) {
    return solver == "pgs" ? sweptLcpStaysOnHost() : IslandMethod::staysOnHost();
  };
  info.refusal = GapMethod::refusal;
  info.create = [](const World& world, const ParameterValues& values,
                   const std::string& solver) -> std::unique_ptr<ContactMethod> {
    if (solver == "pgs") return makeSweptLcp(world, values);
    return std::make_unique<Lcp>(world, values, solver);
  };
  return info;
}

}  // namespace touchstone
