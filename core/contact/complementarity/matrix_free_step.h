#pragma once

#include <memory>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/row_step.h"

namespace touchstone {

class PhaseClock;
struct StepDetail;

/// The step of `lcp` or `peg` without a matrix: a row for each contact, or for each constraint set;
/// friction is Coulomb's cone itself. Contacts, rows, unknowns and velocities stay on the backend
/// (RowStep), and back come impulses for the record. What the solver reaches is used as it is: no
/// iterate of its own is worse than not trying.
class MatrixFreeStep {
 public:
  /// @param pieces  of the method, on the same backend   @throws std::runtime_error if the backend has none
  MatrixFreeStep(MatrixFreeSolver solver, RowPer rows, BackendKind backend, const World& world,
                 const std::shared_ptr<DeviceWorld>& deviceWorld, NarrowPhase& pieces);

  /// What the method knows of the running step.
  struct Input {
    const ModelSettings& model;
    const std::vector<SolverSettings>& settings;  ///< [replicaCount]
    std::string solverKey;
    int linearisations;  ///< at most
    RecordedContacts recorded;
    bool statesOnly;     ///< not even figures are wanted
    StepDetail* detail;  ///< or null
    bool mayBisect;      ///< an exact step
    bool isReviewed;     ///< answers that push what does not touch are refused
  };
  /// From contacts to velocities, as HostMethod::respond().
  /// @return replicas whose answer was refused: they have no contact yet; or empty
  ReplicaSet respond(const World& world, const Input& step, StepRecord& record, PhaseClock& clock);
  /// The same by takeExactStep(), with RowPer::Contact. @return as HostMethod::wantsBisection()
  /// @param replicas  that take the step
  ReplicaSet respondExactly(const World& world, const Input& step, const ReplicaSet& replicas,
                            BranchEngine& exact, StepRecord& record, PhaseClock& clock);

  /// Contacts of a step that was not for states only, unless that step has added them itself.
  void addContacts(StepRecord& record) {
    if (!m_hasAddedContacts) m_engine->addContacts(record);
  }
  /// Contact memory.
  RowStep& engine() { return *m_engine; }

 private:
  /// @return replicas whose answer is refused; or empty
  ReplicaSet review(StepRecord& record);
  /// At once, of some replicas: a frame may consist of several such steps.
  void addContactsOf(const World& world, const ReplicaSet& replicas, StepRecord& record);
  MatrixFreeReport solve(const Input& step, std::vector<Vec3>& start, StepRecord& record);
  /// What the solver reached, but for what it could not solve.
  static void tellReached(const MatrixFreeReport& report, const std::string& solverKey, StepRecord& record);
  void tell(const MatrixFreeReport& report, const std::string& solverKey, StepRecord& record) const;
  void explain(const World& world, const Input& step, const Velocities& free, const std::vector<Vec3>& start,
               const std::vector<ModelContact>& contacts) const;

  RowPer m_rows;
  NarrowPhase& m_pieces;
  std::unique_ptr<RowStep> m_engine;
  bool m_hasAddedContacts = false;
};

}  // namespace touchstone
