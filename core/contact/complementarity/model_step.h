#pragma once

#include <memory>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/row_step.h"

namespace touchstone {

class BranchSelection;
class PhaseClock;
struct StepDetail;

/// Replicas whose answer is not used, with the reasons.
struct Refusal {
  ReplicaSet replicas;  ///< or empty
  std::vector<std::string> reasons;
};

/// The step of `lcp` or `peg`, from the contacts of narrow phase to the record: a row for each contact, or
/// for each constraint set, solved by a RowStep. Contacts, rows, unknowns and velocities stay on the backend,
/// and back come impulses for the record.
class ModelStep {
 public:
  /// @param pieces  of the method, on the same backend   @throws std::runtime_error if the backend has none
  ModelStep(RowSolverKind solver, RowPer rows, BackendKind backend, const World& world,
            const std::shared_ptr<DeviceWorld>& deviceWorld, NarrowPhase& pieces);

  /// The method's input of the running step.
  struct Input {
    const ModelSettings& model;
    const std::vector<SolverSettings>& settings;  ///< [replicaCount]
    std::string solverKey;
    int linearisations;  ///< at most
    RecordedContacts recorded;
    bool statesOnly;     ///< not even figures are wanted
    StepDetail* detail;  ///< or null
    bool mayBisect;      ///< an exact step
    bool isReviewed;     ///< answers that push what does not touch are refused, and with dense problems such
                         ///< as were not solved
  };
  /// From contacts to velocities, as HostMethod::respond(). @return those that have no contact yet
  Refusal respond(const World& world, const Input& step, StepRecord& record, PhaseClock& clock);
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
  /// @param replicas  that take the step   @return as HostMethod::wantsBisection()
  ReplicaSet respondExactly(const World& world, const Input& step, const ReplicaSet& replicas,
                            BranchSelection& exact, StepRecord& record, PhaseClock& clock);

  /// Contacts of a step that was not for states only, unless that step has added them itself.
  void addContacts(StepRecord& record) {
    if (!m_hasAddedContacts) m_engine->addContacts(record);
  }
  /// Contact memory.
  RowStep& engine() { return *m_engine; }

 private:
  Refusal review(const Input& step, RowStepReport& report, StepRecord& record);
  /// Refuses the dense problems that were not solved, and removes their residuals from the report.
  void refuseUnsolved(RowStepReport& report, Refusal& refused);
  /// At once, of some replicas: a frame may consist of several such steps.
  void addContactsOf(const World& world, const ReplicaSet& replicas, StepRecord& record);
  RowStepReport solve(const Input& step, std::vector<double>& start, StepRecord& record);
  /// Reports the residual that the solver reached, without the problems that it could not solve.
  static void reportReached(const RowStepReport& report, const std::string& solverKey, StepRecord& record);
  /// Reports the problems that it could not solve, whose answers are used.
  static void tellUnsolved(const RowStepReport& report, StepRecord& record);
  void explain(const World& world, const Input& step, const std::vector<double>& start,
               std::vector<ModelContact> contacts) const;

  bool m_isDense;
  RowPer m_rows;
  NarrowPhase& m_pieces;
  std::unique_ptr<RowStep> m_engine;
  bool m_hasAddedContacts = false;
};

}  // namespace touchstone
