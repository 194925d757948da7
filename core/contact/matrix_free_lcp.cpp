#include "core/contact/matrix_free_lcp.h"

#include <algorithm>

#include "core/contact/gap_record.h"
#include "core/contact/step_detail.h"
#include "core/record/phase_clock.h"

namespace touchstone {

MatrixFreeLcp::MatrixFreeLcp(MatrixFreeSolver solver, BackendKind backend, const World& world,
                             const std::shared_ptr<BackendWorld>& there, PieceEngine& pieces)
    : m_pieces(pieces), m_engine(makeMatrixFreeEngine(backend, solver, world, there, pieces)) {}

void MatrixFreeLcp::respond(const World& world, const Step& step, StepRecord& record, PhaseClock& clock) {
  m_pieces.findContacts(world, step.rule);
  const bool wantsContacts = step.wantsContacts || step.detail;
  if (wantsContacts) m_pieces.sendContacts();
  clock.endOf(Phase::NarrowPhase);
  m_engine->begin(world, step.pairs, step.settings);
  clock.endOf(Phase::Assemble);
  const Velocities free = step.detail ? velocitiesOf(world) : Velocities();
  const std::vector<Vec3> start = step.detail ? m_engine->start() : std::vector<Vec3>();
  const MatrixFreeReport report = m_engine->solve();
  clock.endOf(Phase::Solve);
  tell(report, step.solverKey, record);
  if (!wantsContacts) return;
  const std::vector<ModelContact> contacts = m_pieces.fetchContacts();
  const std::vector<Vec3> impulses = m_engine->impulses();
  writeMatrixFreeContacts(world, contacts, impulses, m_engine->slips(), step.model, record);
  if (step.detail) explain(world, step, contacts, impulses, free, start);
  clock.endOf(Phase::Assemble);
}

void MatrixFreeLcp::tell(const MatrixFreeReport& report, const std::string& solverKey,
                         StepRecord& record) const {
  record.solves += report.islands;
  record.unsolved += report.unsolved;
  record.deliveredBy = report.islands > 0 ? solverKey : "";
  record.iterations = report.iterations;
  record.solverTolerance = report.tolerance;
  record.quantities[Quantity::Residual] = report.residual;
  record.quantities[Quantity::EnergyElastic] = 0;
  record.quantities[Quantity::Traps] = 0;
  if (report.unsolved == 0) return;
  record.status = std::max(record.status, StepStatus::NotConverged);
  record.statusText = std::string(solverKey == "pgs" ? "projected Gauss–Seidel reached its sweeps"
                                                     : "Newton's method stalls") +
                      " above its tolerance; its best iterate is used";
}

/// The same problems with their matrices, for whoever looks into the step: rows in the order of the sweeps.
void MatrixFreeLcp::explain(const World& world, const Step& step, const std::vector<ModelContact>& contacts,
                            const std::vector<Vec3>& impulses, const Velocities& free,
                            const std::vector<Vec3>& start) const {
  StepDetail& detail = *step.detail;
  detail.pieces = step.pairs;
  detail.contacts = contacts;
  detail.modelSettings = step.model;
  detail.solverSettings = step.settings;
  std::vector<ModelSet> sets;
  for (int contact : m_engine->contactOrder())
    sets.push_back({ConstraintType::U, {contact}, frictionOf(world, contacts[contact])});
  for (const std::vector<int>& island : islandsOf(world, contacts, sets)) {
    int rows = 0;
    for (int set : island) rows += rowsOf(sets[set], step.model);
    if (!detail.takesProblemOf(rows)) continue;
    ProblemDetail problem;
    IslandAnswer& answer = problem.answer;
    answer.island = assemble(world, contacts, sets, island, free, step.model);
    answer.sets = sets;
    answer.result.z = problem.start = Eigen::VectorXd::Zero(answer.island.problem.b.size());
    for (std::size_t k = 0; k < island.size(); ++k) {
      const ModelSet& set = sets[island[k]];
      for (int row = 0; row < rowsOf(set, step.model); ++row) {
        answer.result.z[answer.island.first[k] + row] = impulses[set.contacts.front()][row];
        problem.start[answer.island.first[k] + row] = start[set.contacts.front()][row];
      }
    }
    answer.result.residual = naturalResidual(answer.island.problem, answer.result.z);
    answer.result.deliveredBy = step.solverKey;
    if (scaledResidual(answer.island.problem, answer.result.z) <= step.settings.tolerance)
      answer.result.status = SolveStatus::Solved;
    detail.problems.push_back(std::move(problem));
  }
}

}  // namespace touchstone
