#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/complementarity/rigid_method.inl"
#include "core/contact/contact_sums.h"
#include "core/contact/peg/exact_step.inl"
#include "core/contact/peg/peg.h"
#include "core/solver/solver_traits.h"

namespace touchstone {

/// A row for each constraint set, and for each contact in an exact step.
template <class Backend>
class Peg : public RigidMethod<Backend> {
 public:
  explicit Peg(const MethodSetup& setup)
      : RigidMethod<Backend>(setup, pegParameters(), {RowPer::Set, RowPer::Contact}) {
    this->setParameters(setup.ofReplicas);
  }

 protected:
  RigidForm formOf(const ParameterValues& values) const override {
    const std::string step = choiceOf(pegParameters(), values, "step");
    if (step == "exact") return {RowPer::Contact, false, 1, false};
    return {RowPer::Set, true, step == "relinearise" ? kMostLinearisations : 1, true};
  }

  RowRules ruleOf(const ParameterValues& values) const override {
    RowRules rule = RigidMethod<Backend>::ruleOf(values);
    const std::string crossSets = choiceOf(pegParameters(), values, "x_sets");
    rule.constraints.crossSets = crossSets == "impulse" ? CrossSets::Impulse
                                 : crossSets == "off"   ? CrossSets::Off
                                                        : CrossSets::Published;
    return rule;
  }

  ReplicaSet take(const MethodStep& step, const RigidInput& input) override {
    if (!input.isReviewed)
      return exactStep(step.world)
          .respond(this->stepWith(RowPer::Contact), step.world, input, allReplicas(*this->m_scene),
                   *step.record, step.clock);
    const Refusal refused = this->stepWith(RowPer::Set).respond(step.world, input, *step.record, step.clock);
    if (refused.replicas.empty()) return {};
    for (const std::string& reason : refused.reasons)
      step.record->warnings.push_back("PEG's published form failed: " + reason +
                                      "; the step was taken by its exact form");
    return takeExactly(step, input, refused.replicas);
  }

 private:
  using Device = typename RigidMethod<Backend>::Device;

  ExactStep<Device>& exactStep(const World& world) {
    if (!m_exact) m_exact = std::make_unique<ExactStep<Device>>(world, this->m_deviceWorld, this->m_pieces);
    return *m_exact;
  }

  /// The step of replicas whose answer is refused, by the same solver; sweeps do not reach its tolerance.
  ReplicaSet takeExactly(const MethodStep& step, const RigidInput& input, const ReplicaSet& refused) {
    std::vector<SolverSettings> settings = input.settings;
    std::string key = input.solverKey;
    RigidStep<Device>* rigid = &this->stepWith(RowPer::Contact);
    if (traitsOf(key).sweeps) {
      if (!m_rescue)
        m_rescue = std::make_unique<RigidStep<Device>>(RowSolverKind::NewtonFb, RowPer::Contact, step.world,
                                                       this->m_deviceWorld, this->m_pieces);
      rigid = m_rescue.get();
      key = keyOfForm(false);
      for (SolverSettings& ofReplica : settings) ofReplica.linear = LinearSolver::Pcr;
    }
    rigid->rows().warmStart().clear();  // the last refusal may be long ago
    if (input.detail) problemDetail(*input.detail).problems.clear();
    const RigidInput again{input.model,
                           settings,
                           key,
                           input.linearisations,
                           input.recorded,
                           input.detail,
                           input.mayBisect,
                           input.isReviewed,
                           input.startsWarm,
                           input.splitsPushOut,
                           false};
    const QuantityValues others = step.record->quantities;
    const ReplicaSet wantsBisection =
        exactStep(step.world).respond(*rigid, step.world, again, refused, *step.record, step.clock);
    addOfOtherReplicas(others, *step.record);
    return wantsBisection;
  }

  std::unique_ptr<ExactStep<Device>> m_exact;   ///< once a step has needed it
  std::unique_ptr<RigidStep<Device>> m_rescue;  ///< likewise
};

template <class Backend>
std::unique_ptr<Method<Backend>> peg::Info::make(const Backend&, const MethodSetup& setup) {
  return std::make_unique<Peg<Backend>>(setup);
}

}  // namespace touchstone
