#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/contact/complementarity/rigid_step.inl"
#include "core/contact/peg/branch_selection.inl"
#include "core/contact/peg/exact_outcome.h"

namespace touchstone {

namespace detail {

/// The problems of an exact step's linearisations.
template <class Backend>
class ExactProblems {
 public:
  ExactProblems(const World& world, RigidRows<Backend>& rows, BranchSelection<Backend>& branches,
                const RigidInput& step)
      : m_world(world), m_rows(rows), m_branches(branches), m_step(step), m_residuals(step.settings.size()) {}

  /// Solves those of the rows as BranchSelection::linearise() has left them, and hands it the answer.
  /// @param running  replicas   @param outcomes  [replicaCount] takes solves, and what had no
  /// solution
  void solve(const ReplicaSet& running, std::vector<ExactOutcome>& outcomes) {
    m_rows.layOutPass(m_world, m_step.settings, m_branches.rows(), m_isFirst);
    m_branches.carryImpulses(m_rows.impulsesBefore(), m_rows.perContact(), m_rows.impulses());
    m_branches.freeBodies(m_rows.view());
    m_rows.startPass(m_isFirst);
    m_isFirst = false;
    if (m_step.detail) m_start = m_rows.start();
    m_report = m_rows.solve();
    m_branches.takeAnswer(m_rows.impulses(), m_rows.perContact(), m_rows.view());
    for (std::size_t replica = 0; replica < running.size(); ++replica)
      if (running[replica]) {
        m_residuals[replica] = 0;
        outcomes[replica].gains = 0;
      }
    for (const IslandEnd& end : m_rows.islandEnds()) {
      ExactOutcome& outcome = outcomes[end.replica];
      ++outcome.solves;
      outcome.solved = outcome.solved && end.isSolved;
      outcome.hasNone = outcome.hasNone || end.hasNoSolution;
      outcome.gains = std::max(outcome.gains, end.gains);
      m_residuals[end.replica] = std::max(m_residuals[end.replica], end.residual);
    }
  }

  /// Report of the last problems.
  const RigidReport& report() const { return m_report; }
  const std::vector<double>& start() const { return m_start; }
  /// [replicaCount] of each replica's last problems [m/s]
  const std::vector<double>& residuals() const { return m_residuals; }

 private:
  const World& m_world;
  RigidRows<Backend>& m_rows;
  BranchSelection<Backend>& m_branches;
  const RigidInput& m_step;
  bool m_isFirst = true;
  RigidReport m_report;
  std::vector<double> m_start;  ///< if someone looks into the step
  std::vector<double> m_residuals;
};

}  // namespace detail

/// Exact steps of a method on a backend. One per pane.
template <class Backend>
class ExactStep {
 public:
  ExactStep(const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld,
            const NarrowPhase<Backend>& pieces)
      : m_branches(world, deviceWorld, pieces) {}

  /// One step with exact non-penetration at its end, with RowPer::Contact: a disjunctive quadratic programme,
  /// min ½|ν − ν̃|²_M so that every pair of convex pieces is apart at q⁺(ν), by sequential linearisation.
  ///
  /// Each pair keeps one branch, the feature (face of either piece, or pair of edges) whose plane separates
  /// the pieces; initially the one with the largest gap at the start, among equals always the same. Its rows
  /// are the vertices of the other piece within reach, as U, linearised at q_k with the exact derivative of
  /// q⁺: the symmetric standard problem, which is feasible whenever the start is free. At q_k a branch is
  /// left if
  ///   (i) it carries impulse though another one separates by more than 1e-9 m more (at most kMostBetter
  ///   times per pair), or (ii) its plane does not separate and another one's does better (at most
  ///   kMostViolated times); (iii) pairs that overlap and were not in the list join it.
  /// Ends when nothing switches and no pair is deeper than RowRules::exactDepth, for each replica by itself.
  /// @param replicas  that take the step   @return as Method::respond()
  ReplicaSet respond(RigidStep<Backend>& rigid, const World& world, const RigidInput& step,
                     const ReplicaSet& replicas, StepRecord& record, PhaseClock& clock) {
    clock.endOf(Phase::Assemble);
    rigid.beginExact(step);
    RigidRows<Backend>& rows = rigid.rows();
    Problems problems(world, rows, m_branches, step);
    std::vector<ExactOutcome> outcomes = takePasses(world, replicas, problems);
    if (!step.mayBisect) takeStartForms(replicas, problems, outcomes);
    clock.endOf(Phase::Solve);
    ReplicaSet wantsBisection = wantBisection(outcomes), remaining = otherReplicas(replicas);
    for (std::size_t replica = 0; replica < wantsBisection.size(); ++replica)
      wantsBisection[replica] = wantsBisection[replica] && replicas[replica];
    if (isEmpty(wantsBisection)) wantsBisection.clear();
    for (std::size_t replica = 0; replica < wantsBisection.size(); ++replica)
      remaining[replica] = remaining[replica] || (step.mayBisect && wantsBisection[replica]);
    if (isEmpty(remaining)) remaining.clear();
    rows.endPasses(remaining);
    reportReached(tellOutcomes(problems.report(), problems.residuals(), outcomes, remaining, record),
                  step.solverKey, record);
    rows.jointTotals(world, remaining.empty() ? otherReplicas(replicas) : remaining).addTo(record);
    if (step.areSumsWanted()) {
      rows.addQuantities(record);
      if (step.recorded == Recorded::All)
        rigid.addContactsOf(world, remaining.empty() ? replicas : otherReplicas(remaining), record);
    }
    if (step.detail) rigid.explain(world, step, problems.start(), m_branches.fetchRows());
    clock.endOf(Phase::Assemble);
    return wantsBisection;
  }

 private:
  using Problems = detail::ExactProblems<Backend>;

  /// @return [replicaCount]
  std::vector<ExactOutcome> takePasses(const World& world, const ReplicaSet& replicas, Problems& problems) {
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
      m_branches.end(ended);
    };
    m_branches.begin(world, replicas);
    while (!isEmpty(running)) {
      m_branches.linearise();
      problems.solve(running, outcomes);
      for (std::size_t replica = 0; replica < running.size(); ++replica)
        outcomes[replica].passes += running[replica];
      finish([&](std::size_t replica) { return !outcomes[replica].solved; });
      if (isEmpty(running)) break;
      const std::vector<BranchReview> reviews = m_branches.review();
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
  /// starts, with the branches that separate there. No relative motion satisfies its rows, so that its
  /// impulses take energy, but for what parts bodies that overlap.
  void takeStartForms(const ReplicaSet& replicas, Problems& problems, std::vector<ExactOutcome>& outcomes) {
    ReplicaSet gaining(replicas.size());
    for (std::size_t replica = 0; replica < gaining.size(); ++replica)
      gaining[replica] = replicas[replica] && outcomes[replica].gains == 2;
    if (isEmpty(gaining)) return;
    m_branches.restart(gaining);
    m_branches.linearise();
    problems.solve(gaining, outcomes);
    for (std::size_t replica = 0; replica < gaining.size(); ++replica)
      if (gaining[replica]) {
        ++outcomes[replica].passes;
        outcomes[replica].isOfStart = true;
      }
    m_branches.end(gaining);
  }

  BranchSelection<Backend> m_branches;
};

}  // namespace touchstone
