#include "core/contact/complementarity/matrix_free_step.h"

#include <algorithm>

#include "core/contact/complementarity/gap_record.h"
#include "core/contact/step_detail.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

/// The unknowns (p, c, β) of a row that has (p, β); the slacks are still 0.
void putUnknowns(const ModelSet& set, const Vec3& row, int rows, Eigen::Ref<Eigen::VectorXd> z) {
  const int members = static_cast<int>(set.contacts.size());
  z[0] = row[0];
  for (int k = members; k < rows; ++k) z[k] = row[1 + k - members];
}

/// The slacks that go with impulses: ρ_1 + Σ_{r ≤ s} c_r = max(ρ_1 … ρ_s).
void putSlacks(const IslandProblem& island, Eigen::VectorXd& z) {
  const Eigen::VectorXd rates = island.problem.A * z + island.problem.b;  // ρ_1, and ρ_1 − ρ_s
  for (std::size_t k = 0; k < island.sets.size(); ++k) {
    const int first = island.first[k];
    double largest = 0;  // above ρ_1
    for (int s = 1; s < static_cast<int>(island.sets[k].contacts.size()); ++s) {
      const double above = -rates[first + s];
      z[first + s] = std::max(0.0, above - largest);
      largest = std::max(largest, above);
    }
  }
}

void addRetries(const MatrixFreeReport& report, StepRecord& record) {
  record.solves += report.retries;
  record.unsolved += report.rescued;
}

}  // namespace

MatrixFreeStep::MatrixFreeStep(MatrixFreeSolver solver, RowPer rows, BackendKind backend, const World& world,
                               const std::shared_ptr<DeviceWorld>& deviceWorld, NarrowPhase& pieces)
    : m_rows(rows),
      m_pieces(pieces),
      m_engine(makeRowStep(backend, solver, rows, world, deviceWorld, pieces)) {}

ReplicaSet MatrixFreeStep::respond(const World& world, const Input& step, StepRecord& record,
                                   PhaseClock& clock) {
  m_hasAddedContacts = false;
  m_engine->begin(world, step.settings);
  clock.endOf(Phase::Assemble);
  const Velocities free = step.detail ? velocitiesOf(world) : Velocities();
  std::vector<Vec3> start;
  const MatrixFreeReport report = solve(step, start, record);
  const ReplicaSet refused = step.isReviewed ? review(record) : ReplicaSet();
  clock.endOf(Phase::Solve);
  tell(report, step.solverKey, record);
  if (!step.statesOnly || step.detail) {
    if (m_rows == RowPer::Set) m_pieces.findEndGaps();
    m_engine->addQuantities(record);
    if (step.recorded == RecordedContacts::All) {
      if (refused.empty())
        m_engine->sendContacts();
      else
        addContactsOf(world, otherReplicas(refused), record);
    }
  }
  if (step.detail) {
    const bool isMoved = step.linearisations > 1 && report.islands > 0;
    explain(world, step, free, start, isMoved ? m_pieces.fetchLinearised() : m_pieces.fetchContacts());
  }
  clock.endOf(Phase::Assemble);
  return refused;
}

ReplicaSet MatrixFreeStep::review(StepRecord& record) {
  const std::vector<AnswerReview> reviews = m_pieces.reviewOnDevice(m_engine->contactImpulses());
  ReplicaSet refused;
  for (const AnswerReview& each : reviews) {
    record.brokenCrossSets += each.brokenCrossSets;
    refused.push_back(each.falseTouches > 0);
  }
  if (isEmpty(refused)) return {};
  m_engine->refuse(refused);
  return refused;
}

void MatrixFreeStep::addContactsOf(const World& world, const ReplicaSet& replicas, StepRecord& record) {
  m_hasAddedContacts = true;
  StepRecord all;
  m_engine->sendContacts();
  m_engine->addContacts(all);
  for (const Contact& contact : all.contacts)
    if (replicas[static_cast<std::size_t>((*world.constants)[contact.bodyA].replica)])
      record.contacts.push_back(contact);
}

/// With ν_k and q_k = q⁺(ν_k): rows ψ(q_k)/h + G_kᵀ(ν − ν_k), until the velocity no longer changes.
/// @param start  of the last linearisation, if someone looks into the step
MatrixFreeReport MatrixFreeStep::solve(const Input& step, std::vector<Vec3>& start, StepRecord& record) {
  if (step.detail) start = m_engine->start();
  MatrixFreeReport report = m_engine->solve();
  addRetries(report, record);
  if (report.withLargestGap > 0) record.warnings.push_back(kLargestGapUsed);
  if (report.islands == 0 || step.linearisations == 1) return report;
  int moving = report.islands;
  for (int pass = 1; pass < step.linearisations; ++pass) {
    record.solves += moving;
    m_pieces.linearise();
    m_engine->beginAgain();
    if (step.detail) start = m_engine->start();
    report = m_engine->solve();
    addRetries(report, record);
    moving = m_engine->movingIslands();
    if (moving == 0) return report;
  }
  record.warnings.push_back(stillMovedText());
  return report;
}

void MatrixFreeStep::tellReached(const MatrixFreeReport& report, const std::string& solverKey,
                                 StepRecord& record) {
  record.deliveredBy = report.islands > 0 ? solverKey : "";
  record.iterations = report.iterations;
  record.solverTolerance = report.tolerance;
  record.quantities[Quantity::Residual] = report.residual;
  record.quantities[Quantity::EnergyElastic] = 0;
  record.quantities[Quantity::Traps] = 0;  // unless figures are wanted
}

void MatrixFreeStep::tell(const MatrixFreeReport& report, const std::string& solverKey,
                          StepRecord& record) const {
  record.solves += report.islands;
  record.unsolved += report.unsolved;
  tellReached(report, solverKey, record);
  if (report.unsolved == 0) return;
  record.status = std::max(record.status, StepStatus::NotConverged);
  record.statusText = std::string(solverKey == "pgs" ? "projected Gauss–Seidel reached its sweeps"
                                                     : "Newton's method stalls") +
                      " above its tolerance; " +
                      (report.softened == 0                 ? "its best iterate is used"
                       : report.softened == report.unsolved ? "a softened problem's answer is used"
                                                            : "its best iterate or a softened problem's "
                                                              "answer is used");
}

/// The same problems with their matrices, for the inspector: rows in the order of the sweeps.
void MatrixFreeStep::explain(const World& world, const Input& step, const Velocities& free,
                             const std::vector<Vec3>& start,
                             const std::vector<ModelContact>& contacts) const {
  const std::vector<Vec3> impulses = m_engine->impulses();
  std::vector<ModelSet> sets = m_engine->sets();
  for (ModelSet& set : sets)
    set.friction = frictionOf(world, contacts[set.contacts.front()], step.model.velocityUnit);
  StepDetail& detail = *step.detail;
  detail.pieces = m_pieces.fetchPairs();
  detail.contacts = contacts;
  detail.modelSettings = step.model;
  detail.solverSettings = step.settings.front();
  const std::vector<int> order = m_engine->rowOrder();
  std::vector<ModelSet> swept;
  for (int row : order) swept.push_back(sets[row]);
  for (const std::vector<int>& island : islandsOf(world, contacts, swept)) {
    int rows = 0;
    for (int set : island) rows += rowsOf(swept[set], step.model);
    if (!detail.takesProblemOf(rows)) continue;
    IslandAnswer answer;
    answer.island = assemble(world, contacts, setsOfIsland(swept, island), free, step.model);
    answer.result.z = answer.start = Eigen::VectorXd::Zero(answer.island.problem.b.size());
    for (std::size_t k = 0; k < island.size(); ++k) {
      const ModelSet& set = swept[island[k]];
      const int own = rowsOf(set, step.model);
      putUnknowns(set, impulses[order[island[k]]], own, answer.result.z.segment(answer.island.first[k], own));
      putUnknowns(set, start[order[island[k]]], own, answer.start.segment(answer.island.first[k], own));
    }
    putSlacks(answer.island, answer.result.z);
    putSlacks(answer.island, answer.start);
    answer.result.residual = naturalResidual(answer.island.problem, answer.result.z);
    answer.result.deliveredBy = step.solverKey;
    if (scaledResidual(answer.island.problem, answer.result.z) <=
        step.settings[answer.island.replica].tolerance)
      answer.result.status = SolveStatus::Solved;
    detail.problems.push_back(std::move(answer));
  }
}

}  // namespace touchstone
