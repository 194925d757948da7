#include <algorithm>

#include "core/contact/complementarity/matrix_free_step.h"
#include "core/contact/peg/exact_step.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

class MatrixFreeExactProblems : public ExactProblems {
 public:
  MatrixFreeExactProblems(const World& world, RowStep& engine, BranchEngine& exact,
                          const MatrixFreeStep::Input& step)
      : m_world(world), m_engine(engine), m_exact(exact), m_step(step), m_residuals(step.settings.size()) {}

  void solve(const ReplicaSet& running, std::vector<ExactOutcome>& outcomes) override {
    m_engine.beginPass(m_world, m_step.settings, m_exact, m_isFirst);
    m_isFirst = false;
    if (m_step.detail) m_start = m_engine.start();
    m_report = m_engine.solve();
    for (std::size_t replica = 0; replica < running.size(); ++replica)
      if (running[replica]) m_residuals[replica] = 0;
    for (const IslandEnd& end : m_engine.islandEnds()) {
      ExactOutcome& outcome = outcomes[end.replica];
      ++outcome.solves;
      outcome.solved = outcome.solved && end.isSolved;
      m_residuals[end.replica] = std::max(m_residuals[end.replica], end.residual);
    }
  }
  void end(const ReplicaSet&) override {}

  /// Of the last problems.
  const MatrixFreeReport& report() const { return m_report; }
  const std::vector<Vec3>& start() const { return m_start; }
  /// [replicaCount] of each replica's last problems [m/s]
  const std::vector<double>& residuals() const { return m_residuals; }

 private:
  const World& m_world;
  RowStep& m_engine;
  BranchEngine& m_exact;
  const MatrixFreeStep::Input& m_step;
  bool m_isFirst = true;
  MatrixFreeReport m_report;
  std::vector<Vec3> m_start;  ///< if someone looks into the step
  std::vector<double> m_residuals;
};

bool isIn(const ReplicaSet& replicas, int replica) { return !replicas.empty() && replicas[replica]; }

/// Of replicas that take the step in halves only that it was tried. @return of the others
MatrixFreeReport tellOutcomes(const MatrixFreeExactProblems& problems,
                              const std::vector<ExactOutcome>& outcomes, const ReplicaSet& bisected,
                              StepRecord& record) {
  MatrixFreeReport report = problems.report();
  report.islands = 0;  // of all linearisations
  report.residual = 0;
  for (int replica = 0; replica < static_cast<int>(outcomes.size()); ++replica) {
    const SolveNotes notes = notesOf(outcomes[replica]);
    report.islands += notes.solves;
    if (isIn(bisected, replica)) {
      record.solves += notes.solves;
    } else {
      addNotes(notes, record);
      report.residual = std::max(report.residual, problems.residuals()[replica]);
    }
  }
  return report;
}

}  // namespace

ReplicaSet MatrixFreeStep::respondExactly(const World& world, const Input& step, const ReplicaSet& replicas,
                                          BranchEngine& exact, StepRecord& record, PhaseClock& clock) {
  const Velocities free = step.detail ? velocitiesOf(world) : Velocities();
  clock.endOf(Phase::Assemble);
  m_hasAddedContacts = false;
  MatrixFreeExactProblems problems(world, *m_engine, exact, step);
  const std::vector<ExactOutcome> outcomes = takeExactStep(world, exact, replicas, problems);
  clock.endOf(Phase::Solve);
  ReplicaSet wantsBisection = wantBisection(outcomes), left = otherReplicas(replicas);
  for (std::size_t replica = 0; replica < wantsBisection.size(); ++replica)
    wantsBisection[replica] = wantsBisection[replica] && replicas[replica];
  if (isEmpty(wantsBisection)) wantsBisection.clear();
  for (std::size_t replica = 0; replica < wantsBisection.size(); ++replica)
    left[replica] = left[replica] || (step.mayBisect && wantsBisection[replica]);
  if (isEmpty(left)) left.clear();
  m_engine->endPasses(left);
  tellReached(tellOutcomes(problems, outcomes, left, record), step.solverKey, record);
  if (!step.statesOnly || step.detail) {
    m_engine->addQuantities(record);
    if (step.recorded == RecordedContacts::All)
      addContactsOf(world, left.empty() ? replicas : otherReplicas(left), record);
  }
  if (step.detail) explain(world, step, free, problems.start(), exact.fetchRows());
  clock.endOf(Phase::Assemble);
  return wantsBisection;
}

}  // namespace touchstone
