#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/contact/complementarity/contact_set_step.h"
#include "core/contact/complementarity/host_method.h"
#include "core/contact/complementarity/matrix_free_step.h"
#include "core/contact/complementarity/narrow_phase.h"
#include "core/contact/complementarity/row_rules.h"
#include "core/contact/complementarity/set_memory.h"

namespace touchstone {

/// Automatic `margin` and `feasible_depth`, as shares of lengthOf() the scene. A larger margin grows the
/// number of contacts, and what a step foresees. A smaller depth takes overlap for the back of a thin piece,
/// a larger one a plate.
inline constexpr double kMarginOfLength = 0.01, kFeasibleDepthOfLength = 5e-3;

/// A complementarity method that solves the problem of each island: sets, islands, solving, applying,
/// recording; with their matrices, or without (MatrixFreeStep). `lcp` and `peg` differ in setsOf() and in
/// what they do about an island that has no solution.
class ComplementarityMethod : public HostMethod {
 public:
  ComplementarityMethod(const World& world, const std::string& solver);

  void begin(const World& world) override {
    m_engine->setFindsContacts(needsContacts());
    m_engine->begin(world);
  }
  void await(PhaseTimes& times) override { m_engine->await(times); }
  void respond(World& world, StepRecord& record, PhaseClock& clock) override;
  void setParameters(const std::vector<ParameterValues>& ofReplicas) override;
  void reset() override;
  void useBackend(BackendKind backend, const World& world,
                  const std::shared_ptr<DeviceWorld>& deviceWorld) override;
  void setRecorded(RecordedContacts recorded) override { m_recorded = recorded; }
  void setMayBisect(bool on) override { m_mayBisect = on; }
  ReplicaSet wantsBisection() const override { return m_wantsBisection; }
  void addContacts(StepRecord& record) override;
  void setStatesOnly(bool on) override { m_statesOnly = on; }
  void sendMemory() override;
  void keepMemory() override;
  std::string keptMemory() override;
  void restoreMemory(const std::string& bytes) override;

  // For MethodInfo:
  static std::vector<ParameterSpec> sharedParameters();
  static std::string refusal(const Scene& scene);
  static std::string staysOnHost(const std::string& solver);
  static std::vector<std::string> solvers() { return {"auto", "newton-fb", "lemke"}; }

 protected:
  virtual const std::vector<ParameterSpec>& specs() const = 0;
  /// Contacts and sets of narrow phase, not only its pairs.
  virtual bool needsContacts() const { return true; }
  /// Of one replica, with its values.
  virtual RowRules ruleWith(const ParameterValues& values) const;
  /// [replicaCount] for ruleOf()
  const RowRules* rules() const { return m_rules.data(); }
  /// The rows of a solver without a matrix, with the parameters as they are.
  virtual RowPer rowPer() const = 0;
  /// All that parameters may ask for.
  virtual std::vector<RowPer> rowKinds() const { return {rowPer()}; }
  /// Whether the solver does without one with the parameters as they are.
  virtual bool wantsNoMatrix() const {
    if (isAuto()) return m_goesWithoutMatrix;
    return matrixFreeSolverOf(m_solverKey, m_solverSettings.front().linear).has_value();
  }
  /// Of a step without a matrix, at most.
  virtual int linearisations() const { return 1; }
  /// respond() without one. @return as wantsBisection()
  virtual ReplicaSet respondWithoutMatrix(World& world, MatrixFreeStep& step,
                                          const MatrixFreeStep::Input& input, StepRecord& record,
                                          PhaseClock& clock);
  /// Those of the method alone.
  virtual void useParameters(const ParameterValues& /*values*/) {}
  /// The model's sets, without friction, of the contacts that narrow phase found.
  /// @param crossSets  out: X sets that are no rows
  virtual std::vector<ModelSet> setsOf(const std::vector<ModelContact>& contacts,
                                       std::vector<CrossSet>& crossSets) const = 0;
  /// Solves one island, with the model's retries and notes of them. Islands are solved at the same time.
  virtual IslandAnswer solveIsland(const World& world, const ContactSetStep& step,
                                   std::vector<ModelSet> sets) const = 0;
  /// What solving the whole step came to.
  struct Outcome {
    SolvedStep solved;
    std::vector<SolveNotes> notes;  ///< [replicaCount]
    ReplicaSet wantsBisection;      ///< or empty
    ReplicaSet helped;              ///< or empty; replicas whose step another form has taken
  };
  /// After the answer's velocities have become those of the running step, also on the backend: looks at it,
  /// and may put another in its place. @return true if it did
  virtual bool amend(World& /*world*/, Outcome& /*outcome*/) { return false; }
  virtual bool reviewsAnswers() const { return false; }
  /// The whole step. Here one linearisation, island by island.
  virtual Outcome solveStep(const World& world, PhaseClock& clock);
  /// @param from  what it starts from
  IslandAnswer solveSets(const World& world, const ContactSetStep& step, std::vector<ModelSet> sets,
                         const SetMemory& from) const;
  /// Where there is no solution: the answer of the softened problem A + δ diag(A), which violates
  /// contradicting rows evenly. The run goes on from it; its residual is that of the true problem.
  /// @return false if that problem was not solved either: the answer is as it was
  bool useCompromise(IslandAnswer& answer) const;
  /// Forgets contact memory.
  void forget();
  /// Adds to a solver that it works with a friction pyramid: a change of solver changes no model silently.
  void tellFriction(StepRecord& record) const;
  bool needsNoMatrix() const { return !m_free.empty() && wantsNoMatrix(); }
  bool isAuto() const { return m_solverKey == "auto"; }
  /// Whether the step is inspected, with the matrices of its islands.
  bool keepsMatrices() const { return m_detail != nullptr; }
  IslandAnswer kept(IslandAnswer answer) const;

  /// Makes them the velocities of the running step, also on the backend.
  void takeVelocities(World& world, const Velocities& velocities) const;

  ModelSettings m_modelSettings;
  std::unique_ptr<NarrowPhase> m_engine;
  std::shared_ptr<DeviceWorld> m_deviceWorld;
  std::string m_solverKey;
  std::unique_ptr<ComplementaritySolver> m_solver;
  std::vector<SolverSettings> m_solverSettings;  ///< [replicaCount] alike but for limits
  SetMemory m_last;                              ///< of the last step
  BackendKind m_backend = BackendKind::Cpu;

 private:
  void respondWithMatrices(World& world, StepRecord& record, PhaseClock& clock);
  void chooseForm(const World& world);
  int rowsPerContact() const;
  int expectedRows() const;
  /// @throws std::length_error where the step has more rows than `largest_problem` allows
  void requireSomeLimit(const World& world) const;
  std::string memory() const override { return m_last.bytes(); }
  ContactSetStep find(const World& world);
  void explain(const SolvedStep& solved);
  /// @param bisected  replicas that will take this step in halves, or empty
  void tell(const World& world, Outcome outcome, const ReplicaSet& bisected, StepRecord& record) const;
  /// The one with the rows that are wanted, or of these.
  MatrixFreeStep& freeStep(std::optional<RowPer> rows = {}) const;

  std::shared_ptr<const Scene> m_scene;
  std::vector<RowRules> m_rules;  ///< [replicaCount]
  /// [rowKinds()] of solvers that can do without a matrix.
  std::vector<std::unique_ptr<MatrixFreeStep>> m_free;
  RecordedContacts m_recorded = RecordedContacts::All;
  bool m_statesOnly = false;
  bool m_mayBisect = false;
  bool m_goesWithoutMatrix = false;  ///< what `auto` has chosen
  bool m_hasFriction;
  std::vector<SolverSettings> m_freeSettings;  ///< [replicaCount] of steps without a matrix
  ReplicaSet m_wantsBisection;
  std::optional<RowPer> m_sentRows, m_keptRows;  ///< memory of a solver without a matrix
};

}  // namespace touchstone
