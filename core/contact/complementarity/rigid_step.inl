#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/contact/accuracy.h"
#include "core/contact/complementarity/problem_detail.h"
#include "core/contact/complementarity/rigid_report.h"
#include "core/contact/complementarity/rigid_rows.inl"
#include "core/contact/manifold/narrow_phase.inl"
#include "core/contact/method_info.h"
#include "core/contact/step_detail.h"
#include "core/parallel/frame_clock.h"
#include "core/record/phase_clock.h"

namespace touchstone {

/// Input of a step of `lcp` or `peg`.
struct RigidInput {
  const ModelSettings& model;
  const std::vector<SolverSettings>& settings;  ///< [replicaCount]
  std::string solverKey;
  int linearisations;  ///< at most
  Recorded recorded;
  StepDetail* detail;  ///< or null
  bool mayBisect;      ///< an exact step
  bool isReviewed;     ///< answers that push what does not touch are refused, and with dense problems such as
                       ///< were not solved
  bool startsWarm;     ///< with the impulses of the last step
  bool splitsPushOut;  ///< overlaps are undone apart from the velocities
  bool followsJoints;  ///< rows of joints are linearised again until they hold at the end of the step
  bool areSumsWanted() const { return recorded != Recorded::None || detail; }
};

/// The step of `lcp` or `peg` with one solver, from the contacts of narrow phase to the record: a row for
/// each contact, or for each constraint set. Contacts, rows, unknowns and velocities stay on the backend, and
/// back come impulses for the record.
template <class Backend>
class RigidStep {
 public:
  RigidStep(RowSolverKind solver, RowPer rows, const World& world,
            const std::shared_ptr<DeviceWorld>& deviceWorld, NarrowPhase<Backend>& pieces)
      : m_isDense(makesMatrix(solver)),
        m_rowPer(rows),
        m_pieces(pieces),
        m_rows(solver, rows, world, deviceWorld, pieces) {}

  /// From contacts to velocities. Fills iterations, deliveredBy, status, warnings and quantities of the
  /// record. @return the replicas that have no contact yet
  Refusal respond(const World& world, const RigidInput& step, StepRecord& record, PhaseClock& clock) {
    m_hasAddedContacts = false;
    m_rows.setModel(step.model);
    m_rows.setStartsWarm(step.startsWarm);
    m_rows.begin(world, step.settings);
    clock.endOf(Phase::Assemble);
    std::vector<double> start;
    RigidReport report = solve(step, start, record);
    if (step.followsJoints) followJoints(world, step, start, report, record);
    record.solves += report.islands;
    record.unsolved += report.unsolved;
    record.endedByBudget += report.endedByBudget;
    const Refusal refused = step.isReviewed ? review(step, report, record) : Refusal();
    m_rows.forgetPushOut();
    if (step.splitsPushOut) m_rows.pushOut(world.scene->gravity, record);
    clock.endOf(Phase::Solve);
    reportReached(report, step.solverKey, record);
    if (report.unsolved > 0) tellUnsolved(report, record);
    if (report.worst == SolveStatus::NoSolution && report.unsolved > 0 && step.settings.size() > 1)
      noteReplicasWithoutSolution(m_rows.islandEnds(), record);
    m_rows.jointTotals(world, refused.replicas).addTo(record);
    if (step.areSumsWanted()) {
      if (m_rowPer == RowPer::Set) m_pieces.findEndGaps();
      m_rows.addQuantities(record);
      if (step.recorded == Recorded::All) {
        if (refused.replicas.empty())
          m_rows.sendContacts();
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

  // Parts of an exact step.

  /// Before the passes of an exact step, which RigidRows::layOutPass() begins.
  void beginExact(const RigidInput& step) {
    m_hasAddedContacts = false;
    m_rows.forgetPushOut();
    m_rows.setModel(step.model);
    m_rows.setStartsWarm(step.startsWarm);
  }
  RigidRows<Backend>& rows() { return m_rows; }
  /// Adds contacts at once, of some replicas: a frame may consist of several such steps.
  void addContactsOf(const World& world, const ReplicaSet& replicas, StepRecord& record) {
    m_hasAddedContacts = true;
    StepRecord added;
    m_rows.sendContacts();
    m_rows.addContacts(added);
    for (const Contact& contact : added.contacts)
      if (replicas[(*world.constants)[contact.bodyA].replica]) record.contacts.push_back(contact);
  }
  /// The same problems with their matrices, for the inspector.
  /// @param start  impulses that the solver began with   @param contacts  that the sets refer to
  void explain(const World& world, const RigidInput& step, const std::vector<double>& start,
               std::vector<ModelContact> contacts) const {
    step.detail->pieces = m_pieces.fetchPairs();
    step.detail->rows = std::make_shared<RowsDetail>(m_rows.detail());
    ProblemDetail& inside = problemDetail(*step.detail);
    inside.contacts = std::move(contacts);
    inside.modelSettings = step.model;
    inside.solverSettings = step.settings.front();
    inside.solverSettings.tolerance = std::min(inside.solverSettings.tolerance, kTightTolerance);
    inside.problems =
        m_rows.problems(start, [&inside](int unknowns) { return inside.takesProblemOf(unknowns); });
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

  /// Contacts of a step that was not for states only, unless that step has added them itself.
  void addContacts(StepRecord& record) {
    if (!m_hasAddedContacts) m_rows.addContacts(record);
  }

 private:
  Refusal review(const RigidInput& step, RigidReport& report, StepRecord& record) {
    const std::vector<AnswerReview> reviews = m_pieces.review(m_rows.contactImpulses());
    Refusal refused;
    refused.replicas.resize(step.settings.size());
    if (m_isDense && report.unsolved > 0) refuseUnsolved(report, refused);
    bool hasGain = false;
    for (const IslandEnd& end : m_rows.gainingIslands()) {
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
    m_rows.refuse(refused.replicas);
    return refused;
  }

  /// Refuses the dense problems that were not solved, and removes their residuals from the report.
  void refuseUnsolved(RigidReport& report, Refusal& refused) {
    const std::vector<IslandEnd> ends = m_rows.islandEnds();
    for (const IslandEnd& end : ends)
      if (!end.isSolved) refused.replicas[end.replica] = 1;
    report.residual = 0;
    for (const IslandEnd& end : ends)
      if (!refused.replicas[end.replica]) report.residual = std::max(report.residual, end.residual);
    report.unsolved = 0;
    refused.reasons.push_back(report.message);
  }

  /// Solves the rows ψ(q_k)/h + G_kᵀ(ν − ν_k), with ν_k and q_k = q⁺(ν_k), until the velocity no longer
  /// changes. @param start  of the last linearisation, if someone looks into the step
  RigidReport solve(const RigidInput& step, std::vector<double>& start, StepRecord& record) {
    if (step.detail) start = m_rows.start();
    RigidReport report = m_rows.solve();
    addRetries(report, record);
    if (report.withLargestGap > 0)
      record.warnings.push_back("constraint sets were solved with the largest gap as their primary contact");
    if (report.islands == 0 || step.linearisations == 1) return report;
    int moving = report.islands;
    for (int pass = 1; pass < step.linearisations; ++pass) {
      checkFrameClock();
      record.solves += moving;
      m_pieces.linearise();
      m_rows.beginAgain();
      if (step.detail) start = m_rows.start();
      report = m_rows.solve();
      addRetries(report, record);
      moving = m_rows.movingIslands();
      if (moving == 0) return report;
    }
    record.warnings.push_back("re-linearisation still moved the velocity after " +
                              std::to_string(kMostLinearisations) + " passes");
    return report;
  }

  /// Solves again for the joints that the answer leaves apart. @param start, report  out, of the last pass
  void followJoints(const World& world, const RigidInput& step, std::vector<double>& start,
                    RigidReport& report, StepRecord& record) {
    // A pass leaves O(h ω) of a gap. More: steps that do not come together take longer.
    constexpr int kMostPasses = 4;
    for (int pass = 0; pass < kMostPasses && report.unsolved == 0; ++pass) {
      const int islands = m_rows.followJoints(world);
      if (islands == 0) return;
      checkFrameClock();
      record.solves += islands;
      if (step.detail) start = m_rows.start();
      report = m_rows.solve();
      addRetries(report, record);
    }
  }

  bool m_isDense;
  RowPer m_rowPer;
  NarrowPhase<Backend>& m_pieces;
  RigidRows<Backend> m_rows;
  bool m_hasAddedContacts = false;
};

}  // namespace touchstone
