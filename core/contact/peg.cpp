#include "core/contact/peg.h"

#include <cmath>

#include "core/contact/gap_method.h"

namespace touchstone {

namespace {

constexpr int kMostLinearisations = 15;

const std::vector<ParameterSpec>& pegSpecs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = GapMethod::sharedParameters();
    all.push_back({"step",
                   "Linearisation",
                   "",
                   "plain: one linearisation, as published; relinearise: gaps, gradients and primaries anew "
                   "at the end state "
                   "until the velocity stands still (at most 15 times).",
                   ParameterKind::Choice,
                   std::string("plain"),
                   0,
                   0,
                   false,
                   {"plain", "relinearise"}});
    return all;
  }();
  return list;
}

class Peg : public GapMethod {
 public:
  Peg(const World& world, const ParameterValues& values, const std::string& solver)
      : GapMethod(world, solver) {
    Peg::setParameters(values);
  }

  void setParameters(const ParameterValues& values) override {
    GapMethod::setParameters(values);
    m_relinearise = choiceOf(pegSpecs(), values, "step") == "relinearise";
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return pegSpecs(); }

  void toSets(const PairConstraints& pair, int firstContact, double friction,
              std::vector<ModelSet>& sets) const override {
    for (const ConstraintSet& set : pair.sets) {
      ModelSet model{set.type, {}, friction};
      for (int contact : set.contacts) model.contacts.push_back(firstContact + contact);
      sets.push_back(model);
    }
  }

  /// Tries the published primaries, then the largest gap as primary, then one U per set: a wrong primary
  /// pushes along the wrong normal, and the last form is the standard model with one contact per corner.
  Answer solveIsland(const World& world, const Step& step, const std::vector<int>& island,
                     StepRecord& record) override {
    Answer first = solveSets(world, step, step.sets, island);
    if (first.result.status == SolveStatus::Solved) return first;
    std::vector<ModelSet> retried = step.sets;
    for (int set : island) putLargestFirst(step, retried[set]);
    Answer second = solveSets(world, step, retried, island);
    if (second.result.status == SolveStatus::Solved) {
      record.warnings.push_back("a constraint set was solved with the largest gap as its primary contact");
      return second;
    }
    for (int set : island)
      retried[set] = {ConstraintType::U, {retried[set].contacts.front()}, retried[set].friction};
    Answer third = solveSets(world, step, retried, island);
    if (third.result.status == SolveStatus::Solved) {
      record.warnings.push_back("PEG's problem was not solved; one contact per set was used instead");
      return third;
    }
    const bool none = first.result.status == SolveStatus::NoSolution;
    record.status = std::max(record.status, none ? StepStatus::NoSolution : StepStatus::NotConverged);
    record.statusText =
        "PEG's problem: " + first.result.message + "; a compromise with one contact per set is used";
    useCompromise(third);
    return third;
  }

  /// With ν_k and q_k = q⁺(ν_k): rows ψ(q_k)/h + G_kᵀ(ν − ν_k), forces along G_k, primary the largest ψ(q_k).
  void refine(const World& world, Step& step, std::vector<Answer>& answers, StepRecord& record) override {
    if (!m_relinearise || answers.empty()) return;
    Velocities last = velocitiesAfter(world, step, answers);
    for (int pass = 1; pass < kMostLinearisations; ++pass) {
      Step moved = step;
      std::vector<Vec3> positions;
      const std::vector<PieceContact> geometry = movedGeometry(world, step, last, &positions);
      for (std::size_t index = 0; index < geometry.size(); ++index) {
        ModelContact& contact = moved.contacts[index];
        contact.geometry = geometry[index];
        contact.jacobian = pairJacobian(contact.bodyA, contact.bodyB, contact.geometry.normal,
                                        contact.geometry.pointA - positions[contact.bodyA],
                                        contact.geometry.pointB - positions[contact.bodyB]);
        contact.rate = rateOf(contact.geometry.psi, world.dt) - contact.jacobian.a.dot(last[contact.bodyA]) -
                       contact.jacobian.b.dot(last[contact.bodyB]);
      }
      for (ModelSet& set : moved.sets) putLargestFirst(moved, set);
      std::vector<Answer> next;
      for (const Answer& answer : answers)
        next.push_back(solveSets(world, moved, moved.sets, answer.island.sets));
      for (const Answer& answer : next)
        if (answer.result.status != SolveStatus::Solved) return;  // the last solved linearisation stands
      const Velocities now = velocitiesAfter(world, moved, next);
      double change = 0, size = 0;
      for (std::size_t body = 0; body < now.size(); ++body) {
        change = std::max(change, (now[body] - last[body]).norm());
        size = std::max(size, now[body].norm());
      }
      answers = std::move(next);
      step.sets = moved.sets;
      last = now;
      if (change < 1e-11 * (1 + size)) return;
    }
    record.warnings.push_back("re-linearisation still moved the velocity after " +
                              std::to_string(kMostLinearisations) + " passes");
  }

 private:
  static void putLargestFirst(const Step& step, ModelSet& set) {
    std::size_t best = 0;
    for (std::size_t index = 1; index < set.contacts.size(); ++index)
      if (step.contacts[set.contacts[index]].geometry.psi > step.contacts[set.contacts[best]].geometry.psi)
        best = index;
    std::swap(set.contacts[0], set.contacts[best]);
  }

  bool m_relinearise = false;
};

}  // namespace

MethodInfo pegMethod() {
  MethodInfo info;
  info.key = "peg";
  info.name = "Polytopal exact geometry";
  info.shortName = "PEG";
  info.source = "Williams, Lu and Trinkle 2017";
  info.parameters = pegSpecs();
  info.solvers = GapMethod::solvers();
  info.refusal = GapMethod::refusal;
  info.create = [](const World& world, const ParameterValues& values, const std::string& solver,
                   BackendKind) { return std::make_unique<Peg>(world, values, solver); };
  return info;
}

}  // namespace touchstone
