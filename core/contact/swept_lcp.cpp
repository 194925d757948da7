#include "core/contact/swept_lcp.h"

#include <algorithm>

#include "core/contact/gap_method.h"
#include "core/contact/gap_record.h"
#include "core/contact/lcp.h"
#include "core/contact/penalty_contact.h"
#include "core/contact/step_detail.h"
#include "core/contact/sweep_engine.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

class SweptLcp : public GapMethod {
 public:
  SweptLcp(const World& world, const ParameterValues& values) : GapMethod(world) {
    m_modelSettings.friction = FrictionShape::Disk;
    SweptLcp::setParameters(values);
  }

  void setParameters(const ParameterValues& values) override {
    GapMethod::setParameters(values);
    m_rule.restitution = numberOf(specs(), values, "restitution");
    m_settings.tolerance = numberOf(specs(), values, "tolerance");
    m_settings.maxSweeps = static_cast<int>(numberOf(specs(), values, "max_iterations"));
  }

  void useBackend(BackendKind backend, const World& world,
                  const std::shared_ptr<BackendWorld>& there) override {
    m_sweeps.reset();
    GapMethod::useBackend(backend, world, there);
    m_sweeps = makeSweepEngine(backend, world, there, *m_engine);
  }

  void setStatesOnly(bool on) override { m_statesOnly = on; }
  void reset(const World&) override { m_sweeps->reset(); }
  void sendMemory() override { m_sweeps->sendMemory(); }
  std::string sentMemory() override { return m_sweeps->sentMemory(); }
  void restoreMemory(const std::string& bytes) override { m_sweeps->restoreMemory(bytes); }

  void respond(World& world, const Candidates&, StepRecord& record, PhaseClock& clock) override {
    findPairs(world);
    clock.endOf(Phase::BroadPhase);
    m_engine->findContacts(world, m_rule);
    const bool wantsContacts = !m_statesOnly || m_detail;
    if (wantsContacts) m_engine->sendContacts();
    clock.endOf(Phase::NarrowPhase);
    m_sweeps->begin(world, m_pairs, m_settings);
    clock.endOf(Phase::Assemble);
    const Velocities free = m_detail ? velocitiesOf(world) : Velocities();
    const std::vector<Vec3> start = m_detail ? m_sweeps->start() : std::vector<Vec3>();
    const SweepReport report = m_sweeps->solve();
    clock.endOf(Phase::Solve);
    tell(report, record);
    if (!wantsContacts) return;
    const std::vector<ModelContact> contacts = m_engine->fetchContacts();
    const std::vector<Vec3> impulses = m_sweeps->impulses();
    writeSweptContacts(world, contacts, impulses, m_sweeps->slips(), m_modelSettings, record);
    if (m_detail) explain(world, contacts, impulses, free, start);
    clock.endOf(Phase::Assemble);
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return lcpParameters(); }

 private:
  void tell(const SweepReport& report, StepRecord& record) const {
    record.solves += report.islands;
    record.unsolved += report.unsolved;
    record.deliveredBy = report.islands > 0 ? "pgs" : "";
    record.iterations = report.iterations;
    record.solverTolerance = report.tolerance;
    record.quantities[Quantity::Residual] = report.residual;
    record.quantities[Quantity::EnergyElastic] = 0;
    record.quantities[Quantity::Traps] = 0;
    if (report.unsolved == 0) return;
    record.status = std::max(record.status, StepStatus::NotConverged);
    record.statusText =
        "projected Gauss–Seidel reached its sweeps above its tolerance; its best iterate is used";
  }

  /// The same problems with their matrices, for whoever looks into the step: rows in the order of the sweeps.
  void explain(const World& world, const std::vector<ModelContact>& contacts,
               const std::vector<Vec3>& impulses, const Velocities& free, const std::vector<Vec3>& start) {
    m_detail->pieces = m_pairs;
    m_detail->contacts = contacts;
    m_detail->modelSettings = m_modelSettings;
    m_detail->solverSettings.tolerance = m_settings.tolerance;
    m_detail->solverSettings.maxIterations = m_settings.maxSweeps;
    std::vector<ModelSet> sets;
    for (int contact : m_sweeps->contactOrder())
      sets.push_back({ConstraintType::U, {contact}, frictionOf(world, contacts[contact])});
    for (const std::vector<int>& island : islandsOf(world, contacts, sets)) {
      int rows = 0;
      for (int set : island) rows += rowsOf(sets[set], m_modelSettings);
      if (rows > kShownRows) {
        m_detail->leftOutRows = std::max(m_detail->leftOutRows, rows);
        continue;
      }
      ProblemDetail problem;
      IslandAnswer& answer = problem.answer;
      answer.island = assemble(world, contacts, sets, island, free, m_modelSettings);
      answer.sets = sets;
      answer.result.z = problem.start = Eigen::VectorXd::Zero(answer.island.problem.b.size());
      for (std::size_t k = 0; k < island.size(); ++k) {
        const ModelSet& set = sets[island[k]];
        for (int row = 0; row < rowsOf(set, m_modelSettings); ++row) {
          answer.result.z[answer.island.first[k] + row] = impulses[set.contacts.front()][row];
          problem.start[answer.island.first[k] + row] = start[set.contacts.front()][row];
        }
      }
      answer.result.residual = naturalResidual(answer.island.problem, answer.result.z);
      answer.result.deliveredBy = "pgs";
      if (scaledResidual(answer.island.problem, answer.result.z) <= m_settings.tolerance)
        answer.result.status = SolveStatus::Solved;
      m_detail->problems.push_back(std::move(problem));
    }
  }

  SweepSettings m_settings;
  bool m_statesOnly = false;
  std::unique_ptr<SweepEngine> m_sweeps;
};

}  // namespace

std::unique_ptr<ContactMethod> makeSweptLcp(const World& world, const ParameterValues& values) {
  return std::make_unique<SweptLcp>(world, values);
}

std::string sweptLcpStaysOnHost() {
  return "the order of the sweeps (islands and colours of touching pairs)";
}

}  // namespace touchstone
