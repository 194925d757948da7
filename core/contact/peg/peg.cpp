#include "core/contact/peg/peg.h"
#include "core/contact/complementarity/complementarity_method.h"
#include "core/contact/complementarity/problem_detail.h"
#include "core/contact/contact_sums.h"
#include "core/contact/peg/branch_selection.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& pegSpecs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> specs = ComplementarityMethod::sharedParameters();
    specs.push_back(ParameterSpec{
        "step",
        "Linearisation",
        "",
        "plain: one linearisation, as published; relinearise: gaps, gradients and primaries are taken "
        "again at the end state until the velocity no longer changes (at most 15 times); exact: one "
        "separating "
        "feature per pair of pieces, exchanged and re-linearised until nothing overlaps, with the step "
        "bisected where that fails. With pgs: plain or relinearise; with newton-fb and gauss-seidel: exact.",
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

enum class StepKind { Plain, Relinearise, Exact };

class Peg : public ComplementarityMethod {
 public:
  explicit Peg(const MethodSetup& setup) : ComplementarityMethod(setup.world, setup.solver) {
    setParameters(setup.ofReplicas);
  }

  void useBackend(BackendKind backend, const World& world,
                  const std::shared_ptr<DeviceWorld>& deviceWorld) override {
    m_exact.reset();
    m_rescue.reset();
    ComplementarityMethod::useBackend(backend, world, deviceWorld);
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return pegSpecs(); }

  void useParameters(const ParameterValues& values) override {
    const std::string step = choiceOf(pegSpecs(), values, "step");
    m_kind = step == "exact"         ? StepKind::Exact
             : step == "relinearise" ? StepKind::Relinearise
                                     : StepKind::Plain;
  }

  RowRules ruleWith(const ParameterValues& values) const override {
    RowRules rule = ComplementarityMethod::ruleWith(values);
    const std::string crossSets = choiceOf(pegSpecs(), values, "x_sets");
    rule.constraints.crossSets = crossSets == "impulse" ? CrossSets::Impulse
                                 : crossSets == "off"   ? CrossSets::Off
                                                        : CrossSets::Published;
    return rule;
  }

  bool needsContacts() const override { return m_kind != StepKind::Exact; }
  bool reviewsAnswers() const override { return m_kind != StepKind::Exact; }
  RowPer rowPer() const override { return m_kind == StepKind::Exact ? RowPer::Contact : RowPer::Set; }
  std::vector<RowPer> rowKinds() const override { return {RowPer::Set, RowPer::Contact}; }
  int linearisations() const override { return m_kind == StepKind::Relinearise ? kMostLinearisations : 1; }

  ReplicaSet take(World& world, const ModelStep::Input& input, StepRecord& record,
                  PhaseClock& clock) override {
    if (m_kind == StepKind::Exact)
      return stepWith(RowPer::Contact)
          .respondExactly(world, input, allReplicas(*world.scene), branchEngine(world), record, clock);
    const Refusal refused = stepWith(RowPer::Set).respond(world, input, record, clock);
    if (refused.replicas.empty()) return {};
    for (const std::string& reason : refused.reasons)
      record.warnings.push_back("PEG's published form failed: " + reason +
                                "; the step was taken by its exact form");
    return takeExactly(world, input, refused.replicas, record, clock);
  }

 private:
  BranchSelection& branchEngine(const World& world) {
    if (!m_exact) m_exact = makeBranchSelection(m_backend, world, m_deviceWorld, *m_engine);
    return *m_exact;
  }

  /// The step of replicas whose answer is refused, by the same solver; sweeps do not reach its tolerance.
  ReplicaSet takeExactly(World& world, const ModelStep::Input& input, const ReplicaSet& refused,
                         StepRecord& record, PhaseClock& clock) {
    std::vector<SolverSettings> settings = input.settings;
    std::string key = input.solverKey;
    ModelStep* step = &stepWith(RowPer::Contact);
    if (key == "pgs") {
      if (!m_rescue)
        m_rescue = std::make_unique<ModelStep>(RowSolverKind::NewtonFb, RowPer::Contact, m_backend, world,
                                               m_deviceWorld, *m_engine);
      step = m_rescue.get();
      key = "newton-fb-pcr";
      for (SolverSettings& replicaSettings : settings) replicaSettings.linear = LinearSolver::Pcr;
    }
    step->engine().reset();  // the last refusal may be long ago
    if (input.detail) problemDetail(*input.detail).problems.clear();
    const ModelStep::Input again{input.model,          settings,        key,
                                 input.linearisations, input.recorded,  input.statesOnly,
                                 input.detail,         input.mayBisect, input.isReviewed};
    const QuantityValues others = record.quantities;
    const ReplicaSet wantsBisection =
        step->respondExactly(world, again, refused, branchEngine(world), record, clock);
    addOfOtherReplicas(others, record);
    return wantsBisection;
  }

  StepKind m_kind = StepKind::Plain;
  std::unique_ptr<BranchSelection> m_exact;  ///< of the backend, once a step has needed it
  std::unique_ptr<ModelStep> m_rescue;       ///< likewise
};

/// Why a step cannot be taken with a solver, or empty.
std::string pegClash(const ParameterValues& values, const std::string& solver) {
  const bool exact = choiceOf(pegSpecs(), values, "step") == "exact";
  if (solver == "pgs" && exact)
    return "the step 'exact' leaves no gap above rounding, which the sweeps of pgs do not reach; choose "
           "'relinearise' or 'plain', or another solver";
  if (solver == "newton-fb" && !exact && choiceOf(pegSpecs(), values, "linear_solver") == "gauss-seidel")
    return "the linear solver 'gauss-seidel' needs a symmetric problem, which only the step 'exact' has; "
           "choose "
           "it, or the linear solver 'pcr'";
  return {};
}

}  // namespace

std::unique_ptr<HostMethod> peg::Info::makeHostMethod(const MethodSetup& setup) {
  return std::make_unique<Peg>(setup);
}

MethodInfo peg::Info::describe() {
  MethodInfo info;
  info.key = "peg";
  info.name = "Polytopal exact geometry";
  info.shortName = "PEG";
  info.source = "Williams, Lu and Trinkle 2017";
  info.colour = 0x009E73;  // bluish green
  info.dash = LineDash::Solid;
  info.parameters = pegSpecs();
  info.planar = true;
  info.joints = true;
  info.balancesJoints = false;
  info.solvers = ComplementarityMethod::solvers();
  info.solvers.push_back("pgs");
  info.staysOnHost = ComplementarityMethod::staysOnHost;
  info.refusal = ComplementarityMethod::refusal;
  info.clash = pegClash;
  return info;
}

}  // namespace touchstone
