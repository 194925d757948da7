#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/complementarity/host_method.h"
#include "core/contact/complementarity/model_step.h"
#include "core/contact/complementarity/narrow_phase.h"
#include "core/contact/complementarity/row_rules.h"

namespace touchstone {

/// Automatic `margin` and `feasible_depth`, as shares of lengthOf() the scene. A larger margin grows the
/// number of contacts, and what a step foresees. A smaller depth takes overlap for the back of a thin piece,
/// a larger one a plate.
inline constexpr double kMarginOfLength = 0.01, kFeasibleDepthOfLength = 5e-3;

/// A complementarity method: rows of contacts or sets, one problem for each island, solved by the solver of
/// the pane on the backend or, where that needs a matrix, on the host. `lcp` and `peg` differ in their rows
/// and in what they do about an answer that cannot be used.
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
  JointProjection jointProjection() const override;
  void sendMemory() override;
  void keepMemory() override;
  std::string keptMemory() override;
  void restoreMemory(const std::string& bytes) override;

  // For MethodInfo:
  static std::vector<ParameterSpec> sharedParameters();
  static std::string refusal(const Scene& scene);
  /// Which contacts there are, by the parameters eps_theta, margin and feasible_depth; without what rows ask
  /// for.
  static RowRules rulesOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                          const Scene& scene);
  static std::string staysOnHost(const std::string& solver);
  static std::vector<std::string> solvers() { return {"auto", "newton-fb", "lemke"}; }

 protected:
  virtual const std::vector<ParameterSpec>& specs() const = 0;
  /// Contacts and sets of narrow phase, not only its pairs.
  virtual bool needsContacts() const { return true; }
  /// Rules of one replica, with its values.
  virtual RowRules ruleWith(const ParameterValues& values) const;
  /// The rows with the parameters as they are.
  virtual RowPer rowPer() const = 0;
  /// Every row layout that a parameter can select.
  virtual std::vector<RowPer> rowKinds() const { return {rowPer()}; }
  /// Largest number of linearisations of a step.
  virtual int linearisations() const { return 1; }
  virtual bool reviewsAnswers() const { return false; }
  /// Reads the method's own parameters.
  virtual void useParameters(const ParameterValues& /*values*/) {}
  /// @return as wantsBisection()
  virtual ReplicaSet take(World& world, const ModelStep::Input& input, StepRecord& record, PhaseClock& clock);
  /// The step with these rows and the solver that is in use.
  ModelStep& stepWith(RowPer rows) const;

  std::unique_ptr<NarrowPhase> m_engine;
  std::shared_ptr<DeviceWorld> m_deviceWorld;
  BackendKind m_backend = BackendKind::Cpu;

 private:
  /// Step objects of one solver: at most one with matrices and one without.
  struct Solver {
    RowSolverKind kind;
    std::vector<std::unique_ptr<ModelStep>> steps;  ///< [rowKinds()]
  };

  bool isAuto() const { return m_solverKey == "auto"; }
  bool hasJoints() const;
  RowSolverKind kind() const;
  void chooseForm(const World& world);
  int rowsPerContact() const;
  int expectedRows() const;
  /// @throws std::length_error where the step has more rows than `largest_problem` allows
  void requireSomeLimit(const World& world) const;
  /// Completes the name of the solver that delivered: its linear solver, what joints made of it, and that it
  /// works with a friction pyramid. A change of solver changes no model silently.
  void tellDelivered(StepRecord& record) const;
  /// Forgets contact memory.
  void forget();
  RowStep& memory() const { return stepWith(rowPer()).engine(); }

  std::shared_ptr<const Scene> m_scene;
  std::string m_solverKey;
  ModelSettings m_modelSettings;
  std::vector<SolverSettings> m_solverSettings;  ///< [replicaCount] alike but for limits
  std::vector<RowRules> m_rules;                 ///< [replicaCount]
  std::vector<Solver> m_solvers;
  RecordedContacts m_recorded = RecordedContacts::All;
  bool m_statesOnly = false;
  bool m_mayBisect = false;
  bool m_goesWithoutMatrix = false;  ///< what `auto` has chosen
  bool m_hasFriction;
  ReplicaSet m_wantsBisection;
  /// Whose memory is on its way to the host, and kept there: of a step with matrices or without.
  RowStep *m_sent = nullptr, *m_kept = nullptr;
  int m_sentForm = 0, m_keptForm = 0;
};

}  // namespace touchstone
