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
    m_restitution = numberOf(lcpSpecs(), values, "restitution");
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return lcpSpecs(); }

  void toSets(const PairConstraints& pair, int firstContact, double friction,
              std::vector<ModelSet>& sets) const override {
    for (std::size_t contact = 0; contact < pair.contacts.size(); ++contact)
      sets.push_back({ConstraintType::U, {firstContact + static_cast<int>(contact)}, friction});
  }

  /// With restitution a contact that would close in this step asks for Gᵀν⁺ ≥ −e Gᵀν instead of ψ/h + Gᵀν⁺ ≥
  /// 0, with ν from before the step. What gravity alone brings about in two steps is rest, not impact.
  double rateFor(const World& world, const ModelContact& contact) const override {
    const double rate = GapMethod::rateFor(world, contact);
    if (m_restitution == 0) return rate;
    const auto along = [&](const std::vector<Vec3>& linear, const std::vector<Vec3>& angular) {
      const PairJacobian& g = contact.jacobian;
      return g.a.head<3>().dot(linear[g.bodyA]) + g.a.tail<3>().dot(angular[g.bodyA]) +
             g.b.head<3>().dot(linear[g.bodyB]) + g.b.tail<3>().dot(angular[g.bodyB]);
    };
    const double approach = along(world.linearVelocity, world.angularVelocity);
    const double next = along(world.nextLinearVelocity, world.nextAngularVelocity);
    const bool closes = contact.geometry.psi + world.dt * next < 0;
    if (!closes || approach > -2 * world.dt * world.scene->gravity.norm()) return rate;
    return std::min(rate, m_restitution * approach);
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

 private:
  double m_restitution = 0;
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
  // Not for PEG: its slack rows have no diagonal, and newton-min cycles on its coupled sets (peg.md, section 11).
  for (const char* solver : {"pgs", "newton-min"}) info.solvers.push_back(solver);
  info.refusal = GapMethod::refusal;
  info.create = [](const World& world, const ParameterValues& values, const std::string& solver) { return std::make_unique<Lcp>(world, values, solver); };
  return info;
}

}  // namespace touchstone
