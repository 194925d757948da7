#include <algorithm>

#include "core/contact/complementarity/model_step.h"
#include "core/contact/peg/branch_selection.h"
#include "core/math/count.h"
#include "core/record/phase_clock.h"
#include "core/record/replica_note.h"

namespace touchstone {

namespace {

/// Result of an exact step for one replica.
struct ExactOutcome {
  bool converged = false;     ///< no switch left and no pair deeper than rounding
  bool solved = true;         ///< every problem was
  bool hasNone = false;       ///< one that was not has no solution
  bool passesCorner = false;  ///< see BranchReview
  int gains = 0;              ///< IslandEnd::gains of the last impulses
  bool isAtEnd = false;       ///< nothing is left to exchange, and no pair is deeper than rounding
  bool isOfStart = false;     ///< the answer is that of takeStartForms()
  int passes = 0, solves = 0;
};

/// The problems of an exact step's linearisations.
class ExactProblems {
 public:
  ExactProblems(const World& world, RowStep& engine, BranchSelection& exact, const ModelStep::Input& step)
      : m_world(world), m_engine(engine), m_exact(exact), m_step(step), m_residuals(step.settings.size()) {}

  /// Solves those of the rows as BranchSelection::linearise() has left them, and hands the answer to the
  /// engine.
  /// @param running  replicas   @param outcomes  [replicaCount] takes solves, and what had no
  /// solution
  void solve(const ReplicaSet& running, std::vector<ExactOutcome>& outcomes) {
    m_engine.beginPass(m_world, m_step.settings, m_exact, m_isFirst);
    m_isFirst = false;
    if (m_step.detail) m_start = m_engine.start();
    m_report = m_engine.solve();
    for (std::size_t replica = 0; replica < running.size(); ++replica)
      if (running[replica]) {
        m_residuals[replica] = 0;
        outcomes[replica].gains = 0;
      }
    for (const IslandEnd& end : m_engine.islandEnds()) {
      ExactOutcome& outcome = outcomes[end.replica];
      ++outcome.solves;
      outcome.solved = outcome.solved && end.isSolved;
      outcome.hasNone = outcome.hasNone || end.hasNoSolution;
      outcome.gains = std::max(outcome.gains, end.gains);
      m_residuals[end.replica] = std::max(m_residuals[end.replica], end.residual);
    }
  }

  /// Report of the last problems.
  const RowStepReport& report() const { return m_report; }
  const std::vector<double>& start() const { return m_start; }
  /// [replicaCount] of each replica's last problems [m/s]
  const std::vector<double>& residuals() const { return m_residuals; }

 private:
  const World& m_world;
  RowStep& m_engine;
  BranchSelection& m_exact;
  const ModelStep::Input& m_step;
  bool m_isFirst = true;
  RowStepReport m_report;
  std::vector<double> m_start;  ///< if someone looks into the step
  std::vector<double> m_residuals;
};

bool isIn(const ReplicaSet& replicas, int replica) { return !replicas.empty() && replicas[replica]; }

void tell(const ExactOutcome& outcome, StepRecord& record) {
  const std::string passes = std::to_string(outcome.passes);
  if (!outcome.solved)
    raiseStatus(outcome.hasNone ? StepStatus::NoSolution : StepStatus::NotConverged,
                "linearisation " + passes +
                    " of the exact step was not solved, nor were its halves; a compromise is used",
                record);
  else if (outcome.isOfStart)
    record.warnings.push_back(
        "the exact step brought in energy, and so did its halves: one linearisation where it starts takes "
        "its place, which leaves what the bodies turn by as an overlap");
  else if (!outcome.converged && !outcome.isAtEnd)
    raiseStatus(
        StepStatus::NotConverged,
        "the exact step did not come to an end after " + passes + " linearisations, nor did its halves",
        record);
  if (outcome.passesCorner)
    record.warnings.push_back(
        "a body passes a corner within the exact step, whose impulses are those of its end: they may gain "
        "energy, or act across a gap; a shorter step shows the way round");
}

/// Replicas whose step did not end; empty if all did.
ReplicaSet wantBisection(const std::vector<ExactOutcome>& outcomes) {
  ReplicaSet halves;
  for (const ExactOutcome& outcome : outcomes) halves.push_back(!outcome.converged);
  return isEmpty(halves) ? ReplicaSet() : halves;
}

/// See ModelStep::respondExactly(). @return [replicaCount]
std::vector<ExactOutcome> takeExactStep(const World& world, BranchSelection& engine,
                                        const ReplicaSet& replicas, ExactProblems& problems) {
  constexpr int kMostPasses = 20;
  ReplicaSet running = replicas;
  std::vector<ExactOutcome> outcomes(replicas.size());
  const auto finish = [&](const auto& hasEnded) {
    ReplicaSet ended(running.size());
    for (std::size_t replica = 0; replica < ended.size(); ++replica)
      ended[replica] = running[replica] && hasEnded(replica);
    if (isEmpty(ended)) return;
    for (std::size_t replica = 0; replica < ended.size(); ++replica)
      if (ended[replica]) running[replica] = 0;
    engine.end(ended);
  };
  engine.begin(world, replicas);
  while (!isEmpty(running)) {
    engine.linearise();
    problems.solve(running, outcomes);
    for (std::size_t replica = 0; replica < running.size(); ++replica)
      outcomes[replica].passes += running[replica];
    finish([&](std::size_t replica) { return !outcomes[replica].solved; });
    if (isEmpty(running)) break;
    const std::vector<BranchReview> reviews = engine.review();
    for (std::size_t replica = 0; replica < running.size(); ++replica)
      if (running[replica]) {
        outcomes[replica].isAtEnd = !reviews[replica].isChanged && reviews[replica].deepest <= 1;
        outcomes[replica].converged = outcomes[replica].isAtEnd && !outcomes[replica].gains;
        outcomes[replica].passesCorner = reviews[replica].passesCorner != 0;
      }
    finish([&](std::size_t replica) {
      return outcomes[replica].isAtEnd || outcomes[replica].passes == kMostPasses;
    });
  }
  return outcomes;
}

/// The answers of replicas that gain energy and cannot be halved: those of one linearisation where the step
/// starts, with the branches that separate there. No relative motion satisfies its rows, so that its impulses
/// take energy, but for what parts bodies that overlap.
void takeStartForms(BranchSelection& engine, const ReplicaSet& replicas, ExactProblems& problems,
                    std::vector<ExactOutcome>& outcomes) {
  ReplicaSet gaining(replicas.size());
  for (std::size_t replica = 0; replica < gaining.size(); ++replica)
    gaining[replica] = replicas[replica] && outcomes[replica].gains == 2;
  if (isEmpty(gaining)) return;
  engine.restart(gaining);
  engine.linearise();
  problems.solve(gaining, outcomes);
  for (std::size_t replica = 0; replica < gaining.size(); ++replica)
    if (gaining[replica]) {
      ++outcomes[replica].passes;
      outcomes[replica].isOfStart = true;
    }
  engine.end(gaining);
}

/// Records of replicas that bisect the step only that it was tried. @return the report of the others
RowStepReport tellOutcomes(const ExactProblems& problems, const std::vector<ExactOutcome>& outcomes,
                           const ReplicaSet& bisected, StepRecord& record) {
  RowStepReport report = problems.report();
  report.islands = 0;  // of all linearisations
  report.residual = 0;
  for (int replica = 0; replica < countOf(outcomes); ++replica) {
    report.islands += outcomes[replica].solves;
    record.solves += outcomes[replica].solves;
    if (isIn(bisected, replica)) continue;
    tell(outcomes[replica], record);
    if (outcomes.size() > 1 && !outcomes[replica].solved && outcomes[replica].hasNone)
      record.warnings.push_back(
          replicaNote({replica, StepStatus::NoSolution}, "the rows of the exact step contradict each other"));
    report.residual = std::max(report.residual, problems.residuals()[replica]);
  }
  return report;
}

}  // namespace

ReplicaSet ModelStep::respondExactly(const World& world, const Input& step, const ReplicaSet& replicas,
                                     BranchSelection& exact, StepRecord& record, PhaseClock& clock) {
  clock.endOf(Phase::Assemble);
  m_hasAddedContacts = false;
  m_engine->setModel(step.model);
  ExactProblems problems(world, *m_engine, exact, step);
  std::vector<ExactOutcome> outcomes = takeExactStep(world, exact, replicas, problems);
  if (!step.mayBisect) takeStartForms(exact, replicas, problems, outcomes);
  clock.endOf(Phase::Solve);
  ReplicaSet wantsBisection = wantBisection(outcomes), remaining = otherReplicas(replicas);
  for (std::size_t replica = 0; replica < wantsBisection.size(); ++replica)
    wantsBisection[replica] = wantsBisection[replica] && replicas[replica];
  if (isEmpty(wantsBisection)) wantsBisection.clear();
  for (std::size_t replica = 0; replica < wantsBisection.size(); ++replica)
    remaining[replica] = remaining[replica] || (step.mayBisect && wantsBisection[replica]);
  if (isEmpty(remaining)) remaining.clear();
  m_engine->endPasses(remaining);
  reportReached(tellOutcomes(problems, outcomes, remaining, record), step.solverKey, record);
  m_engine->jointTotals(world, remaining.empty() ? otherReplicas(replicas) : remaining).addTo(record);
  if (!step.statesOnly || step.detail) {
    m_engine->addQuantities(record);
    if (step.recorded == RecordedContacts::All)
      addContactsOf(world, remaining.empty() ? replicas : otherReplicas(remaining), record);
  }
  if (step.detail) explain(world, step, problems.start(), exact.fetchRows());
  clock.endOf(Phase::Assemble);
  return wantsBisection;
}

}  // namespace touchstone
