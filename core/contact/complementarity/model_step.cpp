#include "core/contact/complementarity/model_step.h"

#include <algorithm>

#include "core/contact/complementarity/problem_detail.h"
#include "core/parallel/frame_clock.h"
#include "core/record/phase_clock.h"
#include "core/record/replica_note.h"

namespace touchstone {

namespace {

void addRetries(const RowStepReport& report, StepRecord& record) {
  record.solves += report.retries;
  record.unsolved += report.rescued;
}

/// Names the replicas without a solution, because the status of a record does not say which of several it is.
void noteReplicasWithoutSolution(const std::vector<IslandEnd>& ends, StepRecord& record) {
  for (const IslandEnd& end : ends)
    if (end.replica >= 0 && end.hasNoSolution)
      record.warnings.push_back(
          replicaNote({end.replica, StepStatus::NoSolution}, "the rows contradict each other"));
}

}  // namespace

ModelStep::ModelStep(RowSolverKind solver, RowPer rows, BackendKind backend, const World& world,
                     const std::shared_ptr<DeviceWorld>& deviceWorld, NarrowPhase& pieces)
    : m_isDense(makesMatrix(solver)),
      m_rows(rows),
      m_pieces(pieces),
      m_engine(makeRowStep(backend, solver, rows, world, deviceWorld, pieces)) {}

Refusal ModelStep::respond(const World& world, const Input& step, StepRecord& record, PhaseClock& clock) {
  m_hasAddedContacts = false;
  m_engine->setModel(step.model);
  m_engine->begin(world, step.settings);
  clock.endOf(Phase::Assemble);
  std::vector<double> start;
  RowStepReport report = solve(step, start, record);
  record.solves += report.islands;
  record.unsolved += report.unsolved;
  const Refusal refused = step.isReviewed ? review(step, report, record) : Refusal();
  clock.endOf(Phase::Solve);
  reportReached(report, step.solverKey, record);
  if (report.unsolved > 0) tellUnsolved(report, record);
  if (report.worst == SolveStatus::NoSolution && report.unsolved > 0 && step.settings.size() > 1)
    noteReplicasWithoutSolution(m_engine->islandEnds(), record);
  m_engine->jointTotals(world, refused.replicas).addTo(record);
  if (!step.statesOnly || step.detail) {
    if (m_rows == RowPer::Set) m_pieces.findEndGaps();
    m_engine->addQuantities(record);
    if (step.recorded == RecordedContacts::All) {
      if (refused.replicas.empty())
        m_engine->sendContacts();
      else
        addContactsOf(world, otherReplicas(refused.replicas), record);
    }
  }
  if (step.detail) {
    const bool isMoved = step.linearisations > 1 && report.islands > 0;
    explain(world, step, start, isMoved ? m_pieces.fetchLinearised() : m_pieces.fetchContacts());
  }
  clock.endOf(Phase::Assemble);
  return refused;
}

Refusal ModelStep::review(const Input& step, RowStepReport& report, StepRecord& record) {
  const std::vector<AnswerReview> reviews = m_pieces.review(m_engine->contactImpulses());
  Refusal refused;
  refused.replicas.resize(step.settings.size());
  if (m_isDense && report.unsolved > 0) refuseUnsolved(report, refused);
  bool hasGain = false;
  for (const IslandEnd& end : m_engine->gainingIslands()) {
    unsigned char& isRefused = refused.replicas[end.replica];
    hasGain = hasGain || !isRefused;
    isRefused = 1;
  }
  if (hasGain) refused.reasons.push_back("its answer brought in energy");
  bool hasFalseTouch = false;
  for (std::size_t replica = 0; replica < reviews.size(); ++replica) {
    if (refused.replicas[replica]) continue;
    refused.replicas[replica] = reviews[replica].falseTouches > 0;
    hasFalseTouch = hasFalseTouch || refused.replicas[replica];
    if (!refused.replicas[replica]) record.brokenCrossSets += reviews[replica].brokenCrossSets;
  }
  if (hasFalseTouch)
    refused.reasons.push_back("its answer pushed bodies that do not touch at the end of the step");
  if (isEmpty(refused.replicas)) return {};
  m_engine->refuse(refused.replicas);
  return refused;
}

void ModelStep::refuseUnsolved(RowStepReport& report, Refusal& refused) {
  const std::vector<IslandEnd> ends = m_engine->islandEnds();
  for (const IslandEnd& end : ends)
    if (!end.isSolved) refused.replicas[end.replica] = 1;
  report.residual = 0;
  for (const IslandEnd& end : ends)
    if (!refused.replicas[end.replica]) report.residual = std::max(report.residual, end.residual);
  report.unsolved = 0;
  refused.reasons.push_back(report.message);
}

void ModelStep::addContactsOf(const World& world, const ReplicaSet& replicas, StepRecord& record) {
  m_hasAddedContacts = true;
  StepRecord added;
  m_engine->sendContacts();
  m_engine->addContacts(added);
  for (const Contact& contact : added.contacts)
    if (replicas[(*world.constants)[contact.bodyA].replica]) record.contacts.push_back(contact);
}

/// Solves the rows ψ(q_k)/h + G_kᵀ(ν − ν_k), with ν_k and q_k = q⁺(ν_k), until the velocity no longer
/// changes. @param start  of the last linearisation, if someone looks into the step
RowStepReport ModelStep::solve(const Input& step, std::vector<double>& start, StepRecord& record) {
  if (step.detail) start = m_engine->start();
  RowStepReport report = m_engine->solve();
  addRetries(report, record);
  if (report.withLargestGap > 0)
    record.warnings.push_back("constraint sets were solved with the largest gap as their primary contact");
  if (report.islands == 0 || step.linearisations == 1) return report;
  int moving = report.islands;
  for (int pass = 1; pass < step.linearisations; ++pass) {
    checkFrameClock();
    record.solves += moving;
    m_pieces.linearise();
    m_engine->beginAgain();
    if (step.detail) start = m_engine->start();
    report = m_engine->solve();
    addRetries(report, record);
    moving = m_engine->movingIslands();
    if (moving == 0) return report;
  }
  record.warnings.push_back("re-linearisation still moved the velocity after " +
                            std::to_string(kMostLinearisations) + " passes");
  return report;
}

void ModelStep::reportReached(const RowStepReport& report, const std::string& solverKey, StepRecord& record) {
  constexpr int kMany = 400;  // from here on the time of a matrix, which grows with their cube, is felt
  record.deliveredBy = report.islands == 0 ? "" : report.deliveredBy.empty() ? solverKey : report.deliveredBy;
  record.iterations = report.iterations;
  record.solverTolerance = report.tolerance;
  record.quantities[Quantity::Residual] = report.residual;
  record.quantities[Quantity::EnergyElastic] = 0;
  record.quantities[Quantity::Traps] = 0;  // unless figures are wanted
  if (report.largestDense > kMany)
    record.warnings.push_back(std::to_string(report.largestDense) +
                              " coupled rows are solved with their dense matrix" +
                              "; pgs, and newton-fb with the linear solver pcr, need none");
}

void ModelStep::tellUnsolved(const RowStepReport& report, StepRecord& record) {
  if (report.worst == SolveStatus::NoSolution) {
    raiseStatus(StepStatus::NoSolution,
                "the rows contradict each other (" + report.message +
                    "); a compromise that violates them evenly is used",
                record);
    return;
  }
  raiseStatus(StepStatus::NotConverged,
              report.message + "; " +
                  (report.softened == 0                 ? "its best iterate is used"
                   : report.softened == report.unsolved ? "a softened problem's answer is used"
                                                        : "its best iterate or a softened problem's "
                                                          "answer is used"),
              record);
}

/// The same problems with their matrices, for the inspector.
/// @param contacts  that the sets refer to
void ModelStep::explain(const World& world, const Input& step, const std::vector<double>& start,
                        std::vector<ModelContact> contacts) const {
  step.detail->pieces = m_pieces.fetchPairs();
  ProblemDetail& inside = problemDetail(*step.detail);
  inside.contacts = std::move(contacts);
  inside.modelSettings = step.model;
  inside.solverSettings = step.settings.front();
  inside.problems =
      m_engine->problems(start, [&inside](int unknowns) { return inside.takesProblemOf(unknowns); });
  for (IslandAnswer& answer : inside.problems) {
    const ModelContact& any = inside.contacts[answer.island.sets[0].contacts[0]];
    answer.island.replica = (*world.constants)[any.bodyA].replica;
    SolverResult& result = answer.result;
    if (!result.deliveredBy.empty()) continue;
    result.deliveredBy = step.solverKey;
    const double tolerance = step.settings[answer.island.replica].tolerance;
    if (scaledResidual(answer.island.problem, result.z) <= tolerance) result.status = SolveStatus::Solved;
  }
}

}  // namespace touchstone
